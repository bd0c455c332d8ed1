// SPDX-License-Identifier: Apache-2.0
#include "server/convert/frame_convert.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "proto/wire/crc32c.h"

namespace sluice::convert {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are little-endian on the wire");

struct FieldPair {
  Field solver;
  v1::Field api;
};
constexpr std::array field_pairs{FieldPair{Field::position, v1::FIELD_POSITION},
                                 FieldPair{Field::velocity, v1::FIELD_VELOCITY},
                                 FieldPair{Field::pressure, v1::FIELD_PRESSURE},
                                 FieldPair{Field::density, v1::FIELD_DENSITY},
                                 FieldPair{Field::contact_force, v1::FIELD_CONTACT_FORCE},
                                 FieldPair{Field::smoke, v1::FIELD_SMOKE},
                                 FieldPair{Field::temperature, v1::FIELD_TEMPERATURE},
                                 FieldPair{Field::dye, v1::FIELD_DYE},
                                 FieldPair{Field::cell_level, v1::FIELD_CELL_LEVEL},
                                 FieldPair{Field::interior_cell, v1::FIELD_INTERIOR_CELL}};

// In the order of Stage, as `StageTime.stage` has them.
constexpr std::array<const char*, stage_count> stage_names{
    "fluid transfers",   "fluid grid", "fluid pressure", "fluid sorting", "solid",
    "contact detection", "coupling",   "step filter",    "output"};

v1::BodyKind convert_kind(BodyKind kind) {
  switch (kind) {
    case BodyKind::particles:
      return v1::BODY_KIND_PARTICLES;
    case BodyKind::surface:
      return v1::BODY_KIND_SURFACE;
    case BodyKind::volume:
      return v1::BODY_KIND_VOLUME;
    case BodyKind::cells:
      return v1::BODY_KIND_CELLS;
  }
  return v1::BODY_KIND_UNSPECIFIED;
}

v1::WarningKind convert_kind(WarningKind kind) {
  switch (kind) {
    case WarningKind::volume_lost:
      return v1::WARNING_KIND_VOLUME_LOST;
    case WarningKind::not_converged:
      return v1::WARNING_KIND_NOT_CONVERGED;
    case WarningKind::energy_grew:
      return v1::WARNING_KIND_ENERGY_GREW;
    case WarningKind::particles_lost:
      return v1::WARNING_KIND_PARTICLES_LOST;
    case WarningKind::emitter_blocked:
      return v1::WARNING_KIND_EMITTER_BLOCKED;
    case WarningKind::stopped_short:
      return v1::WARNING_KIND_STOPPED_SHORT;
    case WarningKind::detail_lost:
      return v1::WARNING_KIND_DETAIL_LOST;
  }
  return v1::WARNING_KIND_UNSPECIFIED;
}

v1::CellLattice convert_lattice(const CellLattice& lattice) {
  v1::CellLattice converted;
  for (int axis = 0; axis < 3; ++axis) {
    converted.add_counts(lattice.counts[static_cast<std::size_t>(axis)]);
    converted.add_lower(lattice.lower[axis]);
    converted.add_edges(lattice.edges[axis]);
  }
  return converted;
}

}  // namespace

v1::Field convert_field(Field field) {
  return std::ranges::find(field_pairs, field, &FieldPair::solver)->api;
}

std::optional<Field> convert_field(v1::Field field) {
  const auto* const found = std::ranges::find(field_pairs, field, &FieldPair::api);
  return found == field_pairs.end() ? std::nullopt : std::optional(found->solver);
}

v1::Layout convert_layout(std::span<const BodyLayout> bodies, const SceneFacts& scene,
                          std::int64_t epoch) {
  v1::Layout layout;
  layout.set_epoch(epoch);
  layout.set_frames_per_second(scene.frames_per_second);
  for (int axis = 0; axis < 3; ++axis) {
    layout.add_domain_lower(scene.domain_lower[axis]);
    layout.add_domain_upper(scene.domain_upper[axis]);
  }
  const auto have_all = [&](Field field) {
    return std::ranges::all_of(bodies, [&](const BodyLayout& body) {
      return std::ranges::find(body.fields, field) != body.fields.end();
    });
  };
  for (const Field field : {Field::position, Field::velocity}) {
    if (have_all(field)) layout.add_fields(convert_field(field));
  }
  for (const BodyLayout& from : bodies) {
    v1::Body& body = *layout.add_bodies();
    body.set_name(from.name);
    body.set_kind(convert_kind(from.kind));
    body.set_count(from.count);
    for (const Field field : from.fields)
      body.add_fields(convert_field(field));
    for (const std::uint32_t id : from.ids)
      body.add_ids(id);
    if (from.lattice) *body.mutable_lattice() = convert_lattice(*from.lattice);
    if (epoch > 0) continue;
    const std::span<const TriangleIndices> triangles(from.triangles);
    if (!triangles.empty()) body.set_triangles(triangles.data(), triangles.size_bytes());
    const std::span<const geometry::TetIndices> tets(from.tetrahedra);
    if (!tets.empty()) body.set_tetrahedra(tets.data(), tets.size_bytes());
  }
  return layout;
}

