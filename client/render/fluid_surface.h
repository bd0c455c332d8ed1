// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace sluice::render {

/// A closed surface of triangles, counterclockwise from outside.
struct SurfaceMesh {
  std::vector<float> positions;         ///< x y z of each vertex, in metres.
  std::vector<std::int32_t> triangles;  ///< Three vertex indices for each triangle.
};

/// The surface of a fluid around its particles, as a level set in a narrow band, in metres.
///
/// Balls around the particles, of 1.3 spacings in radius, are joined, which closes the gaps between
/// them. Then the surface is moved inwards, so that still water ends half a spacing outside its
/// outermost particles. Drops of a few particles, which would get lost by that, become balls.
class FluidSurface {
 public:
  /// `positions`: x y z of each particle, in metres; particles that are not finite are left out.
  /// `spacing`: distance of particles at rest, in metres, > 0. `interior`: cells that are full
  /// without particles, in metres: x y z of the middle and the edge of each (FIELD_INTERIOR_CELL).
  /// Uses as many threads as cores.
  FluidSurface(std::span<const float> positions, double spacing,
               std::span<const float> interior = {});
  FluidSurface(FluidSurface&&) noexcept;
  FluidSurface& operator=(FluidSurface&&) noexcept;
  ~FluidSurface();

  [[nodiscard]] SurfaceMesh mesh() const;

  /// Writes an OpenVDB file with the level set as the grid `surface`. If that fails, throws
  /// `files::FileError` and leaves no partial file.
  void write_vdb(const std::filesystem::path& path) const;

 private:
  struct LevelSet;
  std::unique_ptr<LevelSet> level_set_;
};

}  // namespace sluice::render
