// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "solver/solid/potential.h"
#include "solver/solid/vertex_gather.h"
#include "solver/types.h"

namespace sluice::solid {

/// The common part of all kinds of elements: their tables, and the loops of energy and gradient.
class ElementPotential : public Potential {
 public:
  [[nodiscard]] std::size_t element_count() const final { return weights_.size(); }
  [[nodiscard]] int vertices_per_element() const final { return tables_.vertices_per_element; }
  [[nodiscard]] int rows() const final { return tables_.rows; }
  [[nodiscard]] std::span<const std::int32_t> stencils() const final { return tables_.stencils; }
  [[nodiscard]] std::span<const double> maps() const final { return tables_.maps; }
  [[nodiscard]] std::span<const double> weights() const final { return weights_; }

  [[nodiscard]] double energy(std::span<const Vec3> x) const final;
  void add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient) const final;
  void map(std::size_t first, std::size_t last, std::span<const Vec3> x,
           std::span<double> out) const override;
  void map_back(std::size_t first, std::size_t last, std::span<const double> S,
                std::span<Vec3> out) const override;

 protected:
  /// The stencils and maps of Potential.
  struct Tables {
    int vertices_per_element;
    int rows;
    std::vector<std::int32_t> stencils;
    std::vector<double> maps;
  };

  ElementPotential(Tables tables, std::vector<double> weights);

  /// The weights, for elements whose stiffness depends on the length of the step.
  [[nodiscard]] std::span<double> mutable_weights() { return weights_; }

  /// D_e x, as `rows()` rows of an array of 3.
  template <int rows>
  [[nodiscard]] Eigen::Matrix<double, rows, 3> map_one(std::size_t e,
                                                       std::span<const Vec3> x) const {
    const auto k = static_cast<std::size_t>(tables_.vertices_per_element);
    Eigen::Matrix<double, rows, 3> D = Eigen::Matrix<double, rows, 3>::Zero();
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t i = 0; i < k; ++i) {
        D.row(static_cast<Eigen::Index>(row)) +=
            tables_.maps[(e * rows + row) * k + i] *
            x[static_cast<std::size_t>(tables_.stencils[e * k + i])].transpose();
      }
    }
    return D;
  }

  /// Writes G_e^T S, for the gradient S = dU_e/dD_e: a slot for each vertex of element e.
  template <int rows>
  void write_forces(std::size_t e, const Eigen::Matrix<double, rows, 3>& gradient,
                    Vec3* slots) const {
    const auto k = static_cast<std::size_t>(tables_.vertices_per_element);
    for (std::size_t i = 0; i < k; ++i) {
      Vec3 sum = Vec3::Zero();
      for (std::size_t row = 0; row < rows; ++row) {
        sum += tables_.maps[(e * rows + row) * k + i] *
               gradient.row(static_cast<Eigen::Index>(row)).transpose();
      }
      slots[i] = sum;
    }
  }

  /// [J] The energies of the elements [first, last), added up in order.
  [[nodiscard]] virtual double energy_of(std::size_t first, std::size_t last,
                                         std::span<const Vec3> x) const = 0;
  /// Writes dU_e/dx for the elements [first, last), k slots each.
  virtual void write_gradients(std::size_t first, std::size_t last, std::span<const Vec3> x,
                               std::span<Vec3> slots) const = 0;

 private:
  /// Calls body(integral_constant<int, rows()>).
  template <typename Body>
  void with_rows(const Body& body) const {
    switch (tables_.rows) {
      case 1:
        return body(std::integral_constant<int, 1>{});
      case 2:
        return body(std::integral_constant<int, 2>{});
      default:
        return body(std::integral_constant<int, 3>{});
    }
  }

  Tables tables_;
  std::vector<double> weights_;
  VertexGather gather_;
};

}  // namespace sluice::solid
