// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "solver/fluid/adaptive/tree_gas.h"
#include "solver/fluid/gas.h"
#include "tests/unit/solver/fluid/scenes.h"

/// A plume, on equal cells and on trees of them, and what tests ask of it.
namespace sluice::fluid::adaptive {

// Hot smoke in a box with an open top.
inline scene::Scene plume(int dimensions, double cell_size) {
  scene::Scene scene;
  scene.domain_lower = Vec3::Zero();
  scene.domain_upper = {1, dimensions == 2 ? 0.1 : 1, 2};
  scene.grid.cell_size = cell_size;
  scene.grid.cfl = 2;
  scene.grid.dimensions = dimensions;
  scene.grid.sides[2][1] = scene::Side::open;
  scene.gas.emplace();
  scene.gas->name = "air";
  scene.gas->carries = {scene::Carried::smoke, scene::Carried::temperature};
  scene::GasSource source;
  source.shape = test::sphere({0.5, scene.domain_upper.y() / 2, 0.25}, 0.12);
  source.content.smoke = 1;
  source.content.temperature = 400;
  scene.gas->sources = {source};
  return scene;
}

inline scene::Scene divided(scene::Scene scene, int levels) {
  scene.grid.adaptive.emplace();
  scene.grid.adaptive->levels = levels;
  return scene;
}

inline std::vector<float> read(const Gas& gas, Field field) {
  std::vector<float> values(static_cast<std::size_t>(gas.lattice().cell_count()) *
                            static_cast<std::size_t>(component_count(field)));
  gas.read(field, values);
  return values;
}

inline void run(Gas& gas, double begin, double end) {
  for (double time = begin; time < end - 1e-9;) {
    const double h = std::min({gas.stable_substep(), 0.05, end - time});
    ASSERT_TRUE(gas.advance({.duration = h, .time = time, .gravity = {0, 0, -9.81}, .pushes = {}}));
    time += h;
  }
}

template <int D>
const TreeGasStep<D>& step_of(const Gas& gas) {
  return dynamic_cast<const TreeGas<D>&>(gas).tree_step();
}

inline double sum(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values)
    sum += static_cast<double>(value);
  return sum;
}

// The sum of differences, over that of the values.
inline double difference(const std::vector<float>& a, const std::vector<float>& b) {
  double of_both = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    of_both += std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
  return of_both / sum(a);
}

inline void expect_same_frames(const Gas& equal, const Gas& tree) {
  for (const Field field : {Field::smoke, Field::temperature, Field::velocity}) {
    const std::vector<float> of_equal = read(equal, field), of_tree = read(tree, field);
    for (std::size_t i = 0; i < of_equal.size(); ++i)
      ASSERT_NEAR(of_equal[i], of_tree[i], field == Field::temperature ? 1e-2 : 1e-4);
  }
}

}  // namespace sluice::fluid::adaptive
