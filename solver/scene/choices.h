// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "solver/scene/scene.h"

namespace sluice::scene {

/// What a scene leaves for `choose` to choose.
struct OpenFields {
  bool method = false;                 ///< coupling.method
  bool integrator = false;             ///< solid_solver.integrator
  bool iterates = false;               ///< It is to be one with iterations and a tolerance.
  bool contact_distance = false;       ///< coupling.contact_distance
  bool max_substep = false;            ///< timing.max_substep_seconds
  std::vector<std::size_t> thickness;  ///< cloths[].thickness, by index.
};

/// What was chosen for a field that the scene leaves open.
struct Choice {
  std::string path;    ///< The proto's field path.
  std::string value;   ///< As a scene would have it.
  std::string reason;  ///< One plain sentence.
};

/// Sets the fields that `scene`, whose meshes are there, leaves open, and says of those that depend
/// on the scene what they are:
///
/// - the coupling method: the first in the table of methods that is for its fluid and solids
///   (capabilities.h).
/// - the longest substep: 1/240 s, and 0.1 s where nothing but the flow of a grid needs shorter
/// ones.
/// - the contact distance: a tenth of a cell where there is a grid, else 1 mm, but no more than a
///   fortieth of the smallest body; the thickness of a cloth: 1 mm, but no more than a hundredth of
///   its size. Bodies of millimetres are then as smooth as large ones.
/// - the integrator: with which a frame is estimated to take less time, consensus ADMM, whose
///   substeps are bounded by the stiffest vertex, or Newton's method, whose steps cost more;
///   without fluid Newton's method where that takes half a second at most. With a grid whose
///   pressure solids answer to it is Newton's method, which that needs, and for sheets of springs
///   alone, which have one of their own; sheets of springs with fluid or rigid bodies have
///   consensus ADMM.
///
/// Estimates are of the scene alone, not of this machine: the same scene has the same choices.
[[nodiscard]] std::vector<Choice> choose(const OpenFields& open, Scene& scene);

}  // namespace sluice::scene
