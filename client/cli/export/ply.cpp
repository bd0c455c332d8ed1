// SPDX-License-Identifier: Apache-2.0
#include "client/cli/export/ply.h"

#include <fmt/format.h>

#include <cstring>

namespace sluice::cli {

std::string make_ply(const BodyGeometry& body) {
  const std::size_t point_count = body.positions.size() / 3;
  const std::size_t triangle_count = body.triangles.size() / 3;
  const bool has_velocity = !body.velocities.empty();
  std::string text = fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment time {} s\nelement vertex {}\n"
      "property float x\nproperty float y\nproperty float z\n",
      body.time_seconds, point_count);
  if (has_velocity) {
    text += "property float vx\nproperty float vy\nproperty float vz\n";
  }
  std::size_t extra_bytes = 0;  // Bytes of a point after its place and velocity.
  for (const PointField& field : body.extra) {
    for (int c = 0; c < field.component_count; ++c) {
      text += field.component_count == 1 ? fmt::format("property float {}\n", field.name)
                                         : fmt::format("property float {}_{}\n", field.name, c);
      extra_bytes += sizeof(float);
    }
  }
  if (!body.ids.empty()) {
    text += "property int id\n";
    extra_bytes += sizeof(std::int32_t);
  }
  if (triangle_count > 0) {
    text +=
        fmt::format("element face {}\nproperty list uchar int vertex_indices\n", triangle_count);
  }
  text += "end_header\n";

  constexpr std::size_t row = 3 * sizeof(float);
  constexpr std::size_t face = 1 + 3 * sizeof(std::int32_t);
  const std::size_t header = text.size();
  text.resize(header + point_count * (row * (has_velocity ? 2 : 1) + extra_bytes) +
              triangle_count * face);
  char* out = text.data() + header;
  for (std::size_t i = 0; i < point_count; ++i) {
    std::memcpy(out, &body.positions[3 * i], row);
    out += row;
    if (has_velocity) {
      std::memcpy(out, &body.velocities[3 * i], row);
      out += row;
    }
    for (const PointField& field : body.extra) {
      const auto count = static_cast<std::size_t>(field.component_count);
      std::memcpy(out, &field.values[count * i], count * sizeof(float));
      out += count * sizeof(float);
    }
    if (!body.ids.empty()) {
      std::memcpy(out, &body.ids[i], sizeof(std::int32_t));
      out += sizeof(std::int32_t);
    }
  }
  for (std::size_t i = 0; i < triangle_count; ++i) {
    *out = 3;
    std::memcpy(out + 1, &body.triangles[3 * i], face - 1);
    out += face;
  }
  return text;
}

}  // namespace sluice::cli
