// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/LU>
#include <cassert>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "solver/solid/element_potential.h"
#include "solver/solid/rest_shapes.h"

namespace sluice::solid {

/// Elements with linear shape functions, whose energy is their measure times a density in the
/// deformation gradient F = D^T of rows x cols: 3x3 for tets, 3x2 for membranes, 2x2 in the plane.
/// A row of D has always 3 entries; for an element in the plane along x and RestShapes::second_axis
/// the third one is ignored.
///
/// `Kind` derives from this and has, for element e:
///   double density_at(e, F)                                     [J/m^3]
///   Gradient stress_at(e, F)                                    [Pa]
///   Matrix<rows cols, rows cols> hessian_at(e, F, form)         [Pa], F column by column
///   Gradient proximal_at(e, P, w)   argmin density_at(e, Z) + w/2 |Z - P|^2
template <typename Kind, int f_rows, int cols>
class ContinuumElements : public ElementPotential {
 public:
  using Gradient = Eigen::Matrix<double, f_rows, cols>;

  void hessians(std::size_t first, std::size_t last, std::span<const Vec3> x, HessianForm form,
                std::span<double> out) const override {
    constexpr int size = 3 * cols;
    constexpr auto block_size = std::size_t{size} * std::size_t{size};
    assert(out.size() == block_size * (last - first));
    for (std::size_t e = first; e < last; ++e) {
      const auto H = kind().hessian_at(e, gradient_at(e, x), form);
      Eigen::Map<Eigen::Matrix<double, size, size>> block(&out[block_size * (e - first)]);
      if constexpr (f_rows == 3) {
        block = measures_[e] * H;
      } else {
        block.setZero();
        for (int i = 0; i < 2 * cols; ++i) {
          for (int j = 0; j < 2 * cols; ++j)
            block(3 * (i / 2) + axis_of(i % 2), 3 * (j / 2) + axis_of(j % 2)) =
                measures_[e] * H(i, j);
        }
      }
    }
  }

  void local_step(std::size_t first, std::size_t last, std::span<const double> p, double scale,
                  std::span<double> z) const override {
    constexpr auto size = std::size_t{3} * cols;
    assert(p.size() == size * (last - first) && z.size() == p.size() && scale > 0);
    for (std::size_t e = first; e < last; ++e) {
      const Eigen::Map<const Eigen::Matrix<double, 3, cols>> target(&p[size * (e - first)]);
      Eigen::Map<Eigen::Matrix<double, 3, cols>> result(&z[size * (e - first)]);
      result = target;  // Keeps, for a plane element, the part across the plane.
      Gradient F;
      for (int row = 0; row < f_rows; ++row)
        F.row(row) = target.row(axis_of(row));
      const Gradient Z = kind().proximal_at(e, F, weights()[e] * scale / measures_[e]);
      for (int row = 0; row < f_rows; ++row)
        result.row(axis_of(row)) = Z.row(row);
    }
  }

 protected:
  [[nodiscard]] Gradient gradient_at(std::size_t e, std::span<const Vec3> x) const {
    const Eigen::Matrix<double, cols, 3> D = this->template map_one<cols>(e, x);
    Gradient F;
    for (int row = 0; row < f_rows; ++row)
      F.row(row) = D.col(axis_of(row)).transpose();
    return F;
  }
  [[nodiscard]] std::span<const double> measures() const { return measures_; }

  double energy_of(std::size_t first, std::size_t last, std::span<const Vec3> x) const override {
    double sum = 0;
    for (std::size_t e = first; e < last; ++e)
      sum += measures_[e] * kind().density_at(e, gradient_at(e, x));
    return sum;
  }

  void write_gradients(std::size_t first, std::size_t last, std::span<const Vec3> x,
                       std::span<Vec3> slots) const override {
    for (std::size_t e = first; e < last; ++e) {
      Eigen::Matrix<double, cols, 3> S = Eigen::Matrix<double, cols, 3>::Zero();
      const Gradient stress = measures_[e] * kind().stress_at(e, gradient_at(e, x));
      for (int row = 0; row < f_rows; ++row)
        S.col(axis_of(row)) = stress.row(row).transpose();
      write_forces<cols>(e, S, &slots[std::size_t{cols + 1} * (e - first)]);
    }
  }

 private:
  friend Kind;  // It alone derives from this.

  // The world's axis of a row of F.
  [[nodiscard]] int axis_of(int row) const { return f_rows == 2 && row == 1 ? second_axis_ : row; }

  /// `stiffness` [Pa] times the measure is an element's weight.
  ContinuumElements(RestShapes<cols> shapes, double stiffness)
      : ElementPotential(tables_of(shapes), scaled(shapes.measures, stiffness)),
        measures_(std::move(shapes.measures)),
        second_axis_(shapes.second_axis) {}

  static std::vector<double> scaled(std::vector<double> values, double factor) {
    for (double& value : values)
      value *= factor;
    return values;
  }

  static Tables tables_of(const RestShapes<cols>& shapes) {
    Tables tables{cols + 1, cols, {}, {}};
    tables.stencils.reserve((cols + 1) * shapes.elements.size());
    tables.maps.reserve(cols * (cols + 1) * shapes.elements.size());
    for (const auto& corners : shapes.elements)
      tables.stencils.insert(tables.stencils.end(), corners.begin(), corners.end());
    for (const auto& edges : shapes.edges) {
      // F = edges(x) edges(rest)^-1, so D = F^T = edges(rest)^-T [-1 | I] x.
      const Eigen::Matrix<double, cols, cols> inverse = edges.inverse().transpose();
      for (int row = 0; row < cols; ++row) {
        tables.maps.push_back(-inverse.row(row).sum());
        for (int i = 0; i < cols; ++i)
          tables.maps.push_back(inverse(row, i));
      }
    }
    return tables;
  }

  [[nodiscard]] const Kind& kind() const { return static_cast<const Kind&>(*this); }

  std::vector<double> measures_;  ///< [m^3]
  int second_axis_;
};

}  // namespace sluice::solid
