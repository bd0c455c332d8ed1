// SPDX-License-Identifier: Apache-2.0
// What the benchmarks of integrators share: one implicit step of a scene, and its error against
// time.
//
// rg is the gradient's norm over that at the predictor; err the distance to the converged state
// over that of the predictor. Times are the least of several runs, what does not change from step
// to step (analysis and factorisation of constant matrices) left out.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "solver/integrator/integrator.h"
#include "solver/linalg/vectors.h"
#include "solver/solid/potential.h"
#include "solver/solid/spring.h"
#include "solver/solid/spring_potential.h"
#include "tests/bench/curve_files.h"

namespace sluice::integrator {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The step of h = 0.01 s under gravity from rest, started at the inertial predictor.
struct Scene {
  static constexpr double h = 0.01;

  std::string name;
  std::vector<solid::Spring> springs;  ///< Springs of the potentials, where they have some.
  std::vector<std::unique_ptr<solid::Potential>> owned;
  std::vector<const solid::Potential*> potentials;
  std::vector<double> inertia;
  std::vector<Vec3> x_n, targets, converged;
  double gradient_at_predictor = 0, error_at_predictor = 0;

  StepProblem problem() const { return {inertia, targets, {}, potentials}; }
  double distance(std::span<const Vec3> x) const {
    double squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      squares += (x[i] - converged[i]).squaredNorm();
    return std::sqrt(squares);
  }

  void add_potential(std::unique_ptr<solid::Potential> potential) {
    potentials.push_back(potential.get());
    owned.push_back(std::move(potential));
  }
  void add_vertex(const Vec3& x, double mass) {
    x_n.push_back(x);
    inertia.push_back(mass / (h * h));
    targets.emplace_back(x + h * h * Vec3(0, 0, -9.81));
  }
  void hold(std::size_t vertex) {
    inertia[vertex] = std::numeric_limits<double>::infinity();
    targets[vertex] = x_n[vertex];
  }

  /// Sets what the errors are measured by; call it last.
  void converge(Integrator& integrator) {
    converged = x_n;
    const StepReport report =
        integrator.step(problem(), {.relative_residual = 1e-9, .max_iterations = 500}, converged);
    if (!report.is_converged()) std::printf("%s: the reference has not converged\n", name.c_str());
    std::vector<Vec3> gradient(x_n.size());
    compute_gradient(problem(), targets, gradient);
    gradient_at_predictor = linalg::norm(gradient);
    error_at_predictor = distance(targets);
  }
};

/// n x n vertices `spacing` [m] apart from `origin` on, level, joined by springs of `stiffness`
/// [N/m] to their 4 neighbours (structural), the 4 across (shear) and the 4 next but one (bend);
/// the first and last vertex of the first row are held.
inline void add_cloth(Scene& scene, int n, double spacing, double mass, double stiffness,
                      const Vec3& origin) {
  const auto first = static_cast<std::int32_t>(scene.x_n.size());
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i)
      scene.add_vertex(origin + Vec3(i * spacing, j * spacing, 0), mass);
  }
  const auto join = [&](int i, int j, int di, int dj, solid::SpringKind kind) {
    if (i + di < 0 || i + di >= n || j + dj >= n) return;
    const int a = first + j * n + i, b = first + (j + dj) * n + i + di;
    scene.springs.push_back({a, b, stiffness, spacing * std::hypot(di, dj), kind});
  };
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      join(i, j, 1, 0, solid::SpringKind::structural);
      join(i, j, 0, 1, solid::SpringKind::structural);
      join(i, j, 1, 1, solid::SpringKind::shear);
      join(i, j, -1, 1, solid::SpringKind::shear);
      join(i, j, 2, 0, solid::SpringKind::bend);
      join(i, j, 0, 2, solid::SpringKind::bend);
    }
  }
  scene.add_potential(std::make_unique<solid::SpringPotential>(scene.springs));
  for (const auto corner : {first, first + n - 1})
    scene.hold(static_cast<std::size_t>(corner));
}

