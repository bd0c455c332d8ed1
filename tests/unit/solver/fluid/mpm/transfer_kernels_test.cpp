// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/transfer_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <random>
#include <vector>

#include "tests/unit/solver/fluid/scenes.h"

// Oracle: the sums of a particle and its nodes as they stand in the papers, in double and one by
// one. Each instruction set must give them, whatever the number of particles in a block and
// whichever materials they have.
namespace sluice::fluid::transfer_kernels_test {
namespace {

struct Instructions {
  const char* name;
  const TransferKernels* kernels;
};

std::vector<Instructions> instruction_sets() {
  std::vector<Instructions> sets{{"base", &base_kernels}};
#ifdef __x86_64__
  if (cpu_has_avx512()) sets.push_back({"avx512", &avx512_kernels});
#endif
  return sets;
}

// One block of particles with random states, of two fluids.
struct OneBlock {
  explicit OneBlock(std::size_t count, scene::Kernel kernel = scene::Kernel::quadratic)
      : scene(two_fluids()), frame(scene), materials(make_materials(scene)) {
    std::mt19937 generator(static_cast<unsigned>(count));
    std::uniform_real_distribution<float> unit(0, 1);
    particles.resize(count);
    const float first = kernel == scene::Kernel::quadratic ? 8.5F : 9;
    for (std::size_t i = 0; i < count; ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        // First nodes in 8 .. 11, where a block is.
        particles.positions[i][axis] =
            frame.origin[axis] + cell * (first + 3.98F * unit(generator));
        particles.velocities[i][axis] = unit(generator) - 0.5F;
      }
      for (float& c : particles.affine[i].c)
        c = 4 * unit(generator) - 2;
      particles.affine[i].strain = -0.01F * unit(generator);
      particles.materials[i] = unit(generator) < 0.3F ? 1 : 0;
    }
    assign_blocks(frame, kernel, particles.positions, count, blocks);
  }
  // The last `count` particles in order have copies of some nodes, whichever. Copy n is of the
  // tile's node n.
  void hide_nodes(std::uint32_t count) {
    std::mt19937_64 generator(count);
    ParticleBlock& block = blocks.blocks[0];
    block.sighted_last = block.last - count;
    blocks.sights.resize(block.last);
    for (std::uint32_t o = block.sighted_last; o < block.last; ++o) {
      const int cell_of_kernel = blocks.cells[blocks.order[o]];
      const NodeBits hidden = (generator() | NodeBits{1} << node_bit(1, 1, 1)) & all_nodes(3);
      blocks.sights[o] = {.hidden = hidden,
                          .cell = static_cast<std::uint16_t>(cell_of_kernel),
                          .is_beside_sheet = false,
                          .first_copy = static_cast<std::uint32_t>(blocks.copies.size())};
      for (NodeBits bits = hidden; bits != 0; bits &= bits - 1) {
        const auto first = node_of_bit(cell_of_kernel), node = node_of_bit(std::countr_zero(bits));
        blocks.copies.push_back(
            {static_cast<std::uint32_t>(((first[0] + node[0]) * 6 + first[1] + node[1]) * 6 +
                                        first[2] + node[2]),
             0});
      }
    }
  }
  // Whether a copy stands for a particle's node of the tile.
  [[nodiscard]] bool is_hidden(std::size_t particle, std::size_t node) const {
    const ParticleBlock& block = blocks.blocks[0];
    for (std::uint32_t o = block.sighted_last; o < block.last; ++o) {
      if (blocks.order[o] != particle) continue;
      const Sight& sight = blocks.sights[o];
      const auto first = node_of_bit(static_cast<int>(sight.cell));
      const auto n = static_cast<int>(node);
      const std::array<int, 3> at{n / 36 - first[0], n / 6 % 6 - first[1], n % 6 - first[2]};
      for (const int i : at) {
        if (i < 0 || i > 2) return false;
      }
      return (sight.hidden >> node_bit(at[0], at[1], at[2]) & 1) != 0;
    }
    return false;
  }
  static scene::Scene two_fluids() {
    scene::Scene scene = test::tank({1, 1, 1}, cell, test::box({0, 0, 0}, {1, 1, 1}));
    scene.fluids.push_back(scene.fluids[0]);
    scene.fluids[0].dynamic_viscosity = 2;
    scene.fluids[1].density = 700;
    scene.fluids[1].eos_exponent = 4.5;
    return scene;
  }
  [[nodiscard]] Substep substep() const {
    return {duration, Vec3f(0, 0, -9.81F),      pushes, materials,
            frame,    1 / (cell * cell * cell), pressed};
  }

