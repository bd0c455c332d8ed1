// SPDX-License-Identifier: Apache-2.0
#include "client/cli/export/vtk.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <numeric>
#include <regex>
#include <tuple>

#include "client/cli/export/base64.h"
#include "client/render/cell_blocks.h"

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

/// The file up to its piece. `attributes` of the data set, each after a blank.
std::string head(std::string_view type, double time_seconds, std::string_view attributes = "") {
  return fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"{}\" version=\"1.0\" byte_order=\"LittleEndian\""
      " header_type=\"UInt64\">\n"
      "<{}{}>\n"
      "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\""
      " format=\"ascii\">{}</DataArray>\n</FieldData>\n",
      type, type, attributes, time_seconds);
}

/// The file from its piece's end on.
std::string tail(std::string_view type, const AppendedArrays& arrays) {
  return fmt::format(
      "</Piece>\n</{}>\n<AppendedData encoding=\"base64\">\n_{}\n</AppendedData>\n</VTKFile>\n",
      type, arrays.encoded());
}

/// The points and what each of them has.
std::string points_of(const BodyGeometry& body, AppendedArrays& arrays) {
  std::string text;
  if (!body.velocities.empty() || !body.extra.empty() || !body.ids.empty()) {
    text += body.velocities.empty() ? "<PointData>\n" : "<PointData Vectors=\"velocity\">\n";
    if (!body.velocities.empty()) {
      text += arrays.describe(body.velocities, "Float32", "velocity", 3);
    }
    for (const PointField& field : body.extra) {
      text += arrays.describe(field.values, "Float32", field.name, field.component_count);
    }
    if (!body.ids.empty()) {
      text += arrays.describe(body.ids, "Int32", "id", 1);
    }
    text += "</PointData>\n";
  }
  return text + "<Points>\n" + arrays.describe(body.positions, "Float32", "Points", 3) +
         "</Points>\n";
}

/// Cells of one number of corners: their corners, and where each cell's list of them ends.
std::string cells_of(std::span<const std::int32_t> corners, int corners_per_cell,
                     AppendedArrays& arrays) {
  std::vector<std::int32_t> ends(corners.size() / static_cast<std::size_t>(corners_per_cell));
  for (std::size_t i = 0; i < ends.size(); ++i) {
    ends[i] = static_cast<std::int32_t>(i + 1) * corners_per_cell;
  }
  return arrays.describe(corners, "Int32", "connectivity", 1) +
         arrays.describe(std::span<const std::int32_t>(ends), "Int32", "offsets", 1);
}

std::vector<float> means_over(const std::vector<render::CellBlock>& blocks,
                              const render::CellLattice& lattice, const PointField& field) {
  const auto components = static_cast<std::size_t>(field.component_count);
  std::vector<float> means;
  means.reserve(blocks.size() * components);
  std::vector<double> sums(components);
  for (const render::CellBlock& block : blocks) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (int z = 0; z < block.counts[2]; ++z) {
      for (int y = 0; y < block.counts[1]; ++y) {
        const std::int64_t row =
            (std::int64_t{block.first[2] + z} * lattice.counts[1] + block.first[1] + y) *
                lattice.counts[0] +
            block.first[0];
        const float* value = field.values.data() + static_cast<std::size_t>(row) * components;
        for (int x = 0; x < block.counts[0]; ++x) {
          for (double& sum : sums) {
            sum += static_cast<double>(*value++);
          }
        }
      }
    }
    const double count = static_cast<double>(block.counts[0]) * block.counts[1] * block.counts[2];
    for (const double sum : sums) {
      means.push_back(static_cast<float>(sum / count));
    }
  }
  return means;
}

// [m] A box along the axes.
struct Voxel {
  std::array<double, 3> lower, upper;
};

// `fields` have a row for each voxel.
std::string voxels_file(const std::vector<Voxel>& voxels, const std::vector<PointField>& fields,
                        double time_seconds) {
  constexpr std::uint8_t vtk_voxel = 11;  // vtkCellType.h
  constexpr int corners_of_voxel = 8;
  std::vector<float> points;
  points.reserve(voxels.size() * corners_of_voxel * 3);
  for (const Voxel& voxel : voxels) {
    for (unsigned corner = 0; corner < corners_of_voxel; ++corner) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const bool is_upper = (corner >> axis & 1U) != 0;
        points.push_back(static_cast<float>(is_upper ? voxel.upper[axis] : voxel.lower[axis]));
      }
    }
  }
  std::vector<std::int32_t> corners(voxels.size() * corners_of_voxel);
  std::iota(corners.begin(), corners.end(), 0);
  const std::vector<std::uint8_t> types(voxels.size(), vtk_voxel);
  AppendedArrays arrays;
  std::string text = head("UnstructuredGrid", time_seconds);
  text += fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n<CellData>\n",
                      corners.size(), voxels.size());
  for (const PointField& field : fields)
    text += arrays.describe(field.values, "Float32", field.name, field.component_count);
  text += "</CellData>\n<Points>\n" +
          arrays.describe(std::span<const float>(points), "Float32", "Points", 3) + "</Points>\n";
  text += "<Cells>\n" + cells_of(corners, corners_of_voxel, arrays) +
          arrays.describe(std::span<const std::uint8_t>(types), "UInt8", "types", 1) + "</Cells>\n";
  return text + tail("UnstructuredGrid", arrays);
}

}  // namespace

