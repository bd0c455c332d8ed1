// SPDX-License-Identifier: Apache-2.0
// One implicit step of cloth, by every integrator, at equal error.
//
//   bench.integrator_bench [CSV]
//
// The cloth: n x n vertices joined by springs to their 4 neighbours (structural), the 4 across
// (shear) and the 4 next but one (bend); level, at rest, two corners held; the step is h = 0.01 s
// under gravity, started at the inertial predictor.
//   stiff       1 m x 1 m, 0.2 kg/m^2, k = 1000 N/m        compliant   0.1 m apart, 0.01 kg a
//   vertex,
//                                                                     k = 100 N/m
// rg is the gradient's norm over that at the predictor; err the distance to the converged state
// over that of the predictor. Times are the least of several runs on one thread, what does not
// change from step to step (analysis and factorisation of constant matrices) left out. The baseline
// is projective dynamics as published, with Eigen's SimplicialLLT in double and three right-hand
// sides.
#include <Eigen/Sparse>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "solver/integrator/admm.h"
#include "solver/integrator/consensus_admm.h"
#include "solver/integrator/lbfgs.h"
#include "solver/integrator/newton_pcg.h"
#include "solver/integrator/projected_newton.h"
#include "solver/integrator/projective_dynamics.h"
#include "solver/integrator/spring_newton.h"
#include "solver/linalg/vectors.h"
#include "solver/parallel/thread_limit.h"
#include "solver/solid/spring_potential.h"

namespace sluice::integrator {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Cloth {
  std::string name;
  std::vector<solid::Spring> springs;
  std::unique_ptr<solid::SpringPotential> potential;
  std::vector<const solid::Potential*> potentials;
  std::vector<double> inertia;
  std::vector<Vec3> x_n, targets, converged;
  double gradient_at_predictor = 0, error_at_predictor = 0;

  Cloth(int n, bool is_stiff)
      : name((std::ostringstream() << (is_stiff ? "stiff " : "compliant ") << n).str()) {
    const double spacing = is_stiff ? 1.0 / (n - 1) : 0.1, k = is_stiff ? 1000 : 100, h = 0.01;
    const double mass = is_stiff ? 0.2 / (n * n) : 0.01;
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i)
        x_n.emplace_back(i * spacing, j * spacing, 0);
    }
    const auto join = [&](int i, int j, int di, int dj, solid::SpringKind kind) {
      if (i + di < 0 || i + di >= n || j + dj >= n) return;
      const int a = j * n + i, b = (j + dj) * n + i + di;
      const double length = spacing * std::hypot(di, dj);
      springs.push_back({a, b, k, length, kind});
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
    potential = std::make_unique<solid::SpringPotential>(springs);
    potentials = {potential.get()};
    inertia.assign(x_n.size(), mass / (h * h));
    for (const Vec3& x : x_n)
      targets.emplace_back(x + h * h * Vec3(0, 0, -9.81));
    for (const auto corner : {0, n - 1}) {
      inertia[static_cast<std::size_t>(corner)] = std::numeric_limits<double>::infinity();
      targets[static_cast<std::size_t>(corner)] = x_n[static_cast<std::size_t>(corner)];
    }
    converged = x_n;
    SpringNewton newton(potentials, x_n.size());
    const StepReport report =
        newton.step(problem(), {.relative_residual = 1e-9, .max_iterations = 500}, converged);
    if (!report.is_converged()) std::printf("%s: the reference has not converged\n", name.c_str());
    std::vector<Vec3> gradient(x_n.size());
    compute_gradient(problem(), targets, gradient);
    gradient_at_predictor = linalg::norm(gradient);
    error_at_predictor = distance(targets);
  }

  StepProblem problem() const { return {inertia, targets, {}, potentials}; }
  double distance(std::span<const Vec3> x) const {
    double squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      squares += (x[i] - converged[i]).squaredNorm();
    return std::sqrt(squares);
  }
};

