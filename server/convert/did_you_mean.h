// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sluice::convert {

/// Finds the name in `known` that `given` most likely means, if one is near. Case, `_` and `-` do
/// not count. Near means at most a third of the shorter name's length, but at least one, in typing
/// errors (each inserted, lost, changed or swapped letter is one); or, from four letters on, that
/// `given` is the end of the name (`quadratic` of `KERNEL_QUADRATIC`). Ties: the first.
[[nodiscard]] std::optional<std::string> did_you_mean(std::string_view given,
                                                      std::span<const std::string> known);

}  // namespace sluice::convert
