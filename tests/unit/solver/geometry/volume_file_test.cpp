// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/volume_file.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <string>

#include "tests/unit/solver/geometry/two_tet_files.h"

namespace sluice::geometry {
namespace {

using testing::HasSubstr;

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// The mesh of two_tet_files.h.
const std::vector<Vec3> expected_vertices{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};

void expect_two_tets(const Result<VolumeFile>& mesh) {
  ASSERT_TRUE(mesh) << mesh.error().message;
  EXPECT_EQ(mesh.value().vertices, expected_vertices);
  EXPECT_EQ(mesh.value().tets, (std::vector<TetIndices>{{0, 1, 2, 3}, {1, 2, 3, 4}}));
}

// Oracle: the mesh above, by hand. Gmsh's tags are neither dense nor in order.
TEST(ReadTetMesh, reads_the_same_mesh_from_every_format) {
  for (const TwoTetFile& file : two_tet_files()) {
    SCOPED_TRACE(file.name);
    expect_two_tets(read_tet_mesh(as_bytes(file.bytes), file.format));
    const auto surface = read_triangle_mesh(as_bytes(file.bytes), file.format);
    ASSERT_FALSE(surface);
    EXPECT_THAT(surface.error().message, HasSubstr("2 tetrahedra where a surface is expected"));
  }
}

TEST(ReadTetMesh, turns_files_that_number_corners_the_other_way) {
  std::string text = vtk5_text;
  text.replace(text.find("0 2 3 4 2 3 4 5"), 15, "2 0 3 4 3 2 4 5");
  const auto all = read_tet_mesh(as_bytes(text), VolumeFormat::vtk);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all.value().tets, (std::vector<TetIndices>{{1, 0, 3, 2}, {2, 1, 4, 3}}));
  // One alone is a fault of the mesh, and stays.
  text = vtk5_text;
  text.replace(text.find("0 2 3 4 2 3 4 5"), 15, "2 0 3 4 2 3 4 5");
  const auto one = read_tet_mesh(as_bytes(text), VolumeFormat::vtk);
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ(one.value().tets, (std::vector<TetIndices>{{1, 0, 2, 3}, {1, 2, 3, 4}}));
}

// Oracle: the same mesh, with the middles of edges as nodes that the linear elements do not have.
TEST(ReadTetMesh, takes_elements_of_second_order_by_their_corners_and_says_so) {
  std::string msh = msh2_text, vtk = vtk5_text;
  const auto put = [](std::string& text, std::string_view from, std::string_view to) {
    ASSERT_NE(text.find(from), std::string::npos);
    text.replace(text.find(from), from.size(), to);
  };
  put(msh, "4 4 2 1 1 10 30 5 50", "4 11 2 1 1 10 30 5 50 20 20 20 20 20 20");
  put(msh, "3 2 2 0 1 10 5 30", "3 9 2 0 1 10 5 30 20 20 20");
  put(msh, "2 1 2 0 1 10 30", "2 8 2 0 1 10 30 20");
  put(vtk, "CELLS 6 14", "CELLS 6 24");
  put(vtk, "0 1 3 6 10 14", "0 1 4 10 20 24");
  put(vtk, "1 0 2 0 3 2 0 2 3 4", "1 0 2 1 0 3 2 1 1 1 0 2 3 4 1 1 1 1 1 1");
  put(vtk, "1\r\n3\r\n5\r\n10\r\n10", "1\r\n21\r\n22\r\n24\r\n10");
  for (const auto& [text, format] :
       {std::pair{msh, VolumeFormat::msh}, std::pair{vtk, VolumeFormat::vtk}}) {
    const auto mesh = read_tet_mesh(as_bytes(text), format);
    expect_two_tets(mesh);
    ASSERT_TRUE(mesh);
    EXPECT_THAT(mesh.value().remarks,
                testing::UnorderedElementsAre(HasSubstr("2 elements of second or higher order"),
                                              HasSubstr("1 of 6 vertices are of no tetrahedron")));
  }
}

// Cases 04 and 05 of other readers: editors and old Macs.
TEST(ReadTetMesh, takes_any_line_ends_and_a_byte_order_mark) {
  for (const TwoTetFile& file : two_tet_files()) {
    SCOPED_TRACE(file.name);
    expect_two_tets(read_tet_mesh(as_bytes("\xEF\xBB\xBF" + file.bytes), file.format));
    if (file.bytes.find('\0') != std::string::npos) continue;
    std::string returns = file.bytes;
    std::erase(returns, '\r');
    std::replace(returns.begin(), returns.end(), '\n', '\r');
    expect_two_tets(read_tet_mesh(as_bytes(returns), file.format));
    std::string wide = "\xFF\xFE";
    for (const char c : file.bytes)
      wide += {c, '\0'};
    const auto mesh = read_tet_mesh(as_bytes(wide), file.format);
    ASSERT_FALSE(mesh);
    EXPECT_EQ(mesh.error().message, "the file is UTF-16; save it as UTF-8");
  }
}

// A file that claims to decompress to 2^40 bytes, and one whose blocks are damaged.
TEST(ReadTetMesh, refuses_compressed_arrays_that_do_not_fit) {
  const auto file_of = [](const std::string& bytes) {
    return "<VTKFile type=\"UnstructuredGrid\" header_type=\"UInt64\" "
           "compressor=\"vtkZLibDataCompressor\"><Piece><Points><DataArray type=\"Float64\" "
           "NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/></Points></Piece>"
           "<AppendedData encoding=\"raw\">_" +
           bytes;
  };
  const auto little = [](auto... values) { return packed(Order::little, values...); };
  const std::pair<std::string, const char*> cases[] = {
      {little(N{1}, N{1} << 40, N{0}, N{8}), "the arrays claim to decompress to more than"},
      {little(N{1} << 40, N{1}, N{0}, N{8}), "no header of compressed blocks that fits"},
      {little(N{1}, N{24}, N{0}, N{8}) + "notzlib!", "compressed block 0 of an array is damaged"},
      {little(N{1}, N{24}, N{0}, N{80}), "compressed block 0 of an array is damaged"},
      {little(N{1}), "no header of compressed blocks that fits"}};
  for (const auto& [bytes, message] : cases) {
    const auto mesh = read_tet_mesh(as_bytes(file_of(bytes)), VolumeFormat::vtu);
    ASSERT_FALSE(mesh);
    EXPECT_THAT(mesh.error().message, HasSubstr(message));
  }
}

TEST(ReadTriangleMesh, reads_surfaces_and_leaves_out_loose_nodes) {
  const std::string msh =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 5 5 5\n3 1 0 0\n4 0 1 0\n"
      "$EndNodes\n$Elements\n2\n1 15 0 2\n2 2 2 0 0 4 1 3\n$EndElements\n";
  const auto mesh = read_triangle_mesh(as_bytes(msh), VolumeFormat::msh);
  ASSERT_TRUE(mesh) << mesh.error().message;
  EXPECT_EQ(mesh.value().vertices, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
  EXPECT_EQ(mesh.value().triangles, (std::vector<TriangleIndices>{{2, 0, 1}}));
  const auto volume = read_tet_mesh(as_bytes(msh), VolumeFormat::msh);
  ASSERT_FALSE(volume);
  EXPECT_THAT(volume.error().message, HasSubstr("no tetrahedra"));
}

// Symptom: a file of 20 kB whose arrays are all the same bytes became gigabytes.
TEST(ReadTetMesh, refuses_arrays_that_are_the_same_bytes) {
  const auto little = [](auto... values) { return packed(Order::little, values...); };
  constexpr std::size_t numbers = 3'000;
  std::string bytes = "<VTKFile type=\"UnstructuredGrid\" header_type=\"UInt64\">";
  for (int piece = 0; piece < 100; ++piece) {
    bytes +=
        "<Piece><Points><DataArray type=\"UInt8\" NumberOfComponents=\"3\" format=\"appended\" "
        "offset=\"0\"/></Points></Piece>";
  }
  bytes += "<AppendedData encoding=\"raw\">_" + little(N{numbers}) + std::string(numbers, '\1');
  const auto mesh = read_tet_mesh(as_bytes(bytes), VolumeFormat::vtu);
  ASSERT_FALSE(mesh);
  EXPECT_THAT(mesh.error().message, HasSubstr("overlaps another"));
}

// VTK takes appended data without an encoding as base64.
TEST(ReadTetMesh, takes_appended_data_as_base64_unless_it_says_raw) {
  int tried = 0;
  for (const TwoTetFile& file : two_tet_files()) {
    std::string bytes = file.bytes;
    const std::size_t at = bytes.find(" encoding=\"base64\"");
    if (at == std::string::npos) continue;
    ++tried;
    SCOPED_TRACE(file.name);
    expect_two_tets(read_tet_mesh(as_bytes(bytes.erase(at, 18)), file.format));
  }
  EXPECT_GT(tried, 0);
}

// `text` with its first `from` replaced.
std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ReadTetMesh, says_what_is_wrong_and_where) {
  const std::string msh2 = msh2_text, msh4 = msh4_text, vtk2 = vtk2_text, vtk5 = vtk5_text,
                    vtu = vtu_text;
  const auto little = [](auto... values) { return packed(Order::little, values...); };
  const std::string msh4b = msh4_binary(Order::little), msh2b = msh2_binary(Order::little);
  constexpr N hostile = N{1} << 62;
  const struct {
    VolumeFormat format;
    std::string text, message;
  } cases[] = {
      {VolumeFormat::msh, "", "not a Gmsh file of version 2 or 4: it is empty"},
      {VolumeFormat::msh, "$NOD\n1\n", "it starts with '$NOD', as a Gmsh file of version 1 does"},
      {VolumeFormat::msh, with(msh2, "2.2", "3.0"),
       "line 2: version '3.0' is not one of 2.0, 2.1, 2.2, 4.0, 4.1"},
      {VolumeFormat::msh, with(msh2, "2.2 0", "2.2 2"), "must be 0 (text) or 1 (binary)"},
      {VolumeFormat::msh, with(msh2, "0 8", "0 4"), "data size must be 8"},
      {VolumeFormat::msh, with(msh2b, little(I{1}), little(I{2})),
       "byte 20: expected the number 1"},
      {VolumeFormat::msh, with(msh2, "$Nodes", "Nodes"), "line 8: expected the start of a section"},
      {VolumeFormat::msh, with(msh2, "$EndPhysicalNames", ""), "'$PhysicalNames' has no end"},
      {VolumeFormat::msh, with(msh2, "\n6\n10", "\nsix\n10"),
       "line 9: expected the number of nodes"},
      {VolumeFormat::msh, with(msh2, "9 9 9", "9 9 nan"), "line 11: a node needs three finite"},
      {VolumeFormat::msh, with(msh2, "9 9 9", "9 9 1e999"), "line 11: a node needs three finite"},
      {VolumeFormat::msh, with(msh2, "9 9 9", "9 9"), "line 13: expected the tag"},
      {VolumeFormat::msh, with(msh2, "10 0 0 0", "0 0 0 0"), "line 10: expected the tag of a node"},
      {VolumeFormat::msh, with(msh2, "20 9", "10 9"), "two nodes have the tag 10"},
      {VolumeFormat::msh, with(msh2, "\n6\n10", "\n7\n10"), "expected the tag of a node"},
      {VolumeFormat::msh, with(msh2, "\n6\n10", "\n5\n10"), "expected $EndNodes, found '60'"},
      {VolumeFormat::msh, with(msh2, "50 60", "50 61"), "line 23: an element names node 61"},
      {VolumeFormat::msh, with(msh2, "50 60", "50 -1"), "line 23: an element names node -1"},
      {VolumeFormat::msh, with(msh2, "4 4 2", "4 11 2"), "line 23: an element names node 4"},
      {VolumeFormat::msh, with(msh2, "4 4 2", "4 5 2"),
       "line 22: found element type 5, a hexahedron"},
      {VolumeFormat::msh, with(msh2, "4 4 2", "4 99 2"), "found element type 99; only"},
      {VolumeFormat::msh, with(msh2, "4 4 2", "4 4 -2"), "the number of tags"},
      {VolumeFormat::msh, msh2.substr(0, msh2.find("$Elements")), "no section $Elements"},
      {VolumeFormat::msh, with(msh2, "$Nodes", "$Elements"), "$Elements stands before $Nodes"},
      {VolumeFormat::msh, msh2 + "$Nodes\n0\n$EndNodes\n", "a second section $Nodes"},
      {VolumeFormat::msh, msh2 + "$Elements\n0\n$EndElements\n", "a second section $Elements"},
      {VolumeFormat::msh, with(msh2, "\n6\n10", "\n4000000000000\n10"),
       "line 16: expected the tag"},
      {VolumeFormat::msh, with(msh2b, little(I{2}, I{4}), little(I{0x7fffffff}, I{4})), "byte "},
      {VolumeFormat::msh, with(msh4, "3 6 5", "3 7 5"), "claims 7 nodes, its blocks have 6"},
      {VolumeFormat::msh, with(msh4, "4 5 1", "4 6 1"), "claims 6 elements, its blocks have 5"},
      {VolumeFormat::msh, with(msh4, "3 1 0 3", "4 1 0 3"), "has the dimension 4"},
      {VolumeFormat::msh, with(msh4, "3 1 4 2", "3 1 17 2"), "type 17, a hexahedron with 20 nodes"},
      {VolumeFormat::msh, with(msh4b, little(N{3}, N{6}), little(hostile, N{6})), "byte "},
      {VolumeFormat::msh, with(msh4b, little(N{3}, N{5}, N{50}), little(hostile, N{5}, N{50})),
       "expected the tag of a node"},
      {VolumeFormat::msh, with(msh4b, little(N{2}, N{4}, N{10}), little(hostile, N{4}, N{10})),
       "byte "},
      {VolumeFormat::vtk, "junk", "not a VTK file: it starts with 'junk'"},
      {VolumeFormat::vtk, with(vtk2, "2.0", "9.0"), "line 1: the version must be"},
      {VolumeFormat::vtk, with(vtk2, "ASCII", "TEXT"), "line 3: expected ASCII or BINARY"},
      {VolumeFormat::vtk, with(vtk2, "UNSTRUCTURED_GRID", "POLYDATA"),
       "line 4: expected DATASET UNSTRUCTURED_GRID, found 'DATASET' 'POLYDATA'"},
      {VolumeFormat::vtk, with(vtk2, "1 1 double", "1 1 string"), "found 'string'"},
      {VolumeFormat::vtk, with(vtk2, "POINTS 6", "POINTS -6"), "expected the number of points"},
      {VolumeFormat::vtk, with(vtk2, "6 float", "6 half"), "unknown type"},
      {VolumeFormat::vtk, with(vtk2, "9 9 9", "9 9 inf"), "line 9: a point needs three finite"},
      {VolumeFormat::vtk, with(vtk2, "POINTS 6", "POINTS 4000000000000"), "three finite numbers"},
      {VolumeFormat::vtk, with(vtk2, "5 19", "5 21"), "claims a size of 21, found 19"},
      {VolumeFormat::vtk, with(vtk2, "4 0 2 3 4\n", "-4 0 2 3 4\n"), "number of points of a cell"},
      {VolumeFormat::vtk, with(vtk2, "4 2 3 4 5", "4 2 3 4 6"),
       "cell 4: it names point 6, but there are 6"},
      {VolumeFormat::vtk, with(vtk2, "1 3 5 10 10", "1 3 5 10 12"),
       "cell 4: found cell type 12, a hexahedron; only tetrahedra with 4 corners"},
      {VolumeFormat::vtk, with(vtk2, "1 3 5 10 10", "1 3 10 10 10"), "has 4 points, found 3"},
      {VolumeFormat::vtk, with(vtk2, "CELL_TYPES 5", "CELL_TYPES 4"), "found '10'"},
      {VolumeFormat::vtk, with(vtk2, "CELL_TYPES 5\n1 3 5 10 10\n", ""), "5 cells, but 0 types"},
      {VolumeFormat::vtk, with(vtk5, "0 1 3 6", "1 1 3 6"), "the first of OFFSETS must be 0"},
      {VolumeFormat::vtk, with(vtk5, "6 10 14", "6 10 15"), "cell 4: its points end at entry 15"},
      {VolumeFormat::vtk, with(vtk5, "6 10 14", "6 3 14"), "cell 3: its points end at entry 3"},
      {VolumeFormat::vtk, with(vtk5, "OFFSETS vtktypeint64", "OFFSETS double"), "type of integers"},
      {VolumeFormat::vtu, "<VTKFile type=\"PolyData\">", "must be UnstructuredGrid"},
      {VolumeFormat::vtu, "", "has no tag <VTKFile"},
      {VolumeFormat::vtu, with(vtu, "'3'\n format=\"ascii\"", "'3'\n format=\"appended\""),
       "the file has no AppendedData"},
      {VolumeFormat::vtu, with(vtu, "'3'\n format=\"ascii\"", "'3'\n format=\"text\""),
       "the format 'text' is not one of ascii, binary, appended"},
      {VolumeFormat::vtu, with(vtu, "NumberOfPoints=\"6\"", "NumberOfPoints=\"7\""),
       "claims 7 points, its array has 6"},
      {VolumeFormat::vtu, with(vtu, "NumberOfCells=\"5\"", "NumberOfCells=\"6\""),
       "claims 6 cells, its array has 5"},
      {VolumeFormat::vtu, with(vtu, "'3'", "'2'"), "3 components"},
      {VolumeFormat::vtu, with(vtu, "9 9 9", "9 9 x"), "line 9: expected a number, found 'x'"},
      {VolumeFormat::vtu, with(vtu, "9 9 9", "9 9 inf"), "point 1 needs three finite numbers"},
      {VolumeFormat::vtu, with(vtu, "9 9 9", "9 9"), "fewer than three numbers"},
      {VolumeFormat::vtu, with(vtu, "1 0 2 0", "1 0.5 2 0"), "expected an integer, found '0.5'"},
      {VolumeFormat::vtu, with(vtu, "Name=\"offsets\"", "Name=\"connectivity\""), "a second array"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const auto mesh = read_tet_mesh(as_bytes(c.text), c.format);
    ASSERT_FALSE(mesh) << c.message;
    EXPECT_EQ(mesh.error().code, ErrorCode::invalid_mesh);
    EXPECT_THAT(mesh.error().message, HasSubstr(c.message));
  }
}

// Oracle: a file cut short is refused or, where only its tail is missing, reads as the whole does.
TEST(ReadTetMesh, refuses_files_cut_short) {
  for (const TwoTetFile& file : two_tet_files()) {
    SCOPED_TRACE(file.name);
    std::size_t read_count = 0;
    for (std::size_t size = 0; size < file.bytes.size(); ++size) {
      const auto mesh = read_tet_mesh(as_bytes(file.bytes.substr(0, size)), file.format);
      if (!mesh) continue;
      ++read_count;
      EXPECT_EQ(mesh.value().tets, (std::vector<TetIndices>{{0, 1, 2, 3}, {1, 2, 3, 4}})) << size;
    }
    EXPECT_LT(read_count, 30U);  // The last line's end, or the data after the cells.
  }
}

// Thousands of damaged copies either read as a mesh with valid indices or are refused.
TEST(ReadTetMesh, survives_damage) {
  std::mt19937_64 random{1};
  for (const TwoTetFile& file : two_tet_files()) {
    for (int i = 0; i < 5'000; ++i) {
      std::string damaged = file.bytes;
      for (std::size_t hits = 1 + random() % 4; hits > 0; --hits) {
        damaged[random() % damaged.size()] =
            random() % 2 == 0 ? static_cast<char>(random()) : "0123456789 $<-"[random() % 14];
      }
      const auto mesh = read_tet_mesh(as_bytes(damaged), file.format);
      if (!mesh) continue;
      for (const Vec3& vertex : mesh.value().vertices)
        ASSERT_TRUE(vertex.allFinite());
      for (const TetIndices& tet : mesh.value().tets) {
        for (const std::int32_t corner : tet) {
          ASSERT_TRUE(corner >= 0 &&
                      static_cast<std::size_t>(corner) < mesh.value().vertices.size());
        }
      }
    }
  }
}

TEST(VolumeFormatFromName, goes_by_the_ending) {
  EXPECT_EQ(volume_format_from_name("a/block.MSH"), VolumeFormat::msh);
  EXPECT_EQ(volume_format_from_name("x.y.vtk"), VolumeFormat::vtk);
  EXPECT_EQ(volume_format_from_name("x.vtu"), VolumeFormat::vtu);
  EXPECT_EQ(volume_format_from_name("x.stl"), std::nullopt);
  EXPECT_EQ(volume_format_from_name(".msh"), std::nullopt);
}

}  // namespace
}  // namespace sluice::geometry
