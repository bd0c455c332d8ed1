// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "client/cli/command.h"

namespace sluice::cli {

/// Refuses every word but these, and says which there are.
[[nodiscard]] WordCheck one_of(std::vector<std::string> words);

/// `vtk|ply`: how help shows the words of an option, and how completion finds them.
[[nodiscard]] std::string joined_words(const std::vector<std::string>& words);

/// Adds an option (or, without dashes, an argument) that takes one of a few words, each of which
/// stands for a value. `value` must outlive the parsing.
template <class T>
CommandOption add_choice(Command command, const std::string& name, T& value,
                         const std::vector<std::pair<std::string, T>>& choices,
                         const std::string& description) {
  std::vector<std::string> words;
  words.reserve(choices.size());
  for (const auto& [word, chosen] : choices) {
    words.push_back(word);
  }
  const auto set = [&value, choices](const std::string& given) {
    for (const auto& [word, chosen] : choices) {
      if (word == given) {
        value = chosen;
      }
    }
  };
  return command.add_option_function(name, set, description)
      .type_name(joined_words(words))
      .check(one_of(words));
}

}  // namespace sluice::cli
