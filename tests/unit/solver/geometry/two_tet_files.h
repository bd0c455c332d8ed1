// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "solver/geometry/volume_file.h"
#include "tests/unit/solver/geometry/encoded_vtu_files.h"

// In every format the same two tetrahedra (0 1 2 3) and (1 2 3 4) of a cube's corners, with a
// point, a line and a triangle as Gmsh adds them and a node, the second, that no tetrahedron uses.
namespace sluice::geometry {

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

inline const char* const msh2_text =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"body\"\n$EndPhysicalNames\n"
    "$Nodes\n6\n10 0 0 0\n20 9 9 9\n30 1 0 0\n5 0 1 0\n50 0. 0 1e0\n60 1 1 1\n$EndNodes\n"
    "$Elements\n5\n1 15 2 0 1 20\n2 1 2 0 1 10 30\n3 2 2 0 1 10 5 30\n4 4 2 1 1 10 30 5 50\n"
    "5 4 3 1 1 0 30 5 50 60\n$EndElements\n";

inline std::string msh2_binary(Order order) {
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

inline const char* const msh40_text =
    "$Comments\nby hand\n$EndComments\n$MeshFormat\n4.0 0 8\n$EndMeshFormat\n"
    "$Nodes\n3 6\n1 0 0 1\n10 0 0 0\n1 2 1 2\n20 9 9 9 0.5 0.5\n30 1 0 0 0.5 0.25\n"
    "1 3 0 3\n5 0 1 0\n50 0 0 1\n60 1 1 1\n$EndNodes\n"
    "$Elements\n4 5\n1 0 15 1\n1 20\n1 1 1 1\n2 10 30\n1 2 2 1\n3 10 5 30\n1 3 4 2\n"
    "4 10 30 5 50\n5 30 5 50 60\n$EndElements\n";

inline std::string msh40_binary(Order order) {
  const auto node = [&](I tag, double x, double y, double z) {
    return packed(order, tag, x, y, z);
  };
  return "$MeshFormat\n4.0 1 8\n" + packed(order, I{1}) + "\n$EndMeshFormat\n$Nodes\n" +
         packed(order, N{3}, N{6}) + packed(order, I{1}, I{0}, I{0}, N{1}) + node(10, 0, 0, 0) +
         packed(order, I{1}, I{2}, I{1}, N{2}) + node(20, 9, 9, 9) + packed(order, 0.5, 0.5) +
         node(30, 1, 0, 0) + packed(order, 0.5, 0.25) + packed(order, I{1}, I{3}, I{0}, N{3}) +
         node(5, 0, 1, 0) + node(50, 0, 0, 1) + node(60, 1, 1, 1) + "\n$EndNodes\n$Elements\n" +
         packed(order, N{4}, N{5}) + packed(order, I{1}, I{0}, I{15}, N{1}, I{1}, I{20}) +
         packed(order, I{1}, I{1}, I{1}, N{1}, I{2}, I{10}, I{30}) +
         packed(order, I{1}, I{2}, I{2}, N{1}, I{3}, I{10}, I{5}, I{30}) +
         packed(order, I{1}, I{3}, I{4}, N{2}, I{4}, I{10}, I{30}, I{5}, I{50}) +
         packed(order, I{5}, I{30}, I{5}, I{50}, I{60}) + "\n$EndElements\n";
}

inline const char* const msh4_text =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 0 0\n$EndEntities\n"
    "$Nodes\n3 6 5 60\n0 1 0 1\n10\n0 0 0\n2 1 1 2\n20\n30\n9 9 9 0.5 0.5\n1 0 0 0.5 0.25\n"
    "3 1 0 3\n5\n50\n60\n0 1 0\n0 0 1\n1 1 1\n$EndNodes\n"
    "$Elements\n4 5 1 5\n0 1 15 1\n1 20\n1 1 1 1\n2 10 30\n2 1 2 1\n3 10 5 30\n3 1 4 2\n"
    "4 10 30 5 50\n5 30 5 50 60\n$EndElements\n";

inline std::string msh4_binary(Order order) {
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

inline const char* const vtk2_text =
    "# vtk DataFile Version 2.0\na title\nASCII\nDATASET UNSTRUCTURED_GRID\n"
    "FIELD FieldData 1\nTIME 1 1 double\n0.5\nPOINTS 6 float\n0 0 0 9 9 9\n1 0 0\n0 1 0\n0 0 1 1 1 "
    "1\n"
    "METADATA\nINFORMATION 0\n\nCELLS 5 19\n1 1\n2 0 2\n3 0 3 2\n4 0 2 3 4\n4 2 3 4 5\n"
    "CELL_TYPES 5\n1 3 5 10 10\nCELL_DATA 5\nSCALARS junk int\n";

inline std::string vtk2_binary() {
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

inline const char* const vtk5_text =
    "# vtk DataFile Version 5.1\r\na title\r\nASCII\r\nDATASET UNSTRUCTURED_GRID\r\n"
    "POINTS 6 double\r\n0 0 0 9 9 9 1 0 0 0 1 0 0 0 1 1 1 1\r\n"
    "CELLS 6 14\r\nOFFSETS vtktypeint64\r\n0 1 3 6 10 14\r\nCONNECTIVITY vtktypeint64\r\n"
    "1 0 2 0 3 2 0 2 3 4 2 3 4 5\r\nCELL_TYPES 5\r\n1\r\n3\r\n5\r\n10\r\n10\r\n";

inline std::string vtk5_binary() {
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

inline const char* const vtu_text =
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

struct TwoTetFile {
  const char* name;
  std::string bytes;
  VolumeFormat format;
};

inline std::vector<TwoTetFile> two_tet_files() {
  std::vector<TwoTetFile> files{{"msh 2.2 text", msh2_text, VolumeFormat::msh},
                                {"msh 2.2 little", msh2_binary(Order::little), VolumeFormat::msh},
                                {"msh 2.2 big", msh2_binary(Order::big), VolumeFormat::msh},
                                {"msh 4.0 text", msh40_text, VolumeFormat::msh},
                                {"msh 4.0 little", msh40_binary(Order::little), VolumeFormat::msh},
                                {"msh 4.0 big", msh40_binary(Order::big), VolumeFormat::msh},
                                {"msh 4.1 text", msh4_text, VolumeFormat::msh},
                                {"msh 4.1 little", msh4_binary(Order::little), VolumeFormat::msh},
                                {"msh 4.1 big", msh4_binary(Order::big), VolumeFormat::msh},
                                {"vtk 2 text", vtk2_text, VolumeFormat::vtk},
                                {"vtk 3 binary", vtk2_binary(), VolumeFormat::vtk},
                                {"vtk 5 text", vtk5_text, VolumeFormat::vtk},
                                {"vtk 5 binary", vtk5_binary(), VolumeFormat::vtk},
                                {"vtu", vtu_text, VolumeFormat::vtu}};
  for (const auto& [name, bytes] : encoded_vtu_files())
    files.push_back({name, std::string(bytes), VolumeFormat::vtu});
  return files;
}

}  // namespace sluice::geometry
