// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "solver/parallel/parallel_for.h"
#include "solver/solid/element_potential.h"
#include "solver/solid/isotropic/derivatives.h"
#include "solver/solid/isotropic/linear.h"
#include "solver/solid/isotropic/proximal.h"

/// Elements with linear shape functions, of tets, plane triangles and membranes alike. Included by
/// their sources only.
namespace sluice::solid {

/// Rest shape of an element in its own `dim` coordinates: columns are the edges from vertex 0.
template <int dim>
using RestEdges = Eigen::Matrix<double, dim, dim>;

/// U_e = measure_e Psi(F), F = D^T of rows x cols. A row of D has always 3 entries; of a plane
/// element (rows = 2) the last one, z, is ignored.
template <typename Energy, int f_rows, int cols>
class ContinuumPotential final : public ElementPotential {
 public:
  static constexpr int corners = cols + 1;
  using Gradient = Eigen::Matrix<double, f_rows, cols>;
  using Corners = std::array<std::int32_t, corners>;

  /// `edges(e)` and `measure(e)` [m^3] give element e at rest; measures are positive.
  template <typename EdgesOf, typename MeasureOf>
  ContinuumPotential(const Energy& energy, std::span<const Corners> elements,
                     const EdgesOf& edges_of, const MeasureOf& measure_of)
      : ContinuumPotential(energy, lay_out(energy, elements, edges_of, measure_of)) {}

  void hessians(std::size_t first, std::size_t last, std::span<const Vec3> x, HessianForm form,
                std::span<double> out) const override {
    constexpr int size = 3 * cols;
    assert(out.size() == size * size * (last - first));
    for (std::size_t e = first; e < last; ++e) {
      const auto H = hessian(energy_, gradient_at(e, x), form);
      Eigen::Map<Eigen::Matrix<double, size, size>> block(&out[size * size * (e - first)]);
      if constexpr (f_rows == 3) {
        block = measures_[e] * H;
      } else {
        block.setZero();
        for (int i = 0; i < 2 * cols; ++i) {
          for (int j = 0; j < 2 * cols; ++j)
            block(3 * (i / 2) + i % 2, 3 * (j / 2) + j % 2) = measures_[e] * H(i, j);
        }
      }
    }
  }

  void local_step(std::span<const double> p, double scale, std::span<double> z) const override {
    constexpr std::int64_t grain = 64;  // An element takes about a microsecond.
    constexpr std::size_t size = 3 * cols;
    assert(p.size() == size * element_count() && z.size() == p.size() && scale > 0);
    parallel::parallel_for(
        0, static_cast<std::int64_t>(element_count()), grain,
        [&](std::int64_t first, std::int64_t last) {
          for (auto e = static_cast<std::size_t>(first); e < static_cast<std::size_t>(last); ++e) {
            const Eigen::Map<const Eigen::Matrix<double, 3, cols>> target(&p[size * e]);
            Eigen::Map<Eigen::Matrix<double, 3, cols>> result(&z[size * e]);
            result = target;  // Of a plane element, z.
            const Gradient F = target.template topRows<f_rows>();
            result.template topRows<f_rows>() =
                proximal(energy_, F, weights()[e] * scale / measures_[e]);
          }
        });
  }

 private:
  struct Layout {
    Tables tables;
    std::vector<double> weights, measures;
  };

  ContinuumPotential(const Energy& energy, Layout layout)
      : ElementPotential(std::move(layout.tables), std::move(layout.weights)),
        energy_(energy),
        measures_(std::move(layout.measures)) {}

  template <typename EdgesOf, typename MeasureOf>
  static Layout lay_out(const Energy& energy, std::span<const Corners> elements,
                        const EdgesOf& edges_of, const MeasureOf& measure_of) {
    Layout layout{{corners, cols, {}, {}}, {}, {}};
    const double stiffest = 2 * energy.lame.mu + std::max(0.0, cols * energy.lame.lambda);
    for (std::size_t e = 0; e < elements.size(); ++e) {
      // F = edges(x) edges(rest)^-1, so D = F^T = edges(rest)^-T [-1 | I] x.
      const RestEdges<cols> inverse = edges_of(e).inverse().transpose();
      for (int row = 0; row < cols; ++row) {
        layout.tables.maps.push_back(-inverse.row(row).sum());
        for (int i = 0; i < cols; ++i)
          layout.tables.maps.push_back(inverse(row, i));
      }
      layout.tables.stencils.insert(layout.tables.stencils.end(), elements[e].begin(),
                                    elements[e].end());
      const double measure = measure_of(e);
      assert(measure > 0 && std::isfinite(measure));
      layout.measures.push_back(measure);
      layout.weights.push_back(measure * stiffest);
    }
    return layout;
  }

  Gradient gradient_at(std::size_t e, std::span<const Vec3> x) const {
    return map<cols>(e, x).transpose().template topRows<f_rows>();
  }

  double energy_of(std::size_t first, std::size_t last, std::span<const Vec3> x) const override {
    double sum = 0;
    for (std::size_t e = first; e < last; ++e)
      sum += measures_[e] * energy_density(energy_, gradient_at(e, x));
    return sum;
  }

  void write_gradients(std::size_t first, std::size_t last, std::span<const Vec3> x,
                       std::span<Vec3> slots) const override {
    for (std::size_t e = first; e < last; ++e) {
      Eigen::Matrix<double, cols, 3> S = Eigen::Matrix<double, cols, 3>::Zero();
      S.template leftCols<f_rows>() = measures_[e] * stress(energy_, gradient_at(e, x)).transpose();
      write_forces<cols>(e, S, slots);
    }
  }

  Energy energy_;
  std::vector<double> measures_;  ///< [m^3]
};

}  // namespace sluice::solid
