// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "solver/integrator/step_driver.h"
#include "solver/solid/spring_potential.h"
#include "tests/unit/solver/solid/grid_mesh.h"

namespace sluice::integrator {

/// Bodies in motion, stepped by a driver.
struct Motion {
  std::vector<std::unique_ptr<solid::Potential>> owned;
  std::vector<solid::Potential*> potentials;
  std::vector<const solid::Potential*> const_potentials;
  std::vector<BodyRange> bodies;
  std::vector<double> mass;
  std::vector<std::uint8_t> is_held;
  std::vector<Vec3> accelerations, x, v;

  void add(std::unique_ptr<solid::Potential> potential) {
    potentials.push_back(potential.get());
    const_potentials.push_back(potential.get());
    owned.push_back(std::move(potential));
  }
  MovingBodies view() { return {bodies, mass, is_held, accelerations, x, v}; }

  /// [J]
  double total_energy() const {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (is_held[i] != 0) continue;
      sum += 0.5 * mass[i] * v[i].squaredNorm();
      if (!accelerations.empty()) sum -= mass[i] * accelerations[i].dot(x[i]);
    }
    for (const auto& potential : owned)
      sum += potential->energy(x);
    return sum;
  }
  Vec3 momentum() const {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < x.size(); ++i)
      sum += mass[i] * v[i];
    return sum;
  }
  Vec3 angular_momentum() const {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < x.size(); ++i)
      sum += mass[i] * x[i].cross(v[i]);
    return sum;
  }
};

/// A free wrinkled sheet of 5 x 5 vertices of 0.01 kg, spinning, drifting and ringing.
inline Motion free_sheet() {
  Motion motion;
  const auto mesh = solid::grid_mesh(5, 5, 0.1);
  motion.x = mesh.vertices;
  motion.add(std::make_unique<solid::SpringPotential>(solid::lay_springs(mesh, {50, 20, 5})));
  motion.mass.assign(25, 0.01);
  motion.is_held.assign(25, 0);
  motion.bodies = {{"sheet", 0, 25}};
  std::mt19937 random(4);
  std::uniform_real_distribution<double> offset(-0.1, 0.1);
  for (Vec3& x : motion.x) {
    motion.v.push_back(Vec3(0.2, 0.1, 0) + Vec3(1, 2, 3).cross(x - Vec3(0.2, 0.2, 0)) +
                       Vec3(offset(random), offset(random), offset(random)));
    x.z() += 0.1 * offset(random);
  }
  return motion;
}

/// A chain of n masses between a held end and a free one, pulled out along its first mode of small
/// stretches: longitudinal, so that theory is linear.
inline Motion chain(int n, double k, double m) {
  Motion motion;
  std::vector<solid::Spring> springs;
  springs.reserve(static_cast<std::size_t>(n));
  for (std::int32_t i = 0; i < n; ++i)
    springs.push_back({i, i + 1, k, 0.1, solid::SpringKind::structural});
  motion.add(std::make_unique<solid::SpringPotential>(springs));
  for (int i = 0; i <= n; ++i) {
    // Fixed-free chain: mode 1 is sin((i) pi / (2 n + 1)).
    const double shape = std::sin(i * std::numbers::pi / (2 * n + 1));
    motion.x.emplace_back(0.1 * i + 1e-3 * shape, 0, 0);
    motion.v.emplace_back(Vec3::Zero());
    motion.mass.push_back(m);
    motion.is_held.push_back(i == 0 ? 1 : 0);
  }
  motion.bodies = {{"chain", 0, motion.x.size()}};
  return motion;
}

}  // namespace sluice::integrator
