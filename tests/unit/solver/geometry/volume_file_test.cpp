// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/volume_file.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <string>

namespace sluice::geometry {
namespace {

using testing::HasSubstr;

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

enum class Order { little, big };

// The bytes of the values, one after the other.
template <typename... Values>
std::string packed(Order order, Values... values) {
  std::string bytes;
  const auto add = [&](auto value) {
    std::string one(reinterpret_cast<const char*>(&value), sizeof value);
    if (order == Order::big) std::reverse(one.begin(), one.end());
    bytes += one;
  };
  (add(values), ...);
  return bytes;
}

using I = std::int32_t;
using N = std::uint64_t;

// In every format the same two tetrahedra (0 1 2 3) and (1 2 3 4) of a cube's corners, with a
// point, a line and a triangle as Gmsh adds them and a node, the second, that no tetrahedron uses.
const std::vector<Vec3> expected_vertices{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};

void expect_two_tets(const Result<TetMesh>& mesh) {
  ASSERT_TRUE(mesh) << mesh.error().message;
  EXPECT_EQ(mesh.value().vertices, expected_vertices);
  EXPECT_EQ(mesh.value().tets, (std::vector<TetIndices>{{0, 1, 2, 3}, {1, 2, 3, 4}}));
}

const char* const msh2_text =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"body\"\n$EndPhysicalNames\n"
    "$Nodes\n6\n10 0 0 0\n20 9 9 9\n30 1 0 0\n5 0 1 0\n50 0. 0 1e0\n60 1 1 1\n$EndNodes\n"
    "$Elements\n5\n1 15 2 0 1 20\n2 1 2 0 1 10 30\n3 2 2 0 1 10 5 30\n4 4 2 1 1 10 30 5 50\n"
    "5 4 3 1 1 0 30 5 50 60\n$EndElements\n";

std::string msh2_binary(Order order) {
  const auto node = [&](I tag, double x, double y, double z) {
    return packed(order, tag, x, y, z);
  };
  return "$MeshFormat\n2.2 1 8\n" + packed(order, I{1}) + "\n$EndMeshFormat\n$Nodes\n6\n" +
         node(10, 0, 0, 0) + node(20, 9, 9, 9) + node(30, 1, 0, 0) + node(5, 0, 1, 0) +
         node(50, 0, 0, 1) + node(60, 1, 1, 1) + "\n$EndNodes\n$Elements\n5\n" +
         packed(order, I{15}, I{1}, I{2}, I{1}, I{0}, I{1}, I{20}) +
         packed(order, I{1}, I{1}, I{2}, I{2}, I{0}, I{1}, I{10}, I{30}) +
         packed(order, I{2}, I{1}, I{2}, I{3}, I{0}, I{1}, I{10}, I{5}, I{30}) +
         packed(order, I{4}, I{2}, I{2}, I{4}, I{1}, I{1}, I{10}, I{30}, I{5}, I{50}) +
         packed(order, I{5}, I{1}, I{1}, I{30}, I{5}, I{50}, I{60}) + "\n$EndElements\n";
}

const char* const msh4_text =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 0 0\n$EndEntities\n"
    "$Nodes\n3 6 5 60\n0 1 0 1\n10\n0 0 0\n2 1 1 2\n20\n30\n9 9 9 0.5 0.5\n1 0 0 0.5 0.25\n"
    "3 1 0 3\n5\n50\n60\n0 1 0\n0 0 1\n1 1 1\n$EndNodes\n"
    "$Elements\n4 5 1 5\n0 1 15 1\n1 20\n1 1 1 1\n2 10 30\n2 1 2 1\n3 10 5 30\n3 1 4 2\n"
    "4 10 30 5 50\n5 30 5 50 60\n$EndElements\n";

std::string msh4_binary(Order order) {
  return "$MeshFormat\n4.1 1 8\n" + packed(order, I{1}) + "\n$EndMeshFormat\n$Entities\n" +
         packed(order, N{0}, N{0}, N{0}, N{0}) + "\n$EndEntities\n$Nodes\n" +
         packed(order, N{3}, N{6}, N{5}, N{60}) + packed(order, I{0}, I{1}, I{0}, N{1}, N{10}) +
         packed(order, 0., 0., 0.) + packed(order, I{2}, I{1}, I{1}, N{2}, N{20}, N{30}) +
         packed(order, 9., 9., 9., 0.5, 0.5, 1., 0., 0., 0.5, 0.25) +
         packed(order, I{3}, I{1}, I{0}, N{3}, N{5}, N{50}, N{60}) +
         packed(order, 0., 1., 0., 0., 0., 1., 1., 1., 1.) + "\n$EndNodes\n$Elements\n" +
         packed(order, N{4}, N{5}, N{1}, N{5}) +
         packed(order, I{0}, I{1}, I{15}, N{1}, N{1}, N{20}) +
         packed(order, I{1}, I{1}, I{1}, N{1}, N{2}, N{10}, N{30}) +
         packed(order, I{2}, I{1}, I{2}, N{1}, N{3}, N{10}, N{5}, N{30}) +
         packed(order, I{3}, I{1}, I{4}, N{2}, N{4}, N{10}, N{30}, N{5}, N{50}) +
         packed(order, N{5}, N{30}, N{5}, N{50}, N{60}) + "\n$EndElements\n";
}

const char* const vtk2_text =
    "# vtk DataFile Version 2.0\na title\nASCII\nDATASET UNSTRUCTURED_GRID\n"
    "FIELD FieldData 1\nTIME 1 1 double\n0.5\nPOINTS 6 float\n0 0 0 9 9 9\n1 0 0\n0 1 0\n0 0 1 1 1 "
    "1\n"
    "METADATA\nINFORMATION 0\n\nCELLS 5 19\n1 1\n2 0 2\n3 0 3 2\n4 0 2 3 4\n4 2 3 4 5\n"
    "CELL_TYPES 5\n1 3 5 10 10\nCELL_DATA 5\nSCALARS junk int\n";

std::string vtk2_binary() {
  constexpr Order big = Order::big;
  return "# vtk DataFile Version 3.0\na title\nBINARY\nDATASET UNSTRUCTURED_GRID\n"
         "FIELD FieldData 1\nCYCLE 1 1 int\n" +
         packed(big, I{7}) + "\nPOINTS 6 double\n" +
         packed(big, 0., 0., 0., 9., 9., 9., 1., 0., 0., 0., 1., 0., 0., 0., 1., 1., 1., 1.) +
         "\nMETADATA\nINFORMATION 0\n\nCELLS 5 19\n" +
         packed(big, I{1}, I{1}, I{2}, I{0}, I{2}, I{3}, I{0}, I{3}, I{2}) +
         packed(big, I{4}, I{0}, I{2}, I{3}, I{4}, I{4}, I{2}, I{3}, I{4}, I{5}) +
         "\nCELL_TYPES 5\n" + packed(big, I{1}, I{3}, I{5}, I{10}, I{10}) + "\nPOINT_DATA 6\n";
}

const char* const vtk5_text =
    "# vtk DataFile Version 5.1\r\na title\r\nASCII\r\nDATASET UNSTRUCTURED_GRID\r\n"
    "POINTS 6 double\r\n0 0 0 9 9 9 1 0 0 0 1 0 0 0 1 1 1 1\r\n"
    "CELLS 6 14\r\nOFFSETS vtktypeint64\r\n0 1 3 6 10 14\r\nCONNECTIVITY vtktypeint64\r\n"
    "1 0 2 0 3 2 0 2 3 4 2 3 4 5\r\nCELL_TYPES 5\r\n1\r\n3\r\n5\r\n10\r\n10\r\n";

std::string vtk5_binary() {
  constexpr Order big = Order::big;
  return "# vtk DataFile Version 5.1\na title\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 "
         "float\n" +
         packed(big, 0.F, 0.F, 0.F, 9.F, 9.F, 9.F, 1.F, 0.F, 0.F) +
         packed(big, 0.F, 1.F, 0.F, 0.F, 0.F, 1.F, 1.F, 1.F, 1.F) +
         "\nCELLS 6 14\nOFFSETS vtktypeint64\n" +
         packed(big, N{0}, N{1}, N{3}, N{6}, N{10}, N{14}) + "\nCONNECTIVITY vtktypeint64\n" +
         packed(big, N{1}, N{0}, N{2}, N{0}, N{3}, N{2}, N{0}, N{2}, N{3}, N{4}) +
         packed(big, N{2}, N{3}, N{4}, N{5}) + "\nCELL_TYPES 5\n" +
         packed(big, I{1}, I{3}, I{5}, I{10}, I{10}) + "\n";
}

const char* const vtu_text =
    "<?xml version=\"1.0\"?>\n<!-- a > comment with <DataArray> in it -->\n"
    "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
    "<UnstructuredGrid><Piece NumberOfPoints=\"6\" NumberOfCells=\"5\">\n"
    "<PointData><DataArray type=\"Float32\" Name=\"junk\" format=\"ascii\">1 2 3 4 5 "
    "6</DataArray>\n"
    "</PointData><Points>\n<DataArray type=\"Float64\" NumberOfComponents='3'\n format=\"ascii\">\n"
    "0 0 0 9 9 9 1 0 0 0 1 0 0 0 1 1 1 1</DataArray></Points>\n<Cells>\n"
    "<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">1 0 2 0 3 2 0 2 3 4 2 3 4 5\n"
    "</DataArray><DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">1 3 6 10 "
    "14</DataArray>\n"
    "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">1 3 5 10 10</DataArray></Cells>\n"
    "</Piece></UnstructuredGrid></VTKFile>\n";

struct File {
  const char* name;
  std::string bytes;
  VolumeFormat format;
};

std::vector<File> all_files() {
  return {{"msh 2.2 text", msh2_text, VolumeFormat::msh},
          {"msh 2.2 little", msh2_binary(Order::little), VolumeFormat::msh},
          {"msh 2.2 big", msh2_binary(Order::big), VolumeFormat::msh},
          {"msh 4.1 text", msh4_text, VolumeFormat::msh},
          {"msh 4.1 little", msh4_binary(Order::little), VolumeFormat::msh},
          {"msh 4.1 big", msh4_binary(Order::big), VolumeFormat::msh},
          {"vtk 2 text", vtk2_text, VolumeFormat::vtk},
          {"vtk 3 binary", vtk2_binary(), VolumeFormat::vtk},
          {"vtk 5 text", vtk5_text, VolumeFormat::vtk},
          {"vtk 5 binary", vtk5_binary(), VolumeFormat::vtk},
          {"vtu", vtu_text, VolumeFormat::vtu}};
}

// Oracle: the mesh above, by hand. Gmsh's tags are neither dense nor in order.
TEST(ReadTetMesh, ReadsTheSameMeshFromEveryFormat) {
  for (const File& file : all_files()) {
    SCOPED_TRACE(file.name);
    expect_two_tets(read_tet_mesh(as_bytes(file.bytes), file.format));
    const auto surface = read_triangle_mesh(as_bytes(file.bytes), file.format);
    ASSERT_FALSE(surface);
    EXPECT_THAT(surface.error().message, HasSubstr("2 tetrahedra where a surface is expected"));
  }
}

TEST(ReadTetMesh, TurnsFilesThatNumberCornersTheOtherWay) {
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

TEST(ReadTriangleMesh, ReadsSurfacesAndLeavesOutLooseNodes) {
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

// `text` with its first `from` replaced.
std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ReadTetMesh, SaysWhatIsWrongAndWhere) {
  const std::string msh2 = msh2_text, msh4 = msh4_text, vtk2 = vtk2_text, vtk5 = vtk5_text,
                    vtu = vtu_text;
  const auto little = [](auto... values) { return packed(Order::little, values...); };
  const std::string msh4b = msh4_binary(Order::little), msh2b = msh2_binary(Order::little);
  constexpr N hostile = N{1} << 62;
  const struct {
    VolumeFormat format;
    std::string text, message;
  } cases[] = {
      {VolumeFormat::msh, "", "does not start with '$MeshFormat'"},
      {VolumeFormat::msh, with(msh2, "2.2", "4.0"), "line 2: version '4.0' is not one of 2.2, 4.1"},
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
      {VolumeFormat::msh, with(msh2, "4 4 2", "4 11 2"),
       "line 22: found element type 11, a tetrahedron of second order; only tetrahedra"},
      {VolumeFormat::msh, with(msh2, "4 4 2", "4 5 2"), "a hexahedron; only"},
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
      {VolumeFormat::vtk, "junk", "does not start with '# vtk DataFile Version'"},
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
       "only arrays in the format ascii are allowed, found 'appended'"},
      {VolumeFormat::vtu, with(vtu, "'3'", "'2'"), "3 components"},
      {VolumeFormat::vtu, with(vtu, "9 9 9", "9 9 x"), "line 9: a point needs three finite"},
      {VolumeFormat::vtu, with(vtu, "9 9 9", "9 9"), "fewer than three numbers"},
      {VolumeFormat::vtu, with(vtu, "1 0 2 0", "1 0.5 2 0"), "expected an integer, found '0.5'"},
      {VolumeFormat::vtu, with(vtu, "</Piece>", "<Piece>"), "a second"},
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
TEST(ReadTetMesh, RefusesFilesCutShort) {
  for (const File& file : all_files()) {
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
TEST(ReadTetMesh, SurvivesDamage) {
  std::mt19937_64 random{1};
  for (const File& file : all_files()) {
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

TEST(VolumeFormatFromName, GoesByTheEnding) {
  EXPECT_EQ(volume_format_from_name("a/block.MSH"), VolumeFormat::msh);
  EXPECT_EQ(volume_format_from_name("x.y.vtk"), VolumeFormat::vtk);
  EXPECT_EQ(volume_format_from_name("x.vtu"), VolumeFormat::vtu);
  EXPECT_EQ(volume_format_from_name("x.stl"), std::nullopt);
  EXPECT_EQ(volume_format_from_name(".msh"), std::nullopt);
}

}  // namespace
}  // namespace sluice::geometry
