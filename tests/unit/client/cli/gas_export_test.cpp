// SPDX-License-Identifier: Apache-2.0
// Files of gases. Oracles: the formats' documentation; OpenVDB's own reader.
#include <gtest/gtest.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/Interpolation.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "client/cli/command_error.h"
#include "client/cli/export/base64.h"
#include "client/cli/export/frame_export.h"
#include "client/render/cell_lattice.h"
#include "sluice/error.h"
#include "tests/unit/client/render/gas_fields.h"

namespace sluice::cli {
namespace {

namespace fs = std::filesystem;

constexpr double edge = 0.25;

// Different in each cell, and 0 in half of them.
float smoke_at(double x, double y, double z, int /*component*/) {
  return x > 0.5 ? static_cast<float>(x + 10 * y + 100 * z) : 0.0F;
}
float temperature_at(double x, double y, double z, int /*component*/) {
  return 300 + (x > 0.5 ? static_cast<float>(x + y + z) : 0.0F);
}
float dye_at(double x, double y, double z, int c) {
  return static_cast<float>(c == 0 ? x : c == 1 ? y : z);
}
float velocity_at(double x, double y, double z, int c) { return -dye_at(x, y, z, c); }

class GasExport : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "sluice-gas-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
    scene.mutable_gas()->set_name("air");
    scene.mutable_gas()->set_ambient_temperature(300);
    render::add_cells(layout, {4, 3, 2}, edge);
    layout.mutable_bodies(0)->mutable_lattice()->set_lower(2, -1);
    render::add_field(frame, layout, v1::FIELD_SMOKE, 1, smoke_at);
    render::add_field(frame, layout, v1::FIELD_TEMPERATURE, 1, temperature_at);
    render::add_field(frame, layout, v1::FIELD_DYE, 3, dye_at);
    render::add_field(frame, layout, v1::FIELD_VELOCITY, 3, velocity_at);
  }
  void TearDown() override { fs::remove_all(folder); }

  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream file(folder / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder)) {
      found.push_back(entry.path().filename().string());
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  template <class Grid>
  [[nodiscard]] typename Grid::Ptr read_grid(const std::string& file,
                                             const std::string& name) const {
    openvdb::io::File stream((folder / file).string());
    stream.open();
    return openvdb::gridPtrCast<Grid>(stream.readGrid(name));
  }

  fs::path folder;
  v1::Scene scene;
  v1::Layout layout;
  client::Frame frame{0, 7, 0.5, {}, {}};
};

// By hand: the number of an array's bytes as 64 bits, and its bytes, are one run of base64.
TEST_F(GasExport, writes_cells_as_an_image_with_fields_by_their_names) {
  FrameExport files(folder, {ExportFormat::vtk}, scene);
  files.write(frame, layout);
  files.finish();
  EXPECT_EQ(names(), (std::vector<std::string>{"_all.pvd", "air.pvd", "air_000007.vti"}));
  EXPECT_NE(read("air.pvd").find("timestep=\"0.5\" group=\"\" part=\"0\" file=\"air_000007.vti\""),
            std::string::npos);
  const std::string file = read("air_000007.vti");
  EXPECT_NE(file.find("<ImageData WholeExtent=\"0 4 0 3 0 2\" Origin=\"0 0 -1\" "
                      "Spacing=\"0.25 0.25 0.25\">"),
            std::string::npos)
      << file.substr(0, 400);
  EXPECT_NE(file.find("<Piece Extent=\"0 4 0 3 0 2\">\n<CellData>"), std::string::npos);
  EXPECT_EQ(file.find("PointData"), std::string::npos);
  std::size_t offset = 0;
  for (const auto& [name, field, components] : {std::tuple{"smoke", v1::FIELD_SMOKE, 1},
                                                {"temperature", v1::FIELD_TEMPERATURE, 1},
                                                {"dye", v1::FIELD_DYE, 3},
                                                {"velocity", v1::FIELD_VELOCITY, 3}}) {
    EXPECT_NE(file.find("Name=\"" + std::string(name) + "\" NumberOfComponents=\"" +
                        std::to_string(components) + "\" format=\"appended\" offset=\"" +
                        std::to_string(offset) + "\""),
              std::string::npos)
        << name;
    const std::span<const float> values = frame.values("air", field);
    const std::uint64_t size = values.size_bytes();
    std::string bytes(reinterpret_cast<const char*>(&size), sizeof size);
    bytes.append(reinterpret_cast<const char*>(values.data()), size);
    std::string text;
    append_base64(text, bytes);
    EXPECT_EQ(
        file.compare(file.find('_', file.find("<AppendedData")) + 1 + offset, text.size(), text), 0)
        << name;
    offset += text.size();
  }
}

