// SPDX-License-Identifier: Apache-2.0
#include "solver/simulation/frame.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace sluice::simulation {

namespace {

bool has_field(Field field, BodyKind kind) {
  return kind == BodyKind::particles || field == Field::contact_force;
}

std::vector<Field> fields_of(BodyKind kind, std::span<const Field> extra) {
  std::vector<Field> fields{Field::position, Field::velocity};
  std::copy_if(extra.begin(), extra.end(), std::back_inserter(fields),
               [&](Field field) { return has_field(field, kind); });
  return fields;
}

}  // namespace

Frame::Frame(const scene::Scene& scene, const solid::ClothSystem& cloth,
             const fluid::MpmFluid* fluid)
    : extra_fields_(scene.output.fields) {
  for (std::size_t f = 0; f < scene.fluids.size(); ++f) {
    layout_.push_back({scene.fluids[f].name,
                       BodyKind::particles,
                       fluid->particle_count(f),
                       {},
                       fields_of(BodyKind::particles, extra_fields_)});
  }
  for (const solid::ClothRange& range : cloth.cloths) {
    BodyLayout body{range.name,
                    BodyKind::surface,
                    range.vertex_count,
                    {},
                    fields_of(BodyKind::surface, extra_fields_)};
    const auto first = static_cast<std::size_t>(range.first_triangle);
    for (std::size_t t = 0; t < static_cast<std::size_t>(range.triangle_count); ++t) {
      TriangleIndices corners = cloth.triangles[first + t];
      for (std::int32_t& corner : corners)
        corner -= range.first_vertex;
      body.triangles.push_back(corners);
    }
    layout_.push_back(std::move(body));
  }
  const std::size_t count =
      cloth.positions.size() +
      (fluid != nullptr ? static_cast<std::size_t>(fluid->particle_count()) : 0);
  positions_.resize(count);
  velocities_.resize(count);
  extra_.assign(extra_fields_.size(), std::vector<float>(count, 0.0F));
  update(cloth, fluid, {});
}

void Frame::update(const solid::ClothSystem& cloth, const fluid::MpmFluid* fluid,
                   const coupling::ContactForces& forces) {
  std::size_t first = 0;
  if (fluid != nullptr) {
    first = static_cast<std::size_t>(fluid->particle_count());
    fluid->gather_by_id(fluid->positions(), std::span(positions_).first(first));
    fluid->gather_by_id(fluid->velocities(), std::span(velocities_).first(first));
  }
  for (std::size_t i = 0; i < cloth.positions.size(); ++i) {
    positions_[first + i] = cloth.positions[i].cast<float>();
    velocities_[first + i] = cloth.velocities[i].cast<float>();
  }
  for (std::size_t f = 0; f < extra_fields_.size(); ++f) {
    const std::span<float> values(extra_[f]);
    if (extra_fields_[f] == Field::contact_force) {
      std::copy(forces.particles.begin(), forces.particles.end(), values.begin());
      std::copy(forces.vertices.begin(), forces.vertices.end(), values.subspan(first).begin());
    } else if (fluid != nullptr) {
      const bool is_pressure = extra_fields_[f] == Field::pressure;
      fluid->gather_by_id(is_pressure ? fluid->pressures() : fluid->densities(),
                          values.first(first));
    }
  }
}

std::vector<FieldView> Frame::fields() const {
  std::vector<FieldView> views;
  std::size_t first = 0;
  for (std::size_t body = 0; body < layout_.size(); ++body) {
    const auto count = static_cast<std::size_t>(layout_[body].count);
    for (const auto& [field, values] :
         {std::pair{Field::position, &positions_}, std::pair{Field::velocity, &velocities_}}) {
      const float* data = count == 0 ? nullptr : (*values)[first].data();
      views.push_back({body, field, std::span(data, 3 * count)});
    }
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
