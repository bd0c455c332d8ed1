// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/cli/export/vtk.h"
#include "client/files/whole_file.h"
#include "sluice/frame.h"
#include "sluice/v1/frames.pb.h"
#include "sluice/v1/scene.pb.h"

namespace sluice::cli {

enum class ExportFormat { vtk, ply };

/// Files of the surface around a body's particles, besides those of the particles; with the level
/// set also the fields of gases for programs that read OpenVDB.
enum class SurfaceFiles { none, mesh, vdb, both };

struct ExportOptions {
  ExportFormat format{ExportFormat::vtk};
  SurfaceFiles surface{SurfaceFiles::none};
  /// For files of frames, but OpenVDB's; time series are always replaced.
  files::OtherContent other_content{files::OtherContent::replace};
};

/// Writes frames to a folder, a file for each body and frame: `water_000123.vtp` (`.vtu` for
/// tetrahedra) or `.ply` (of tetrahedra the surface). VTK
/// comes with time series for ParaView, `water.pvd` for each body and `_all.pvd` for all of them
/// (names of bodies begin with a letter), kept up to date while frames come. Surfaces of particles
/// are `water.surface_000123.vtp` or `.ply`, with `water.surface.pvd`, and
/// `water.surface_000123.vdb` (names of bodies have no dots). Where particles come and go, each has
/// its `id` (`Body.ids`). A gas is `air_000123.vti`, and `air_000123.vdb`; where frames say which
/// of many sizes its cells have, also `air.cells_000123.vtu`, with `air.cells.pvd`.
class FrameExport {
 public:
  /// Makes the folder. Throws `CommandError` when it cannot, and for a gas as PLY, which has no
  /// cells.
  FrameExport(std::filesystem::path folder, const ExportOptions& options, const v1::Scene& scene);

  /// Keeps what the time series in the folder have of frames before `first_index`: frames from
  /// there on are added to them. Without it the series begin anew.
  void continue_series(std::int64_t first_index);

  /// Writes a frame. `layout` is that of its epoch. Throws `CommandError` when a file cannot be
  /// written, or when frame and layout do not belong together.
  void write(const client::Frame& frame, const v1::Layout& layout);

  /// Writes the time series as they are in the end.
  void finish();

  [[nodiscard]] std::int64_t frame_count() const noexcept { return frame_count_; }
  [[nodiscard]] std::int64_t file_count() const noexcept { return file_count_; }

 private:
  void write_body(const client::Frame& frame, const v1::Body& body);
  void write_cells(const client::Frame& frame, const v1::Body& body);
  void write_geometry(const BodyGeometry& geometry, const std::string& name, std::int64_t index);
  void write_surface(const BodyGeometry& particles, std::span<const float> interior,
                     const std::string& body, std::int64_t index);
  void write_listed(const std::string& file, std::string_view content, const std::string& name,
                    double time_seconds);
  void write_series();

  std::filesystem::path folder_;
  ExportOptions options_;
  double particle_spacing_;
  float ambient_temperature_;
  std::optional<std::pair<double, double>> slab_;  // [m] along y; of a scene in two dimensions.
  bool has_ids_;  // Particles come and go: which one each is tells its id alone.
  std::map<std::string, std::vector<SeriesEntry>> series_;  // By body.
  std::vector<SeriesEntry> all_;
  std::chrono::steady_clock::time_point series_written_;
  int part_{0};  // Number of the next part of the frame that is being written.
  std::int64_t frame_count_{0};
  std::int64_t file_count_{0};
};

}  // namespace sluice::cli
