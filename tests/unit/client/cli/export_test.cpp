// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "client/cli/command_error.h"
#include "client/cli/export/base64.h"
#include "client/cli/export/frame_export.h"
#include "client/cli/export/ply.h"
#include "client/cli/export/vtk.h"
#include "client/files/file_error.h"
#include "sluice/error.h"

namespace sluice::cli {
namespace {

namespace fs = std::filesystem;

const std::vector<float> positions{0, 0, 0, 1, 0, 0, 0, 1.5F, 0, 1, 1, -0.1F};
const std::vector<float> velocities{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
const std::vector<std::int32_t> triangles{0, 1, 2, 2, 1, 3};

std::string decode_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') {
      break;
    }
    bits = bits << 6U | static_cast<unsigned>(digits.find(c));
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> static_cast<unsigned>(count) & 255U);
    }
  }
  return bytes;
}

/// The first attribute of that name; empty if there is none.
std::string attribute(const std::string& file, const std::string& name) {
  const std::size_t at = file.find(name + "=\"");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + name.size() + 2;
  return file.substr(begin, file.find('"', begin) - begin);
}

/// Reads an appended array of a .vtp as the format's documentation says: the offset counts
/// characters after the underscore; a 64-bit length in bytes stands before the values, in the same
/// run of base64.
template <class T>
std::vector<T> read_array(const std::string& file, const std::string& name) {
  const std::size_t element = file.find("Name=\"" + name + "\"");
  if (element == std::string::npos) {
    ADD_FAILURE() << "no array " << name;
    return {};
  }
  const std::size_t data = file.find('_', file.find("<AppendedData")) + 1;
  const std::size_t begin = data + std::stoul(attribute(file.substr(element), "offset"));
  std::uint64_t size = 0;
  std::memcpy(&size, decode_base64(file.substr(begin, 12)).data(), sizeof size);
  const std::string bytes = decode_base64(file.substr(begin, (size + 8 + 2) / 3 * 4));
  EXPECT_EQ(bytes.size(), size + 8);
  std::vector<T> values(size / sizeof(T));
  std::memcpy(values.data(), bytes.data() + 8, size);
  return values;
}

// Oracle: RFC 4648, section 10.
TEST(Base64, gives_the_rfcs_examples) {
  const std::map<std::string, std::string> examples{{"", ""},
                                                    {"f", "Zg=="},
                                                    {"fo", "Zm8="},
                                                    {"foo", "Zm9v"},
                                                    {"foob", "Zm9vYg=="},
                                                    {"fooba", "Zm9vYmE="},
                                                    {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, expected] : examples) {
    std::string text;
    append_base64(text, bytes);
    EXPECT_EQ(text, expected);
  }
}

TEST(Vtp, surface_comes_back_bit_for_bit) {
  const std::string file = make_vtp({positions, velocities, triangles, 0.25});
  EXPECT_EQ(read_array<float>(file, "Points"), positions);
  EXPECT_EQ(read_array<float>(file, "velocity"), velocities);
  EXPECT_EQ(read_array<std::int32_t>(file, "connectivity"), triangles);
  EXPECT_EQ(read_array<std::int32_t>(file, "offsets"), (std::vector<std::int32_t>{3, 6}));
  EXPECT_EQ(attribute(file, "NumberOfPoints"), "4");
  EXPECT_EQ(attribute(file, "NumberOfPolys"), "2");
  EXPECT_EQ(attribute(file, "NumberOfVerts"), "0");
  EXPECT_NE(file.find(">0.25</DataArray>"), std::string::npos);
}

TEST(Vtu, volume_comes_back_bit_for_bit) {
  const std::vector<std::int32_t> tetrahedra{0, 1, 2, 3};
  const std::string file = make_vtu({positions, velocities, triangles, 0.25, {}, tetrahedra});
  EXPECT_EQ(read_array<float>(file, "Points"), positions);
  EXPECT_EQ(read_array<float>(file, "velocity"), velocities);
  EXPECT_EQ(read_array<std::int32_t>(file, "connectivity"), tetrahedra);
  EXPECT_EQ(read_array<std::int32_t>(file, "offsets"), (std::vector<std::int32_t>{4}));
  EXPECT_EQ(read_array<std::uint8_t>(file, "types"), (std::vector<std::uint8_t>{10}))
      << "VTK_TETRA of vtkCellType.h";
  EXPECT_EQ(attribute(file, "NumberOfPoints"), "4");
  EXPECT_EQ(attribute(file, "NumberOfCells"), "1");
}

