// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "solver/solid/continuum.h"
#include "tests/validation/solid/convergence/bar_modes.h"
#include "tests/validation/solid/convergence/studies.h"
#include "tests/validation/solid/static_equilibrium.h"

namespace sluice::solid {
namespace {

/// A bar of 1 m that hangs along z from its upper end, with nu = 0, so that it moves along itself
/// alone; and so heavy that its upper end is stretched by 20 to 30 per cent.
constexpr double young_modulus = 1e6, density = 3000, gravity = 100, length = 1;

/// The law of such a bar: P(F), the force over the area at rest; its derivative; and the integral
/// of F P'(F) from 1, which is what its weight makes of the length (see `place`).
struct UniaxialLaw {
  const char* name;
  std::string model;
  std::function<double(double)> P, slope, integral;
};

std::array<UniaxialLaw, 3> laws() {
  constexpr double E = young_modulus, mu = E / 2;
  return {{{"linear", LinearElasticity::name, [](double F) { return E * (F - 1); },
            [](double) { return E; }, [](double F) { return E * (F * F - 1) / 2; }},
           {"St. Venant-Kirchhoff", SaintVenantKirchhoff::name,
            [](double F) { return E / 2 * (F * F * F - F); },
            [](double F) { return E / 2 * (3 * F * F - 1); },
            [](double F) { return E / 2 * (3 * (F * F * F * F - 1) / 4 - (F * F - 1) / 2); }},
           {"Neo-Hookean", NeoHookean::name, [](double F) { return mu * (F - 1 / F); },
            [](double F) { return mu * (1 + 1 / (F * F)); },
            [](double F) { return mu * ((F * F - 1) / 2 + std::log(F)); }}}};
}

/// The stretch where the force over the area is `P`, by Newton's method.
double stretch_at(const UniaxialLaw& law, double P) {
  double F = 1;
  for (int n = 0; n < 20; ++n)
    F -= (law.P(F) - P) / law.slope(F);
  return F;
}

/// [m] Where what was at the height z comes to hang. At the distance s from the upper end the bar
/// carries P(F) = rho g (L - s), and dx/ds = F: so x = integral of F ds = integral of F P'(F) dF
/// over rho g, down from the stretch of the upper end.
double place(const UniaxialLaw& law, double z) {
  const double top = stretch_at(law, density * gravity * length);
  const double here = stretch_at(law, density * gravity * z);
  return length - (law.integral(top) - law.integral(here)) / (density * gravity);
}

/// The square of an error and of what it is of, integrated.
struct Squares {
  double error = 0, whole = 0;
};

Squares bar_squares(const TetBar& bar, const UniaxialLaw& law, const std::vector<Vec3>& x) {
  // The four points that are exact to second order.
  constexpr double near = 0.5854101966249685, far = 0.1381966011250105;
  Squares squares;
  for (const auto& tet : bar.tets) {
    for (const std::int32_t corner : tet) {
      Vec3 rest = Vec3::Zero(), found = Vec3::Zero();
      for (const std::int32_t vertex : tet) {
        const double weight = vertex == corner ? near : far;
        rest += weight * bar.vertices[static_cast<std::size_t>(vertex)];
        found += weight * x[static_cast<std::size_t>(vertex)];
      }
      const Vec3 exact(rest.x(), rest.y(), place(law, rest.z()));
      squares.error += bar.volume_of(tet) / 4 * (found - exact).squaredNorm();
      squares.whole += bar.volume_of(tet) / 4 * (exact - rest).squaredNorm();
    }
  }
  return squares;
}

/// A bar of cubes: theory has one dimension alone, so the bar may be as wide as one will.
TetBar bar_of(int boxes) { return {{1, 1, boxes}, Vec3(length / boxes, length / boxes, length)}; }

double sag_error(const UniaxialLaw& law, int boxes) {
  const TetBar bar = bar_of(boxes);
  const auto elastic =
      make_tets(bar.vertices, bar.tets, {law.model, lame_of({young_modulus, 0}).value()});
  StaticProblem problem{{elastic.get()}, {}, {}};
  double weight = 0;
  for (const double mass : bar.masses(density)) {
    problem.forces.emplace_back(0, 0, -gravity * mass);
    weight += gravity * mass;
  }
  for (const Vec3& vertex : bar.vertices) {
    const bool is_free = vertex.z() < length - 1e-9;
    problem.is_free.push_back({is_free, is_free, is_free});
  }
  std::vector<Vec3> x = bar.vertices;
  if (!StaticSolver(std::move(problem)).solve(x, 1e-9 * weight).is_converged) return NAN;
  const Squares squares = bar_squares(bar, law, x);
  return std::sqrt(squares.error / squares.whole);
}

/// The error of the first longitudinal mode's frequency: pi / 2 sqrt(E / rho) / L.
double frequency_error(int boxes) {
  const TetBar bar = bar_of(boxes);
  std::vector<std::uint8_t> is_held;
  is_held.reserve(bar.vertices.size());
  for (const Vec3& vertex : bar.vertices)
    is_held.push_back(vertex.z() > length - 1e-9 ? 1 : 0);
  const auto elastic = make_tets(bar.vertices, bar.tets,
                                 {LinearElasticity::name, lame_of({young_modulus, 0}).value()});
  const BarMode mode =
      first_longitudinal_mode(bar, *elastic, bar.masses(density), is_held, gravity);
  const double expected = std::numbers::pi / 2 * std::sqrt(young_modulus / density) / length;
  return std::abs(mode.frequency / expected - 1);
}

/// A quarter of a pipe with walls of 1 m to 2 m from its axis in plane strain, under pressure from
/// within. [Timoshenko1970] 28, with the constants of plane strain:
/// u = p a^2 (1 + nu) / (E (b^2 - a^2)) ((1 - 2 nu) r + b^2 / r).
double pipe_error(int rings) {
  constexpr double a = 1, b = 2, E = 1e6, nu = 0.3, pressure = 1000;
  const int sectors = 2 * rings;
  std::vector<Vec3> rest;
  for (int j = 0; j <= sectors; ++j) {
    const double angle = std::numbers::pi / 2 * j / sectors;
    for (int i = 0; i <= rings; ++i)
      rest.emplace_back((a + (b - a) * i / rings) * Vec3(std::cos(angle), std::sin(angle), 0));
  }
  std::vector<TriangleIndices> triangles;
  const int side = rings + 1;
  for (int j = 0; j < sectors; ++j) {
    for (int i = 0; i < rings; ++i) {
      const int at = side * j + i;
      triangles.push_back({at, at + 1, at + side + 1});
      triangles.push_back({at, at + side + 1, at + side});
    }
  }
  const auto elastic =
      make_plane_triangles(rest, triangles, {LinearElasticity::name, lame_of({E, nu}).value()});
  StaticProblem problem{{elastic.get()}, std::vector<Vec3>(rest.size(), Vec3::Zero()), {}};
  problem.is_free.assign(rest.size(), {true, true, false});
  const auto index_of = [&](int i, int j) {
    return static_cast<std::size_t>(side) * static_cast<std::size_t>(j) +
           static_cast<std::size_t>(i);
  };
  for (int i = 0; i <= rings; ++i) {
    problem.is_free[index_of(i, 0)][1] = false;
    problem.is_free[index_of(i, sectors)][0] = false;
  }
  for (int j = 0; j < sectors; ++j) {
    const std::size_t p = index_of(0, j), q = index_of(0, j + 1);
    const Vec3 edge = rest[q] - rest[p];
    const Vec3 outward(edge.y(), -edge.x(), 0);
    problem.forces[p] += pressure / 2 * outward;
    problem.forces[q] += pressure / 2 * outward;
  }
  std::vector<Vec3> x = rest;
  if (!StaticSolver(std::move(problem)).solve(x, 1e-7).is_converged) return NAN;
  Squares squares;
  for (const auto& triangle : triangles) {
    // The middles of the edges: exact to second order.
    for (std::size_t c = 0; c < 3; ++c) {
      const auto p = static_cast<std::size_t>(triangle[c]);
      const auto q = static_cast<std::size_t>(triangle[(c + 1) % 3]);
      const Vec3 middle = (rest[p] + rest[q]) / 2, found = (x[p] + x[q]) / 2 - middle;
      const double r = middle.norm();
      const Vec3 exact = pressure * a * a * (1 + nu) / (E * (b * b - a * a)) *
                         ((1 - 2 * nu) * r + b * b / r) * middle / r;
      const auto o = static_cast<std::size_t>(triangle[(c + 2) % 3]);
      const double area = (rest[q] - rest[p]).cross(rest[o] - rest[p]).norm() / 2;
      squares.error += area / 3 * (found - exact).squaredNorm();
      squares.whole += area / 3 * exact.squaredNorm();
    }
  }
  return std::sqrt(squares.error / squares.whole);
}

}  // namespace

std::vector<Study> space_studies() {
  std::vector<Study> studies;
  for (const UniaxialLaw& law : laws()) {
    Study study{std::string("sag of a bar of ") + law.name + " tets", 2, {}};
    for (const int boxes : {4, 8, 16, 32})
      study.samples.push_back({1.0 / boxes, sag_error(law, boxes)});
    studies.push_back(std::move(study));
  }
  Study frequency{"frequency of a bar of linear tets", 2, {}};
  for (const int boxes : {4, 8, 16, 32})
    frequency.samples.push_back({1.0 / boxes, frequency_error(boxes)});
  studies.push_back(std::move(frequency));
  Study pipe{"widening of a pipe of plane linear triangles", 2, {}};
  for (const int rings : {4, 8, 16, 32})
    pipe.samples.push_back({1.0 / rings, pipe_error(rings)});
  studies.push_back(std::move(pipe));
  return studies;
}

}  // namespace sluice::solid
