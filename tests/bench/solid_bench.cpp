// SPDX-License-Identifier: Apache-2.0
// Elastic tets: time of one tet in the stages of the integrators, four at a time against one at a
// time in the same run. On one thread. The local step's guess is its answer.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "solver/parallel/thread_limit.h"
#include "solver/solid/continuum_potential.h"
#include "solver/solid/isotropic/energies.h"
#include "solver/solid/packet_tets.h"

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

enum class Stage { local_step, gradient, energy, hessian };

/// One pass of a potential through a stage, on buffers of its own.
class Pass {
 public:
  Pass(const Block& block, const Potential& potential, Stage stage)
      : block_(block),
        potential_(potential),
        stage_(stage),
        z_(block.p),
        hessian_(std::size_t{81} * 64),
        gradient_(block.x.size(), Vec3::Zero()) {}

  /// [s]
  double time() {
    const auto begin = std::chrono::steady_clock::now();
    switch (stage_) {
      case Stage::local_step:
        potential_.local_step(0, potential_.element_count(), block_.p, 1, z_);
        break;
      case Stage::gradient:
        potential_.add_gradient(block_.x, gradient_);
        break;
      case Stage::energy:
        benchmark::DoNotOptimize(potential_.energy(block_.x));
        break;
      case Stage::hessian:
        for (std::size_t e = 0; e + 64 <= potential_.element_count(); e += 64)
          potential_.hessians(e, e + 64, block_.x, HessianForm::positive_semidefinite, hessian_);
        break;
    }
    benchmark::ClobberMemory();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

 private:
  const Block& block_;
  const Potential& potential_;
  Stage stage_;
  std::vector<double> z_, hessian_;
  std::vector<Vec3> gradient_;
};

const Block& block_of(bool is_large) {
  static const Block small(7), large(27);  // 1,715 and 98,415 tets.
  return is_large ? large : small;
}

/// The least time of each, in turns. ns: a tet, four at a time; ratio: of one at a time to that.
template <typename Energy>
void compare(benchmark::State& state, Stage stage, bool is_large) {
  const Block& block = block_of(is_large);
  const PacketTets<Energy> four(Energy{rubber()}, tet_shapes(block.rest, block.tets));
  const ContinuumPotential<Energy, 3, 3> one(Energy{rubber()}, tet_shapes(block.rest, block.tets));
  Pass pass_of_four(block, four, stage), pass_of_one(block, one, stage);
  double least_of_four = std::numeric_limits<double>::infinity(), least_of_one = least_of_four;
  parallel::ThreadLimit limit(1);
  limit.run([&] {
    for (auto _ : state) {
      least_of_one = std::min(least_of_one, pass_of_one.time());
      for (int i = 0; i < 5; ++i)
        least_of_four = std::min(least_of_four, pass_of_four.time());
    }
  });
  state.counters["ns"] = 1e9 * least_of_four / static_cast<double>(block.tets.size());
  state.counters["ratio"] = least_of_one / least_of_four;
}

template <typename Energy>
void add(const std::string& model) {
  const std::pair<Stage, const char*> stages[] = {{Stage::local_step, "local_step"},
                                                  {Stage::gradient, "gradient"},
                                                  {Stage::energy, "energy"},
                                                  {Stage::hessian, "hessian"}};
  for (const auto& [stage, stage_name] : stages) {
    for (const bool is_large : {false, true}) {
      const std::string name = model + "/" + stage_name + (is_large ? "/98415" : "/1715");
      benchmark::RegisterBenchmark(name.c_str(), compare<Energy>, stage, is_large)
          ->Unit(benchmark::kMillisecond)
          ->Iterations(is_large ? 5 : 200);
    }
  }
}

[[maybe_unused]] const bool is_registered = [] {
  add<NeoHookean>("neo_hookean");
  add<StableNeoHookean>("stable_neo_hookean");
  add<FixedCorotated>("fixed_corotated");
  add<SaintVenantKirchhoff>("st_venant_kirchhoff");
  add<LinearElasticity>("linear");
  return true;
}();

}  // namespace
}  // namespace sluice::solid