const std::vector<float> pressures{1, 2.5F, 0, 4};

TEST(Vtp, extra_fields_come_back_by_their_names) {
  const std::string file =
      make_vtp({positions, {}, {}, 0, {{"pressure", 1, pressures}, {"force", 3, velocities}}});
  EXPECT_EQ(read_array<float>(file, "pressure"), pressures);
  EXPECT_EQ(read_array<float>(file, "force"), velocities);
  EXPECT_EQ(read_array<float>(file, "Points"), positions);
  EXPECT_NE(file.find("Name=\"pressure\" NumberOfComponents=\"1\""), std::string::npos);
  EXPECT_LT(file.find("<PointData>"), file.find("Name=\"pressure\""));
}

TEST(Vtp, particles_are_a_vertex_each) {
  const std::string file = make_vtp({positions, velocities, {}, 0});
  EXPECT_EQ(read_array<std::int32_t>(file, "connectivity"),
            (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(read_array<std::int32_t>(file, "offsets"), (std::vector<std::int32_t>{1, 2, 3, 4}));
  EXPECT_EQ(attribute(file, "NumberOfVerts"), "4");
  EXPECT_EQ(attribute(file, "NumberOfPolys"), "0");
}

// Oracle: an XML parser that is not ours.
TEST(Vtp, is_xml_for_every_reader) {
  if (std::system("python3 -c 'import xml.dom.minidom' 2>/dev/null") != 0) {
    GTEST_SKIP() << "python3 with its XML parser is not here";
  }
  const fs::path path = fs::temp_directory_path() / ("sluice-" + std::to_string(::getpid()));
  for (const std::string& text : {make_vtp({positions, velocities, triangles, 0.25}),
                                  make_vtu({positions, {}, {}, 0.25, {}, {}}),
                                  make_pvd({{0, 0, "a_000000.vtp"}, {0.5, 1, "b_000001.vtp"}})}) {
    std::ofstream(path) << text;
    EXPECT_EQ(std::system(("python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' " +
                           path.string())
                              .c_str()),
              0);
  }
  fs::remove(path);
}

/// `count` values from `first` on, as they lie in memory.
template <class T>
std::string bytes_of(const std::vector<T>& values, std::size_t first, std::size_t count) {
  return {reinterpret_cast<const char*>(values.data() + first), count * sizeof(T)};
}

TEST(Pvd, is_read_as_it_was_written) {
  const std::vector<SeriesEntry> entries{{0, 0, "a_000000.vtp"}, {1.0 / 3, 12, "b_000001.vtu"}};
  const std::vector<SeriesEntry> read = read_pvd(make_pvd(entries));
  ASSERT_EQ(read.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read[i].time_seconds, entries[i].time_seconds);
    EXPECT_EQ(read[i].part, entries[i].part);
    EXPECT_EQ(read[i].file, entries[i].file);
  }
  EXPECT_TRUE(read_pvd("").empty());
  EXPECT_TRUE(
      read_pvd("<DataSet timestep=\"1\" group=\"\" part=\"0\" file=\"../a.vtp\"/>").empty());
}

TEST(Ply, comes_back_bit_for_bit) {
  const std::string file = make_ply({positions, velocities, triangles, 0});
  const std::string end = "end_header\n";
  const std::size_t begin = file.find(end) + end.size();
  EXPECT_NE(file.find("element vertex 4\n"), std::string::npos);
  EXPECT_NE(file.find("element face 2\nproperty list uchar int vertex_indices\n"),
            std::string::npos);
  ASSERT_EQ(file.size() - begin, 4U * 24 + 2 * 13);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(file.substr(begin + 24 * i, 12), bytes_of(positions, 3 * i, 3));
    EXPECT_EQ(file.substr(begin + 24 * i + 12, 12), bytes_of(velocities, 3 * i, 3));
  }
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(file[begin + 96 + 13 * i], 3);
    EXPECT_EQ(file.substr(begin + 96 + 13 * i + 1, 12), bytes_of(triangles, 3 * i, 3));
  }
}

TEST(Ply, extra_fields_are_properties) {
  const std::string file = make_ply(
      {positions, velocities, {}, 0, {{"pressure", 1, pressures}, {"force", 3, velocities}}});
  EXPECT_NE(file.find("property float vz\nproperty float pressure\nproperty float force_0\n"
                      "property float force_1\nproperty float force_2\nend_header\n"),
            std::string::npos);
  const std::string end = "end_header\n";
  const std::size_t begin = file.find(end) + end.size();
  ASSERT_EQ(file.size() - begin, 4U * 40);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(file.substr(begin + 40 * i + 24, 4), bytes_of(pressures, i, 1));
    EXPECT_EQ(file.substr(begin + 40 * i + 28, 12), bytes_of(velocities, 3 * i, 3));
  }
}

