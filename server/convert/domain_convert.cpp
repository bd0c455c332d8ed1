// SPDX-License-Identifier: Apache-2.0
#include "server/convert/domain_convert.h"

#include <array>
#include <cstddef>

#include "server/convert/chosen.h"
#include "server/convert/field_path.h"
#include "server/convert/wall_convert.h"

// The rules are those that scene.proto documents.
namespace sluice::convert {
namespace {

using Sides = std::array<std::array<scene::Side, 2>, 3>;

void convert_periodic_axes(const v1::Domain& domain, Sides& sides, ProblemSink& problems) {
  for (int i = 0; i < domain.periodic_axes_size(); ++i) {
    const std::string path = element_path("domain.periodic_axes", static_cast<std::size_t>(i));
    const auto axis = static_cast<v1::Axis>(domain.periodic_axes(i));
    if (axis == v1::AXIS_UNSPECIFIED) problems.error(path, "must be AXIS_X, AXIS_Y or AXIS_Z");
    if (!chosen(axis, path, problems)) continue;
    auto& both = sides[static_cast<std::size_t>(axis - v1::AXIS_X)];
    if (both[0] == scene::Side::periodic) problems.error(path, "is there already");
    both = {scene::Side::periodic, scene::Side::periodic};
  }
}

void convert_open_sides(const v1::Domain& domain, Sides& sides, ProblemSink& problems) {
  for (int i = 0; i < domain.open_sides_size(); ++i) {
    const std::string path = element_path("domain.open_sides", static_cast<std::size_t>(i));
    const auto given = static_cast<v1::Side>(domain.open_sides(i));
    if (given == v1::SIDE_UNSPECIFIED)
      problems.error(path, "must be one of SIDE_X_LOWER to SIDE_Z_UPPER");
    if (!chosen(given, path, problems)) continue;
    const auto number = static_cast<std::size_t>(given - v1::SIDE_X_LOWER);
    scene::Side& side = sides[number / 2][number % 2];
    if (side == scene::Side::periodic) {
      problems.error(path, "is of an axis in `periodic_axes`");
    } else if (side == scene::Side::open) {
      problems.error(path, "is there already");
    } else {
      side = scene::Side::open;
    }
  }
}

scene::SideVelocity convert_side_velocity(const v1::SideVelocity& from, const std::string& path,
                                          ProblemSink& problems) {
  scene::SideVelocity to;
  to.velocity = problems.required_vector(from.velocity(), child_path(path, "velocity"))
                    .value_or(Vec3::Zero());
  to.is_parabolic = chosen(from.profile(), child_path(path, "profile"), problems) &&
                    from.profile() == v1::PROFILE_PARABOLIC;
  return to;
}

// After the sides that are open or periodic.
void convert_side_velocities(const v1::Scene& from, scene::FluidGrid& to, ProblemSink& problems) {
  std::array<bool, 6> is_given{};
  const v1::Domain& domain = from.domain();
  if (!domain.side_velocities().empty() && !from.has_gas())
    problems.error("domain.side_velocities", "has no use without `gas`");
  for (int i = 0; i < domain.side_velocities_size(); ++i) {
    const v1::SideVelocity& given = domain.side_velocities(i);
    const std::string path = element_path("domain.side_velocities", static_cast<std::size_t>(i));
    const std::string side_path = child_path(path, "side");
    const scene::SideVelocity velocity = convert_side_velocity(given, path, problems);
    if (given.side() == v1::SIDE_UNSPECIFIED)
      problems.error(side_path, "must be one of SIDE_X_LOWER to SIDE_Z_UPPER");
    if (!chosen(given.side(), side_path, problems)) continue;
    const auto number = static_cast<std::size_t>(given.side() - v1::SIDE_X_LOWER);
    if (is_given[number]) problems.error(side_path, "is there already");
    if (to.sides[number / 2][number % 2] != scene::Side::wall)
      problems.error(side_path, "is in `open_sides`: gas goes in and out there as it is pressed");
    is_given[number] = true;
    to.side_velocities[number / 2][number % 2] = velocity;
  }
}

void refuse_without_fluids(const v1::Scene& from, ProblemSink& problems) {
  if (!from.fluids().empty() || from.has_gas()) return;
  const char* const message =
      "has no use without `fluids` and `gas`: to solids all sides are walls";
  if (!from.domain().open_sides().empty()) problems.error("domain.open_sides", message);
  if (!from.domain().periodic_axes().empty()) problems.error("domain.periodic_axes", message);
}

}  // namespace

void convert_domain(const v1::Scene& from, scene::Scene& to, ProblemSink& problems) {
  if (!from.has_domain()) {
    problems.error("domain", "is required: the box that everything is in");
    return;
  }
  const v1::Domain& domain = from.domain();
  if (const auto lower = problems.required_vector(domain.lower(), "domain.lower")) {
    to.domain_lower = *lower;
  }
  if (const auto upper = problems.required_vector(domain.upper(), "domain.upper")) {
    to.domain_upper = *upper;
  }
  to.grid.wall = convert_wall(domain.wall(), "domain.wall", problems);
  if (domain.has_wall_friction()) {
    to.grid.wall_friction = domain.wall_friction();
    if (domain.wall() != v1::WALL_CONDITION_FRICTION) {
      problems.error("domain.wall_friction", "has no use: it is of WALL_CONDITION_FRICTION");
    }
  }
  convert_periodic_axes(domain, to.grid.sides, problems);
  convert_open_sides(domain, to.grid.sides, problems);
  convert_side_velocities(from, to.grid, problems);
  refuse_without_fluids(from, problems);
}

}  // namespace sluice::convert
