// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/rest_shapes.h"

#include <Eigen/LU>
#include <cassert>
#include <cmath>
#include <cstddef>

namespace sluice::solid {

namespace {

/// `edges_of(a, b, ...)` of each element's corners; its measure is |det edges| times `factor`.
template <int dim, typename EdgesOf>
RestShapes<dim> shapes_of(std::span<const Vec3> rest_positions,
                          std::span<const std::array<std::int32_t, dim + 1>> elements,
                          double factor, const EdgesOf& edges_of) {
  RestShapes<dim> shapes{elements, {}, {}};
  shapes.edges.reserve(elements.size());
  shapes.measures.reserve(elements.size());
  for (const auto& corners : elements) {
    std::array<Vec3, dim + 1> at;
    for (std::size_t i = 0; i <= dim; ++i)
      at[i] = rest_positions[static_cast<std::size_t>(corners[i])];
    shapes.edges.push_back(edges_of(at));
    shapes.measures.push_back(factor * std::abs(shapes.edges.back().determinant()));
    assert(shapes.measures.back() > 0 && std::isfinite(shapes.measures.back()));
  }
  return shapes;
}

}  // namespace

RestShapes<3> tet_shapes(std::span<const Vec3> rest_positions,
                         std::span<const std::array<std::int32_t, 4>> tets) {
  return shapes_of<3>(rest_positions, tets, 1.0 / 6, [](const std::array<Vec3, 4>& x) {
    Eigen::Matrix3d edges;
    edges << x[1] - x[0], x[2] - x[0], x[3] - x[0];
    return edges;
  });
}

RestShapes<2> plane_shapes(std::span<const Vec3> rest_positions,
                           std::span<const TriangleIndices> triangles, int second,
                           double thickness) {
  RestShapes<2> shapes = shapes_of<2>(rest_positions, triangles, 0.5 * thickness,
                                      [second](const std::array<Vec3, 3>& x) {
                                        const Vec3 a = x[1] - x[0], b = x[2] - x[0];
                                        Eigen::Matrix2d edges;
                                        edges << a[0], b[0], a[second], b[second];
                                        return edges;
                                      });
  shapes.second_axis = second;
  return shapes;
}

RestShapes<2> membrane_shapes(std::span<const Vec3> rest_positions,
                              std::span<const TriangleIndices> triangles, double thickness) {
  return shapes_of<2>(rest_positions, triangles, 0.5 * thickness, [](const std::array<Vec3, 3>& x) {
    const Vec3 first = x[1] - x[0], second = x[2] - x[0];
    const double length = first.norm();
    Eigen::Matrix2d edges;
    edges << length, first.dot(second) / length, 0, first.cross(second).norm() / length;
    return edges;
  });
}

}  // namespace sluice::solid
