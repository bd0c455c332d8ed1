// SPDX-License-Identifier: Apache-2.0
#include "client/cli/export/frame_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include "client/cli/command_error.h"
#include "client/cli/destinations.h"
#include "client/cli/export/gas_vdb.h"
#include "client/cli/export/ply.h"
#include "client/files/whole_file.h"
#include "client/render/ambient_temperature.h"
#include "client/render/body_cells.h"
#include "client/render/cell_lattice.h"
#include "client/render/fluid_surface.h"
#include "client/render/particle_spacing.h"
#include "sluice/error.h"

namespace sluice::cli {
namespace {

// The series grow with every frame: written each time, a long run would cost quadratic time.
constexpr std::chrono::seconds series_interval{2};

/// Names become file names, so a server is not trusted with them.
void check_name(const std::string& name) {
  const bool good =
      !name.empty() && name.size() <= 63 && std::islower(static_cast<unsigned char>(name[0])) &&
      std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
      });
  if (!good) {
    throw client::Error(client::ErrorKind::data_loss,
                        "the server sent a body with the name '" + name + "'");
  }
}

/// `FIELD_CONTACT_FORCE` as `contact_force`; a number where the server knows more fields than we.
std::string file_name_of(v1::Field field) {
  std::string name = v1::Field_Name(field);
  constexpr std::string_view prefix = "FIELD_";
  if (!name.starts_with(prefix)) {
    return fmt::format("field_{}", static_cast<int>(field));
  }
  name.erase(0, prefix.size());
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

/// All that the frame has of a body besides positions and velocities.
std::vector<PointField> extra_fields(const client::Frame& frame, const v1::Body& body) {
  std::vector<PointField> fields;
  for (const client::FrameArray& array : frame.arrays) {
    if (array.field != v1::FIELD_POSITION && array.field != v1::FIELD_VELOCITY &&
        array.field != v1::FIELD_INTERIOR_CELL && render::is_of_body(array, body, frame.index)) {
      fields.push_back({file_name_of(array.field), array.component_count, array.values});
    }
  }
  return fields;
}

bool do_particles_come_and_go(const v1::Scene& scene) {
  return scene.fluid_grid().has_adaptive() || !scene.drains().empty() ||
         !scene.domain().open_sides().empty() ||
         std::any_of(scene.fluids().begin(), scene.fluids().end(),
                     [](const v1::Fluid& fluid) { return !fluid.emitters().empty(); });
}

/// Which particle each row is.
std::vector<std::int32_t> ids_of(const v1::Body& body) {
  if (!body.ids().empty() && body.ids_size() != body.count()) {
    throw client::Error(client::ErrorKind::data_loss,
                        fmt::format("the server sent {} ids of '{}' with {}", body.ids_size(),
                                    body.name(), body.count()));
  }
  std::vector<std::int32_t> ids(static_cast<std::size_t>(body.count()));
  std::iota(ids.begin(), ids.end(), 0);
  // Files have 32 bits; who counts further begins anew.
  std::transform(body.ids().begin(), body.ids().end(), ids.begin(),
                 [](std::int64_t id) { return static_cast<std::int32_t>(id); });
  return ids;
}

bool has_arrays(const client::Frame& frame, const v1::Body& body) {
  return std::any_of(frame.arrays.begin(), frame.arrays.end(),
                     [&](const client::FrameArray& array) { return array.body == body.name(); });
}

}  // namespace

FrameExport::FrameExport(std::filesystem::path folder, const ExportOptions& options,
                         const v1::Scene& scene)
    : folder_(std::move(folder)),
      options_(options),
      particle_spacing_(render::particle_spacing(scene)),
      ambient_temperature_(render::ambient_temperature(scene)),
      has_ids_(do_particles_come_and_go(scene)) {
  if (scene.fluid_grid().dimensions() == 2 && scene.domain().lower_size() == 3 &&
      scene.domain().upper_size() == 3) {
    slab_ = {scene.domain().lower(1), scene.domain().upper(1)};
  }
  if (options_.format == ExportFormat::ply && scene.has_gas()) {
    throw CommandError(ExitCode::usage,
                       fmt::format("--format ply has no cells, which '{}' is made of: say vtk, or "
                                   "leave --format out",
                                   scene.gas().name()));
  }
  files::make_folder(folder_);
}

void FrameExport::write(const client::Frame& frame, const v1::Layout& layout) {
  part_ = 0;
  for (const v1::Body& body : layout.bodies()) {
    check_name(body.name());
    if (!has_arrays(frame, body)) {
      continue;  // Not among the chosen bodies.
    }
    if (body.kind() == v1::BODY_KIND_CELLS) {
      write_cells(frame, body);
    } else {
      write_body(frame, body);
    }
  }
  ++frame_count_;
  const auto now = std::chrono::steady_clock::now();
  if (now - series_written_ >= series_interval) {
    series_written_ = now;
    write_series();
  }
}