  static constexpr float cell = 0.05F, duration = 1e-3F;
  scene::Scene scene;
  GridFrame frame;
  std::vector<Material> materials;
  std::vector<Push> pushes{{Vec3(0.5, 0.5, 0.5), 0.03, Vec3(1, 2, 3)}};
  Particles particles;
  ParticleBlocks blocks;
  PressedCells pressed;
};

double quadratic(double d) {
  d = std::abs(d);
  if (d < 0.5) return 0.75 - d * d;
  return d < 1.5 ? 0.5 * (1.5 - d) * (1.5 - d) : 0;
}

using DoubleTile = std::vector<Eigen::Vector4d>;

// Calls visit(tile node, weight, node - particle [m]) for a particle's nodes.
template <typename Visit>
void visit_nodes(const OneBlock& b, std::size_t i, const Visit& visit) {
  const auto base = b.frame.block_base(b.blocks.blocks[0].key);
  for (int n = 0; n < Tile<3>::node_count; ++n) {
    const int at[3] = {n / 36, n / 6 % 6, n % 6};
    double weight = 1;
    Vec3 away;
    for (int axis = 0; axis < 3; ++axis) {
      const double x = static_cast<double>(b.particles.positions[i][axis]) - b.frame.origin[axis];
      away[axis] = (base[static_cast<std::size_t>(axis)] + at[axis]) * double{OneBlock::cell} - x;
      weight *= quadratic(away[axis] / OneBlock::cell);
    }
    if (weight > 0) visit(static_cast<std::size_t>(n), weight, away);
  }
}

Mat3 affine_of(const Affine& affine) {
  Mat3 C;
  for (int a = 0; a < 3; ++a)
    for (int r = 0; r < 3; ++r)
      C(r, a) = affine.c[3 * a + r];
  return C;
}

DoubleTile plain_scatter(const OneBlock& b) {
  DoubleTile nodes(Tile<3>::node_count, Eigen::Vector4d::Zero());
  const double h = OneBlock::duration, D_inv = 4 / (double{OneBlock::cell} * OneBlock::cell);
  for (std::size_t i = 0; i < b.particles.count; ++i) {
    const Material& material = b.materials[b.particles.materials[i]];
    const Affine& affine = b.particles.affine[i];
    const Mat3 C = affine_of(affine);
    const double p = damped_pressure(material, affine.strain, static_cast<float>(C.trace()));
    const Mat3 stress =
        -p * Mat3::Identity() +
        material.viscosity * (C + C.transpose() - 2.0 / 3 * C.trace() * Mat3::Identity());
    const Mat3 Q =
        material.mass * C - h * material.rest_volume * (1 + affine.strain) * D_inv * stress;
    Vec3 a(0, 0, -9.81);
    const Vec3 x = b.particles.positions[i].cast<double>();
    if ((x - b.pushes[0].center).norm() <= b.pushes[0].radius) a += b.pushes[0].acceleration;
    const Vec3 p0 = material.mass * (b.particles.velocities[i].cast<double>() + h * a);
    visit_nodes(b, i, [&](std::size_t n, double w, const Vec3& away) {
      nodes[n].head<3>() += w * (p0 + Q * away);
      nodes[n][3] += w * material.mass;
    });
  }
  return nodes;
}

class TransferKernelsTest : public testing::TestWithParam<std::size_t> {};

TEST_P(TransferKernelsTest, scatter_what_the_papers_say) {
  const OneBlock b(GetParam());
  ASSERT_EQ(b.blocks.blocks.size(), 1U);
  const DoubleTile expected = plain_scatter(b);
  Eigen::Vector4d scale = Eigen::Vector4d::Zero();
  for (const Eigen::Vector4d& node : expected)
    scale = scale.cwiseMax(node.cwiseAbs());
  for (const Instructions& set : instruction_sets()) {
    Tile<3> tile;
    set.kernels->scatter_quadratic(b.substep(), b.particles, b.blocks, b.blocks.blocks[0], tile,
                                   nullptr);
    for (std::size_t n = 0; n < expected.size(); ++n) {
      for (int c = 0; c < 4; ++c)
        EXPECT_NEAR(tile.nodes[n][c], expected[n][c], 1e-5 * scale[c]) << set.name << ' ' << n;
    }
  }
}

TEST_P(TransferKernelsTest, gather_what_the_papers_say_and_touch_no_other_particle) {
  const OneBlock b(GetParam());
  Tile<3> tile;
  std::mt19937 generator(3);
  std::uniform_real_distribution<float> unit(0, 1);
  const float rest_mass =
      b.materials[0].rest_density * OneBlock::cell * OneBlock::cell * OneBlock::cell;
  for (Float4& node : tile.nodes)
    node =
        Float4{unit(generator) - 0.5F, unit(generator) - 0.5F, unit(generator) - 0.5F, rest_mass};
  for (const Instructions& set : instruction_sets()) {
    Particles after = b.particles;
    const GatherReport report = set.kernels->gather_quadratic(b.substep(), tile, nullptr, b.blocks,
                                                              b.blocks.blocks[0], after);
    EXPECT_TRUE(report.is_finite);
    for (std::size_t i = 0; i < b.particles.count; ++i) {
      Vec3 v = Vec3::Zero();
      Mat3 C = Mat3::Zero();
      visit_nodes(b, i, [&](std::size_t n, double w, const Vec3& away) {
        const Vec3 node(tile.nodes[n][0], tile.nodes[n][1], tile.nodes[n][2]);
        v += w * node;
        C += w * 4 / (double{OneBlock::cell} * OneBlock::cell) * node * away.transpose();
      });
      EXPECT_LT((after.velocities[i].cast<double>() - v).norm(), 1e-5) << set.name;
      EXPECT_LT((affine_of(after.affine[i]) - C).norm(), 2e-4) << set.name;
      const Vec3 target = b.particles.positions[i].cast<double>() + double{OneBlock::duration} * v;
      EXPECT_LT((after.targets[i].cast<double>() - target).norm(), 1e-6) << set.name;
      EXPECT_LE(report.least_strain, after.affine[i].strain);
    }
    EXPECT_EQ(after.targets.back(), b.particles.targets.back()) << "what stands behind the last";
  }
}

// Hidden nodes have copies: particles give to them and take from them.
TEST_P(TransferKernelsTest, take_copies_for_hidden_nodes) {
  OneBlock b(GetParam());
  const auto count = static_cast<std::uint32_t>(GetParam());
  b.hide_nodes(count - count / 3);
  const DoubleTile expected = plain_scatter(b);
  Eigen::Vector4d scale = Eigen::Vector4d::Zero();
  for (const Eigen::Vector4d& node : expected)
    scale = scale.cwiseMax(node.cwiseAbs());
  std::mt19937 generator(3);
  std::uniform_real_distribution<float> unit(0, 1);
  for (const Instructions& set : instruction_sets()) {
    Tile<3> tile;
    std::vector<Float4> copies(tile.nodes.size(), Float4{});
    std::vector<Float4> parts(b.blocks.copies.size(), Float4{});
    set.kernels->scatter_quadratic(b.substep(), b.particles, b.blocks, b.blocks.blocks[0], tile,
                                   parts.data());
    for (std::size_t n = 0; n < parts.size(); ++n)
      copies[b.blocks.copies[n].index] += parts[n];
    double mass = 0;
    for (std::size_t n = 0; n < expected.size(); ++n) {
      mass += static_cast<double>(copies[n][3]);
      const Float4 sum = tile.nodes[n] + copies[n];
      for (int c = 0; c < 4; ++c)
        EXPECT_NEAR(sum[c], expected[n][c], 1e-5 * scale[c]) << set.name << ' ' << n;
    }
    double hidden_mass = 0;
    for (std::size_t i = 0; i < b.particles.count; ++i) {
      visit_nodes(b, i, [&](std::size_t n, double w, const Vec3&) {
        if (b.is_hidden(i, n))
          hidden_mass += w * static_cast<double>(b.materials[b.particles.materials[i]].mass);
      });
    }
    EXPECT_NEAR(mass, hidden_mass, 1e-5 * hidden_mass) << set.name;

    for (auto* nodes : {tile.nodes.data(), copies.data()}) {
      for (std::size_t n = 0; n < expected.size(); ++n)
        nodes[n] = Float4{unit(generator) - 0.5F, unit(generator) - 0.5F, unit(generator) - 0.5F,
                          static_cast<float>(scale[3])};
    }
    Particles after = b.particles;
    set.kernels->gather_quadratic(b.substep(), tile, copies.data(), b.blocks, b.blocks.blocks[0],
                                  after);
    for (std::size_t i = 0; i < b.particles.count; ++i) {
      Vec3 v = Vec3::Zero();
      Mat3 C = Mat3::Zero();
      visit_nodes(b, i, [&](std::size_t n, double w, const Vec3& away) {
        const Float4& from = b.is_hidden(i, n) ? copies[n] : tile.nodes[n];
        const Vec3 node(from[0], from[1], from[2]);
        v += w * node;
        C += w * 4 / (double{OneBlock::cell} * OneBlock::cell) * node * away.transpose();
      });
      EXPECT_LT((after.velocities[i].cast<double>() - v).norm(), 1e-5) << set.name;
      EXPECT_LT((affine_of(after.affine[i]) - C).norm(), 2e-4) << set.name;
    }
  }
}

// transfers_test has the oracles of cubic kernels, for the CPU's best instructions alone.
TEST_P(TransferKernelsTest, of_all_instruction_sets_agree_on_cubic_splines) {
  const OneBlock b(GetParam(), scene::Kernel::cubic);
  ASSERT_EQ(b.blocks.blocks.size(), 1U);
  const ParticleBlock& block = b.blocks.blocks[0];
  Tile<4> expected;
  base_kernels.scatter_cubic(b.substep(), b.particles, b.blocks, block, expected, nullptr);
  Particles expected_after = b.particles;
  base_kernels.gather_cubic(b.substep(), expected, nullptr, b.blocks, block, expected_after);
  float largest = 0;
  for (const Float4& node : expected.nodes) {
    for (int c = 0; c < 4; ++c)
      largest = std::max(largest, std::abs(node[c]));
  }
  EXPECT_GT(largest, 0);
  for (const Instructions& set : instruction_sets()) {
    Tile<4> tile;
    set.kernels->scatter_cubic(b.substep(), b.particles, b.blocks, block, tile, nullptr);
    for (std::size_t n = 0; n < tile.nodes.size(); ++n) {
      for (int c = 0; c < 4; ++c)
        EXPECT_NEAR(tile.nodes[n][c], expected.nodes[n][c], 1e-5F * largest) << set.name;
    }
    Particles after = b.particles;
    set.kernels->gather_cubic(b.substep(), expected, nullptr, b.blocks, block, after);
    for (std::size_t i = 0; i < b.particles.count; ++i) {
      EXPECT_LT((after.velocities[i] - expected_after.velocities[i]).norm(), 1e-5F * largest);
      EXPECT_LT((affine_of(after.affine[i]) - affine_of(expected_after.affine[i])).norm(),
                2e-3 * static_cast<double>(largest));
    }
  }
}

TEST(TransferKernels, say_when_a_number_is_not_finite) {
  for (const std::size_t lane : {0UL, 6UL, 16UL}) {
    OneBlock b(17);
    Tile<3> tile;
    for (Float4& node : tile.nodes)
      node = Float4{0, 0, 0, 1};
    tile.nodes[Tile<3>::node_count / 2][lane % 3] = std::numeric_limits<float>::infinity();
    for (const Instructions& set : instruction_sets()) {
      Particles after = b.particles;
      EXPECT_FALSE(
          set.kernels
              ->gather_quadratic(b.substep(), tile, nullptr, b.blocks, b.blocks.blocks[0], after)
              .is_finite)
          << set.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(ParticlesInABlock, TransferKernelsTest,
                         testing::Values(1, 7, 8, 9, 16, 17, 33, 1000));

}  // namespace
}  // namespace sluice::fluid::transfer_kernels_test
