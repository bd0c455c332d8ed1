// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/pressure/null_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "solver/fluid/pressure/conjugate_gradients.h"
#include "solver/fluid/pressure/multigrid.h"
#include "tests/unit/solver/fluid/pressure/random_system.h"

namespace sluice::fluid::grid::null_space_test {
namespace {

// By array index, the number of the piece it is in, or -1: by walking from cell to cell.
template <int D>
std::vector<int> pieces_of(const PoissonSystem<D>& system) {
  const Tiles<D>& tiles = system.tiles();
  std::vector<int> piece(tiles.array_size(), -1);
  int count = 0;
  for (std::size_t start = 0; start < tiles.count() * tile_size<D>; ++start) {
    if (!system.is_unknown(start / tile_size<D>, start % tile_size<D>) || piece[start] >= 0)
      continue;
    std::vector<std::size_t> front{start};
    piece[start] = count;
    while (!front.empty()) {
      const std::size_t i = front.back();
      front.pop_back();
      const auto* const general = system.general(i / tile_size<D>);
      for (std::size_t side = 0; side < side_count<D>; ++side) {
        if (general != nullptr && !(general->next(side, i % tile_size<D>) > 0)) continue;
        Cell<D> other = tiles.cell(i);
        other[side / 2] += side % 2 == 0 ? -1 : 1;
        const std::size_t next = tiles.find_cell(other);
        if (piece[next] >= 0) continue;
        piece[next] = count;
        front.push_back(next);
      }
    }
    ++count;
  }
  return piece;
}

template <int D>
void expect_sums_of_loose_pieces_gone(const PoissonSystem<D>& system, std::size_t least_loose) {
  const std::vector<int> piece = pieces_of(system);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> value(-1, 2);
  Array<double> b(piece.size(), 0);
  std::map<int, bool> is_fixed;
  std::map<int, int> sizes;
  for (std::size_t i = 0; i < piece.size(); ++i) {
    if (piece[i] < 0) continue;
    b[i] = value(random);
    const auto* const general = system.general(i / tile_size<D>);
    if (general != nullptr && general->fixed(i % tile_size<D>) > 0) is_fixed[piece[i]] = true;
    ++sizes[piece[i]];
  }
  const Array<double> before = b;
  NullSpace<D>(system).remove(b);
  std::map<int, double> sums;
  for (std::size_t i = 0; i < piece.size(); ++i) {
    if (piece[i] >= 0 && is_fixed[piece[i]]) {
      EXPECT_EQ(b[i], before[i]);
    } else if (piece[i] >= 0) {
      sums[piece[i]] += b[i];
    }
  }
  EXPECT_GE(sums.size(), least_loose);
  for (const auto& [number, sum] : sums)
    EXPECT_NEAR(sum, 0, 1e-12 * sizes[number]);
}

// Inflow where nothing can go out is cut down to the room that there is.
TEST(NullSpace, cuts_inflow_to_the_room_there_is) {
  const PoissonSystem<3> system = random_system<3>(20, {0.2, 0.02, 0}, 2);
  const std::vector<int> piece = pieces_of(system);
  std::map<int, bool> is_fixed;
  std::map<int, double> room, wanted, got;
  Array<double> b(piece.size(), 0);
  Array<float> inflow(piece.size(), 0);
  for (std::size_t i = 0; i < piece.size(); ++i) {
    if (piece[i] < 0) continue;
    const auto* const general = system.general(i / tile_size<3>);
    if (general != nullptr && general->fixed(i % tile_size<3>) > 0) is_fixed[piece[i]] = true;
    b[i] = piece[i] % 2 == 0 ? -0.25 : 0.25;  // Room in every other one.
    inflow[i] = 1;
    room[piece[i]] -= b[i];
    wanted[piece[i]] += 1;
  }
  NullSpace<3>(system).fit(b, inflow);
  for (std::size_t i = 0; i < piece.size(); ++i) {
    if (piece[i] >= 0) got[piece[i]] += static_cast<double>(inflow[i]);
  }
  for (const auto& [number, sum] : got) {
    const double expected = is_fixed[number] ? wanted[number] : std::max(room[number], 0.0);
    EXPECT_NEAR(sum, expected, 1e-6 * wanted[number]);
  }
}

TEST(NullSpace, of_each_loose_piece_is_taken_off) {
  expect_sums_of_loose_pieces_gone(random_system<2>(9, {0.35, 0.02, 0}, 1), 20);
  expect_sums_of_loose_pieces_gone(random_system<3>(20, {0.2, 0.02, 0}, 2), 100);
  expect_sums_of_loose_pieces_gone(random_system<3>(30, {0.9, 0, 0.6}, 3), 1);
  expect_sums_of_loose_pieces_gone(random_system<3>(30, {0.9, 0.1, 0.6}, 4), 0);
}

TEST(NullSpace, leaves_a_system_that_is_solved) {
  const PoissonSystem<3> system = random_system<3>(30, {0.95, 0, 0.6}, 3);
  Array<double> b(system.tiles().array_size(), 0), x(b.size());
  std::mt19937 random(5);
  std::uniform_real_distribution<double> value(-1, 2);
  for (std::size_t i = 0; i < b.size() - tile_size<3>; ++i) {
    if (system.is_unknown(i / tile_size<3>, i % tile_size<3>)) b[i] = value(random);
  }
  NullSpace<3>(system).remove(b);
  Multigrid<3> multigrid(system);
  ConjugateGradients<3> solver;
  const SolveReport report = solver.solve(system, multigrid, b, 1e-8, 300, x);
  EXPECT_TRUE(report.converged) << report.residual;
}

}  // namespace
}  // namespace sluice::fluid::grid::null_space_test
