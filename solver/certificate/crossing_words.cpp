// SPDX-License-Identifier: Apache-2.0
#include "solver/certificate/crossing_words.h"

#include <fmt/format.h>

#include <string_view>

namespace sluice::certificate {
namespace {

/// The name of the body that holds a particle or a vertex, by its index into those of all bodies.
std::string_view owner_of(std::size_t point, bool is_particle, std::span<const BodyLayout> layout) {
  auto left = static_cast<std::int64_t>(point);
  for (const BodyLayout& body : layout) {
    if ((body.kind == BodyKind::particles) != is_particle) continue;
    if (left < body.count) return body.name;
    left -= body.count;
  }
  return "?";
}

}  // namespace

std::string in_words(const Crossing& crossing, std::span<const BodyLayout> layout,
                     std::int64_t frame) {
  const bool is_of_particle = crossing.kind == CrossingKind::particle_triangle;
  const bool is_of_edges = crossing.kind == CrossingKind::edge_edge;
  return fmt::format(
      "{} of \"{}\" met {} of \"{}\" in substep {} of frame {}, before {:.9g} s, near "
      "({:.6g}, {:.6g}, {:.6g})",
      is_of_particle ? "a particle"
      : is_of_edges  ? "an edge"
                     : "a vertex",
      owner_of(crossing.first_point, is_of_particle, layout),
      is_of_edges ? "an edge" : "a triangle", owner_of(crossing.second_point, false, layout),
      crossing.substep + 1, frame, crossing.time, crossing.from.x(), crossing.from.y(),
      crossing.from.z());
}

}  // namespace sluice::certificate
