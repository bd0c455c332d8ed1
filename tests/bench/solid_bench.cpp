// SPDX-License-Identifier: Apache-2.0
// Elastic tets: time of one tet in the stages of the integrators, Neo-Hookean four at a time
// against one at a time in the same run. On one thread.
#include <benchmark/benchmark.h>

#include <array>
#include <memory>
#include <random>
#include <vector>

#include "solver/parallel/thread_limit.h"
#include "solver/solid/continuum.h"
#include "solver/solid/continuum_potential.h"
#include "solver/solid/isotropic/neo_hookean.h"

namespace sluice::solid {
namespace {

/// n^3 cubes of 0.1 m, five tets each, and a state with strains of some tenths.
struct Block {
  std::vector<Vec3> rest, x;
  std::vector<std::array<std::int32_t, 4>> tets;
  std::vector<double> p;

  explicit Block(int n) {
    const int side = n + 1;
    std::mt19937 random(1);
    std::uniform_real_distribution<double> spread(-0.01, 0.01);
    for (int i = 0; i < side * side * side; ++i) {
      const int column = i / side, layer = column / side;
      rest.emplace_back(0.1 * (i % side), 0.1 * (column % side), 0.1 * layer);
      x.emplace_back(rest.back() + Vec3(spread(random), spread(random), spread(random)));
    }
    for (int i = 0; i < n * n * n; ++i) {
      const int cell[] = {i % n, i / n % n, i / n / n};
      const int parity = (cell[0] + cell[1] + cell[2]) % 2;  // Faces of neighbours match.
      const auto corner = [&](int c) {
        const int flipped = parity != 0 ? c ^ 1 : c;
        return (cell[0] + (flipped & 1)) + side * (cell[1] + (flipped >> 1 & 1)) +
               side * side * (cell[2] + (flipped >> 2 & 1));
      };
      for (const auto& [a, b, c, d] :
           {std::array{0, 1, 3, 5}, {0, 3, 2, 6}, {0, 5, 4, 6}, {3, 5, 6, 7}, {0, 3, 6, 5}})
        tets.push_back({corner(a), corner(b), corner(c), corner(d)});
    }
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < 9 * tets.size(); ++i)
      p.push_back(0.1 * normal(random) + (i % 9 % 4 == 0 ? 1 : 0));
  }
};

/// E = 5e5 Pa, nu = 0.4.
Lame rubber() { return lame_of({5e5, 0.4}).value(); }

std::unique_ptr<Potential> one_at_a_time(const Block& block) {
  return std::make_unique<ContinuumPotential<NeoHookean, 3, 3>>(NeoHookean{rubber()},
                                                                tet_shapes(block.rest, block.tets));
}

std::unique_ptr<Potential> of_model(const Block& block, IsotropicModel model) {
  return make_tets(block.rest, block.tets, {model, rubber()});
}

enum class Stage { local_step, gradient, energy, hessian };

void run(benchmark::State& state, const Block& block, const Potential& potential, Stage stage) {
  std::vector<double> z = block.p, hessian(std::size_t{81} * 64);
  std::vector<Vec3> gradient(block.x.size(), Vec3::Zero());
  parallel::ThreadLimit limit(1);
  limit.run([&] {
    for (auto _ : state) {
      switch (stage) {
        case Stage::local_step:
          potential.local_step(block.p, 1, z);
          break;
        case Stage::gradient:
          potential.add_gradient(block.x, gradient);
          break;
        case Stage::energy:
          benchmark::DoNotOptimize(potential.energy(block.x));
          break;
        case Stage::hessian:
          for (std::size_t e = 0; e + 64 <= potential.element_count(); e += 64) {
            potential.hessians(e, e + 64, block.x, HessianForm::positive_semidefinite, hessian);
          }
          break;
      }
      benchmark::ClobberMemory();
    }
  });
  const auto count = static_cast<std::int64_t>(potential.element_count());
  state.SetItemsProcessed(state.iterations() * count);
  state.counters["per_tet"] =
      benchmark::Counter(static_cast<double>(count) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

const Block& block_of(const benchmark::State& state) {
  static const Block small(7), large(27);  // 1,715 and 98,415 tets.
  return state.range(0) == 0 ? small : large;
}

void neo_hookean(benchmark::State& state, Stage stage) {
  const Block& block = block_of(state);
  run(state, block, *of_model(block, IsotropicModel::neo_hookean), stage);
}
void neo_hookean_one_at_a_time(benchmark::State& state, Stage stage) {
  const Block& block = block_of(state);
  run(state, block, *one_at_a_time(block), stage);
}
void stable_neo_hookean(benchmark::State& state, Stage stage) {
  const Block& block = block_of(state);
  run(state, block, *of_model(block, IsotropicModel::stable_neo_hookean), stage);
}

BENCHMARK_CAPTURE(neo_hookean, local_step, Stage::local_step)->Arg(0)->Arg(1);
BENCHMARK_CAPTURE(neo_hookean_one_at_a_time, local_step, Stage::local_step)->Arg(0)->Arg(1);
BENCHMARK_CAPTURE(neo_hookean, gradient, Stage::gradient)->Arg(0)->Arg(1);
BENCHMARK_CAPTURE(neo_hookean_one_at_a_time, gradient, Stage::gradient)->Arg(0)->Arg(1);
BENCHMARK_CAPTURE(neo_hookean, energy, Stage::energy)->Arg(0)->Arg(1);
BENCHMARK_CAPTURE(neo_hookean, hessian, Stage::hessian)->Arg(0);
BENCHMARK_CAPTURE(stable_neo_hookean, local_step, Stage::local_step)->Arg(0);
BENCHMARK_CAPTURE(stable_neo_hookean, gradient, Stage::gradient)->Arg(0);

}  // namespace
}  // namespace sluice::solid
