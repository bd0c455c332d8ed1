// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tests/validation/solid/convergence/studies.h"

namespace sluice::solid {

/// A plot of the studies as the text of an SVG file: errors over sizes, both logarithmic, with a
/// triangle's side of the slopes 1 and 2 to hold them against.
[[nodiscard]] std::string plot(const std::string& title, const std::string& size_label,
                               const std::vector<Study>& studies);

}  // namespace sluice::solid
