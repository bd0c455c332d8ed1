// SPDX-License-Identifier: Apache-2.0
// Any bytes as a mesh file with tetrahedra or triangles, in every format: nothing may crash or
// hang, a mesh that is read must be whole, and what is refused must say why.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "solver/geometry/volume_file.h"
#include "tests/unit/solver/geometry/two_tet_files.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using namespace sluice::geometry;

void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "broken promise: %s\n", what);
    std::abort();
  }
}

void check_error(const sluice::Error& error) {
  require(error.code == sluice::ErrorCode::invalid_mesh, "what is refused is an invalid mesh");
  require(!error.message.empty(), "what is refused says why");
  require(error.message.size() < 1000, "a message is short, whatever the file has in it");
}

template <typename Cell>
void check_mesh(const std::vector<sluice::Vec3>& vertices, const std::vector<Cell>& cells) {
  require(!cells.empty(), "a mesh has cells");
  std::vector<bool> is_used(vertices.size(), false);
  for (const Cell& cell : cells) {
    for (const std::int32_t corner : cell) {
      require(corner >= 0 && static_cast<std::size_t>(corner) < vertices.size(),
              "a corner is a vertex");
      is_used[static_cast<std::size_t>(corner)] = true;
    }
  }
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    require(vertices[v].allFinite(), "a vertex is finite");
    require(is_used[v], "a vertex is used");
  }
}

}  // namespace

// Random bytes hardly ever spell a binary file: now and then one of the known files is the start.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  static const std::vector<TwoTetFile>& files = *new std::vector<TwoTetFile>(two_tet_files());
  std::minstd_rand random(seed);
  if (size < 2 || random() % 64 == 0) {
    const std::string& fresh = files[random() % files.size()].bytes;
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
  for (const VolumeFormat format : {VolumeFormat::msh, VolumeFormat::vtk, VolumeFormat::vtu}) {
    if (const auto mesh = read_tet_mesh(bytes, format)) {
      check_mesh(mesh.value().vertices, mesh.value().tets);
      require(!read_triangle_mesh(bytes, format), "a file with tetrahedra is no surface");
    } else {
      check_error(mesh.error());
    }
    if (const auto mesh = read_triangle_mesh(bytes, format)) {
      check_mesh(mesh.value().vertices, mesh.value().triangles);
    } else {
      check_error(mesh.error());
    }
  }
  return 0;
}
