// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/contact/candidates.h"
#include "solver/contact/contact_pair.h"
#include "solver/contact/motion_bounds.h"
#include "solver/coupling/contact_surfaces.h"
#include "solver/solid/deformable_system.h"
#include "solver/types.h"

namespace sluice::coupling {

/// Pairs whose barrier begins at the same gap.
struct PairGroup {
  double range;  ///< [m]
  std::vector<contact::ContactPair> pairs;
};

/// Finds the pairs that have a barrier between them: the candidates of CandidateFinder, for points
/// in double that may go anywhere near to where they are, as complete contact::ContactPairs. The
/// vertices of solids come first, then particles, as points of a body that has no surface.
///
/// Pairs of which all points are held are left out. Thickness is part of the range, so that pairs
/// have none: a state is allowed wherever nothing touches.
class PairSearch {
 public:
  /// Both outlive it; `solids` are in their rest shape, which gives the lengths of edges.
  PairSearch(const ContactSurfaces& surfaces, const solid::DeformableSystem& solids);

  /// Replaces `groups`, by ascending range, by all pairs that could come into their range while no
  /// point moves by more than `reach` [m] along any axis from its place in `x`. In each group pairs
  /// of points come first, in the order of points: the same for any number of threads.
  void find(std::span<const Vec3> x, double reach, std::vector<PairGroup>& groups);

 private:
  void add(contact::ContactPair pair, std::int32_t first, std::int32_t second,
           std::span<const Vec3> x, double reach, std::vector<PairGroup>& groups) const;

  const ContactSurfaces& surfaces_;
  std::span<const std::uint8_t> is_held_;
  std::vector<double> edge_lengths_;  ///< [m] at rest
  std::vector<std::int32_t> body_of_point_;
  std::vector<std::uint8_t> touches_itself_;
  contact::MotionBounds bounds_;
  contact::CandidateFinder finder_;
  contact::Candidates candidates_;
};

}  // namespace sluice::coupling
