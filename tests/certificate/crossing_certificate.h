// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "solver/simulation.h"
#include "tests/certificate/triangle_grid.h"

namespace sluice::certificate {

/// A particle that met a triangle on its way.
struct Crossing {
  std::int64_t substep;  ///< From 0.
  double time;           ///< [s] at the end of the substep
  std::size_t particle, triangle;
  Vec3 from, to;  ///< [m] of the particle
};

/// Checks for every substep of a simulation that no particle meets any triangle while both go
/// straight from the state at its start to the state at its end, touching included; and that each
/// substep starts exactly where the one before ended, so that nothing happens in between.
///
/// Own code throughout: it shares nothing with solver/contact or solver/geometry. A uniform grid
/// finds the pairs; separating directions on halved time spans, with a generous bound of rounding,
/// clear most; what they do not clear is decided in integer arithmetic (exact_contact.h).
class CrossingCertificate final : public SubstepObserver {
 public:
  void on_substep(const SubstepStates& states) override;

  [[nodiscard]] std::int64_t substep_count() const { return substep_count_; }
  [[nodiscard]] std::int64_t crossing_count() const { return crossing_count_; }
  /// Substeps that did not start where the one before ended.
  [[nodiscard]] std::int64_t jump_count() const { return jump_count_; }
  /// Pairs looked at, and those of them that needed integer arithmetic.
  [[nodiscard]] std::int64_t pair_count() const { return pair_count_; }
  [[nodiscard]] std::int64_t exact_count() const { return exact_count_; }
  /// The first 16.
  [[nodiscard]] const std::vector<Crossing>& crossings() const { return crossings_; }

 private:
  struct Findings {
    std::int64_t pair_count = 0, exact_count = 0;
    std::vector<Crossing> crossings;
  };
  void check_continuity(const SubstepStates& states);
  void check_particles(const SubstepStates& states, std::size_t first, std::size_t last,
                       Findings& findings) const;

  TriangleGrid grid_;
  std::vector<Box> boxes_;
  std::vector<Findings> findings_;
  std::vector<Vec3f> last_particles_;
  std::vector<Vec3> last_vertices_;
  std::int64_t substep_count_ = 0, crossing_count_ = 0, jump_count_ = 0;
  std::int64_t pair_count_ = 0, exact_count_ = 0;
  std::vector<Crossing> crossings_;
};

}  // namespace sluice::certificate
