// SPDX-License-Identifier: Apache-2.0
#include "client/cli/export/gas_vdb.h"

#include <openvdb/openvdb.h>
#include <openvdb/tools/Dense.h>

#include <string>
#include <utility>

#include "client/render/vdb_file.h"

namespace sluice::cli {
namespace {

/// World from voxels.
openvdb::math::Transform::Ptr transform_of(const render::CellLattice& lattice) {
  const openvdb::Vec3d edges(lattice.edges.data());
  auto transform = openvdb::math::Transform::createLinearTransform();
  transform->postScale(edges);
  transform->postTranslate(openvdb::Vec3d(lattice.lower.data()) + 0.5 * edges);
  return transform;
}

/// The grid of `values`, which lie row by row along x; those that are `background` are left out.
template <class Grid>
typename Grid::Ptr make_grid(const render::CellLattice& lattice,
                             const typename Grid::ValueType* values,
                             const typename Grid::ValueType& background) {
  const openvdb::Coord last(lattice.counts[0] - 1, lattice.counts[1] - 1, lattice.counts[2] - 1);
  // It takes the values as they are, though it may write to others.
  const openvdb::tools::Dense<typename Grid::ValueType, openvdb::tools::LayoutXYZ> dense(
      openvdb::CoordBBox(openvdb::Coord(0), last),
      const_cast<typename Grid::ValueType*>(values));  // NOLINT(*-const-cast)
  auto grid = Grid::create(background);
  openvdb::tools::copyFromDense(dense, *grid, typename Grid::ValueType(0.0F));
  grid->setTransform(transform_of(lattice));
  return grid;
}

std::string grid_name(const std::string& field) {
  return field == "smoke" ? "density" : field == "velocity" ? "vel" : field;
}

openvdb::GridBase::Ptr make_grid(const render::CellLattice& lattice, const PointField& field,
                                 float ambient_temperature) {
  if (field.component_count == 3) {
    // Three floats without anything between, as it has them itself.
    const auto* const vectors = reinterpret_cast<const openvdb::Vec3s*>(field.values.data());
    auto grid = make_grid<openvdb::Vec3SGrid>(lattice, vectors, openvdb::Vec3s(0.0F));
    if (field.name == "velocity") {
      grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
    }
    return grid;
  }
  auto grid = make_grid<openvdb::FloatGrid>(
      lattice, field.values.data(), field.name == "temperature" ? ambient_temperature : 0.0F);
  grid->setGridClass(openvdb::GRID_FOG_VOLUME);
  return grid;
}

}  // namespace

void write_gas_vdb(const std::filesystem::path& path, const CellFields& gas,
                   float ambient_temperature) {
  openvdb::initialize();
  openvdb::GridCPtrVec grids;
  for (const PointField& field : gas.fields) {
    openvdb::GridBase::Ptr grid = make_grid(gas.lattice, field, ambient_temperature);
    grid->setName(grid_name(field.name));
    grids.push_back(std::move(grid));
  }
  render::write_vdb_file(path, grids);
}

}  // namespace sluice::cli
