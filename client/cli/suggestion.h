// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice::cli {

/// ` (did you mean 'submit'?)` where one of `known` is within a third of its length in typing
/// errors of `given` (an inserted, lost, changed or swapped letter counts one) or begins with it;
/// else nothing. Ties: the first. The server has the like for fields of scenes.
[[nodiscard]] std::string did_you_mean(std::string_view given,
                                       const std::vector<std::string>& known);

}  // namespace sluice::cli
