// SPDX-License-Identifier: Apache-2.0
#include "solver/simulation/frame.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <utility>

#include "solver/fluid/abilities.h"

namespace sluice::simulation {

namespace {

bool has_field(Field field, BodyKind kind) {
  if (field == Field::velocity) return false;  // Bodies other than gas have it anyway.
  return kind == BodyKind::particles || field == Field::contact_force;
}

Field field_of(scene::Carried what) {
  switch (what) {
    case scene::Carried::smoke:
      return Field::smoke;
    case scene::Carried::temperature:
      return Field::temperature;
    case scene::Carried::dye:
      break;
  }
  return Field::dye;
}

BodyLayout layout_of(const scene::Gas& gas, const CellLattice& lattice,
                     std::span<const Field> extra) {
  BodyLayout layout{gas.name, BodyKind::cells, lattice.cell_count(), {}, {}};
  for (const scene::Carried what : gas.carries)
    layout.fields.push_back(field_of(what));
  std::copy_if(extra.begin(), extra.end(), std::back_inserter(layout.fields), [](Field field) {
    return field == Field::velocity || field == Field::pressure || field == Field::cell_level;
  });
  layout.lattice = lattice;
  return layout;
}

std::vector<Field> fields_of(BodyKind kind, std::span<const Field> extra) {
  std::vector<Field> fields{Field::position, Field::velocity};
  std::copy_if(extra.begin(), extra.end(), std::back_inserter(fields),
               [&](Field field) { return has_field(field, kind); });
  return fields;
}

/// Some of the cells of all bodies, by the vertices of one.
template <typename Cell>
std::vector<Cell> cells_of(const std::vector<Cell>& all, std::int32_t first, std::int32_t count,
                           std::int32_t first_vertex) {
  std::vector<Cell> cells(all.begin() + first, all.begin() + first + count);
  for (Cell& cell : cells) {
    for (std::int32_t& corner : cell)
      corner -= first_vertex;
  }
  return cells;
}

}  // namespace

Frame::Frame(const scene::Scene& scene, const solid::DeformableSystem& solids,
             const fluid::Fluid* fluid)
    : extra_fields_(scene.output.fields) {
  // So far cells are a gas's, and fluids are particles.
  const auto* const cells = fluid::as<fluid::HasCells>(fluid);
  const auto* const particles = fluid::as<fluid::ParticleFluid>(fluid);
  assert((cells != nullptr) == scene.gas.has_value());
  assert((particles != nullptr) == !scene.fluids.empty());
  if (cells != nullptr && scene.gas) {
    layout_.push_back(layout_of(*scene.gas, cells->lattice(), extra_fields_));
    for (const Field field : layout_.front().fields) {
      of_cells_.emplace_back(static_cast<std::size_t>(layout_.front().count) *
                             static_cast<std::size_t>(component_count(field)));
    }
  }
  for (std::size_t f = 0; particles != nullptr && f < scene.fluids.size(); ++f) {
    layout_.push_back({scene.fluids[f].name,
                       BodyKind::particles,
                       particles->particle_count(f),
                       {},
                       fields_of(BodyKind::particles, extra_fields_)});
    if (scene.grid.adaptive) layout_.back().fields.push_back(Field::interior_cell);
  }
  for (const solid::BodyRange& range : solids.bodies) {
    const BodyKind kind = range.tet_count > 0 ? BodyKind::volume : BodyKind::surface;
    layout_.push_back(
        {range.name, kind, range.vertex_count,
         cells_of(solids.triangles, range.first_triangle, range.triangle_count, range.first_vertex),
         fields_of(kind, extra_fields_),
         cells_of(solids.tets, range.first_tet, range.tet_count, range.first_vertex)});
  }
  positions_.resize(solids.positions.size());
  velocities_.resize(solids.positions.size());
  extra_.assign(extra_fields_.size(), std::vector<float>(solids.positions.size(), 0.0F));
  update(solids, fluid, {});
}

void Frame::update(const solid::DeformableSystem& solids, const fluid::Fluid* fluid,
                   const coupling::ContactForces& forces) {
  const auto* const particles = fluid::as<fluid::ParticleFluid>(fluid);
  for (std::size_t f = 0; f < of_cells_.size(); ++f)
    fluid::as<fluid::HasCells>(fluid)->read(layout_.front().fields[f], of_cells_[f]);
  std::size_t first = 0;
  if (particles != nullptr) {
    follow(*particles, solids.positions.size());
    first = static_cast<std::size_t>(particles->particle_count());
    particles->gather_rows(particles->positions(), std::span(positions_).first(first));
    particles->gather_rows(particles->velocities(), std::span(velocities_).first(first));
    if (const auto* const liquid = fluid::as<fluid::HasInterior>(fluid)) {
      interior_.clear();
      for (const auto& cell : liquid->interior_cells()) {
        interior_.insert(interior_.end(), std::begin(cell.middle), std::end(cell.middle));
        interior_.push_back(cell.edge);
      }
    }
  }
  for (std::size_t i = 0; i < solids.positions.size(); ++i) {
    positions_[first + i] = solids.positions[i].cast<float>();
    velocities_[first + i] = solids.velocities[i].cast<float>();
  }
  for (std::size_t f = 0; f < extra_fields_.size(); ++f) {
    const std::span<float> values(extra_[f]);
    if (extra_fields_[f] == Field::contact_force) {
      std::copy(forces.particles.begin(), forces.particles.end(), values.begin());
      std::copy(forces.vertices.begin(), forces.vertices.end(), values.subspan(first).begin());
    } else if (particles != nullptr) {
      const bool is_pressure = extra_fields_[f] == Field::pressure;
      particles->gather_rows(is_pressure ? particles->pressures() : particles->densities(),
                             values.first(first));
    }
  }
}

void Frame::follow(const fluid::ParticleFluid& particles, std::size_t vertex_count) {
  for (std::size_t f = 0; f < layout_.size() && layout_[f].kind == BodyKind::particles; ++f) {
    layout_[f].count = particles.particle_count(f);
    const std::span<const std::uint32_t> ids = particles.ids(f);
    layout_[f].ids.assign(ids.begin(), ids.end());
  }
  const std::size_t count = static_cast<std::size_t>(particles.particle_count()) + vertex_count;
  positions_.resize(count);
  velocities_.resize(count);
  for (std::vector<float>& values : extra_)
    values.resize(count);
}

std::vector<FieldView> Frame::fields() const {
  std::vector<FieldView> views;
  views.reserve(of_cells_.size() + (2 + extra_.size()) * layout_.size());
  std::size_t first = 0;
  for (std::size_t f = 0; f < of_cells_.size(); ++f)
    views.push_back({0, layout_.front().fields[f], of_cells_[f]});
  for (std::size_t body = 0; body < layout_.size(); ++body) {
    if (layout_[body].kind == BodyKind::cells) continue;
    const auto count = static_cast<std::size_t>(layout_[body].count);
    for (const auto& [field, values] :
         {std::pair{Field::position, &positions_}, std::pair{Field::velocity, &velocities_}}) {
      const float* data = count == 0 ? nullptr : (*values)[first].data();
      views.push_back({body, field, std::span(data, 3 * count)});
    }
    if (std::ranges::find(layout_[body].fields, Field::interior_cell) != layout_[body].fields.end())
      views.push_back(
          {body, Field::interior_cell, interior_});  // There is one such liquid at most.
    for (std::size_t f = 0; f < extra_fields_.size(); ++f) {
      if (!has_field(extra_fields_[f], layout_[body].kind)) continue;
      views.push_back(
          {body, extra_fields_[f], std::span<const float>(extra_[f]).subspan(first, count)});
    }
    first += count;
  }
  return views;
}

}  // namespace sluice::simulation
