// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/ccd.h"

#include <array>
#include <cassert>

#include "solver/geometry/ccd/batch.h"
#include "solver/geometry/ccd/contact_time.h"

namespace sluice::geometry {
namespace {

using ccd::Lanes1;
using ccd::MovingPolygon;
using Corners = std::array<ccd::Vector<Lanes1>, 4>;

template <typename Kind>
std::optional<double> first_contact(const Corners& corners_t0, const Corners& corners_t1,
                                    double minimum_distance) {
  assert(minimum_distance >= 0);
  const MovingPolygon<Lanes1, Kind::polygon_corners> polygon{Kind::polygon(corners_t0),
                                                             Kind::polygon(corners_t1)};
  const ccd::MotionBox box(polygon);
  if (is_separated_by_an_axis(box, minimum_distance).value) return std::nullopt;
  const auto extent = box.extent();
  if (!ccd::is_in_range(extent, minimum_distance).value) return 0;
  if (is_separated_by_fixed_directions(polygon, extent, minimum_distance).value) {
    return std::nullopt;
  }
  const ccd::Search search(polygon, minimum_distance);
  Lanes1 time = 0;
  Lanes1::Mask is_searching{true};
  for (int i = 0; i < ccd::max_advances && is_searching.value; ++i)
    search.advance(time, is_searching);
  if (time.value > 1) return std::nullopt;
  return time.value;
}

ccd::Vector<Lanes1> vector(const Vec3& p) { return {p.x(), p.y(), p.z()}; }

}  // namespace

std::optional<double> first_contact(const PointTriangleMotion& m,
                                    double minimum_distance) noexcept {
  return first_contact<ccd::PointTriangleKind>(
      {vector(m.p_t0), vector(m.a_t0), vector(m.b_t0), vector(m.c_t0)},
      {vector(m.p_t1), vector(m.a_t1), vector(m.b_t1), vector(m.c_t1)}, minimum_distance);
}

std::optional<double> first_contact(const EdgeEdgeMotion& m, double minimum_distance) noexcept {
  return first_contact<ccd::EdgeEdgeKind>(
      {vector(m.a_t0), vector(m.b_t0), vector(m.c_t0), vector(m.d_t0)},
      {vector(m.a_t1), vector(m.b_t1), vector(m.c_t1), vector(m.d_t1)}, minimum_distance);
}

}  // namespace sluice::geometry
