// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sluice::convert {

/// The one of `known` that `given` was most likely meant to be, if any is near: equal but for case,
/// `_` and `-`, or within a third of its length in typing errors (an inserted, lost, changed or
/// swapped letter counts one), or, from four letters on, its last word (`quadratic` of
/// `KERNEL_QUADRATIC`). Ties: the first.
[[nodiscard]] std::optional<std::string> did_you_mean(std::string_view given,
                                                      std::span<const std::string> known);

}  // namespace sluice::convert
