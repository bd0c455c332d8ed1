// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sluice::fluid {

/// In two dimensions, a unit normal with a part shorter than this in the plane belongs to a surface
/// along the plane, which no fluid of the plane meets.
inline constexpr double least_in_plane = 1e-3;

}  // namespace sluice::fluid
