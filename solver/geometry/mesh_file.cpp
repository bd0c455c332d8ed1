// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/mesh_file.h"

#include <algorithm>
#include <cctype>

#include "solver/geometry/mesh_readers.h"
#include "solver/geometry/text_encoding.h"

namespace sluice::geometry {
namespace {

using mesh_readers::ends_with_ignoring_case;

Result<SurfaceFile> read(std::string_view bytes, MeshFormat format) {
  // Binary STL is told by its size, and what its header is does not matter.
  if (format == MeshFormat::stl) return mesh_readers::read_stl(bytes);
  const Result<std::string_view> text = mesh_text::without_byte_order_mark(bytes);
  if (!text) return text.error();
  switch (format) {
    case MeshFormat::obj:
      return mesh_readers::read_obj(text.value());
    case MeshFormat::ply:
      return mesh_readers::read_ply(text.value());
    case MeshFormat::vtp:
      return mesh_readers::read_vtp(text.value());
    case MeshFormat::stl:
      break;
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

Result<SurfaceFile> mesh_readers::from_polygons(std::vector<Vec3> vertices,
                                                const Polygons& polygons) {
  Result<SplitPolygons> split = split_polygons(vertices, polygons);
  if (!split) return split.error();
  SurfaceFile file;
  file.vertices = std::move(vertices);
  file.triangles = std::move(split.value().triangles);
  if (const std::int64_t count = split.value().left_out_count; count > 0) {
    file.remarks.push_back(std::to_string(count) +
                           " faces with fewer than three different corners are left out");
  }
  return file;
}

std::optional<MeshFormat> mesh_format_from_name(std::string_view name) noexcept {
  if (ends_with_ignoring_case(name, ".obj")) return MeshFormat::obj;
  if (ends_with_ignoring_case(name, ".ply")) return MeshFormat::ply;
  if (ends_with_ignoring_case(name, ".stl")) return MeshFormat::stl;
  if (ends_with_ignoring_case(name, ".vtp")) return MeshFormat::vtp;
  return std::nullopt;
}

Result<SurfaceFile> read_mesh(std::span<const std::byte> bytes, MeshFormat format) {
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  Result<SurfaceFile> mesh = read(text, format);
  if (mesh && mesh.value().triangles.empty()) {
    return mesh_readers::mesh_error("the mesh file has no triangles; it " +
                                    mesh_text::start_of(text));
  }
  return mesh;
}

}  // namespace sluice::geometry