/// Particles stand half a metre apart.
v1::Scene of_half_a_metre() {
  v1::Scene scene;
  scene.mutable_fluid_grid()->set_cell_size(1);
  scene.mutable_fluid_grid()->set_particles_per_axis(2);
  return scene;
}

class FrameExportTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "sluice-export-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
    v1::Body& water = *layout.add_bodies();
    water.set_name("water");
    water.set_kind(v1::BODY_KIND_PARTICLES);
    water.set_count(4);
    v1::Body& sheet = *layout.add_bodies();
    sheet.set_name("sheet");
    sheet.set_kind(v1::BODY_KIND_SURFACE);
    sheet.set_count(4);
    sheet.set_triangles(std::string(reinterpret_cast<const char*>(triangles.data()),
                                    triangles.size() * sizeof(std::int32_t)));
  }
  void TearDown() override { fs::remove_all(folder); }

  static client::Frame frame(std::int64_t index) {
    client::Frame made{0, index, static_cast<double>(index) / 4, {}, {}};
    for (const std::string body : {"water", "sheet"}) {
      made.arrays.push_back({body, v1::FIELD_POSITION, 4, 3, positions});
      made.arrays.push_back({body, v1::FIELD_VELOCITY, 4, 3, velocities});
    }
    return made;
  }
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

  fs::path folder;
  v1::Layout layout;
};

TEST_F(FrameExportTest, writes_a_file_for_each_body_and_frame_and_the_series) {
  FrameExport files(folder / "out", {ExportFormat::vtk}, {});
  files.write(frame(0), layout);
  files.write(frame(1), layout);
  files.finish();
  folder /= "out";
  EXPECT_EQ(names(), (std::vector<std::string>{"_all.pvd", "sheet.pvd", "sheet_000000.vtp",
                                               "sheet_000001.vtp", "water.pvd", "water_000000.vtp",
                                               "water_000001.vtp"}));
  EXPECT_NE(read("sheet.pvd")
                .find("timestep=\"0.25\" group=\"\" part=\"0\" "
                      "file=\"sheet_000001.vtp\""),
            std::string::npos);
  EXPECT_NE(read("_all.pvd").find("part=\"1\" file=\"sheet_000000.vtp\""), std::string::npos);
  EXPECT_EQ(files.file_count(), 4);
  folder = folder.parent_path();
}

TEST_F(FrameExportTest, writes_the_surfaces_of_fluids_as_meshes_and_level_sets) {
  FrameExport both(folder / "both", {ExportFormat::vtk, SurfaceFiles::both}, of_half_a_metre());
  both.write(frame(0), layout);
  both.finish();
  EXPECT_EQ(both.file_count(), 4);
  FrameExport vdb(folder / "vdb", {ExportFormat::ply, SurfaceFiles::vdb}, of_half_a_metre());
  vdb.write(frame(7), layout);
  vdb.finish();
  folder /= "both";
  EXPECT_EQ(names(),
            (std::vector<std::string>{"_all.pvd", "sheet.pvd", "sheet_000000.vtp", "water.pvd",
                                      "water.surface.pvd", "water.surface_000000.vdb",
                                      "water.surface_000000.vtp", "water_000000.vtp"}));
  EXPECT_NE(read("_all.pvd").find("water.surface_000000.vtp"), std::string::npos);
  EXPECT_NE(read("water.surface_000000.vtp").find("NumberOfPolys"), std::string::npos);
  folder = folder.parent_path() / "vdb";
  EXPECT_EQ(names(), (std::vector<std::string>{"sheet_000007.ply", "water.surface_000007.vdb",
                                               "water_000007.ply"}));
  folder = folder.parent_path();
}

