// SPDX-License-Identifier: Apache-2.0
// Any bytes as a surface in every format, joined and mended as scenes have it: nothing may crash or
// hang, a surface that is read must be whole, and what is refused must say why.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "solver/geometry/mesh_file.h"
#include "solver/geometry/slivers.h"
#include "solver/geometry/unused_vertices.h"
#include "solver/geometry/weld.h"
#include "tests/e2e/surface_files.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using namespace sluice::geometry;

void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "broken promise: %s\n", what);
    std::abort();
  }
}

void check_surface(const TriangleMesh& mesh) {
  for (const sluice::TriangleIndices& triangle : mesh.triangles) {
    for (const std::int32_t corner : triangle) {
      require(corner >= 0 && static_cast<std::size_t>(corner) < mesh.vertices.size(),
              "a corner is a vertex");
    }
  }
  for (const sluice::Vec3& vertex : mesh.vertices)
    require(vertex.allFinite(), "a vertex is finite");
}

void mend(const TriangleMesh& mesh, double distance) {
  Welded<TriangleMesh> welded = weld_seams(mesh, distance);
  check_surface(welded.mesh);
  require(welded.mesh.triangles.size() + static_cast<std::size_t>(welded.collapsed_count) ==
              mesh.triangles.size(),
          "triangles are kept or counted");
  require(welded.mesh.vertices.size() + static_cast<std::size_t>(welded.joined_count) ==
              mesh.vertices.size(),
          "vertices are kept or counted");
  take_out_slivers(welded.mesh);
  check_surface(welded.mesh);
  leave_out_unused(welded.mesh);
  check_surface(welded.mesh);
}

std::vector<std::string> seeds() {
  std::vector<std::string> all{
      "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nf 1/1 2//2 3 4 -2 -1\n",
      "<VTKFile type=\"PolyData\"><Piece NumberOfPoints=\"3\"><Points><DataArray type=\"Float64\" "
      "NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 0 1 0</DataArray></Points><Polys>"
      "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 "
      "2</DataArray><DataArray "
      "type=\"Int32\" Name=\"offsets\" format=\"ascii\">3</DataArray></Polys></Piece></VTKFile>"};
  for (const sluice::e2e::MeshFile& file : sluice::e2e::surface_files(sluice::e2e::cube(1)))
    all.push_back(file.bytes);
  return all;
}

}  // namespace

// Random bytes hardly ever spell a binary file: now and then one of the known files is the start.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  static const std::vector<std::string>& files = *new std::vector<std::string>(seeds());
  std::minstd_rand random(seed);
  if (size < 2 || random() % 64 == 0) {
    const std::string& fresh = files[random() % files.size()];
    if (fresh.size() <= max_size) {
      std::memcpy(data, fresh.data(), fresh.size());
      size = fresh.size();
    }
  }
  return LLVMFuzzerMutate(data, size, max_size);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  // A file of another format ends at its first word.
  for (const MeshFormat format :
       {MeshFormat::obj, MeshFormat::ply, MeshFormat::stl, MeshFormat::vtp}) {
    const auto mesh = read_mesh(bytes, format);
    if (!mesh) {
      require(mesh.error().code == sluice::ErrorCode::invalid_mesh,
              "what is refused is an invalid mesh");
      require(!mesh.error().message.empty() && mesh.error().message.size() < 1000,
              "what is refused says why, shortly");
      continue;
    }
    require(!mesh.value().triangles.empty(), "a surface has triangles");
    check_surface(mesh.value());
    for (const double distance : {0., 0.1})
      mend(mesh.value(), distance);
  }
  return 0;
}