TEST_F(GasExport, writes_grids_as_programs_for_effects_look_for_them) {
  FrameExport files(folder, {ExportFormat::vtk, SurfaceFiles::vdb}, scene);
  files.write(frame, layout);
  EXPECT_EQ(files.file_count(), 2);
  const auto density = read_grid<openvdb::FloatGrid>("air_000007.vdb", "density");
  const auto temperature = read_grid<openvdb::FloatGrid>("air_000007.vdb", "temperature");
  const auto dye = read_grid<openvdb::Vec3SGrid>("air_000007.vdb", "dye");
  const auto vel = read_grid<openvdb::Vec3SGrid>("air_000007.vdb", "vel");
  ASSERT_TRUE(density && temperature && dye && vel);
  EXPECT_EQ(density->getGridClass(), openvdb::GRID_FOG_VOLUME);
  // Sampled in the world, as renderers do, at the middle of cell (3, 1, 0).
  const openvdb::Vec3d p(3.5 * edge, 1.5 * edge, -1 + 0.5 * edge);
  const openvdb::tools::GridSampler<openvdb::FloatGrid, openvdb::tools::BoxSampler> smoke(*density);
  EXPECT_NEAR(smoke.wsSample(p), smoke_at(p[0], p[1], p[2], 0), 1e-4);
  const openvdb::tools::GridSampler<openvdb::Vec3SGrid, openvdb::tools::BoxSampler> colour(*dye);
  const openvdb::tools::GridSampler<openvdb::Vec3SGrid, openvdb::tools::BoxSampler> speed(*vel);
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(colour.wsSample(p)[c], dye_at(p[0], p[1], p[2], c), 1e-5);
    EXPECT_NEAR(speed.wsSample(p)[c], velocity_at(p[0], p[1], p[2], c), 1e-5);
  }
  // Cells that are as the gas around are not stored.
  EXPECT_EQ(density->activeVoxelCount(), 12U);
  EXPECT_EQ(temperature->activeVoxelCount(), 12U);
  EXPECT_EQ(temperature->background(), 300);
}

TEST_F(GasExport, writes_two_dimensions_as_a_layer_of_its_depth) {
  v1::Layout flat;
  render::add_cells(flat, {4, 1, 2}, edge);
  flat.mutable_bodies(0)->mutable_lattice()->set_edges(1, 3);
  client::Frame there{0, 0, 0, {}, {}};
  render::add_field(there, flat, v1::FIELD_SMOKE, 1,
                    [](double, double, double, int) { return 1.0F; });
  FrameExport files(folder, {ExportFormat::vtk, SurfaceFiles::both}, scene);
  files.write(there, flat);
  const auto density = read_grid<openvdb::FloatGrid>("air_000000.vdb", "density");
  ASSERT_TRUE(density);
  EXPECT_EQ(density->activeVoxelCount(), 8U);
  EXPECT_EQ(density->voxelSize(), openvdb::Vec3d(edge, 3, edge));
  EXPECT_EQ(density->indexToWorld(openvdb::Coord(0)), openvdb::Vec3d(edge / 2, 1.5, edge / 2));
}

