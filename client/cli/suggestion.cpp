// SPDX-License-Identifier: Apache-2.0
#include "client/cli/suggestion.h"

#include <algorithm>

namespace sluice::cli {
namespace {

// No typing error is longer, and the time goes with the square.
constexpr std::size_t longest_word = 60;

/// Optimal string alignment: Levenshtein's distance with swaps of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      const std::size_t changed = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
      }
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view given, const std::vector<std::string>& known) {
  if (given.empty() || given.size() > longest_word) {
    return {};
  }
  const std::string* best = nullptr;
  std::size_t best_distance = longest_word;
  for (const std::string& word : known) {
    const bool begins = given.size() >= 2 && word.starts_with(given);
    const std::size_t distance = begins ? 1 : edit_distance(given, word);
    const std::size_t allowed = std::max<std::size_t>(1, std::min(given.size(), word.size()) / 3);
    if (distance <= allowed && distance < best_distance) {
      best = &word;
      best_distance = distance;
    }
  }
  return best == nullptr ? std::string() : " (did you mean '" + *best + "'?)";
}

}  // namespace sluice::cli