std::string make_vtp(const BodyGeometry& body) {
  const std::size_t point_count = body.positions.size() / 3;
  const std::size_t triangle_count = body.triangles.size() / 3;
  const bool is_surface = triangle_count > 0;
  std::vector<std::int32_t> particles;
  if (!is_surface) {
    particles.resize(point_count);
    std::iota(particles.begin(), particles.end(), 0);
  }
  AppendedArrays arrays;
  std::string text = head("PolyData", body.time_seconds);
  text += fmt::format(
      "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\""
      " NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n",
      point_count, is_surface ? 0 : point_count, triangle_count);
  text += points_of(body, arrays);
  text += is_surface ? "<Polys>\n" + cells_of(body.triangles, 3, arrays) + "</Polys>\n"
                     : "<Verts>\n" + cells_of(particles, 1, arrays) + "</Verts>\n";
  return text + tail("PolyData", arrays);
}

std::string make_vtu(const BodyGeometry& body) {
  constexpr std::uint8_t vtk_tetra = 10;  // vtkCellType.h
  const std::size_t tet_count = body.tetrahedra.size() / 4;
  const std::vector<std::uint8_t> types(tet_count, vtk_tetra);
  AppendedArrays arrays;
  std::string text = head("UnstructuredGrid", body.time_seconds);
  text += fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
                      body.positions.size() / 3, tet_count);
  text += points_of(body, arrays);
  text += "<Cells>\n" + cells_of(body.tetrahedra, 4, arrays) +
          arrays.describe(std::span<const std::uint8_t>(types), "UInt8", "types", 1) + "</Cells>\n";
  return text + tail("UnstructuredGrid", arrays);
}

std::string make_vti(const CellFields& cells) {
  const auto& [counts, lower, edges] = cells.lattice;
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", counts[0], counts[1], counts[2]);
  AppendedArrays arrays;
  std::string text = head("ImageData", cells.time_seconds,
                          fmt::format(" WholeExtent=\"{}\" Origin=\"{}\" Spacing=\"{}\"", extent,
                                      fmt::join(lower, " "), fmt::join(edges, " ")));
  text += fmt::format("<Piece Extent=\"{}\">\n<CellData>\n", extent);
  for (const PointField& field : cells.fields) {
    text += arrays.describe(field.values, "Float32", field.name, field.component_count);
  }
  return text + "</CellData>\n" + tail("ImageData", arrays);
}

std::string make_vtu(const CellFields& cells, std::span<const float> levels) {
  const auto& [counts, lower, edges] = cells.lattice;
  const std::vector<render::CellBlock> blocks = render::cell_blocks(cells.lattice, levels);
  std::vector<Voxel> voxels;
  voxels.reserve(blocks.size());
  for (const render::CellBlock& block : blocks) {
    Voxel& voxel = voxels.emplace_back();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      voxel.lower[axis] = lower[axis] + block.first[axis] * edges[axis];
      voxel.upper[axis] = lower[axis] + (block.first[axis] + block.counts[axis]) * edges[axis];
    }
  }
  std::vector<std::vector<float>> means;
  std::vector<PointField> fields;
  for (const PointField& field : cells.fields) {
    means.push_back(means_over(blocks, cells.lattice, field));
    fields.push_back({field.name, field.component_count, means.back()});
  }
  return voxels_file(voxels, fields, cells.time_seconds);
}

std::string make_vtu(const InteriorCells& interior) {
  std::vector<Voxel> voxels;
  std::vector<float> edges;
  for (std::size_t i = 0; i + 3 < interior.cells.size(); i += 4) {
    Voxel& voxel = voxels.emplace_back();
    edges.push_back(interior.cells[i + 3]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double half = 0.5 * static_cast<double>(edges.back());
      voxel.lower[axis] = static_cast<double>(interior.cells[i + axis]) - half;
      voxel.upper[axis] = static_cast<double>(interior.cells[i + axis]) + half;
    }
    if (interior.slab) std::tie(voxel.lower[1], voxel.upper[1]) = *interior.slab;
  }
  return voxels_file(voxels, {{"edge", 1, edges}}, interior.time_seconds);
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

std::vector<SeriesEntry> read_pvd(const std::string& text) {
  static const std::regex entry(
      R"re(<DataSet timestep="([-+0-9.e]+)" group="" part="([0-9]{1,9})" file="([^"/]+)"/>)re");
  std::vector<SeriesEntry> entries;
  for (std::sregex_iterator found(text.begin(), text.end(), entry), end; found != end; ++found) {
    double time_seconds = 0;
    const std::string number = (*found)[1];
    if (std::from_chars(number.data(), number.data() + number.size(), time_seconds).ec ==
        std::errc()) {
      entries.push_back({time_seconds, std::stoi((*found)[2]), (*found)[3]});
    }
  }
  return entries;
}

}  // namespace sluice::cli
