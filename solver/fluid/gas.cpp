// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/gas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sluice::fluid {

Gas::Gas(const scene::Scene& scene, const CellLattice& lattice)
    : name_(scene.gas ? scene.gas->name : std::string()),
      cfl_(scene.grid.cfl),
      cell_size_(static_cast<double>(static_cast<float>(scene.grid.cell_size))),
      lattice_(lattice) {}

double Gas::stable_substep(double obstacle_speed) const noexcept {
  const double now = this->fastest();
  if (!std::isfinite(now)) return std::numeric_limits<double>::quiet_NaN();
  const double fastest = std::max(now + gained_, obstacle_speed);
  return fastest > 0 ? cfl_ * cell_size_ / fastest : std::numeric_limits<double>::infinity();
}

std::string Gas::what_shortens_substeps() const {
  return fmt::format(
      "\"{}\" moves too fast for its grid; larger cells, a larger cfl_number or less wind may help",
      name_);
}

Result<std::monostate> Gas::advance(const FluidActions& actions, StageTimer* timer) {
  const double before = fastest();
  const grid::SolveReport report = step({.duration = actions.duration,
                                         .time = actions.time,
                                         .frame_duration = frame_duration_,
                                         .gravity = actions.gravity,
                                         .pushes = actions.pushes,
                                         .strokes = strokes_},
                                        timer);
  report_ = {report.iterations, report.residual};
  gained_ = std::max(0.0, fastest() - before);
  if (std::isfinite(fastest()) && std::isfinite(report.residual)) return std::monostate{};
  return Error{ErrorCode::solver_diverged,
               fmt::format("the velocity of \"{}\" is no longer finite; a gentler wind, stroke or "
                           "push may help",
                           name_)};
}

void Gas::read(Field field, std::span<float> values) const {
  switch (field) {
    case Field::smoke:
      return read_channels(scene::Carried::smoke, values);
    case Field::temperature:
      return read_channels(scene::Carried::temperature, values);
    case Field::dye:
      return read_channels(scene::Carried::dye, values);
    case Field::pressure:
      return read_pressure(values);
    case Field::velocity:
      return read_velocity(values);
    case Field::cell_level:
      return read_levels(values);
    case Field::position:
    case Field::density:
    case Field::contact_force:
    case Field::interior_cell:
      break;  // A gas has none: scene::validate.
  }
}

void Gas::save(ByteWriter& out) const {
  out.put(gained_);
  save_grid(out);
}

bool Gas::restore(ByteReader& in) { return in.get(gained_) && restore_grid(in); }

}  // namespace sluice::fluid
