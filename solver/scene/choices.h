// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "solver/scene/scene.h"

namespace sluice::scene {

/// The fields that a scene leaves for `choose` to set.
struct OpenFields {
  bool method = false;                 ///< coupling.method
  bool integrator = false;             ///< solid_solver.integrator
  bool iterates = false;               ///< Whether that must have iterations and a tolerance.
  bool contact_distance = false;       ///< coupling.contact_distance
  bool max_substep = false;            ///< timing.max_substep_seconds
  std::vector<std::size_t> thickness;  ///< cloths[].thickness, by index.
};

/// The value chosen for a field that the scene leaves open.
struct Choice {
  std::string path;    ///< The proto's field path.
  std::string value;   ///< In the form that a scene has it.
  std::string reason;  ///< One plain sentence.
};

/// Sets the fields that `scene`, whose meshes are there, leaves open, and returns the choices that
/// depend on the scene:
///
/// - the coupling method: the first in the table of methods that is for its fluid and solids
///   (capabilities.h).
/// - the longest substep: 1/240 s, and 0.1 s where nothing but the flow of a grid needs shorter
/// ones.
/// - the contact distance: a tenth of a cell where there is a grid, else 1 mm, but no more than a
///   fortieth of the smallest body; the thickness of a cloth: 1 mm, but no more than a hundredth of
///   its size. Bodies of millimetres are then as smooth as large ones.
/// - the integrator: whichever is estimated to take less time for a frame, consensus ADMM, whose
///   substeps are bounded by the stiffest vertex, or Newton's method, whose steps cost more;
///   without fluid Newton's method where that takes half a second at most. With a grid whose
///   pressure solids answer to it is Newton's method, which that grid needs, and for sheets of
///   springs alone, which have a Newton's method of their own; sheets of springs with fluid or
///   rigid bodies have consensus ADMM.
///
/// Estimates come from the scene alone, not this machine: the same scene has the same choices.
[[nodiscard]] std::vector<Choice> choose(const OpenFields& open, Scene& scene);

}  // namespace sluice::scene