/// Projective dynamics as published: local projection, global solve with Eigen.
class EigenProjectiveDynamics final : public Integrator {
 public:
  explicit EigenProjectiveDynamics(const Cloth& cloth) : cloth_(cloth) {
    const auto n = static_cast<Eigen::Index>(cloth.x_n.size());
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(cloth.x_n.size() + 4 * cloth.springs.size());
    for (Eigen::Index i = 0; i < n; ++i)
      entries.emplace_back(i, i, is_held(i) ? 1 : cloth.inertia[static_cast<std::size_t>(i)]);
    for (const solid::Spring& s : cloth.springs) {
      if (!is_held(s.a)) entries.emplace_back(s.a, s.a, s.stiffness);
      if (!is_held(s.b)) entries.emplace_back(s.b, s.b, s.stiffness);
      if (is_held(s.a) || is_held(s.b)) continue;
      entries.emplace_back(s.a, s.b, -s.stiffness);
      entries.emplace_back(s.b, s.a, -s.stiffness);
    }
    Eigen::SparseMatrix<double> A(n, n);
    A.setFromTriplets(entries.begin(), entries.end());
    llt_.compute(A);
    b_.resize(n, 3);
    x_.resize(n, 3);
  }

  StepReport step(const StepProblem& problem, const StoppingRule& rule,
                  std::span<Vec3> x) override {
    std::copy(problem.targets.begin(), problem.targets.end(), x.begin());
    StepReport report;
    for (int iteration = 0;; ++iteration) {
      if (rule.observer) rule.observer(iteration, x);
      report.iterations = iteration;
      if (iteration >= rule.max_iterations) return report;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        b_.row(row) = (is_held(row) ? 1 : problem.inertia[i]) * problem.targets[i].transpose();
      }
      for (const solid::Spring& s : cloth_.springs) {
        const auto a = static_cast<std::size_t>(s.a), b = static_cast<std::size_t>(s.b);
        const Vec3 d = x[a] - x[b];
        const Eigen::RowVector3d pull = s.stiffness * s.rest_length / d.norm() * d.transpose();
        if (!is_held(s.a)) b_.row(s.a) += pull;
        if (!is_held(s.b)) b_.row(s.b) -= pull;
        if (is_held(s.a) && !is_held(s.b)) b_.row(s.b) += s.stiffness * x[a].transpose();
        if (is_held(s.b) && !is_held(s.a)) b_.row(s.a) += s.stiffness * x[b].transpose();
      }
      x_ = llt_.solve(b_);
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = x_.row(static_cast<Eigen::Index>(i));
    }
  }

 private:
  bool is_held(Eigen::Index vertex) const {
    return cloth_.inertia[static_cast<std::size_t>(vertex)] ==
           std::numeric_limits<double>::infinity();
  }

  const Cloth& cloth_;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> llt_;
  Eigen::MatrixXd b_, x_;
};

/// The spring network's own class of consensus ADMM, which coupling drives by its stages.
class SpringConsensusAdmm final : public Integrator {
 public:
  explicit SpringConsensusAdmm(const Cloth& cloth)
      : cloth_(cloth), admm_(cloth.springs, cloth.x_n.size()), next_(cloth.x_n.size()) {}

  StepReport step(const StepProblem& problem, const StoppingRule& rule,
                  std::span<Vec3> x) override {
    const solid::InertialTerm term{{problem.inertia.begin(), problem.inertia.end()},
                                   {problem.targets.begin(), problem.targets.end()}};
    admm_.begin(cloth_.x_n, term, {}, x);
    StepReport report;
    for (int iteration = 0;; ++iteration) {
      if (rule.observer) rule.observer(iteration, x);
      report.iterations = iteration;
      if (iteration >= rule.max_iterations) return report;
      admm_.local_and_dual_step(x);
      admm_.global_step(x, term, {}, next_);
      std::copy(next_.begin(), next_.end(), x.begin());
    }
  }

 private:
  const Cloth& cloth_;
  ConsensusAdmm admm_;
  std::vector<Vec3> next_;
};

struct Candidate {
  std::string name;
  std::function<std::unique_ptr<Integrator>(const Cloth&)> make;
  std::size_t largest;  ///< Vertices it is run on at most: the rest takes minutes.
};

template <typename T, typename... Arguments>
Candidate candidate(const char* name, std::size_t largest, Arguments... arguments) {
  return {name,
          [=](const Cloth& cloth) {
            return std::make_unique<T>(cloth.potentials, cloth.x_n.size(), arguments...);
          },
          largest};
}

/// The state of a run, iterate by iterate.
struct Curve {
  std::vector<double> seconds, rg, err;

  double time_to(const std::vector<double>& values, double bound) const {
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (values[k] <= bound) return seconds[k];
    }
    return std::numeric_limits<double>::infinity();
  }
};

