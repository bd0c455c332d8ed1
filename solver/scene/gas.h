// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "solver/geometry/shape.h"
#include "solver/scene/time_span.h"
#include "solver/scene/visitable.h"
#include "solver/types.h"

namespace sluice::scene {

/// The quantities that a gas may carry; scene.proto describes each.
enum class Carried { smoke, temperature, dye };

/// The method by which values of a grid are carried along. [Bermejo1992], [Selle2008], [Stam1999]
enum class Advection { cubic, maccormack, semi_lagrangian };

/// The content of a gas in a place; a quantity without a value stays as it is around.
struct GasContent {
  std::optional<Vec3> velocity;  ///< [m/s]
  std::optional<double> smoke;
  std::optional<double> temperature;  ///< [K]
  std::optional<Vec3> dye;            ///< Linear red, green and blue.
};

template <Of<GasContent> Self, typename Visit>
void visit_fields(Self& content, Visit&& visit) {
  auto& [velocity, smoke, temperature, dye] = content;
  visit(velocity, smoke, temperature, dye);
}

/// A part of a gas at time 0.
struct GasRegion {
  geometry::Shape shape;
  GasContent content;
};

template <Of<GasRegion> Self, typename Visit>
void visit_fields(Self& region, Visit&& visit) {
  auto& [shape, content] = region;
  visit(shape, content);
}

/// A region in which a gas has the content that it is told.
struct GasSource {
  geometry::Shape shape;
  GasContent content;
  TimeSpan open;
};

template <Of<GasSource> Self, typename Visit>
void visit_fields(Self& source, Visit&& visit) {
  auto& [shape, content, open] = source;
  visit(shape, content, open);
}

/// An incompressible gas that fills the domain.
struct Gas {
  std::string name;
  std::vector<Carried> carries = {Carried::smoke};  ///< Each at most once.
  Vec3 velocity = Vec3::Zero();                     ///< [m/s] at time 0
  std::vector<GasRegion> regions;                   ///< Where several overlap, the last counts.
  std::vector<GasSource> sources;
  double density = 1.2;                 ///< [kg/m^3]
  double dynamic_viscosity = 0;         ///< [Pa s]
  double ambient_temperature = 293.15;  ///< [K]
  double smoke_density = 0;             ///< [kg/m^3] that smoke of 1 adds
  double fading = 0;                    ///< [1/s] rate, of smoke and dye
  double cooling = 0;                   ///< [1/s] rate, of the temperature
  double vorticity_confinement = 0;     ///< [Fedkiw2001] (11)
  Advection advection = Advection::cubic;

  [[nodiscard]] bool has(Carried what) const {
    return std::find(carries.begin(), carries.end(), what) != carries.end();
  }
};

template <Of<Gas> Self, typename Visit>
void visit_fields(Self& gas, Visit&& visit) {
  auto& [name, carries, velocity, regions, sources, density, dynamic_viscosity, ambient_temperature,
         smoke_density, fading, cooling, vorticity_confinement, advection] = gas;
  visit(name, carries, velocity, regions, sources, density, dynamic_viscosity, ambient_temperature,
        smoke_density, fading, cooling, vorticity_confinement, advection);
}

}  // namespace sluice::scene