TEST_F(FrameExportTest, writes_a_volume_as_vtu_and_its_surface_as_ply) {
  const std::vector<std::int32_t> tetrahedra{0, 1, 2, 3};
  v1::Body& jelly = *layout.mutable_bodies(1);
  jelly.set_kind(v1::BODY_KIND_VOLUME);
  jelly.set_tetrahedra(std::string(reinterpret_cast<const char*>(tetrahedra.data()), 16));
  FrameExport vtk(folder / "vtk", {ExportFormat::vtk}, {});
  vtk.write(frame(0), layout);
  vtk.finish();
  FrameExport ply(folder / "ply", {ExportFormat::ply}, {});
  ply.write(frame(0), layout);
  EXPECT_NE(read("vtk/sheet.pvd").find("file=\"sheet_000000.vtu\""), std::string::npos);
  EXPECT_NE(read("vtk/sheet_000000.vtu").find("type=\"UnstructuredGrid\""), std::string::npos);
  EXPECT_NE(read("ply/sheet_000000.ply").find("element face 2\n"), std::string::npos);
  jelly.set_tetrahedra(std::string("\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16));
  EXPECT_THROW(vtk.write(frame(1), layout), client::Error) << "there is no vertex 4";
}

TEST_F(FrameExportTest, writes_every_field_that_the_frame_has_of_a_body) {
  FrameExport files(folder, {ExportFormat::ply}, {});
  client::Frame frame{0, 1, 0.5, {}, {}};
  frame.arrays.push_back({"water", v1::FIELD_POSITION, 4, 3, positions});
  frame.arrays.push_back({"water", v1::FIELD_CONTACT_FORCE, 4, 1, pressures});
  files.write(frame, layout);
  std::ifstream stream(folder / "water_000001.ply");
  const std::string file{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_NE(file.find("property float z\nproperty float contact_force\nend_header"),
            std::string::npos);
  frame.arrays[1].count = 3;
  EXPECT_THROW(files.write(frame, layout), client::Error);
}

TEST_F(FrameExportTest, tells_which_particle_is_which_where_they_come_and_go) {
  v1::Scene scene;
  scene.add_drains();
  for (const int id : {1, 2, 5, 9})
    layout.mutable_bodies(0)->add_ids(id);
  FrameExport ply(folder / "ply", {ExportFormat::ply}, scene);
  ply.write(frame(0), layout);
  FrameExport vtk(folder / "vtk", {ExportFormat::vtk}, scene);
  vtk.write(frame(0), layout);
  const std::string file = read("ply/water_000000.ply");
  const std::size_t begin = file.find("property int id\nend_header\n");
  ASSERT_NE(begin, std::string::npos);
  std::int32_t last = 0;
  std::memcpy(&last, file.data() + file.size() - 4, 4);
  EXPECT_EQ(last, 9);
  EXPECT_NE(read("vtk/water_000000.vtp").find("type=\"Int32\" Name=\"id\""), std::string::npos);
  EXPECT_EQ(read("vtk/sheet_000000.vtp").find("Name=\"id\""), std::string::npos);

  // Before the first comes in, and after the last has gone, there is a file too.
  layout.mutable_bodies(0)->clear_ids();
  layout.mutable_bodies(0)->set_count(0);
  client::Frame empty = frame(1);
  for (client::FrameArray& array : empty.arrays) {
    if (array.body != "water") continue;
    array.count = 0;
    array.values.clear();
  }
  ply.write(empty, layout);
  EXPECT_NE(read("ply/water_000001.ply").find("element vertex 0\n"), std::string::npos);

  layout.mutable_bodies(0)->add_ids(3);
  EXPECT_THROW(ply.write(empty, layout), client::Error);
}

TEST_F(FrameExportTest, refuses_what_a_server_should_not_send) {
  FrameExport files(folder, {ExportFormat::ply}, {});
  const auto expect_refusal = [&](const client::Frame& f, const v1::Layout& l) {
    try {
      files.write(f, l);
      ADD_FAILURE();
    } catch (const client::Error& error) {
      EXPECT_EQ(error.kind(), client::ErrorKind::data_loss);
    }
  };
  v1::Layout path = layout;
  path.mutable_bodies(0)->set_name("../water");
  expect_refusal(frame(0), path);
  v1::Layout beyond = layout;
  (*beyond.mutable_bodies(1)->mutable_triangles())[0] = 4;
  expect_refusal(frame(0), beyond);
  client::Frame short_frame = frame(0);
  short_frame.arrays[0].values.resize(6);
  expect_refusal(short_frame, layout);
}

TEST_F(FrameExportTest, says_that_a_folder_cannot_be_made) {
  std::ofstream(folder / "file") << "x";
  EXPECT_THROW(FrameExport(folder / "file" / "out", {ExportFormat::vtk}, {}),
               sluice::files::FileError);
}

}  // namespace
}  // namespace sluice::cli
