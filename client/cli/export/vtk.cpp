// SPDX-License-Identifier: Apache-2.0
#include "client/cli/export/vtk.h"

#include <fmt/format.h>

#include <cstring>
#include <numeric>

#include "client/cli/export/base64.h"

namespace sluice::cli {
namespace {

/// Collects arrays: their descriptions go where they are named, their bytes behind everything.
class AppendedArrays {
 public:
  template <class T>
  std::string describe(std::span<const T> values, std::string_view type, std::string_view name,
                       int components) {
    const std::string element = fmt::format(
        R"(<DataArray type="{}" Name="{}" NumberOfComponents="{}" format="appended" offset="{}"/>)",
        type, name, components, encoded_.size());
    // The length in bytes and the values are one run of base64.
    const std::uint64_t size = values.size_bytes();
    std::string bytes(sizeof size + values.size_bytes(), '\0');
    std::memcpy(bytes.data(), &size, sizeof size);
    if (size > 0) {
      std::memcpy(bytes.data() + sizeof size, values.data(), values.size_bytes());
    }
    append_base64(encoded_, bytes);
    return element + "\n";
  }

  [[nodiscard]] const std::string& encoded() const { return encoded_; }

 private:
  std::string encoded_;
};

}  // namespace

std::string make_vtp(const BodyGeometry& body) {
  const std::size_t point_count = body.positions.size() / 3;
  const std::size_t triangle_count = body.triangles.size() / 3;
  const bool is_surface = triangle_count > 0;

  // Cells: a list of points, and where each cell's list ends.
  std::vector<std::int32_t> particles;
  if (!is_surface) {
    particles.resize(point_count);
    std::iota(particles.begin(), particles.end(), 0);
  }
  std::vector<std::int32_t> ends(is_surface ? triangle_count : point_count);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    ends[i] = static_cast<std::int32_t>((i + 1) * (is_surface ? 3 : 1));
  }
  const std::span<const std::int32_t> corners = is_surface ? body.triangles : particles;

  AppendedArrays arrays;
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\""
      " header_type=\"UInt64\">\n"
      "<PolyData>\n"
      "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\""
      " format=\"ascii\">{}</DataArray>\n</FieldData>\n"
      "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\""
      " NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n",
      body.time_seconds, point_count, is_surface ? 0 : point_count, triangle_count);
  if (!body.velocities.empty() || !body.extra.empty()) {
    text += body.velocities.empty() ? "<PointData>\n" : "<PointData Vectors=\"velocity\">\n";
    if (!body.velocities.empty()) {
      text += arrays.describe(body.velocities, "Float32", "velocity", 3);
    }
    for (const PointField& field : body.extra) {
      text += arrays.describe(field.values, "Float32", field.name, field.component_count);
    }
    text += "</PointData>\n";
  }
  text += "<Points>\n" + arrays.describe(body.positions, "Float32", "Points", 3) + "</Points>\n";
  const std::string_view cells = is_surface ? "Polys" : "Verts";
  text += fmt::format(
      "<{}>\n{}{}</{}>\n", cells, arrays.describe(corners, "Int32", "connectivity", 1),
      arrays.describe(std::span<const std::int32_t>(ends), "Int32", "offsets", 1), cells);
  text += "</Piece>\n</PolyData>\n<AppendedData encoding=\"base64\">\n_";
  text += arrays.encoded();
  text += "\n</AppendedData>\n</VTKFile>\n";
  return text;
}

std::string make_pvd(const std::vector<SeriesEntry>& entries) {
  std::string text =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>\n";
  for (const SeriesEntry& entry : entries) {
    text += fmt::format("<DataSet timestep=\"{}\" group=\"\" part=\"{}\" file=\"{}\"/>\n",
                        entry.time_seconds, entry.part, entry.file);
  }
  return text + "</Collection>\n</VTKFile>\n";
}

}  // namespace sluice::cli
