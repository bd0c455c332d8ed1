// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "solver/simulation.h"
#include "tests/certificate/exact_contact.h"
#include "tests/certificate/triangle_grid.h"

namespace sluice::certificate {

enum class CrossingKind { particle_triangle, vertex_triangle, edge_edge };

/// A particle or vertex that met a triangle on its way, or an edge an edge.
struct Crossing {
  std::int64_t substep;  ///< From 0.
  double time;           ///< [s] at the end of the substep
  CrossingKind kind;
  std::size_t first, second;  ///< Indices; of edges into those of all triangles, each once, sorted.
  Vec3 from, to;              ///< [m] of the point, or of the first edge's first end
};

/// Checks for every substep of a simulation that no particle meets any triangle, no vertex a
/// triangle and no edge an edge that it shares no vertex with, while all go straight from the state
/// at its start to the state at its end, touching included; and that each substep starts exactly
/// where the one before ended, so that nothing happens in between. So surfaces that do not
/// intersect at first never do.
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
  /// A vertex and a triangle, or two edges, by what is first and second in a Crossing.
  struct NearPair {
    CrossingKind kind;
    std::int32_t first, second;
  };
  void check_continuity(const SubstepStates& states);
  void set_surfaces(const SubstepStates& states);
  void check_particle(const SubstepStates& states, std::size_t particle, Findings& findings) const;
  [[nodiscard]] bool are_near_pairs_valid(const SubstepStates& states) const;
  void list_near_pairs(const SubstepStates& states);
  void check_near_pair(const SubstepStates& states, const NearPair& pair, Findings& findings) const;
  static void check_pair(const Motion<4>& motion, const Crossing& crossing, Findings& findings);
  template <typename Check>
  void check_all(std::size_t count, const Check& check);

  std::vector<TriangleIndices> triangles_;
  std::vector<std::int32_t> vertices_;  ///< Of triangles_.
  std::vector<EdgeIndices> edges_;      ///< Of triangles_.
  std::vector<Box> boxes_;
  TriangleGrid grid_;
  /// Pairs of solids that are not clearly farther apart than twice the margin, at places_; good for
  /// as long as no vertex is farther than the margin from there.
  std::vector<NearPair> near_pairs_;
  std::vector<Vec3> places_;
  double margin_ = 0;  ///< [m]
  std::vector<Findings> findings_;
  std::vector<Vec3f> last_particles_;
  std::vector<Vec3> last_vertices_;
  std::int64_t substep_count_ = 0, crossing_count_ = 0, jump_count_ = 0;
  std::int64_t pair_count_ = 0, exact_count_ = 0;
  std::vector<Crossing> crossings_;
};

}  // namespace sluice::certificate
