// SPDX-License-Identifier: Apache-2.0
// One implicit step of Neo-Hookean tets by the integrators for general energies: see
// integrator_scene.h.
//
//   bench.tet_integrator_bench [FILE.csv]
//
// With FILE.csv, also the curves: there as a table, and in FILE.svg as a plot.
//
// The beam: 1 m long, of 15 x 4 x 4 or 65 x 16 x 16 cubes of six tets each, E = 5e5 Pa, nu = 0.4,
// 1000 kg/m^3, one end held. The paper's scene ([Yang2023] 4.2, which gives 400 nodes and 1,384
// tets) is the small beam less 56 tets, with a cloth of 20 x 20 vertices beside it.
//
// Then, one a line: name value unit goal. On one thread but where two are compared. Ratios are to
// the same integrator over tets that are taken one at a time, in the same run.
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "solver/integrator/admm.h"
#include "solver/integrator/lbfgs.h"
#include "solver/integrator/newton_pcg.h"
#include "solver/integrator/projected_newton.h"
#include "solver/integrator/projective_dynamics.h"
#include "solver/parallel/thread_limit.h"
#include "solver/solid/continuum_potential.h"
#include "solver/solid/isotropic/neo_hookean.h"
#include "solver/solid/packet_tets.h"
#include "tests/bench/integrator_scene.h"

namespace sluice::integrator {
namespace {

using Tet = std::array<std::int32_t, 4>;
using FourAtATime = solid::PacketTets<solid::NeoHookean>;
using OneAtATime = solid::ContinuumPotential<solid::NeoHookean, 3, 3>;

/// Cubes of six tets about a diagonal each, whose faces match.
struct Beam {
  std::vector<Vec3> rest;
  std::vector<Tet> tets;

