// SPDX-License-Identifier: Apache-2.0
#include "server/convert/frame_convert.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "server/crc32c/crc32c.h"

namespace sluice::convert {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are little-endian on the wire");

constexpr int component_count = 3;

v1::Field convert_field(Field field) {
  return field == Field::position ? v1::FIELD_POSITION : v1::FIELD_VELOCITY;
}

v1::BodyKind convert_kind(BodyKind kind) {
  return kind == BodyKind::particles ? v1::BODY_KIND_PARTICLES : v1::BODY_KIND_SURFACE;
}

}  // namespace

v1::Layout convert_layout(std::span<const BodyLayout> bodies, double frames_per_second,
                          std::int64_t epoch) {
  v1::Layout layout;
  layout.set_epoch(epoch);
  layout.set_frames_per_second(frames_per_second);
  layout.add_fields(v1::FIELD_POSITION);
  layout.add_fields(v1::FIELD_VELOCITY);
  for (const BodyLayout& from : bodies) {
    v1::Body& body = *layout.add_bodies();
    body.set_name(from.name);
    body.set_kind(convert_kind(from.kind));
    body.set_count(from.count);
    const std::span<const TriangleIndices> triangles(from.triangles);
    if (!triangles.empty()) body.set_triangles(triangles.data(), triangles.size_bytes());
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
  converted.set_kinetic_energy(statistics.kinetic_energy);
  for (const double component : statistics.momentum)
    converted.add_momentum(component);
  converted.set_solve_seconds(solve_seconds);
  return converted;
}

FrameMessages convert_frame(std::span<const BodyLayout> bodies, std::span<const FieldView> fields,
                            v1::Cursor cursor, double time_seconds) {
  FrameMessages frame;
  *frame.header.mutable_cursor() = std::move(cursor);
  frame.header.set_time_seconds(time_seconds);
  for (const FieldView& field : fields) {
    const std::span<const std::byte> bytes = std::as_bytes(field.values);
    const int array = frame.header.arrays_size();
    v1::ArrayDescriptor& descriptor = *frame.header.add_arrays();
    descriptor.set_body(bodies[field.body].name);
    descriptor.set_field(convert_field(field.field));
    descriptor.set_count(static_cast<std::int64_t>(field.values.size()) / component_count);
    descriptor.set_component_count(component_count);
    descriptor.set_codec(v1::CODEC_F32);
    descriptor.set_byte_count(static_cast<std::int64_t>(bytes.size()));
    for (std::size_t offset = 0; offset < bytes.size(); offset += frame_chunk_bytes) {
      const std::span<const std::byte> piece =
          bytes.subspan(offset, std::min(frame_chunk_bytes, bytes.size() - offset));
      v1::FrameChunk& chunk = frame.chunks.emplace_back();
      chunk.set_array(array);
      chunk.set_offset(static_cast<std::int64_t>(offset));
      chunk.set_data(piece.data(), piece.size());
      chunk.set_crc32c(crc32c::crc32c(piece));
    }
  }
  return frame;
}

}  // namespace sluice::convert
