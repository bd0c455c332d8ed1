// SPDX-License-Identifier: Apache-2.0
#include "client/render/gas_field.h"

#include <algorithm>
#include <cmath>

#include "client/render/ambient_temperature.h"

namespace sluice::render {
namespace {

Float3 to_float3(const std::array<double, 3>& v) {
  return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}

Float3 row(std::span<const float> values, std::size_t index) {
  return {values[3 * index], values[3 * index + 1], values[3 * index + 2]};
}

float mean_of(std::span<const float> values, const CellWeights& at) {
  float sum = 0;
  for (std::size_t i = 0; i < at.cells.size(); ++i) {
    sum += at.weights[i] * values[at.cells[i]];
  }
  return sum;
}

}  // namespace

GasField::GasField(const client::Frame& frame, const v1::Body& body)
    : lattice_(read_lattice(body)), lower_(to_float3(lattice_.lower)) {
  for (int axis = 0; axis < 3; ++axis) {
    cells_a_metre_[axis] = static_cast<float>(1 / lattice_.edges[static_cast<std::size_t>(axis)]);
  }
  for (const client::FrameArray& array : frame.arrays) {
    if (!is_of_body(array, body, frame.index)) {
      continue;
    }
    if (array.field == v1::FIELD_SMOKE && array.component_count == 1) {
      smoke_ = array.values;
    } else if (array.field == v1::FIELD_TEMPERATURE && array.component_count == 1) {
      temperature_ = array.values;
    } else if (array.field == v1::FIELD_DYE && array.component_count == 3) {
      dye_ = array.values;
    }
  }
}

Bounds GasField::bounds() const {
  Bounds bounds{lower_, lower_};
  for (int axis = 0; axis < 3; ++axis) {
    bounds.upper[axis] +=
        static_cast<float>(lattice_.counts[static_cast<std::size_t>(axis)]) / cells_a_metre_[axis];
  }
  return bounds;
}

GasContent GasField::cell(std::size_t index) const {
  GasContent content;
  if (!smoke_.empty()) {
    content.smoke = smoke_[index];
  }
  if (!temperature_.empty()) {
    content.temperature = temperature_[index];
  }
  if (!dye_.empty()) {
    content.dye = row(dye_, index);
  }
  return content;
}

CellWeights GasField::weights(const Float3& position) const {
  std::array<std::array<std::size_t, 2>, 3> index{};
  std::array<std::array<float, 2>, 3> weight{};
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const auto last = static_cast<float>(lattice_.counts[a] - 1);
    const float x = (position[axis] - lower_[axis]) * cells_a_metre_[axis] - 0.5F;
    const float inside = x > 0 ? std::min(x, last) : 0.0F;  // Also where it is no number.
    const auto first = static_cast<std::size_t>(inside);
    index[a] = {first, std::min(first + 1, static_cast<std::size_t>(lattice_.counts[a] - 1))};
    weight[a][1] = inside - static_cast<float>(first);
    weight[a][0] = 1 - weight[a][1];
  }
  const auto width = static_cast<std::size_t>(lattice_.counts[0]);
  const auto depth = static_cast<std::size_t>(lattice_.counts[1]);
  CellWeights found{};
  for (std::size_t corner = 0; corner < 8; ++corner) {
    const std::size_t i = corner & 1U;
    const std::size_t j = corner >> 1U & 1U;
    const std::size_t k = corner >> 2U;
    found.cells[corner] = (index[2][k] * depth + index[1][j]) * width + index[0][i];
    found.weights[corner] = weight[0][i] * weight[1][j] * weight[2][k];
  }
  return found;
}

GasContent GasField::mean(const CellWeights& weights) const {
  GasContent content;
  if (!smoke_.empty()) {
    content.smoke = mean_of(smoke_, weights);
  }
  if (!temperature_.empty()) {
    content.temperature = mean_of(temperature_, weights);
  }
  if (!dye_.empty()) {
    Float3 sum;
    for (std::size_t i = 0; i < weights.cells.size(); ++i) {
      sum += row(dye_, weights.cells[i]) * weights.weights[i];
    }
    content.dye = sum;
  }
  return content;
}

std::optional<GasField> find_gas(const client::Frame& frame, const v1::Layout& layout) {
  const auto body = std::find_if(
      layout.bodies().begin(), layout.bodies().end(),
      [](const v1::Body& candidate) { return candidate.kind() == v1::BODY_KIND_CELLS; });
  if (body == layout.bodies().end()) {
    return {};
  }
  return GasField(frame, *body);
}

std::span<const float> find_cell_levels(const client::Frame& frame, const v1::Layout& layout) {
  for (const v1::Body& body : layout.bodies()) {
    if (body.kind() == v1::BODY_KIND_CELLS) {
      return frame.values(body.name(), v1::FIELD_CELL_LEVEL);
    }
  }
  return {};
}

GasScale gas_scale(const v1::Scene& scene, const Float3& smoke_albedo) {
  const float ambient = ambient_temperature(scene);
  float range = 0;
  const auto include = [&](const v1::GasContent& content) {
    if (content.has_temperature()) {
      range = std::max(range, std::abs(static_cast<float>(content.temperature()) - ambient));
    }
  };
  for (const v1::GasRegion& region : scene.gas().regions()) {
    include(region.content());
  }
  for (const v1::GasSource& source : scene.gas().sources()) {
    include(source.content());
  }
  constexpr float when_it_comes_by_strokes_alone = 100;  // [K]
  return {ambient, range > 0 ? range : when_it_comes_by_strokes_alone, smoke_albedo};
}

std::optional<int> flat_axis(const v1::Scene& scene) {
  if (!scene.has_gas()) {
    return {};
  }
  if (scene.fluid_grid().dimensions() == 2) {
    return 1;
  }
  for (int axis = 0; axis < 3; ++axis) {
    const bool has_extent = scene.domain().lower_size() == 3 && scene.domain().upper_size() == 3;
    if (has_extent && scene.domain().upper(axis) - scene.domain().lower(axis) <
                          1.5 * scene.fluid_grid().cell_size()) {
      return axis;
    }
  }
  return {};
}

}  // namespace sluice::render
