// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "solver/solid/isotropic/hessian_form.h"
#include "solver/types.h"

namespace sluice::solid {

/// All elements of one kind (springs, membrane triangles, bending stencils, tets, ...) over the
/// vertices of a step, as the integrators see them: the door between energies and integrators.
///
/// Element e has k vertices and a constant linear map G_e of r rows: with its vertices as the rows
/// of X_e (k x 3), D_e x = G_e X_e is r x 3, and its energy U_e is a function of D_e x alone. A
/// spring between a and b has r = 1, D_e x = x_a - x_b [m]; a triangle r = 2 and a tet r = 3, where
/// D_e x is the transposed deformation gradient F^T. The element adds U_e(D_e x) [J] to the step's
/// energy, volume or area included.
///
/// weight(e), w_e > 0, is the curvature of U_e at rest in its stiffest direction, [J / (unit of
/// D)^2]: the scalar matrix sum_e w_e G_e^T G_e is the constant matrix of projective dynamics and
/// of ADMM.
///
/// Thread safety: const members may be called at once, but of `add_gradient`, which may use scratch
/// of the object, one call at a time. All loops are deterministic: same bits for any number of
/// threads. Nothing of the size of a mesh is allocated after construction, but by `begin_step` the
/// first time.
/// Inputs must be finite; an energy may be infinite (an inverted Neo-Hookean element), never NaN.
class Potential {
 public:
  virtual ~Potential() = default;

  [[nodiscard]] virtual std::size_t element_count() const = 0;
  [[nodiscard]] virtual int vertices_per_element() const = 0;  ///< k, in [1, 4]; or 8 where r is 1
  [[nodiscard]] virtual int rows() const = 0;                  ///< r, in [1, 3]; 1 where k is

  /// Vertex indices, k an element.
  [[nodiscard]] virtual std::span<const std::int32_t> stencils() const = 0;
  /// G_e, row-major, r k an element. Rows sum to 0 (a translation changes nothing); 1 if k is 1.
  [[nodiscard]] virtual std::span<const double> maps() const = 0;
  /// w_e, one an element.
  [[nodiscard]] virtual std::span<const double> weights() const = 0;

  /// Tells where a step of `h` seconds starts: elements that depend on rates (Kelvin-Voigt) need
  /// it, and have other weights for another h; the others do nothing.
  virtual void begin_step(std::span<const Vec3> x_n, double h) {
    static_cast<void>(x_n);
    static_cast<void>(h);
  }

  /// [J] Returns the sum over the elements; +infinity where an element has no energy.
  [[nodiscard]] virtual double energy(std::span<const Vec3> x) const = 0;

  /// Adds the gradient [N] to `gradient`, one entry a vertex. `energy` must be finite at `x`.
  virtual void add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient) const = 0;

  /// Writes d2U_e / dD_e^2 for the elements [first, last) at x: (3r)^2 doubles each, symmetric, by
  /// the entries of D_e in row-major order.
  virtual void hessians(std::size_t first, std::size_t last, std::span<const Vec3> x,
                        HessianForm form, std::span<double> out) const = 0;

  /// Writes D_e x for the elements [first, last), 3r doubles each, row-major.
  virtual void map(std::size_t first, std::size_t last, std::span<const Vec3> x,
                   std::span<double> out) const = 0;
  /// Writes G_e^T S_e for the elements [first, last), k points each; S as `map` writes D.
  virtual void map_back(std::size_t first, std::size_t last, std::span<const double> S,
                        std::span<Vec3> out) const = 0;

  /// The local step of ADMM for the elements [first, last): z_e = argmin U_e(z) + w_e scale / 2 |z
  /// - p_e|^2, with p and z as `map` writes D.
  virtual void local_step(std::size_t first, std::size_t last, std::span<const double> p,
                          double scale, std::span<double> z) const = 0;
};

}  // namespace sluice::solid
