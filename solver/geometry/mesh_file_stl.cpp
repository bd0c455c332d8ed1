// SPDX-License-Identifier: Apache-2.0
// STL: a soup of triangles. Binary is 80 bytes of anything, a uint32 count, then 50 bytes a
// triangle (normal, three corners, two bytes of attributes), little-endian floats.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

#include "solver/geometry/mesh_readers.h"
#include "solver/geometry/mesh_text.h"

namespace sluice::geometry::mesh_readers {
namespace {

constexpr std::size_t header_size = 84, record_size = 50;

// Gives equal corners one vertex, in order of first use. Sorted, not hashed: no input is slow.
TriangleMesh weld(const std::vector<Vec3>& corners) {
  std::vector<std::int32_t> order(corners.size());
  std::iota(order.begin(), order.end(), 0);
  const auto at = [&](std::int32_t i) -> const Vec3& {
    return corners[static_cast<std::size_t>(i)];
  };
  std::sort(order.begin(), order.end(), [&](std::int32_t i, std::int32_t j) {
    const auto key = [&](std::int32_t k) { return std::tuple(at(k).x(), at(k).y(), at(k).z(), k); };
    return key(i) < key(j);
  });
  std::vector<std::int32_t> first_use(corners.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && at(order[i]) == at(order[i - 1]);
    first_use[static_cast<std::size_t>(order[i])] =
        same ? first_use[static_cast<std::size_t>(order[i - 1])] : order[i];
  }
  TriangleMesh mesh;
  std::vector<std::int32_t> vertex_of(corners.size());
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const auto first = static_cast<std::size_t>(first_use[i]);
    if (first == i) {
      vertex_of[i] = static_cast<std::int32_t>(mesh.vertices.size());
      mesh.vertices.push_back(corners[i]);
    } else {
      vertex_of[i] = vertex_of[first];
    }
  }
  for (std::size_t i = 0; i + 2 < corners.size(); i += 3) {
    mesh.triangles.push_back({vertex_of[i], vertex_of[i + 1], vertex_of[i + 2]});
  }
  return mesh;
}

Result<TriangleMesh> read_binary(std::string_view bytes, std::size_t triangle_count) {
  if (3 * triangle_count > max_vertex_count) return mesh_error("STL: too many triangles");
  std::vector<Vec3> corners;
  corners.reserve(3 * triangle_count);
  for (std::size_t i = 0; i < triangle_count; ++i) {
    const std::size_t start = header_size + i * record_size;
    std::array<float, 12> values;
    std::memcpy(values.data(), bytes.data() + start, sizeof values);
    for (std::size_t corner = 1; corner <= 3; ++corner) {
      const Vec3 position{values[3 * corner], values[3 * corner + 1], values[3 * corner + 2]};
      if (!position.allFinite()) {
        return mesh_error("STL byte " + std::to_string(start + 12 * corner) +
                          ": a coordinate is not a finite number");
      }
      corners.push_back(position);
    }
  }
  return weld(corners);
}

Result<TriangleMesh> read_ascii(std::string_view text) {
  std::vector<Vec3> corners;
  mesh_text::LineReader lines(text);
  const auto error = [&](const std::string& message) {
    return mesh_error("STL line " + std::to_string(lines.line_number()) + ": " + message);
  };
  std::size_t facet_start = 0;
  while (const auto line = lines.next()) {
    std::string_view rest = *line;
    const std::string_view keyword = mesh_text::next_word(rest);
    if (keyword == "facet") facet_start = corners.size();
    if (keyword == "endfacet" && corners.size() != facet_start + 3) {
      return error("a facet needs 3 vertices, found " +
                   std::to_string(corners.size() - facet_start));
    }
    if (keyword != "vertex") continue;
    Vec3 position;
    for (double& coordinate : position) {
      const std::string_view word = mesh_text::next_word(rest);
      const auto value = mesh_text::to_number<double>(word);
      if (!value || !std::isfinite(*value)) {
        return error("a vertex needs three finite numbers, found " + quoted(word));
      }
      coordinate = *value;
    }
    if (corners.size() == max_vertex_count) return error("too many vertices");
    corners.push_back(position);
  }
  if (corners.size() % 3 != 0) return error("the file ends within a facet");
  return weld(corners);
}

}  // namespace

Result<TriangleMesh> read_stl(std::string_view bytes) {
  // Binary files may start with "solid" too: the size decides first.
  std::uint32_t count = 0;
  if (bytes.size() >= header_size) std::memcpy(&count, bytes.data() + 80, sizeof count);
  const std::size_t needed = header_size + std::size_t{count} * record_size;
  if (bytes.size() >= header_size && bytes.size() == needed) return read_binary(bytes, count);
  if (bytes.starts_with("solid")) return read_ascii(bytes);
  if (bytes.size() < header_size) {
    return mesh_error("STL: neither text starting with 'solid' nor a binary header of 84 bytes");
  }
  return mesh_error("STL byte 80: " + std::to_string(count) + " triangles need " +
                    std::to_string(needed) + " bytes, the file has " +
                    std::to_string(bytes.size()));
}

}  // namespace sluice::geometry::mesh_readers