/// Makes an integrator for a scene.
struct Candidate {
  std::string name;
  std::function<std::unique_ptr<Integrator>(const Scene&)> make;
  std::size_t largest;  ///< Vertices it is run on at most: the rest takes minutes.
};

template <typename T, typename... Arguments>
Candidate candidate(const char* name, std::size_t largest, Arguments... arguments) {
  return {name,
          [=](const Scene& scene) {
            return std::make_unique<T>(scene.potentials, scene.x_n.size(), arguments...);
          },
          largest};
}

/// Runs until err is below 0.005 or `patience` seconds are over; then as often again as half a
/// second allows, with the least time of each iterate.
inline Curve measure(const Scene& scene, Integrator& integrator, double patience) {
  Curve curve;
  std::vector<Vec3> x = scene.x_n, gradient(x.size());
  // This makes what the integrator keeps from step to step.
  integrator.step(scene.problem(), {.relative_residual = 0, .max_iterations = 1}, x);
  int iterations = 1'000'000;
  const double begin = now();
  for (int run = 0; run == 0 || (run < 20 && now() - begin < patience + 0.5); ++run) {
    struct Enough {};
    double paused = 0, start = 0;
    const StoppingRule rule{
        .relative_residual = 0,
        .max_iterations = iterations,
        .observer = [&](int iteration, std::span<const Vec3> iterate) {
          const double entered = now();
          const auto k = static_cast<std::size_t>(iteration);
          if (run > 0) {
            curve.seconds[k] = std::min(curve.seconds[k], entered - start - paused);
          } else {
            curve.seconds.push_back(entered - start - paused);
            compute_gradient(scene.problem(), iterate, gradient);
            curve.rg.push_back(linalg::norm(gradient) / scene.gradient_at_predictor);
            curve.err.push_back(scene.distance(iterate) / scene.error_at_predictor);
            if (curve.err.back() < 0.005 || entered - begin > patience) throw Enough{};
          }
          paused += now() - entered;
          if (run > 0 && k + 1 == curve.seconds.size()) throw Enough{};
        }};
    x = scene.x_n;
    start = now();
    try {
      integrator.step(scene.problem(), rule, x);
    } catch (const Enough&) {
      continue;  // The rule cannot know err.
    }
  }
  return curve;
}

inline double ten_iterations(const Scene& scene, Integrator& integrator) {
  double least = std::numeric_limits<double>::infinity();
  std::vector<Vec3> x;
  const double begin = now();
  for (int run = 0; run < 3 || (run < 200 && now() - begin < 0.5); ++run) {
    x = scene.x_n;
    const double start = now();
    integrator.step(scene.problem(), {.relative_residual = 0, .max_iterations = 10}, x);
    least = std::min(least, now() - start);
  }
  return least;
}

/// Measures a scene's step by each integrator, and prints a row for each.
inline void compare(const Scene& scene, const std::vector<Candidate>& candidates, double patience,
                    CurveFiles& files) {
  std::printf("\n%-38s %12s %12s %12s %12s\n", scene.name.c_str(), "10 it. [ms]", "rg 0.1 [ms]",
              "err 0.01", "last err");
  for (const Candidate& candidate : candidates) {
    if (scene.x_n.size() > candidate.largest) continue;
    const auto integrator = candidate.make(scene);
    const Curve curve = measure(scene, *integrator, patience);
    std::printf("%-38s %12.3f %12.3f %12.3f %12.4f\n", candidate.name.c_str(),
                1e3 * ten_iterations(scene, *integrator), 1e3 * curve.time_to(curve.rg, 0.1),
                1e3 * curve.time_to(curve.err, 0.01), curve.err.back());
    std::fflush(stdout);
    files.add(scene.name, candidate.name, curve);
  }
}

}  // namespace sluice::integrator
