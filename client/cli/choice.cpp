// SPDX-License-Identifier: Apache-2.0
#include "client/cli/choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "client/cli/suggestion.h"

namespace sluice::cli {

WordCheck one_of(std::vector<std::string> words) {
  return [words = std::move(words)](const std::string& given) {
    if (std::find(words.begin(), words.end(), given) != words.end()) {
      return std::string();
    }
    return fmt::format("'{}' is none of {}{}", given, fmt::join(words, ", "),
                       did_you_mean(given, words));
  };
}

std::string joined_words(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, "|"));
}

}  // namespace sluice::cli