/// Runs until err is below 0.005 or `patience` seconds are over; then as often again as half a
/// second allows, with the least time of each iterate.
Curve measure(const Cloth& cloth, Integrator& integrator, double patience) {
  Curve curve;
  std::vector<Vec3> x = cloth.x_n, gradient(x.size());
  // What is kept from step to step.
  integrator.step(cloth.problem(), {.relative_residual = 0, .max_iterations = 1}, x);
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
            compute_gradient(cloth.problem(), iterate, gradient);
            curve.rg.push_back(linalg::norm(gradient) / cloth.gradient_at_predictor);
            curve.err.push_back(cloth.distance(iterate) / cloth.error_at_predictor);
            if (curve.err.back() < 0.005 || entered - begin > patience) throw Enough{};
          }
          paused += now() - entered;
          if (run > 0 && k + 1 == curve.seconds.size()) throw Enough{};
        }};
    x = cloth.x_n;
    start = now();
    try {
      integrator.step(cloth.problem(), rule, x);
    } catch (const Enough&) {
      continue;  // The rule cannot know err.
    }
  }
  return curve;
}

double ten_iterations(const Cloth& cloth, Integrator& integrator) {
  double least = std::numeric_limits<double>::infinity();
  std::vector<Vec3> x;
  const double begin = now();
  for (int run = 0; run < 3 || (run < 200 && now() - begin < 0.5); ++run) {
    x = cloth.x_n;
    const double start = now();
    integrator.step(cloth.problem(), {.relative_residual = 0, .max_iterations = 10}, x);
    least = std::min(least, now() - start);
  }
  return least;
}

std::vector<Candidate> candidates() {
  constexpr std::size_t any = 1'000'000;
  return {
      {"PD, Eigen's SimplicialLLT (baseline)",
       [](const Cloth& cloth) { return std::make_unique<EigenProjectiveDynamics>(cloth); }, any},
      candidate<ProjectiveDynamics>("PD", any),
      candidate<Lbfgs>("L-BFGS on the PD factor", any),
      candidate<NewtonPcg>("Newton-PCG on the PD factor", any),
      candidate<ProjectedNewton>("projected Newton, Cholesky", 10'000),
      candidate<ProjectedNewton>("projected Newton, PCG", any, std::size_t{0}),
      candidate<Admm>("ADMM", any),
      {"consensus ADMM of springs",
       [](const Cloth& cloth) { return std::make_unique<SpringConsensusAdmm>(cloth); }, any},
      candidate<ConsensusAdmmIntegrator>("consensus ADMM", any, false),
      candidate<ConsensusAdmmIntegrator>("accelerated consensus ADMM", any, true),
      candidate<SpringNewton>("spring Newton", any),
  };
}

void run(const char* csv_path) {
  std::ofstream csv;
  if (csv_path != nullptr) {
    csv.open(csv_path);
    csv << "cloth,integrator,iteration,milliseconds,rg,err\n";
  }
  for (const auto& [n, is_stiff] :
       {std::pair(10, true), {100, true}, {200, true}, {10, false}, {100, false}}) {
    const Cloth cloth(n, is_stiff);
    std::printf("\n%-38s %12s %12s %12s %12s\n", cloth.name.c_str(), "10 it. [ms]", "rg 0.1 [ms]",
                "err 0.01", "last err");
    for (const Candidate& candidate : candidates()) {
      if (cloth.x_n.size() > candidate.largest) continue;
      const auto integrator = candidate.make(cloth);
      const Curve curve = measure(cloth, *integrator, n > 100 ? 4 : 2);
      std::printf("%-38s %12.3f %12.3f %12.3f %12.4f\n", candidate.name.c_str(),
                  1e3 * ten_iterations(cloth, *integrator), 1e3 * curve.time_to(curve.rg, 0.1),
                  1e3 * curve.time_to(curve.err, 0.01), curve.err.back());
      std::fflush(stdout);
      for (std::size_t k = 0; csv && k < curve.seconds.size(); ++k) {
        csv << cloth.name << ",\"" << candidate.name << "\"," << k << ',' << 1e3 * curve.seconds[k]
            << ',' << curve.rg[k] << ',' << curve.err[k] << '\n';
      }
    }
  }
}

}  // namespace
}  // namespace sluice::integrator

int main(int argc, char** argv) {
  sluice::parallel::ThreadLimit limit(1);
  limit.run([&] { sluice::integrator::run(argc > 1 ? argv[1] : nullptr); });
}
