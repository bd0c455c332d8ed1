// SPDX-License-Identifier: Apache-2.0
#include "client/render/renderer.h"

#include <cmath>
#include <span>

#include "client/render/gas_field.h"
#include "client/render/gas_plate.h"
#include "client/render/gas_volume.h"
#include "client/render/overlay.h"
#include "client/render/shading.h"

namespace sluice::render {
namespace {

constexpr int shadow_map_size = 1024;

/// The sun stands high, to the left of the viewer and a little behind.
Float3 direction_to_sun(const View& view, const Float3& up) {
  const Float3 right = view.right();
  const Float3 back = normalized(cross(right, up));  // Level, towards the viewer.
  return normalized(up * 1.0F - right * 0.48F + back * 0.42F);
}

/// The axis that is looked along most.
int axis_across(const Camera& camera) {
  const Float3 ahead = camera.target - camera.eye;
  int most = 0;
  for (int axis = 1; axis < 3; ++axis) {
    if (std::abs(ahead[axis]) > std::abs(ahead[most])) {
      most = axis;
    }
  }
  return most;
}

}  // namespace

Renderer::Renderer(const v1::Scene& scene, const RenderOptions& options)
    : stage_(scene, options.has_surfaces),
      options_(options),
      camera_(options_.camera ? *options_.camera
                              : stage_.camera(static_cast<float>(options_.width) /
                                              static_cast<float>(options_.height))) {}

Image Renderer::draw(const client::Frame& frame, const v1::Layout& layout) {
  const DrawList list = stage_.draw_list(frame, layout);
  const View view(camera_, options_.width * samples_per_axis, options_.height * samples_per_axis);
  VisibilityBuffer visibility(options_.width * samples_per_axis,
                              options_.height * samples_per_axis);
  draw_visibility(list, view, options_.thread_count, visibility);
  const Float3 to_light = direction_to_sun(view, stage_.ground().normal);
  const ShadowMap shadow(list, to_light, shadow_map_size, options_.thread_count);
  ShadingInput input{list, view, visibility, shadow, stage_, to_light};
  const std::optional<GasField> gas = find_gas(frame, layout);
  std::optional<GasVolume> volume;
  std::optional<GasPlate> plate;
  const auto flat_axis = stage_.flat_axis();
  if (gas && flat_axis) {
    plate.emplace(*gas, stage_.gas_scale(), *flat_axis, stage_.moved_obstacles(frame));
    input.plate = &*plate;
  } else if (gas) {
    const Float3& up = stage_.ground().normal;
    const float height = std::abs(dot(stage_.bounds().upper - stage_.bounds().lower, up));
    volume.emplace(*gas, stage_.gas_scale(), height, shadow, to_light, up, options_.thread_count);
    input.gas = &*volume;
  }
  Image image = shade(input, options_.thread_count);
  draw_wireframe(image, input, stage_.bounds());
  if (options_.has_cells && gas) {
    const std::span<const float> levels = find_cell_levels(frame, layout);
    if (!levels.empty()) {
      draw_cells(image, input, gas->lattice(), levels, flat_axis.value_or(axis_across(camera_)));
    }
  }
  draw_time(image, frame.time_seconds);
  if (stage_.has_fluid() && !options_.has_surfaces) {
    draw_speed_scale(image, stage_.fastest());
  }
  return image;
}

}  // namespace sluice::render