v1::FrameStatistics convert_statistics(const FrameStatistics& statistics, double solve_seconds) {
  v1::FrameStatistics converted;
  converted.set_substep_count(statistics.substep_count);
  converted.set_iteration_count(statistics.iteration_count);
  converted.set_residual(statistics.residual);
  converted.set_smallest_gap(statistics.smallest_gap);
  converted.set_contact_count(statistics.contact_count);
  converted.set_stopped_count(statistics.stopped_count);
  converted.set_kinetic_energy(statistics.kinetic_energy);
  for (const double component : statistics.momentum)
    converted.add_momentum(component);
  converted.set_potential_energy(statistics.potential_energy);
  converted.set_emitted_count(statistics.emitted_count);
  converted.set_removed_count(statistics.removed_count);
  converted.set_particle_count(statistics.particle_count);
  converted.set_pressure_iteration_count(statistics.pressure_iteration_count);
  converted.set_pressure_residual(statistics.pressure_residual);
  for (const std::int64_t count : statistics.cell_counts)
    converted.add_cell_counts(count);
  converted.set_settled_count(statistics.settled_count);
  converted.set_interior_count(statistics.interior_count);
  for (const Warning& warning : statistics.warnings) {
    v1::Warning& added = *converted.add_warnings();
    added.set_kind(convert_kind(warning.kind));
    added.set_body(warning.body);
    added.set_message(warning.message);
    added.set_value(warning.value);
    added.set_limit(warning.limit);
  }
  converted.set_solve_seconds(solve_seconds);
  for (std::size_t stage = 0; stage < stage_count; ++stage) {
    if (statistics.stage_seconds[stage] <= 0) continue;
    v1::StageTime& time = *converted.add_stage_times();
    time.set_stage(stage_names[stage]);
    time.set_seconds(statistics.stage_seconds[stage]);
  }
  return converted;
}

FrameMessages convert_frame(std::span<const BodyLayout> bodies, std::span<const FieldView> fields,
                            std::span<const ObstacleOffset> obstacle_offsets, v1::Cursor cursor,
                            double time_seconds) {
  FrameMessages frame;
  *frame.header.mutable_cursor() = std::move(cursor);
  frame.header.set_time_seconds(time_seconds);
  for (const ObstacleOffset& moved : obstacle_offsets) {
    v1::ObstacleOffset& offset = *frame.header.add_obstacle_offsets();
    offset.set_body(moved.body);
    for (const double component : moved.offset)
      offset.add_offset(component);
  }
  for (const FieldView& field : fields) {
    const std::span<const std::byte> bytes = std::as_bytes(field.values);
    const int array = frame.header.arrays_size();
    v1::ArrayDescriptor& descriptor = *frame.header.add_arrays();
    descriptor.set_body(bodies[field.body].name);
    descriptor.set_field(convert_field(field.field));
    const int components = component_count(field.field);
    descriptor.set_count(static_cast<std::int64_t>(field.values.size()) / components);
    descriptor.set_component_count(components);
    descriptor.set_codec(v1::CODEC_F32);
    descriptor.set_byte_count(static_cast<std::int64_t>(bytes.size()));
    for (std::size_t offset = 0; offset < bytes.size(); offset += frame_chunk_bytes) {
      const std::span<const std::byte> piece =
          bytes.subspan(offset, std::min(frame_chunk_bytes, bytes.size() - offset));
      v1::FrameChunk& chunk = frame.chunks.emplace_back();
      chunk.set_array(array);
      chunk.set_offset(static_cast<std::int64_t>(offset));
      chunk.set_data(piece.data(), piece.size());
      chunk.set_crc32c(wire::crc32c(piece));
    }
  }
  return frame;
}

}  // namespace sluice::convert
