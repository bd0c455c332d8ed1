// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/solver/geometry/two_tet_files.h"

// One surface in each format that surfaces may have, as exporters write it.
namespace sluice::e2e {

struct MeshFile {
  std::string name;  ///< With the ending that says the format.
  std::string bytes;
};

struct Surface {
  std::vector<std::array<float, 3>> vertices;
  std::vector<std::array<std::int32_t, 3>> triangles;
};

/// A cube with a corner at the origin, its triangles counterclockwise from outside.
inline Surface cube(float edge) {
  Surface surface;
  for (int i = 0; i < 8; ++i) {
    surface.vertices.push_back({edge * static_cast<float>(i & 1),
                                edge * static_cast<float>(i >> 1 & 1),
                                edge * static_cast<float>(i >> 2)});
  }
  surface.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                       {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return surface;
}

/// A flat square sheet of `count` by `count` vertices with a corner at the origin.
inline Surface sheet(float edge, std::int32_t count) {
  Surface surface;
  for (std::int32_t j = 0; j < count; ++j) {
    for (std::int32_t i = 0; i < count; ++i) {
      const float step = edge / static_cast<float>(count - 1);
      surface.vertices.push_back({step * static_cast<float>(i), step * static_cast<float>(j), 0});
    }
  }
  for (std::int32_t j = 0; j + 1 < count; ++j) {
    for (std::int32_t i = 0; i + 1 < count; ++i) {
      const std::int32_t a = j * count + i;
      surface.triangles.push_back({a, a + 1, a + count});
      surface.triangles.push_back({a + 1, a + count + 1, a + count});
    }
  }
  return surface;
}

inline std::string obj_text(const Surface& surface) {
  std::string text;
  for (const auto& [x, y, z] : surface.vertices)
    text += fmt::format("v {} {} {}\n", x, y, z);
  for (const auto& [a, b, c] : surface.triangles)
    text += fmt::format("f {} {} {}\n", a + 1, b + 1, c + 1);
  return text;
}

inline std::string ply_header(const Surface& surface, const char* format) {
  return fmt::format(
      "ply\nformat {} 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float "
      "z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
      format, surface.vertices.size(), surface.triangles.size());
}

inline std::string ply_text(const Surface& surface) {
  std::string text = ply_header(surface, "ascii");
  for (const auto& [x, y, z] : surface.vertices)
    text += fmt::format("{} {} {}\n", x, y, z);
  for (const auto& [a, b, c] : surface.triangles)
    text += fmt::format("3 {} {} {}\n", a, b, c);
  return text;
}

inline std::string ply_binary(const Surface& surface, geometry::Order order) {
  const bool is_little = order == geometry::Order::little;
  std::string bytes = ply_header(surface, is_little ? "binary_little_endian" : "binary_big_endian");
  for (const auto& [x, y, z] : surface.vertices)
    bytes += geometry::packed(order, x, y, z);
  for (const auto& [a, b, c] : surface.triangles)
    bytes += geometry::packed(order, std::uint8_t{3}, a, b, c);
  return bytes;
}

inline std::string stl_text(const Surface& surface) {
  std::string text = "solid part\n";
  for (const auto& triangle : surface.triangles) {
    text += " facet normal 0 0 0\n  outer loop\n";
    for (const std::int32_t corner : triangle) {
      const auto& [x, y, z] = surface.vertices[static_cast<std::size_t>(corner)];
      text += fmt::format("   vertex {} {} {}\n", x, y, z);
    }
    text += "  endloop\n endfacet\n";
  }
  return text + "endsolid part\n";
}

inline std::string stl_binary(const Surface& surface) {
  constexpr auto order = geometry::Order::little;
  std::string bytes(80, ' ');
  bytes += geometry::packed(order, static_cast<std::uint32_t>(surface.triangles.size()));
  for (const auto& triangle : surface.triangles) {
    bytes += geometry::packed(order, 0.F, 0.F, 0.F);
    for (const std::int32_t corner : triangle) {
      const auto& [x, y, z] = surface.vertices[static_cast<std::size_t>(corner)];
      bytes += geometry::packed(order, x, y, z);
    }
    bytes += geometry::packed(order, std::uint16_t{0});
  }
  return bytes;
}

inline std::vector<MeshFile> surface_files(const Surface& surface) {
  return {{"text.obj", obj_text(surface)},
          {"text.ply", ply_text(surface)},
          {"little.ply", ply_binary(surface, geometry::Order::little)},
          {"big.ply", ply_binary(surface, geometry::Order::big)},
          {"text.stl", stl_text(surface)},
          {"binary.stl", stl_binary(surface)}};
}

/// Volumes in all their formats: two tetrahedra of a cube's corners each.
inline std::vector<MeshFile> volume_files() {
  std::vector<MeshFile> files;
  for (const geometry::TwoTetFile& file : geometry::two_tet_files()) {
    const char* const ending = file.format == geometry::VolumeFormat::msh   ? ".msh"
                               : file.format == geometry::VolumeFormat::vtk ? ".vtk"
                                                                            : ".vtu";
    files.push_back({file.name + std::string(ending), file.bytes});
  }
  return files;
}

}  // namespace sluice::e2e
