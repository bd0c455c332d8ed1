// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "solver/cell_lattice.h"
#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/obstacles/solid_faces.h"
#include "solver/fluid/push.h"
#include "solver/fluid/stroke.h"
#include "solver/scene/gas.h"
#include "solver/scene/scene.h"

namespace sluice::fluid::grid {

/// The inputs of a substep: what acts on the gas.
struct GasActions {
  double duration;        ///< [s] > 0
  double time;            ///< [s] at the start
  double frame_duration;  ///< [s] After this time a stroke has had its full effect.
  Vec3 gravity;           ///< [m/s^2]
  std::span<const Push> pushes;
  std::span<const Stroke> strokes;
};

/// The settings that stay the same from substep to substep.
template <int D>
struct GasSettings {
  CellFrame<D> frame;
  Sides<D> sides;
  double depth = 0;         ///< [m] y of the grid's plane, in 2D
  double mass_of_cell = 0;  ///< [kg] of a cell full of gas
  scene::Gas gas;
  scene::PressureSettings pressure;
  scene::PathIntegrator path_integrator = scene::PathIntegrator::rk3;
};

/// Those of the gas of a scene that has one.
template <int D>
[[nodiscard]] GasSettings<D> settings_of(const scene::Scene& scene);

/// [Pa / (m/s)] What a pressure times `duration` [s] / (density dx), in m/s, is in pascals; 0
/// before the first substep, whose duration is 0.
template <int D>
[[nodiscard]] float pascals(const GasSettings<D>& settings, float duration);

/// The grid of that gas: its finest cells, in 2D as deep as the domain.
template <int D>
[[nodiscard]] CellLattice lattice_of(const scene::Scene& scene);

/// A number that a gas carries in each cell.
struct Channel {
  scene::Carried what;
  int component;
  float ambient;  ///< Its value in gas that comes in by sides.
};

[[nodiscard]] std::vector<Channel> channels_of(const scene::Gas& gas);

/// The value that `content` gives a channel, if any.
[[nodiscard]] std::optional<float> value_of(const scene::GasContent& content,
                                            const Channel& channel);

extern template CellLattice lattice_of<2>(const scene::Scene&);
extern template CellLattice lattice_of<3>(const scene::Scene&);
extern template float pascals<2>(const GasSettings<2>&, float);
extern template float pascals<3>(const GasSettings<3>&, float);
extern template GasSettings<2> settings_of<2>(const scene::Scene&);
extern template GasSettings<3> settings_of<3>(const scene::Scene&);

}  // namespace sluice::fluid::grid
