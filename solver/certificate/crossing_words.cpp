// SPDX-License-Identifier: Apache-2.0
#include "solver/certificate/crossing_words.h"

#include <fmt/format.h>

#include <string>
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

bool is_of_particle(CrossingKind kind) {
  return kind == CrossingKind::particle_triangle || kind == CrossingKind::particle_obstacle ||
         kind == CrossingKind::particle_side;
}

/// The thing that was met, as `met a triangle of "curtain"` or `went into the obstacle "wall"`.
std::string what_was_met(const Crossing& crossing, std::span<const BodyLayout> layout) {
  switch (crossing.kind) {
    case CrossingKind::particle_triangle:
    case CrossingKind::vertex_triangle:
    case CrossingKind::edge_edge:
      return fmt::format("met {} of \"{}\"",
                         crossing.kind == CrossingKind::edge_edge ? "an edge" : "a triangle",
                         owner_of(crossing.second_point, false, layout));
    case CrossingKind::particle_obstacle:
    case CrossingKind::vertex_obstacle:
      return fmt::format("went into the obstacle \"{}\"", crossing.obstacle);
    case CrossingKind::particle_side:
    case CrossingKind::vertex_side:
      return fmt::format("went out through the domain's {} side along {}",
                         crossing.second % 2 == 0 ? "lower" : "upper", "xyz"[crossing.second / 2]);
  }
  return {};
}

}  // namespace

std::string in_words(const Crossing& crossing, std::span<const BodyLayout> layout,
                     std::int64_t frame) {
  const bool is_particle = is_of_particle(crossing.kind);
  return fmt::format(
      "{} of \"{}\" {} in substep {} of frame {}, before {:.9g} s, near ({:.6g}, {:.6g}, {:.6g})",
      is_particle                                ? "a particle"
      : crossing.kind == CrossingKind::edge_edge ? "an edge"
                                                 : "a vertex",
      owner_of(crossing.first_point, is_particle, layout), what_was_met(crossing, layout),
      crossing.substep + 1, frame, crossing.time, crossing.from.x(), crossing.from.y(),
      crossing.from.z());
}

}  // namespace sluice::certificate
