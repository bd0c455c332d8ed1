// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sluice/v1/frames.pb.h"
#include "solver/simulation.h"

/// Converts frames and layouts of a Simulation into messages. Pure functions.
namespace sluice::convert {

/// Largest FrameChunk::data: messages of this size travel fastest.
inline constexpr std::size_t frame_chunk_bytes = std::size_t{1} << 20;

/// The facts of the scene that a layout repeats.
struct SceneFacts {
  double frames_per_second = 0;
  Vec3 domain_lower{0, 0, 0};  ///< [m]
  Vec3 domain_upper{0, 0, 0};  ///< [m]
};

/// Makes the layout of an epoch. Only the layout of epoch 0 holds triangles and tetrahedra: they
/// never change.
[[nodiscard]] v1::Layout convert_layout(std::span<const BodyLayout> bodies, const SceneFacts& scene,
                                        std::int64_t epoch);

/// Returns the API's field for a field of the solver.
[[nodiscard]] v1::Field convert_field(Field field);

/// Returns the solver's field for a field of the API; nothing for fields that it does not give.
[[nodiscard]] std::optional<Field> convert_field(v1::Field field);

/// Converts a frame's statistics. `solve_seconds` is the caller's measurement.
[[nodiscard]] v1::FrameStatistics convert_statistics(const FrameStatistics& statistics,
                                                     double solve_seconds);

/// A frame as messages, in the order they are sent.
struct FrameMessages {
  v1::FrameHeader header;              ///< Header without `statistics`, which the caller sets.
  std::vector<v1::FrameChunk> chunks;  ///< By array, then by offset; they cover each array exactly.
};

/// Makes a frame's messages. Arrays are written as CODEC_F32: the exact bits of the solver. An
/// array without values has no chunk.
[[nodiscard]] FrameMessages convert_frame(std::span<const BodyLayout> bodies,
                                          std::span<const FieldView> fields,
                                          std::span<const ObstacleOffset> obstacle_offsets,
                                          v1::Cursor cursor, double time_seconds);

}  // namespace sluice::convert
