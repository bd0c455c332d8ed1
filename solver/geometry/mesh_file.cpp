// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/mesh_file.h"

#include <algorithm>
#include <cctype>

#include "solver/geometry/mesh_readers.h"

namespace sluice::geometry {
namespace {

using mesh_readers::ends_with_ignoring_case;

Result<TriangleMesh> read(std::string_view text, MeshFormat format) {
  switch (format) {
    case MeshFormat::obj:
      return mesh_readers::read_obj(text);
    case MeshFormat::ply:
      return mesh_readers::read_ply(text);
    case MeshFormat::stl:
      return mesh_readers::read_stl(text);
  }
  return mesh_readers::mesh_error("unknown mesh format");
}

}  // namespace

bool mesh_readers::ends_with_ignoring_case(std::string_view name, std::string_view ending) {
  return name.size() > ending.size() &&
         std::equal(ending.rbegin(), ending.rend(), name.rbegin(), [](char e, char n) {
           return e == std::tolower(static_cast<unsigned char>(n));
         });
}

std::string mesh_readers::quoted(std::string_view text) {
  constexpr std::size_t longest = 32;
  std::string result = "'";
  for (const char c : text.substr(0, longest)) {
    result += std::isprint(static_cast<unsigned char>(c)) != 0 ? c : '?';
  }
  return result + (text.size() > longest ? "...'" : "'");
}

std::optional<MeshFormat> mesh_format_from_name(std::string_view name) noexcept {
  if (ends_with_ignoring_case(name, ".obj")) return MeshFormat::obj;
  if (ends_with_ignoring_case(name, ".ply")) return MeshFormat::ply;
  if (ends_with_ignoring_case(name, ".stl")) return MeshFormat::stl;
  return std::nullopt;
}

Result<TriangleMesh> read_mesh(std::span<const std::byte> bytes, MeshFormat format) {
  Result<TriangleMesh> mesh =
      read({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, format);
  if (mesh && mesh.value().triangles.empty()) {
    return mesh_readers::mesh_error("the mesh file has no triangles");
  }
  return mesh;
}

}  // namespace sluice::geometry
