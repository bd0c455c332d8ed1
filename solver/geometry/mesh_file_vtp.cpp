// SPDX-License-Identifier: Apache-2.0
// VTK XML polygons (PolyData): vtk_xml.h. Polygons and strips of triangles; points and lines are
// skipped.
#include <string>

#include "solver/geometry/mesh_readers.h"
#include "solver/geometry/vtk_xml.h"

namespace sluice::geometry::mesh_readers {
namespace {

using MaybeError = std::optional<Error>;

class VtpReader {
 public:
  explicit VtpReader(vtk::XmlFile file) : file_(std::move(file)) {}

  Result<SurfaceFile> read() {
    for (const vtk::XmlPiece& piece : file_.pieces()) {
      Result<std::vector<Vec3>> points = vtk::points_of(file_, piece);
      if (!points) return points.error();
      first_point_ = vertices_.size();
      point_count_ = points.value().size();
      if (first_point_ + point_count_ > max_vertex_count) return mesh_error("VTK: too many points");
      vertices_.insert(vertices_.end(), points.value().begin(), points.value().end());
      if (auto error = add_cells(piece, "Polys")) return *std::move(error);
      if (auto error = add_cells(piece, "Strips")) return *std::move(error);
    }
    return from_polygons(std::move(vertices_), polygons_);
  }

 private:
  MaybeError add_cells(const vtk::XmlPiece& piece, std::string_view section) {
    const auto connectivity = vtk::integers_of(file_, piece, section, "connectivity");
    if (!connectivity) return connectivity.error();
    const auto ends = vtk::integers_of(file_, piece, section, "offsets");
    if (!ends) return ends.error();
    std::int64_t begin = 0;
    for (const std::int64_t end : ends.value()) {
      if (end < begin || end > static_cast<std::int64_t>(connectivity.value().size())) {
        return mesh_error("VTK: the points of a cell of " + std::string(section) +
                          " end at entry " + std::to_string(end) + " of " +
                          std::to_string(connectivity.value().size()));
      }
      std::vector<std::int32_t> corners;
      for (; begin < end; ++begin) {
        const std::int64_t point = connectivity.value()[static_cast<std::size_t>(begin)];
        if (point < 0 || point >= static_cast<std::int64_t>(point_count_)) {
          return mesh_error("VTK: a cell of " + std::string(section) + " names point " +
                            std::to_string(point) + ", but there are " +
                            std::to_string(point_count_));
        }
        corners.push_back(
            static_cast<std::int32_t>(static_cast<std::int64_t>(first_point_) + point));
      }
      if (section == "Polys") {
        add_polygon(corners);
      } else {
        add_strip(corners);
      }
    }
    if (begin != static_cast<std::int64_t>(connectivity.value().size())) {
      return mesh_error("VTK: the cells of " + std::string(section) + " end at entry " +
                        std::to_string(begin) + " of " +
                        std::to_string(connectivity.value().size()));
    }
    return std::nullopt;
  }

  void add_polygon(const std::vector<std::int32_t>& corners) {
    polygons_.corners.insert(polygons_.corners.end(), corners.begin(), corners.end());
    polygons_.close();
  }

  // Every second triangle of a strip is turned the other way.
  void add_strip(const std::vector<std::int32_t>& corners) {
    for (std::size_t i = 0; i + 2 < corners.size(); ++i) {
      const bool is_turned = i % 2 == 1;
      add_polygon(
          {corners[i + (is_turned ? 1 : 0)], corners[i + (is_turned ? 0 : 1)], corners[i + 2]});
    }
  }

  vtk::XmlFile file_;
  std::vector<Vec3> vertices_;
  std::size_t first_point_ = 0, point_count_ = 0;  // The points of the piece at hand.
  Polygons polygons_;
};

}  // namespace

Result<SurfaceFile> read_vtp(std::string_view bytes) {
  Result<vtk::XmlFile> file = vtk::XmlFile::read(bytes, "PolyData");
  if (!file) return file.error();
  return VtpReader(std::move(file).value()).read();
}

}  // namespace sluice::geometry::mesh_readers