// By hand: the array's bytes as in the image above.
std::string encoded(const std::vector<float>& values) {
  const std::uint64_t size = values.size() * sizeof(float);
  std::string bytes(reinterpret_cast<const char*>(&size), sizeof size), text;
  bytes.append(reinterpret_cast<const char*>(values.data()), size);
  append_base64(text, bytes);
  return text;
}

TEST_F(GasExport, writes_cells_of_many_sizes_as_voxels_with_means) {
  // A large cell, and beside it eight small ones.
  v1::Layout cells;
  render::add_cells(cells, {4, 2, 2}, edge);
  client::Frame there{0, 3, 0, {}, {}};
  render::add_field(there, cells, v1::FIELD_SMOKE, 1, [](double x, double y, double z, int) {
    return static_cast<float>(x < 0.5 ? 8 * (x + y + z) : x);
  });
  render::add_field(there, cells, v1::FIELD_CELL_LEVEL, 1,
                    [](double x, double, double, int) { return x < 0.5 ? 1.0F : 0.0F; });
  FrameExport files(folder, {ExportFormat::vtk}, scene);
  files.write(there, cells);
  files.finish();
  EXPECT_EQ(names(), (std::vector<std::string>{"_all.pvd", "air.cells.pvd", "air.cells_000003.vtu",
                                               "air.pvd", "air_000003.vti"}));
  const std::string file = read("air.cells_000003.vtu");
  EXPECT_NE(file.find("<Piece NumberOfPoints=\"72\" NumberOfCells=\"9\">\n<CellData>"),
            std::string::npos);
  // The large cell comes first, then those of each row.
  EXPECT_NE(file.find(encoded({6, 0.625F, 0.875F, 0.625F, 0.875F, 0.625F, 0.875F, 0.625F, 0.875F})),
            std::string::npos);
  EXPECT_NE(file.find(encoded({1, 0, 0, 0, 0, 0, 0, 0, 0})), std::string::npos);
  std::vector<float> first_points{0, 0, 0, 0.5F, 0, 0, 0, 0.5F, 0, 0.5F, 0.5F, 0};
  const std::string begin = encoded(first_points).substr(12, 48);
  EXPECT_NE(file.find(begin), std::string::npos);
}

TEST_F(GasExport, refuses_ply_before_anything_is_there) {
  try {
    const FrameExport files(folder / "out", {ExportFormat::ply}, scene);
    FAIL();
  } catch (const CommandError& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("'air'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("vtk"), std::string::npos);
  }
  EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST_F(GasExport, refuses_what_a_server_should_not_send) {
  EXPECT_EQ(render::read_lattice(layout.bodies(0)).cell_count(), 24U);
  const auto expect_refusal = [&](const auto& spoil) {
    v1::Body body = layout.bodies(0);
    spoil(body);
    try {
      (void)render::read_lattice(body);
      ADD_FAILURE() << body.ShortDebugString();
    } catch (const client::Error& error) {
      EXPECT_EQ(error.kind(), client::ErrorKind::data_loss);
    }
  };
  expect_refusal([](v1::Body& body) { body.clear_lattice(); });
  expect_refusal([](v1::Body& body) { body.mutable_lattice()->set_counts(1, 4); });
  expect_refusal([](v1::Body& body) { body.mutable_lattice()->set_counts(0, 0); });
  expect_refusal([](v1::Body& body) { body.mutable_lattice()->set_counts(0, -4); });
  expect_refusal([](v1::Body& body) { body.mutable_lattice()->set_edges(2, 0); });
  expect_refusal([](v1::Body& body) { body.set_count(48); });
  frame.arrays[1].count = 23;
  FrameExport files(folder, {ExportFormat::vtk}, scene);
  EXPECT_THROW(files.write(frame, layout), client::Error);
}

}  // namespace
}  // namespace sluice::cli
