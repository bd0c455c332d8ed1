// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/text_encoding.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "solver/geometry/mesh_readers.h"
#include "solver/geometry/mesh_text.h"

namespace sluice::geometry::mesh_text {
namespace {

using namespace std::string_view_literals;

// Text in UTF-16 has a zero in every second byte, as long as it is of ASCII's characters.
bool has_zeros_between(std::string_view bytes, std::size_t first_zero) {
  constexpr std::size_t looked_at = 8;
  if (bytes.size() < looked_at) return false;
  for (std::size_t i = 0; i < looked_at; ++i) {
    if ((bytes[i] == '\0') != (i % 2 == first_zero)) return false;
  }
  return true;
}

std::optional<std::string_view> foreign_encoding(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xFE\0\0"sv) || bytes.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32";
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) return "UTF-16";
  if (has_zeros_between(bytes, 0) || has_zeros_between(bytes, 1)) return "UTF-16";
  return std::nullopt;
}

struct Signature {
  std::string_view start;  // In lower case.
  std::string_view format;
};

// Files that people take for a mesh of ours, or give a wrong ending.
constexpr std::array<Signature, 19> signatures{{{"ply", "a PLY file"},
                                                {"solid", "an STL file"},
                                                {"$meshformat", "a Gmsh file"},
                                                {"$nod", "a Gmsh file of version 1"},
                                                {"# vtk datafile", "a VTK file"},
                                                {"<vtkfile", "a VTK XML file"},
                                                {"<?xml", "an XML file"},
                                                {"<!doctype", "a web page"},
                                                {"<html", "a web page"},
                                                {"v ", "an OBJ file"},
                                                {"mtllib ", "an OBJ file"},
                                                {"off", "an OFF file"},
                                                {"gltf", "a glTF file"},
                                                {"kaydara fbx", "an FBX file"},
                                                {"blender", "a Blender file"},
                                                {"iso-10303-21", "a STEP file"},
                                                {"\x1f\x8b", "a gzip archive"},
                                                {"pk\x03\x04", "a ZIP archive"},
                                                {"\x89hdf", "an HDF5 file"}}};

std::optional<std::string_view> known_format(std::string_view bytes) {
  for (const auto& [start, format] : signatures) {
    const bool holds = bytes.size() >= start.size() &&
                       std::equal(start.begin(), start.end(), bytes.begin(), [](char s, char b) {
                         return s == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
                       });
    if (holds) return format;
  }
  return std::nullopt;
}

}  // namespace

Result<std::string_view> without_byte_order_mark(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) return bytes.substr(3);
  if (const auto encoding = foreign_encoding(bytes)) {
    return mesh_readers::mesh_error("the file is " + std::string(*encoding) + "; save it as UTF-8");
  }
  return bytes;
}

bool is_of_known_format(std::string_view bytes) { return known_format(bytes).has_value(); }

std::string start_of(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(blanks);
  if (first == std::string_view::npos) return bytes.empty() ? "is empty" : "has only blanks";
  bytes.remove_prefix(first);
  std::string_view line = bytes.substr(0, bytes.find_first_of("\r\n"));
  line = line.substr(0, line.find_last_not_of(blanks) + 1);
  std::string text = "starts with " + mesh_readers::quoted(line);
  if (const auto format = known_format(bytes)) text += ", as " + std::string(*format) + " does";
  return text;
}

}  // namespace sluice::geometry::mesh_text
