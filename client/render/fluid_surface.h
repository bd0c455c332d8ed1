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
  std::vector<std::int32_t> triangles;  ///< Three vertices each.
};

/// Where a fluid ends, around its particles: a level set in a narrow band, in metres.
///
/// Balls of 1.3 spacings around the particles are joined, which closes the gaps between them, and
/// what that is too large by is taken off again, so that still water ends half a spacing outside
/// its outermost particles. Drops of a few particles, which that would lose, become balls.
class FluidSurface {
 public:
  /// `positions`: x y z of each particle, in metres; those that are not finite count for nothing.
  /// `spacing`: between particles at rest, in metres, > 0. On as many threads as there are cores.
  FluidSurface(std::span<const float> positions, double spacing);
  FluidSurface(FluidSurface&&) noexcept;
  FluidSurface& operator=(FluidSurface&&) noexcept;
  ~FluidSurface();

  [[nodiscard]] SurfaceMesh mesh() const;

  /// Writes an OpenVDB file with the level set as the grid `surface`. Throws `files::FileError`
  /// when it cannot; no file is there then.
  void write_vdb(const std::filesystem::path& path) const;

 private:
  struct LevelSet;
  std::unique_ptr<LevelSet> level_set_;
};

}  // namespace sluice::render
