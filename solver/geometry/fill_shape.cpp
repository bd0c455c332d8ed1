// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/fill_shape.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "solver/geometry/box_tets.h"
#include "solver/geometry/isosurface_stuffing.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::geometry {

namespace {

constexpr std::int64_t fill_shape_grain = 4096;
constexpr double tets_per_cell = 12;  // of a body-centred cubic lattice
constexpr int bisections = 32;

// [m] Half of the sides of the form's box in its own frame.
struct HalfExtents {
  Vec3 operator()(const Box& box) const { return box.half_extents; }
  Vec3 operator()(const Sphere& sphere) const { return Vec3::Constant(sphere.radius); }
  Vec3 operator()(const Capsule& capsule) const {
    return {capsule.radius, capsule.radius, capsule.half_length + capsule.radius};
  }
  Vec3 operator()(const Cylinder& cylinder) const {
    return {cylinder.radius, cylinder.radius, cylinder.half_length};
  }
  Vec3 operator()(const HalfSpace&) const {
    assert(false);
    return Vec3::Zero();
  }
};

// [m^3]
struct Volume {
  double operator()(const Box& box) const { return 8 * box.half_extents.prod(); }
  double operator()(const Sphere& s) const { return 4.0 / 3 * std::numbers::pi * cube(s.radius); }
  double operator()(const Capsule& c) const {
    return std::numbers::pi * c.radius * c.radius * (2 * c.half_length + 4.0 / 3 * c.radius);
  }
  double operator()(const Cylinder& c) const {
    return 2 * std::numbers::pi * c.radius * c.radius * c.half_length;
  }
  double operator()(const HalfSpace&) const { return 0; }
  static double cube(double x) { return x * x * x; }
};

// A block that the form is well inside of, symmetric about its centre.
BccLattice lattice_around(const Vec3& half_extents, double cell_size) {
  BccLattice lattice;
  lattice.cell_size = cell_size;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double half = half_extents[static_cast<Eigen::Index>(axis)];
    lattice.cell_counts[axis] = 2 * (static_cast<std::int32_t>(std::ceil(half / cell_size)) + 1);
    lattice.origin[static_cast<Eigen::Index>(axis)] = -0.5 * cell_size * lattice.cell_counts[axis];
  }
  return lattice;
}

// Where the segment from a point inside to one outside leaves the form, as a fraction of it.
double find_cut(const Shape& local, const Vec3& inside, const Vec3& outside) {
  double low = 0, high = 1;
  for (int i = 0; i < bisections; ++i) {
    const double middle = (low + high) / 2;
    const Vec3 point = inside + middle * (outside - inside);
    (signed_distance(local, point).distance < 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

TetMesh stuff(const Shape& local, const BccLattice& lattice) {
  std::vector<std::uint8_t> is_inside(static_cast<std::size_t>(lattice.point_count()));
  parallel::parallel_for(
      0, lattice.point_count(), fill_shape_grain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
          const Vec3 point = lattice.position(lattice.point(i));
          is_inside[static_cast<std::size_t>(i)] = signed_distance(local, point).distance < 0;
        }
      });
  return stuff_isosurface(
      lattice, is_inside, [&](const LatticePoint& inside, const LatticePoint& outside) {
        return find_cut(local, lattice.position(inside), lattice.position(outside));
      });
}

}  // namespace

double longest_side(const Shape& shape) {
  return 2 * std::visit(HalfExtents{}, shape.form).maxCoeff();
}

Result<TetMesh> fill_shape(const Shape& shape, double element_size, std::int64_t most_tets) {
  assert(element_size > 0);
  Result<TetMesh> filled = TetMesh{};
  if (const auto* box = std::get_if<Box>(&shape.form)) {
    filled = box_tets(box->half_extents, element_size, most_tets);
    if (!filled) return filled;
  } else {
    const double tets =
        tets_per_cell * std::visit(Volume{}, shape.form) / std::pow(element_size, 3);
    if (!(tets <= static_cast<double>(most_tets))) {
      return Error{ErrorCode::invalid_mesh,
                   fmt::format("elements of {:.3g} m make {:.3g} tetrahedra; at most {} are "
                               "allowed",
                               element_size, tets, most_tets)};
    }
    const Vec3 half_extents = std::visit(HalfExtents{}, shape.form);
    filled = stuff({shape.form, Vec3::Zero(), Mat3::Identity()},
                   lattice_around(half_extents, element_size));
    if (filled.value().tets.empty()) {
      return Error{ErrorCode::invalid_mesh,
                   fmt::format("elements of {:.3g} m are too large: none fits into the shape, "
                               "which is {:.3g} m thin",
                               element_size, 2 * half_extents.minCoeff())};
    }
  }
  for (Vec3& vertex : filled.value().vertices)
    vertex = shape.rotation * vertex + shape.translation;
  return filled;
}

}  // namespace sluice::geometry
