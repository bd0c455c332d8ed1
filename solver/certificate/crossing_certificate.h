// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solver/certificate/exact_contact.h"
#include "solver/certificate/obstacle_passage.h"
#include "solver/certificate/triangle_grid.h"
#include "solver/simulation.h"

namespace sluice::certificate {

enum class CrossingKind {
  particle_triangle,
  vertex_triangle,
  edge_edge,
  particle_obstacle,
  vertex_obstacle,
  particle_side,  ///< A side of the domain.
  vertex_side,
};

/// A particle or vertex that met a triangle on its way, or an edge an edge; or that passed an
/// obstacle or a side of the domain.
struct Crossing {
  std::int64_t substep;  ///< From 0.
  double time;           ///< [s] at the end of the substep
  CrossingKind kind;
  /// Indices of who and what met: those of edges are into the edges of all triangles, each once,
  /// sorted; that of a side is 2 axis, + 1 for the upper one.
  std::size_t first, second;
  /// The particle itself, or a vertex of the first; a vertex of the second, where that has some.
  std::size_t first_point, second_point;
  Vec3 from, to;              ///< [m] of `first_point`
  std::string obstacle = {};  ///< Name of the obstacle that was passed.
};

/// Counts over a number of substeps.
struct Findings {
  std::int64_t substep_count = 0;
  std::int64_t crossing_count = 0;
  std::int64_t jump_count = 0;   ///< Substeps that did not start where the one before ended.
  std::int64_t pair_count = 0;   ///< Pairs that were looked at.
  std::int64_t exact_count = 0;  ///< Pairs of these that needed integer arithmetic.
  std::optional<Crossing> first_crossing;

  Findings& operator+=(const Findings& later);
};

/// Checks for every substep of a simulation that no particle meets any triangle, no vertex a
/// triangle and no edge an edge that it shares no vertex with, while all go straight from the state
/// at its start to the state at its end, touching included; and that each substep starts exactly
/// where the one before ended, so that nothing happens in between, but that particles come in, go
/// out, or are put back by periods. So surfaces that do not intersect at first never do.
/// It also checks that no particle and no vertex passes an obstacle or a side of the domain
/// (obstacle_passage.h).
///
/// Own code throughout: it shares nothing with solver/contact or solver/geometry. A uniform grid
/// finds the pairs; separating directions on halved time spans, with a generous bound of rounding,
/// clear most; the other pairs are decided in integer arithmetic (exact_contact.h).
///
/// The same findings for any number of threads. Time and memory grow with particles, triangles and
/// pairs of triangles nearer to each other than a quarter of an edge.
class CrossingCertificate final : public SubstepObserver {
 public:
  void on_substep(const SubstepStates& states) override;

  /// Returns the findings since the last call, or the beginning; to be called between frames. They
  /// are the same for a simulation that was saved and restored there. In them, `Crossing::substep`
  /// is counted from the frame's first.
  [[nodiscard]] Findings take_frame();

  [[nodiscard]] std::int64_t substep_count() const { return total_.substep_count; }
  [[nodiscard]] std::int64_t crossing_count() const { return total_.crossing_count; }
  [[nodiscard]] std::int64_t jump_count() const { return total_.jump_count; }
  [[nodiscard]] std::int64_t pair_count() const { return total_.pair_count; }
  [[nodiscard]] std::int64_t exact_count() const { return total_.exact_count; }
  /// The first 16 crossings found.
  [[nodiscard]] const std::vector<Crossing>& crossings() const { return crossings_; }

 private:
  struct Share {  ///< Findings of a chunk of a parallel loop.
    std::int64_t pair_count = 0, exact_count = 0;
    std::vector<Crossing> crossings;
  };
  /// A vertex and a triangle, or two edges, by the indices `first` and `second` of a Crossing.
  struct NearPair {
    CrossingKind kind;
    std::int32_t first, second;
  };
  [[nodiscard]] bool continues(const SubstepStates& states) const;
  [[nodiscard]] bool particles_continue(const SubstepStates& states) const;
  void set_surfaces(const SubstepStates& states);
  void check_particle(const SubstepStates& states, std::size_t particle, Share& share) const;
  void check_passage(const SubstepStates& states, const ObstaclePassages& passages,
                     std::size_t point, bool is_particle, Share& share) const;
  [[nodiscard]] bool are_near_pairs_valid(const SubstepStates& states) const;
  void list_near_pairs(const SubstepStates& states);
  void check_near_pair(const SubstepStates& states, const NearPair& pair, Share& share) const;
  static void check_pair(const Motion<4>& motion, const Crossing& crossing, Share& share);
  template <typename Check>
  void check_all(std::size_t count, const Check& check, Findings& found);

  std::vector<TriangleIndices> triangles_;
  std::vector<std::int32_t> vertices_;  ///< Vertices of triangles_.
  std::vector<EdgeIndices> edges_;      ///< Edges of triangles_.
  std::vector<Box> boxes_;
  TriangleGrid grid_;
  /// Pairs of solids that are not clearly farther apart than twice the margin where vertices are at
  /// places_; valid as long as no vertex is farther than the margin from there.
  std::vector<NearPair> near_pairs_;
  std::vector<Vec3> places_;
  double margin_ = 0;  ///< [m]
  std::vector<Share> shares_;
  std::vector<Vec3f> last_particles_;
  std::vector<Vec3> last_vertices_;
  Findings total_, frame_;
  std::vector<Crossing> crossings_;
};

}  // namespace sluice::certificate