void FrameExport::write_body(const client::Frame& frame, const v1::Body& body) {
  const std::vector<std::int32_t> triangles = render::read_triangles(body);
  const std::vector<std::int32_t> tetrahedra = render::read_tetrahedra(body);
  const bool is_fluid = body.kind() == v1::BODY_KIND_PARTICLES;
  const std::vector<std::int32_t> ids =
      is_fluid && has_ids_ ? ids_of(body) : std::vector<std::int32_t>();
  const BodyGeometry geometry{frame.values(body.name(), v1::FIELD_POSITION),
                              frame.values(body.name(), v1::FIELD_VELOCITY),
                              triangles,
                              frame.time_seconds,
                              extra_fields(frame, body),
                              tetrahedra,
                              ids};
  const auto numbers = static_cast<std::size_t>(body.count()) * 3;
  if (geometry.positions.size() != numbers ||
      (!geometry.velocities.empty() && geometry.velocities.size() != numbers)) {
    throw client::Error(client::ErrorKind::data_loss,
                        fmt::format("frame {} does not fit the layout of '{}': {} numbers for {}",
                                    frame.index, body.name(), geometry.positions.size(), numbers));
  }
  write_geometry(geometry, body.name(), frame.index);
  const std::span<const float> interior = frame.values(body.name(), v1::FIELD_INTERIOR_CELL);
  if (!interior.empty() && options_.format == ExportFormat::vtk) {
    const std::string of_cells = body.name() + ".interior";
    write_listed(fmt::format("{}_{:06}.vtu", of_cells, frame.index),
                 make_vtu({interior, frame.time_seconds, slab_}), of_cells, frame.time_seconds);
  }
  if (is_fluid && options_.surface != SurfaceFiles::none) {
    write_surface(geometry, interior, body.name(), frame.index);
  }
}

void FrameExport::write_cells(const client::Frame& frame, const v1::Body& body) {
  CellFields cells{render::read_lattice(body), frame.time_seconds, {}};
  for (const client::FrameArray& array : frame.arrays) {
    if (render::is_of_body(array, body, frame.index)) {
      cells.fields.push_back({file_name_of(array.field), array.component_count, array.values});
    }
  }
  const std::string name = fmt::format("{}_{:06}", body.name(), frame.index);
  write_listed(name + ".vti", make_vti(cells), body.name(), frame.time_seconds);
  const std::span<const float> levels = frame.values(body.name(), v1::FIELD_CELL_LEVEL);
  if (!levels.empty()) {
    const std::string of_cells = body.name() + ".cells";
    write_listed(fmt::format("{}_{:06}.vtu", of_cells, frame.index), make_vtu(cells, levels),
                 of_cells, frame.time_seconds);
  }
  if (options_.surface == SurfaceFiles::vdb || options_.surface == SurfaceFiles::both) {
    write_gas_vdb(folder_ / (name + ".vdb"), cells, ambient_temperature_);
    ++file_count_;
  }
}

void FrameExport::write_geometry(const BodyGeometry& geometry, const std::string& name,
                                 std::int64_t index) {
  const bool is_vtk = options_.format == ExportFormat::vtk;
  const bool is_volume = !geometry.tetrahedra.empty();
  const std::string file = fmt::format("{}_{:06}.{}", name, index,
                                       !is_vtk     ? "ply"
                                       : is_volume ? "vtu"
                                                   : "vtp");
  write_listed(file,
               !is_vtk     ? make_ply(geometry)
               : is_volume ? make_vtu(geometry)
                           : make_vtp(geometry),
               name, geometry.time_seconds);
}

void FrameExport::write_listed(const std::string& file, std::string_view content,
                               const std::string& name, double time_seconds) {
  files::write_whole_file(folder_ / file, content, options_.other_content);
  series_[name].push_back({time_seconds, 0, file});
  all_.push_back({time_seconds, part_++, file});
  ++file_count_;
}

void FrameExport::write_surface(const BodyGeometry& particles, std::span<const float> interior,
                                const std::string& body, std::int64_t index) {
  const std::string name = body + ".surface";
  const render::FluidSurface surface(particles.positions, particle_spacing_, interior);
  if (options_.surface != SurfaceFiles::vdb) {
    const render::SurfaceMesh mesh = surface.mesh();
    write_geometry({mesh.positions, {}, mesh.triangles, particles.time_seconds}, name, index);
  }
  if (options_.surface != SurfaceFiles::mesh) {
    surface.write_vdb(folder_ / fmt::format("{}_{:06}.vdb", name, index));
    ++file_count_;
  }
}

void FrameExport::continue_series(std::int64_t first_index) {
  std::ifstream file(folder_ / "_all.pvd", std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  for (SeriesEntry& entry : read_pvd(text.str())) {
    const auto name = parse_frame_file_name(entry.file);
    if (name && name->index >= 0 && name->index < first_index &&
        std::filesystem::is_regular_file(folder_ / entry.file)) {
      series_[name->body].push_back({entry.time_seconds, 0, entry.file});
      all_.push_back(std::move(entry));
    }
  }
}

void FrameExport::finish() { write_series(); }

void FrameExport::write_series() {
  if (options_.format != ExportFormat::vtk) {
    return;
  }
  for (const auto& [body, entries] : series_) {
    files::write_whole_file(folder_ / (body + ".pvd"), make_pvd(entries));
  }
  files::write_whole_file(folder_ / "_all.pvd", make_pvd(all_));
}

}  // namespace sluice::cli