  /// `width` cubes wide and high, and `length` long, for a metre.
  Beam(int length, int width) {
    const int side = width + 1;
    for (int i = 0; i <= length; ++i) {
      for (int j = 0; j < side; ++j) {
        for (int k = 0; k < side; ++k)
          rest.emplace_back(Vec3(i, j, k) / length);
      }
    }
    const std::array<int, 3> strides{side * side, side, 1};
    std::array<int, 3> order{0, 1, 2};
    do {
      for (int i = 0; i < length * width * width; ++i) {
        Tet tet{i / (width * width) * strides[0] + i / width % width * strides[1] + i % width};
        for (std::size_t corner = 0; corner < 3; ++corner)
          tet[corner + 1] = tet[corner] + strides[static_cast<std::size_t>(order[corner])];
        tets.push_back(tet);
      }
    } while (std::ranges::next_permutation(order).found);
  }
};

/// Not yet converged.
template <typename Tets>
Scene scene_of(const Beam& beam, std::string name) {
  Scene scene;
  scene.name = std::move(name);
  const auto shapes = solid::tet_shapes(beam.rest, beam.tets);
  std::vector<double> masses(beam.rest.size(), 0.0);
  for (std::size_t e = 0; e < beam.tets.size(); ++e) {
    for (const std::int32_t vertex : beam.tets[e])
      masses[static_cast<std::size_t>(vertex)] += 1000 * shapes.measures[e] / 4;
  }
  for (std::size_t i = 0; i < masses.size(); ++i)
    scene.add_vertex(beam.rest[i], masses[i]);
  for (std::size_t i = 0; i < masses.size(); ++i) {
    if (beam.rest[i].x() == 0) scene.hold(i);
  }
  const solid::Lame rubber = solid::lame_of({5e5, 0.4}).value();
  scene.add_potential(std::make_unique<Tets>(solid::NeoHookean{rubber}, shapes));
  return scene;
}

Scene paper_scene() {
  Beam beam(15, 4);
  beam.tets.resize(1384);
  Scene scene = scene_of<FourAtATime>(beam, "400 nodes, 1384 tets, cloth");
  add_cloth(scene, 20, 0.05, 0.2 * 0.05 * 0.05, 1000, Vec3(0, 1, 0));
  return scene;
}

std::vector<Candidate> candidates() {
  constexpr std::size_t any = 1'000'000;
  return {
      candidate<ProjectiveDynamics>("PD", any),
      candidate<Lbfgs>("L-BFGS on the PD factor", any),
      candidate<NewtonPcg>("Newton-PCG on the PD factor", any),
      candidate<ProjectedNewton>("projected Newton", 10'000),
      candidate<ProjectedNewton>("projected Newton, no factors", any, std::size_t{0}),
      candidate<Admm>("ADMM", any),
      candidate<ConsensusAdmmIntegrator>("consensus ADMM", any, false),
      candidate<ConsensusAdmmIntegrator>("accelerated consensus ADMM", any, true),
  };
}

void print_figure(const std::string& name, double value, const char* unit, const char* goal) {
  std::printf("%s %.4g %s %s\n", name.c_str(), value, unit, goal);
  std::fflush(stdout);
}

/// [s] The least time of a step to a residual of 1e-6, of the runs that half a second allows.
double newton_step(const Scene& scene, Integrator& integrator) {
  double least = std::numeric_limits<double>::infinity();
  const double begin = now();
  for (int run = 0; run < 2 || now() - begin < 0.5; ++run) {
    std::vector<Vec3> x = scene.x_n;
    const double start = now();
    const StepReport report =
        integrator.step(scene.problem(), {.relative_residual = 1e-6, .max_iterations = 100}, x);
    if (report.is_converged()) least = std::min(least, now() - start);
  }
  return least;
}

/// The least of the integrators that are run on the scene.
template <typename Time>
double least_time(const Scene& scene, const std::vector<Candidate>& integrators, const Time& time) {
  double least = std::numeric_limits<double>::infinity();
  for (const Candidate& candidate : integrators) {
    if (scene.x_n.size() > candidate.largest) continue;
    least = std::min(least, time(*candidate.make(scene)));
  }
  return least;
}

double bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

void compare_with_one_at_a_time(const Beam& beam, const std::string& count, const char* admm_goal,
                                const char* newton_goal) {
  const Scene four = scene_of<FourAtATime>(beam, count), one = scene_of<OneAtATime>(beam, count);
  const std::vector<Candidate> admm{candidate<Admm>("", 10'000),
                                    candidate<ConsensusAdmmIntegrator>("", 1'000'000, false)};
  const std::vector<Candidate> newton{candidate<ProjectedNewton>("", 10'000),
                                      candidate<ProjectedNewton>("", 1'000'000, std::size_t{0}),
                                      candidate<NewtonPcg>("", 1'000'000)};
  const auto ten = [&](const Scene& scene) {
    return least_time(scene, admm, [&](Integrator& i) { return ten_iterations(scene, i); });
  };
  const auto step = [&](const Scene& scene) {
    return least_time(scene, newton, [&](Integrator& i) { return newton_step(scene, i); });
  };
  const double admm_four = ten(four), newton_four = step(four);
  print_figure("tets.admm_" + count, 1e3 * admm_four, "ms", admm_goal);
  print_figure("tets.admm_ratio_" + count, ten(one) / admm_four, "ratio", "");
  print_figure("tets.newton_" + count, 1e3 * newton_four, "ms", newton_goal);
  print_figure("tets.newton_ratio_" + count, step(one) / newton_four, "ratio", "");
}

void run(CurveFiles& files) {
  const Beam small(15, 4), large(65, 16);
  std::vector<Scene> scenes;
  scenes.push_back(scene_of<FourAtATime>(small, "beam, 1440 tets"));
  scenes.push_back(scene_of<FourAtATime>(large, "beam, 99840 tets"));
  scenes.push_back(paper_scene());
  for (Scene& scene : scenes) {
    ProjectedNewton newton(scene.potentials, scene.x_n.size(), 10'000);
    scene.converge(newton);
    compare(scene, candidates(), scene.x_n.size() > 10'000 ? 6 : 2, files);
  }
  std::printf("\n");
  compare_with_one_at_a_time(small, "1440", "<=0.6", "<=2.5");
  compare_with_one_at_a_time(large, "99840", "<=45", "<=350");
  const Scene& paper = scenes.back();
  const double step = least_time(paper, candidates(), [&](Integrator& integrator) {
    const Curve curve = measure(paper, integrator, 1);
    return curve.time_to(curve.err, 0.01);
  });
  print_figure("tets.paper_steps", 1 / step, "1/s", ">=1500");
}

/// Ten iterations of the matrix-free integrator, and what it needs.
void run_matrix_free() {
  const Beam beam(65, 16);
  const double before = bytes_in_use();
  const Scene scene = scene_of<FourAtATime>(beam, "");
  ConsensusAdmmIntegrator admm(scene.potentials, scene.x_n.size(), false);
  std::array<double, 2> seconds{};
  for (const int thread_count : {1, 2}) {
    parallel::ThreadLimit limit(thread_count);
    limit.run(
        [&] { seconds[static_cast<std::size_t>(thread_count - 1)] = ten_iterations(scene, admm); });
  }
  print_figure("tets.matrix_free_memory",
               (bytes_in_use() - before) / static_cast<double>(beam.tets.size()), "B", "<=1024");
  print_figure("tets.two_threads", seconds[0] / seconds[1], "ratio", ">=1.7");
}

}  // namespace
}  // namespace sluice::integrator

int main(int argc, char** argv) {
  sluice::integrator::CurveFiles files;
  if (argc > 1 && !files.open(argv[1])) return 1;
  {
    sluice::parallel::ThreadLimit limit(1);
    limit.run([&] { sluice::integrator::run(files); });
  }
  sluice::integrator::run_matrix_free();
  return files.finish() ? 0 : 1;
}
