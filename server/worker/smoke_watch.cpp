// SPDX-License-Identifier: Apache-2.0
#include "server/worker/smoke_watch.h"

#include <algorithm>
#include <stdexcept>
#include <variant>

namespace sluice::worker {
namespace {

std::array<bool, 3> periodic_axes_of(const scene::Scene& scene) {
  std::array<bool, 3> is_periodic{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    is_periodic[axis] = scene.grid.sides[axis][0] == scene::Side::periodic;
  return is_periodic;
}

std::vector<geometry::Shape> sources_of_smoke(const scene::Scene& scene) {
  std::vector<geometry::Shape> sources;
  if (!scene.gas) return sources;
  for (const scene::GasSource& source : scene.gas->sources) {
    if (source.content.smoke.value_or(0) > 0) sources.push_back(source.shape);
  }
  return sources;
}

}  // namespace

bool SmokeWatch::is_for(const scene::Scene& scene) {
  return scene.gas && scene.gas->has(scene::Carried::smoke);
}

SmokeWatch::SmokeWatch(const scene::Scene& scene, const Simulation& simulation)
    : obstacles_(scene.obstacles),
      is_periodic_(periodic_axes_of(scene)),
      certificate_(sources_of_smoke(scene), state_of(simulation)) {}

void SmokeWatch::on_command(const SteerCommand& command) {
  const auto* stroke = std::get_if<StrokeGas>(&command);
  if (stroke != nullptr && stroke->content.smoke.value_or(0) > 0)
    certificate_.allow(stroke->from, stroke->to, stroke->radius);
}

certificate::SmokeFindings SmokeWatch::check(const Simulation& simulation) {
  return certificate_.check(state_of(simulation));
}

certificate::SmokeState SmokeWatch::state_of(const Simulation& simulation) {
  const std::vector<BodyLayout>& layout = simulation.layout();
  certificate::SmokeState state;
  vertices_.clear();
  triangles_.clear();
  around_volumes_.clear();
  for (const FieldView& view : simulation.fields()) {
    const BodyLayout& body = layout[view.body];
    if (view.field == Field::smoke) {
      if (!body.lattice) throw std::logic_error("smoke without a lattice: it cannot be certified");
      state.lattice = *body.lattice;
      state.smoke = view.values;
    } else if (view.field == Field::position &&
               (body.kind == BodyKind::surface || body.kind == BodyKind::volume)) {
      const auto first = static_cast<std::int32_t>(vertices_.size());
      for (std::size_t i = 0; i + 2 < view.values.size(); i += 3)
        vertices_.emplace_back(view.values[i], view.values[i + 1], view.values[i + 2]);
      for (const TriangleIndices& triangle : body.triangles) {
        triangles_.push_back({triangle[0] + first, triangle[1] + first, triangle[2] + first});
        if (body.kind == BodyKind::volume) around_volumes_.push_back(triangles_.back());
      }
    }
  }
  placed_ = obstacles_;
  for (const ObstacleOffset& moved : simulation.obstacle_offsets()) {
    const auto found = std::ranges::find(placed_, moved.body, &scene::Obstacle::name);
    if (found != placed_.end()) found->shape.translation += moved.offset;
  }
  state.obstacles = placed_;
  state.vertices = vertices_;
  state.triangles = triangles_;
  state.around_volumes = around_volumes_;
  state.is_periodic = is_periodic_;
  return state;
}

}  // namespace sluice::worker
