// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "solver/integrator/lane_vector.h"
#include "solver/solid/spring_potential.h"

namespace sluice::integrator {

/// A spring network in chunks of eight springs, for SpringLanes.
///
/// Springs whose ends are neighbours in number in the same way (a + i, b + i), as most are on
/// grids, stand in runs: chunks whose ends count up by one throughout. The rest, of irregular
/// meshes, is loose. Chunks belong to blocks of vertices, by the lower of their ends.
struct SpringLayout {
  static constexpr std::size_t width = lane_width;
  static constexpr std::size_t block_width = 256;  ///< Vertices.
  static constexpr std::size_t no_element = std::numeric_limits<std::size_t>::max();

  explicit SpringLayout(std::span<const solid::SpringPotential* const> springs);

  using Numbers = std::array<float, width>;
  using RestLengths = std::array<double, width>;  ///< [m]

  /// The ends of eight springs; where there are fewer, the rest has no stiffness.
  struct Ends {
    std::array<std::int32_t, width> a, b;
  };
  /// Chunks, one after the other, whose ends a are whole lanes. Where there is no spring between
  /// two ends, one without stiffness takes its place.
  struct Run {
    std::size_t a, b;  ///< Ends of the first spring.
    std::size_t first_chunk, last_chunk;
    std::size_t force;  ///< Place of the first spring's force.
  };
  /// Vertices, whole lanes of them, that are ends of the same runs. Places of forces are given for
  /// vertex 0, as if the run went back there.
  struct Segment {
    std::size_t first_vertex, last_vertex;
    std::size_t first_at_a, first_at_b, last_at_b;  ///< In `sources`: those for ends a, for b.
  };
  /// A block of vertices, and the springs whose ends a are in it.
  struct Block {
    std::size_t first_loose, last_loose;  ///< Loose chunks.
    std::size_t first_run, last_run;
    std::size_t first_segment, last_segment;
  };
  struct alignas(64) Constants {
    Numbers stiffness, half_compliance, rest_length;  ///< [N/m], [m/N] 0 without stiffness, [m]
  };
  /// A spring as it was given.
  struct Pair {
    std::int32_t a, b;
    bool is_reversed;     ///< Whether b was given first.
    std::size_t element;  ///< Counted over all potentials, or no_element.
  };

  std::vector<Block> blocks;
  std::vector<Ends> ends;  ///< Ends of the loose chunks, which come first.
  std::vector<Run> runs;
  std::vector<Segment> segments;
  std::vector<std::ptrdiff_t> sources;
  std::vector<std::uint32_t> kinds;       ///< By chunk: index into the next two vectors.
  std::vector<Constants> constants;       ///< Each once: most chunks of a grid are alike.
  std::vector<RestLengths> rest_lengths;  ///< By the index of `constants`.
  std::vector<Pair> pairs;                ///< Springs by lane of the chunks.
  std::size_t vertex_count = 0;           ///< Vertices up to the last end.
  /// Places of forces, one a spring: those of a run stand in a row, with a lane before and after
  /// for which there is no spring; those of the loose chunks come first.
  std::size_t force_count = 0;
  std::size_t reach = 0;          ///< Largest number of blocks from a to b.
  double greatest_stiffness = 0;  ///< [N/m]

  [[nodiscard]] std::size_t chunk_count() const { return kinds.size(); }
};

}  // namespace sluice::integrator
