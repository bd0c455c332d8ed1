// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "solver/integrator/admm.h"
#include "solver/integrator/lbfgs.h"
#include "solver/integrator/newton_pcg.h"
#include "solver/integrator/projected_newton.h"
#include "solver/integrator/projective_dynamics.h"
#include "solver/integrator/spring_newton.h"
#include "solver/integrator/steepest_descent.h"
#include "solver/solid/bending_potential.h"
#include "solver/solid/continuum.h"
#include "solver/solid/spring_potential.h"
#include "tests/unit/solver/solid/grid_mesh.h"

namespace sluice::integrator {

/// A step's problem and what it refers to.
struct TestStep {
  std::vector<std::unique_ptr<solid::Potential>> owned;
  std::vector<const solid::Potential*> potentials;
  std::vector<double> inertia;  ///< [N/m]
  std::vector<Vec3> rest, x_n, targets;
  std::vector<std::array<std::int32_t, 4>> tets;  ///< The tetrahedra of a bar.

  void add(std::unique_ptr<solid::Potential> potential) {
    potentials.push_back(potential.get());
    owned.push_back(std::move(potential));
  }
  /// x_n and targets near the rest shape, each coordinate `spread` [m] off at most; seeded.
  void jitter(double spread, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> offset(-spread, spread);
    const auto near = [&](const Vec3& x) {
      return Vec3(x + Vec3(offset(random), offset(random), offset(random)));
    };
    x_n.clear();
    targets.clear();
    for (const Vec3& x : rest) {
      x_n.push_back(near(x));
      targets.push_back(near(x_n.back()));
    }
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (inertia[i] == std::numeric_limits<double>::infinity()) targets[i] = x_n[i] = rest[i];
    }
  }
  StepProblem problem() const { return {inertia, targets, {}, potentials}; }
};

/// A wrinkled sheet of springs, n x n vertices 0.1 m apart, the vertex 0 held.
inline TestStep spring_sheet(int n, double inertia, unsigned seed) {
  TestStep step;
  const auto mesh = solid::grid_mesh(n, n, 0.1);
  step.rest = mesh.vertices;
  step.add(std::make_unique<solid::SpringPotential>(solid::lay_springs(mesh, {50, 20, 5})));
  step.inertia.assign(step.rest.size(), inertia);
  step.inertia[0] = std::numeric_limits<double>::infinity();
  step.jitter(0.01, seed);
  return step;
}

/// n cubes of 0.1 m in a row, five tets each, of one face held: E = 5e4 Pa, nu = 0.3.
inline TestStep tet_bar(int n, const std::string& model, double inertia, unsigned seed) {
  TestStep step;
  for (int i = 0; i <= n; ++i) {
    for (const auto& [y, z] : {std::pair(0.0, 0.0), {0.1, 0.0}, {0.0, 0.1}, {0.1, 0.1}})
      step.rest.emplace_back(0.1 * i, y, z);
  }
  for (std::int32_t i = 0; i < n; ++i) {
    // Corners by bits x, y, z; every second cube mirrored, so that faces meet.
    const auto v = [&](int corner) {
      const int x = (corner & 1) ^ (i & 1);
      return 4 * (i + x) + (corner >> 1);
    };
    for (const auto& [a, b, c, d] :
         {std::array{0, 1, 3, 5}, {0, 3, 2, 6}, {0, 5, 4, 6}, {3, 5, 6, 7}, {0, 3, 6, 5}})
      step.tets.push_back({v(a), v(b), v(c), v(d)});
  }
  step.add(solid::make_tets(step.rest, step.tets, {model, solid::lame_of({5e4, 0.3}).value()}));
  step.inertia.assign(step.rest.size(), inertia);
  for (std::size_t i = 0; i < 4; ++i)
    step.inertia[i] = std::numeric_limits<double>::infinity();
  step.jitter(0.005, seed);
  return step;
}

struct NamedIntegrator {
  std::string name;
  std::unique_ptr<Integrator> integrator;
};

/// All that solve implicit steps, for the potentials of `step`.
inline std::vector<NamedIntegrator> implicit_integrators(const TestStep& step) {
  const auto& p = step.potentials;
  const std::size_t n = step.rest.size();
  std::vector<NamedIntegrator> all;
  all.push_back({"steepest descent", std::make_unique<SteepestDescent>()});
  all.push_back({"projected Newton", std::make_unique<ProjectedNewton>(p, n)});
  all.push_back({"projected Newton by PCG", std::make_unique<ProjectedNewton>(p, n, 0)});
  all.push_back({"projective dynamics", std::make_unique<ProjectiveDynamics>(p, n)});
  all.push_back({"L-BFGS", std::make_unique<Lbfgs>(p, n)});
  all.push_back({"Newton-PCG", std::make_unique<NewtonPcg>(p, n)});
  all.push_back({"ADMM", std::make_unique<Admm>(p, n)});
  all.push_back({"consensus ADMM", std::make_unique<ConsensusAdmmIntegrator>(p, n, false)});
  all.push_back(
      {"accelerated consensus ADMM", std::make_unique<ConsensusAdmmIntegrator>(p, n, true)});
  if (SpringStep::serves(p)) all.push_back({"spring Newton", std::make_unique<SpringNewton>(p, n)});
  return all;
}

inline double largest_difference(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, (a[i] - b[i]).norm());
  return largest;
}

}  // namespace sluice::integrator
