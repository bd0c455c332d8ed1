// SPDX-License-Identifier: Apache-2.0
#include "server/convert/did_you_mean.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace sluice::convert {
namespace {

// A name longer than this is no typing error, and would cost time in proportion to its square.
constexpr std::size_t longest_name = 80;

std::string plain(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c != '_' && c != '-') {
      letters.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
  }
  return letters;
}

// Optimal string alignment: Levenshtein's distance with swaps of neighbours. Damerau, A Technique
// for Computer Detection and Correction of Spelling Errors, Communications of the ACM 7 (3), 1964.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    table[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j)
    table[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
      }
    }
  }
  return table[a.size()][b.size()];
}

// What all names begin with, as values of an enumeration do: it is no likeness.
std::string shared_start(std::span<const std::string> known) {
  if (known.size() < 2) return {};
  std::string shared = plain(known.front());
  for (const std::string& name : known) {
    const std::string other = plain(name);
    shared.erase(std::ranges::mismatch(shared, other).in1, shared.end());
  }
  return shared;
}

}  // namespace

std::optional<std::string> did_you_mean(std::string_view given,
                                        std::span<const std::string> known) {
  if (given.empty() || given.size() > longest_name) return std::nullopt;
  const std::string wanted = plain(given);
  const std::string shared = shared_start(known);
  const std::size_t own_size = wanted.size() - (wanted.starts_with(shared) ? shared.size() : 0);
  std::optional<std::string> best;
  std::size_t best_distance = longest_name;
  for (const std::string& name : known) {
    const std::string candidate = plain(name);
    std::size_t distance = edit_distance(wanted, candidate);
    if (wanted.size() >= 4 && candidate.ends_with(wanted))
      distance = std::min<std::size_t>(distance, 1);
    const std::size_t allowed =
        std::max<std::size_t>(1, std::min(own_size, candidate.size() - shared.size()) / 3);
    if (distance <= allowed && distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace sluice::convert
