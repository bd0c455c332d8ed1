// SPDX-License-Identifier: Apache-2.0
// One implicit step of cloth, by every integrator, at equal error: see integrator_scene.h.
//
//   bench.integrator_bench [FILE.csv]
//
// With FILE.csv, also the curves: there as a table, and in FILE.svg as a plot.
//
//   stiff       1 m x 1 m, 0.2 kg/m^2, k = 1000 N/m
//   compliant   0.1 m apart, 0.01 kg a vertex, k = 100 N/m
// On one thread. The baseline is projective dynamics as published, with Eigen's SimplicialLLT in
// double and three right-hand sides.
#include <Eigen/Sparse>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cstdio>
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
#include "solver/parallel/thread_limit.h"
#include "tests/bench/integrator_scene.h"

namespace sluice::integrator {
namespace {

struct Cloth : Scene {
  Cloth(int n, bool is_stiff) {
    name = (std::ostringstream() << (is_stiff ? "stiff" : "compliant") << " cloth, " << n << " x "
                                 << n << " vertices")
               .str();
    const double spacing = is_stiff ? 1.0 / (n - 1) : 0.1, k = is_stiff ? 1000 : 100;
    const double mass = is_stiff ? 0.2 / (n * n) : 0.01;
    add_cloth(*this, n, spacing, mass, k, Vec3::Zero());
    SpringNewton newton(potentials, x_n.size());
    converge(newton);
  }
};

/// Projective dynamics as published: local projection, global solve with Eigen.
class EigenProjectiveDynamics final : public Integrator {
 public:
  explicit EigenProjectiveDynamics(const Scene& cloth) : cloth_(cloth) {
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

  const Scene& cloth_;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> llt_;
  Eigen::MatrixXd b_, x_;
};

/// The spring network's own class of consensus ADMM, which coupling drives by its stages.
class SpringConsensusAdmm final : public Integrator {
 public:
  explicit SpringConsensusAdmm(const Scene& cloth)
      : cloth_(cloth), admm_(cloth.springs, {}, cloth.x_n.size()), next_(cloth.x_n.size()) {}

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
  const Scene& cloth_;
  ConsensusAdmm admm_;
  std::vector<Vec3> next_;
};

std::vector<Candidate> candidates() {
  constexpr std::size_t any = 1'000'000;
  return {
      {"PD, Eigen's SimplicialLLT (baseline)",
       [](const Scene& cloth) { return std::make_unique<EigenProjectiveDynamics>(cloth); }, any},
      candidate<ProjectiveDynamics>("PD", any),
      candidate<Lbfgs>("L-BFGS on the PD factor", any),
      candidate<NewtonPcg>("Newton-PCG on the PD factor", any),
      candidate<ProjectedNewton>("projected Newton", 10'000),
      candidate<ProjectedNewton>("projected Newton, no factors", any, std::size_t{0}),
      candidate<Admm>("ADMM", any),
      {"consensus ADMM of springs",
       [](const Scene& cloth) { return std::make_unique<SpringConsensusAdmm>(cloth); }, any},
      candidate<ConsensusAdmmIntegrator>("consensus ADMM", any, false),
      candidate<ConsensusAdmmIntegrator>("accelerated consensus ADMM", any, true),
      candidate<SpringNewton>("spring Newton", any),
  };
}

void run(CurveFiles& files) {
  for (const auto& [n, is_stiff] :
       {std::pair(10, true), {100, true}, {200, true}, {10, false}, {100, false}})
    compare(Cloth(n, is_stiff), candidates(), n > 100 ? 4 : 2, files);
}

}  // namespace
}  // namespace sluice::integrator

int main(int argc, char** argv) {
  sluice::integrator::CurveFiles files;
  if (argc > 1 && !files.open(argv[1])) return 1;
  sluice::parallel::ThreadLimit limit(1);
  limit.run([&] { sluice::integrator::run(files); });
  return files.finish() ? 0 : 1;
}
