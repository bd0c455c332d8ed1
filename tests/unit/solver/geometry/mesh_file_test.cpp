// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/mesh_file.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <random>
#include <string>

namespace sluice::geometry {
namespace {

using testing::HasSubstr;

Result<SurfaceFile> read(std::string_view text, MeshFormat format) {
  return read_mesh(std::as_bytes(std::span(text.data(), text.size())), format);
}

template <typename... Values>
std::string packed(Values... values) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
  return bytes;
}

// The square (0,0) (1,0) (1,1) (0,1) as one polygon, in each text format that has polygons.
void expect_square(const TriangleMesh& mesh) {
  ASSERT_EQ(mesh.vertices.size(), 4U);
  EXPECT_EQ(mesh.vertices[2], Vec3(1, 1, 0));
  EXPECT_EQ(mesh.triangles, (std::vector<TriangleIndices>{{0, 1, 2}, {0, 2, 3}}));
}

TEST(ReadMesh, reads_obj_polygons_indices_and_continued_lines) {
  for (const char* face : {"f 1 2 3 4", "f 1/1 2/2 3/3 4/4", "f 1//1 2//1 3//1 4//1",
                           "f -4 -3 -2 -1", "f 1 2 \\\n 3 4 # done"}) {
    SCOPED_TRACE(face);
    const auto mesh = read(std::string("# square\r\nmtllib x\nv 0 0 0\r\nv 1 0 0 1.0\nv +1 1e0 0\n"
                                       "v 0 1 0 0.5 0.5 0.5\nvn 0 0 1\nvt 0 0\no a\n") +
                               face,
                           MeshFormat::obj);
    ASSERT_TRUE(mesh) << mesh.error().message;
    expect_square(mesh.value());
  }
}

// Symptom: after a comment such as a folder of Windows, the next line was lost.
TEST(ReadMesh, reads_on_after_a_comment_that_ends_with_a_backslash) {
  const auto mesh = read("# C:\\models\\\nv 0 0 0\nv 1 0 0\nv 1 1 0 # D:\\\nv 0 1 0\nf 1 2 3 4\n",
                         MeshFormat::obj);
  ASSERT_TRUE(mesh) << mesh.error().message;
  expect_square(mesh.value());
}

TEST(ReadMesh, reads_ascii_ply_and_skips_what_it_has_no_use_for) {
  const auto mesh = read(
      "ply\nformat ascii 1.0\ncomment x\nelement vertex 4\nproperty double x\nproperty float y\n"
      "property uchar red\nproperty float z\nelement face 1\nproperty uchar flag\n"
      "property list uchar int vertex_indices\nelement edge 1\nproperty list uchar int junk\n"
      "end_header\n0 0 9 0\n1 0 9 0\n1 1 9 0\n0 1 9 0\n7 4 0 1 2 3\n2 8 8\n",
      MeshFormat::ply);
  ASSERT_TRUE(mesh) << mesh.error().message;
  expect_square(mesh.value());
}

std::string binary_ply(std::string_view vertex_count = "4") {
  std::string bytes = "ply\nformat binary_little_endian 1.0\nelement vertex ";
  bytes.append(vertex_count)
      .append(
          "\nproperty float x\nproperty float y\nproperty double z\nelement face 1\n"
          "property list uchar uint vertex_index\nend_header\n");
  bytes += packed(0.F, 0.F, 0.0, 1.F, 0.F, 0.0, 1.F, 1.F, 0.0, 0.F, 1.F, 0.0);
  return bytes + packed(std::uint8_t{4}, 0U, 1U, 2U, 3U);
}

TEST(ReadMesh, reads_binary_ply) {
  const auto mesh = read(binary_ply(), MeshFormat::ply);
  ASSERT_TRUE(mesh) << mesh.error().message;
  expect_square(mesh.value());
}

TEST(ReadMesh, reads_big_endian_ply) {
  const auto swapped = [](auto value) {
    std::string bytes = packed(value);
    std::reverse(bytes.begin(), bytes.end());
    return bytes;
  };
  std::string bytes =
      "ply\nformat binary_big_endian 1.0\nelement vertex 4\nproperty float x\nproperty double y\n"
      "property short z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
  for (const auto& [x, y] : {std::pair{0.F, 0.0}, {1.F, 0.0}, {1.F, 1.0}, {0.F, 1.0}}) {
    bytes += swapped(x) + swapped(y) + swapped(std::int16_t{0});
  }
  bytes += swapped(std::uint8_t{4});
  for (const std::int32_t corner : {0, 1, 2, 3})
    bytes += swapped(corner);
  const auto mesh = read(bytes, MeshFormat::ply);
  ASSERT_TRUE(mesh) << mesh.error().message;
  expect_square(mesh.value());
}

std::string binary_stl(std::uint32_t count = 2) {
  std::string bytes(80, 's');
  bytes += packed(count);
  bytes += packed(0.F, 0.F, 1.F, 0.F, 0.F, 0.F, 1.F, 0.F, 0.F, 1.F, 1.F, 0.F, std::uint16_t{0});
  return bytes +
         packed(0.F, 0.F, 1.F, -0.F, 0.F, 0.F, 1.F, 1.F, 0.F, 0.F, 1.F, 0.F, std::uint16_t{0});
}

TEST(ReadMesh, reads_stl_and_welds_equal_corners_whatever_the_sign_of_zero) {
  const auto binary = read(binary_stl(), MeshFormat::stl);
  ASSERT_TRUE(binary) << binary.error().message;
  expect_square(binary.value());
  const auto text = read(
      "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\n"
      "endfacet\nfacet normal 0 0 1\nouter loop\nvertex -0 0 0\nvertex 1 1 0\nvertex 0 1 "
      "0\nendloop\n"
      "endfacet\nendsolid s\n",
      MeshFormat::stl);
  ASSERT_TRUE(text) << text.error().message;
  expect_square(text.value());
}

TEST(ReadMesh, says_what_is_wrong_and_where) {
  const std::string ply_head =
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n"
      "property float y\nproperty float z\n";
  const std::string face_head =
      "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
  const struct {
    MeshFormat format;
    std::string text, message;
  } cases[] = {
      {MeshFormat::obj, "", "no triangles"},
      {MeshFormat::obj, "v 0 0 0\nv 1 0 x\n", "line 2"},
      {MeshFormat::obj, "v 0 0\n", "three finite numbers"},
      {MeshFormat::obj, "v 0 0 nan\n", "three finite numbers"},
      {MeshFormat::obj, "v 0 0 1e999\n", "three finite numbers"},
      {MeshFormat::obj, "v 0 0 0\nf 1 1 2\n", "line 2: a face names vertex 2"},
      {MeshFormat::obj, "v 0 0 0\nf 0 1 1\n", "vertex 0"},
      {MeshFormat::obj, "v 0 0 0\nf 1 1 -2\n", "vertex -2"},
      {MeshFormat::obj, "v 0 0 0\nf 1 1\n", "at least 3 corners"},
      {MeshFormat::obj, "v 0 0 0\nf 1 1 1x\n", "must be an index"},
      {MeshFormat::obj, "f 99999999999999999999 1 1\n", "must be an index"},
      {MeshFormat::ply, "plx\n", "not a PLY file: it starts with 'plx'"},
      {MeshFormat::ply, "ply\nformat binary_mixed_endian 1.0\n", "not one of ascii"},
      {MeshFormat::ply, "ply\nelement vertex -1\n", "no count"},
      {MeshFormat::ply, "ply\nproperty float x\n", "before the first element"},
      {MeshFormat::ply, "ply\nelement vertex 1\nproperty half x\n", "unknown type 'half'"},
      {MeshFormat::ply, "ply\nformat ascii 1.0\nelement vertex 1\n", "no end_header"},
      {MeshFormat::ply, "ply\nend_header\n", "no format"},
      {MeshFormat::ply, "ply\nformat ascii 1.0\nelement junk 4000000000\nend_header\n",
       "no properties"},
      {MeshFormat::ply, ply_head + face_head + "0 0 z\n", "line 10"},
      {MeshFormat::ply, ply_head + face_head + "0 0 0\n3 0 0\n", "expected an entry"},
      {MeshFormat::ply, ply_head + face_head + "0 0 0\n3 0 0 7\n", "names vertex 7"},
      {MeshFormat::ply, ply_head + face_head + "0 0 0\n3 0 0 0.5\n", "must be an index"},
      {MeshFormat::ply, ply_head + face_head + "0 0 0\n2 0 0\n", "at least 3 corners"},
      {MeshFormat::ply, ply_head + face_head + "0 0 0\n-3 0 0\n", "length of list"},
      {MeshFormat::ply, binary_ply("4000000000"), "byte "},
      {MeshFormat::ply, binary_ply().substr(0, 240), "byte "},
      {MeshFormat::stl, "junk", "not an STL file: it starts with 'junk'"},
      {MeshFormat::stl, "v 0 0 0\nv 1 0 0\n",
       "not an STL file: it starts with 'v 0 0 0', as an OBJ file does"},
      {MeshFormat::stl, "", "not an STL file: it is empty"},
      // Symptom: letters of a text were read as a count of 808464432 triangles.
      {MeshFormat::stl, std::string(200, '0'), "not an STL file: it starts with '0000"},
      {MeshFormat::stl, binary_stl().substr(0, 150), "may have been cut short"},
      {MeshFormat::obj, "PK\3\4zip", "starts with 'PK??zip', as a ZIP archive does"},
      {MeshFormat::stl, binary_stl(4000000000U), "4000000000 triangles need"},
      {MeshFormat::stl, "PK\3\4" + std::string(200, '\1'), "as a ZIP archive does"},
      {MeshFormat::stl, "solid\nfacet\nvertex 0 0 0\nfacet\n", "before the last has 3 vertices"},
      {MeshFormat::stl, "solid\nfacet\nvertex 0 0 0\nendfacet\n", "line 4: a facet needs 3"},
      {MeshFormat::stl, "solid\nfacet\nvertex 0 0 x\n", "line 3"},
      {MeshFormat::stl, "solid\nfacet\nvertex 0 0 0\n", "ends within a facet"},
      {MeshFormat::stl, "solid empty\nendsolid\n", "no triangles"},
      {MeshFormat::obj, "v 0 0 0\nf 1 2 3\nv 1 0 0\n", "line 2: a face names vertex 3"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const auto mesh = read(c.text, c.format);
    ASSERT_FALSE(mesh);
    EXPECT_EQ(mesh.error().code, ErrorCode::invalid_mesh);
    EXPECT_THAT(mesh.error().message, HasSubstr(c.message));
  }
}

// Every prefix and thousands of damaged copies either read as a mesh with valid indices or are
// refused.
TEST(ReadMesh, survives_damage) {
  std::mt19937_64 random{1};
  const std::pair<std::string, MeshFormat> files[] = {{binary_ply(), MeshFormat::ply},
                                                      {binary_stl(), MeshFormat::stl}};
  for (const auto& [whole, format] : files) {
    for (std::size_t i = 0; i < 20'000; ++i) {
      std::string damaged = i < whole.size() ? whole.substr(0, i) : whole;
      for (std::size_t hits = i < whole.size() ? 0 : 1 + random() % 4; hits > 0; --hits) {
        damaged[random() % damaged.size()] = static_cast<char>(random());
      }
      const auto mesh = read(damaged, format);
      if (!mesh) continue;
      for (const TriangleIndices& triangle : mesh.value().triangles) {
        for (const std::int32_t corner : triangle) {
          ASSERT_TRUE(corner >= 0 &&
                      static_cast<std::size_t>(corner) < mesh.value().vertices.size());
        }
      }
    }
  }
}

// What `text` is on a Mac of old, from an editor on Windows, and with a byte order mark.
std::vector<std::string> written_otherwise(const std::string& text) {
  const auto with_ends = [&](std::string_view end) {
    std::string other;
    for (const char c : text)
      other += c == '\n' ? std::string(end) : std::string(1, c);
    return other;
  };
  const std::string mark = "\xEF\xBB\xBF";
  return {with_ends("\r"), with_ends("\r\n"), mark + text, mark + with_ends("\r")};
}

const std::string square_obj = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
const std::string square_ply =
    "ply\nformat ascii 1.0\nobj_info x\nelement vertex 4\nproperty int64 x\nproperty uint64 y\n"
    "property short z\nelement face 1\nproperty list ushort uint vertex_indices\nend_header\n"
    "0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n";
const std::string square_stl =
    "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\n"
    "endloop\nendfacet\nendsolid s\nsolid vertex\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n"
    "vertex 1 1 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid vertex\n";

// Symptom: a byte order mark hid the first vertex of an OBJ file, and all faces were one vertex
// off; lines that end with \r were one line (cases 04 and 05).
TEST(ReadMesh, takes_any_line_ends_and_a_byte_order_mark) {
  const std::pair<std::string, MeshFormat> files[] = {
      {square_obj, MeshFormat::obj}, {square_ply, MeshFormat::ply}, {square_stl, MeshFormat::stl}};
  for (const auto& [text, format] : files) {
    for (const std::string& other : written_otherwise(text)) {
      SCOPED_TRACE(other);
      const auto mesh = read(other, format);
      ASSERT_TRUE(mesh) << mesh.error().message;
      expect_square(mesh.value());
    }
  }
  // A carriage return before a number in binary is none of its line's end.
  std::string bytes = binary_ply();
  for (std::size_t at = 0; at < bytes.find("end_header") + 11; ++at) {
    if (bytes[at] == '\n') bytes[at] = '\r';
  }
  const float newlines = std::bit_cast<float>(0x0A0A0A0AU);
  std::memcpy(&bytes[bytes.find("end_header") + 11], &newlines, sizeof newlines);
  const auto mesh = read(bytes, MeshFormat::ply);
  ASSERT_TRUE(mesh) << mesh.error().message;
  EXPECT_EQ(mesh.value().vertices[0].x(), newlines);
}

TEST(ReadMesh, names_utf16) {
  for (const MeshFormat format : {MeshFormat::obj, MeshFormat::ply, MeshFormat::stl}) {
    for (const bool has_mark : {true, false}) {
      for (const std::size_t first : {0U, 1U}) {
        std::string wide = has_mark ? (first == 0 ? "\xFE\xFF" : "\xFF\xFE") : "";
        for (const char c : square_obj) {
          const std::string pair = {c, '\0'};
          wide += first == 0 ? std::string(pair.rbegin(), pair.rend()) : pair;
        }
        const auto mesh = read(wide, format);
        ASSERT_FALSE(mesh);
        EXPECT_EQ(mesh.error().message, "the file is UTF-16; save it as UTF-8");
      }
    }
  }
}

// Oracle: the square that all of them have in them (case 04).
TEST(ReadMesh, reads_stl_as_exporters_write_it) {
  std::string capitals = square_stl;
  std::transform(capitals.begin(), capitals.end(), capitals.begin(),
                 [](char c) { return static_cast<char>(std::toupper(c)); });
  std::string apart = square_stl;
  for (std::size_t at = apart.find("end"); at != std::string::npos; at = apart.find("end", at + 4))
    apart.replace(at, 3, "end ");
  std::string header = binary_stl();
  header.replace(0, 6, "solid ");
  for (const std::string& bytes :
       {capitals, apart, " \n\t" + square_stl, square_stl + std::string(512, '\0'), header,
        header + "!", binary_stl() + "\r\n"}) {
    const auto mesh = read(bytes, MeshFormat::stl);
    ASSERT_TRUE(mesh) << mesh.error().message;
    expect_square(mesh.value());
    EXPECT_THAT(mesh.value().remarks, testing::IsEmpty());
  }
}

TEST(ReadMesh, remarks_what_it_leaves_out) {
  const auto remarks = [](const std::string& bytes, MeshFormat format) {
    const auto mesh = read(bytes, format);
    EXPECT_TRUE(mesh) << mesh.error().message;
    return mesh ? testing::PrintToString(mesh.value().remarks) : "";
  };
  EXPECT_THAT(remarks(binary_stl() + std::string(60, 'x'), MeshFormat::stl),
              HasSubstr("counts 2 triangles; the 60 bytes after them"));
  EXPECT_THAT(remarks(square_stl.substr(0, square_stl.find("endsolid s\nsolid")), MeshFormat::stl),
              HasSubstr("without the line 'endsolid'"));
  EXPECT_THAT(remarks(square_stl + "facet\nvertex 0 0 0\nvertex 0 0 0\nvertex 1 0 0\nendfacet\n",
                      MeshFormat::stl),
              HasSubstr("1 facets with two corners in one place"));
  EXPECT_THAT(remarks(square_obj + "f 1 2 2\n", MeshFormat::obj),
              HasSubstr("1 faces with fewer than three different corners"));
}

TEST(ReadMesh, reads_vtk_polygons_and_strips) {
  const auto mesh = read(
      "<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"4\"><Points>\n"
      "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 1 1 0 0 1 "
      "0"
      "</DataArray></Points><Verts><DataArray Name=\"connectivity\">9</DataArray></Verts>"
      "<Polys><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray>"
      "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">4</DataArray></Polys></Piece>"
      "<Piece NumberOfPoints=\"4\"><Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" "
      "format=\"ascii\">2 0 0 3 0 0 2 1 0 3 1 0</DataArray></Points><Strips>"
      "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 "
      "3</DataArray><DataArray "
      "type=\"Int32\" Name=\"offsets\" format=\"ascii\">4</DataArray></Strips></Piece></PolyData>"
      "</VTKFile>",
      MeshFormat::vtp);
  ASSERT_TRUE(mesh) << mesh.error().message;
  EXPECT_EQ(mesh.value().vertices.size(), 8U);
  EXPECT_EQ(mesh.value().triangles,
            (std::vector<TriangleIndices>{{0, 1, 2}, {0, 2, 3}, {4, 5, 6}, {6, 5, 7}}));
}

// Symptom: what the offsets left over was dropped in silence.
TEST(ReadMesh, refuses_vtk_cells_that_end_before_their_corners) {
  const auto mesh = read(
      "<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"4\"><Points>\n"
      "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 1 1 0 0 1 "
      "0</DataArray></Points><Polys><DataArray type=\"Int32\" Name=\"connectivity\" "
      "format=\"ascii\">0 1 2 0 2 3</DataArray><DataArray type=\"Int32\" Name=\"offsets\" "
      "format=\"ascii\">3</DataArray></Polys></Piece></PolyData></VTKFile>",
      MeshFormat::vtp);
  ASSERT_FALSE(mesh);
  EXPECT_THAT(mesh.error().message, HasSubstr("the cells of Polys end at entry 3 of 6"));
}

TEST(MeshFormatFromName, goes_by_the_ending) {
  EXPECT_EQ(mesh_format_from_name("a/cloth.OBJ"), MeshFormat::obj);
  EXPECT_EQ(mesh_format_from_name("x.y.ply"), MeshFormat::ply);
  EXPECT_EQ(mesh_format_from_name("x.stl"), MeshFormat::stl);
  EXPECT_EQ(mesh_format_from_name("x.vtp"), MeshFormat::vtp);
  EXPECT_EQ(mesh_format_from_name("x.gltf"), std::nullopt);
  EXPECT_EQ(mesh_format_from_name(".obj"), std::nullopt);
  EXPECT_EQ(mesh_format_from_name(""), std::nullopt);
}

}  // namespace
}  // namespace sluice::geometry
