// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "sluice/connection.h"
#include "sluice/frame.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::client {

/// Which frames, and how they are delivered; see `StreamFramesRequest` for each.
struct FrameQuery {
  std::string session;                        ///< `sessions/{session}`.
  std::optional<std::int64_t> first_index{};  ///< If unset: 0, or the newest with `latest`.
  std::int32_t stride{1};                     ///< In [1, 1000000].
  std::vector<std::string> bodies{};          ///< All if empty.
  std::vector<v1::Field> fields{};            ///< All if empty.
  bool latest{false};             ///< Skip frames rather than fall behind; else every frame comes.
  std::int32_t max_in_flight{0};  ///< Credits, in [0, 1024]; 0: only the transport holds back.
  bool existing_only{false};      ///< End after the frames that there are, rather than follow.

  /// How numbers travel: CODEC_F32 for the solver's own bits, or a quantised codec, which takes a
  /// fifth of the bytes and gives numbers within half a step (`Quantization` in frames.proto).
  v1::Codec codec{v1::CODEC_F32};
  std::int32_t quantization_bits{0};  ///< Of a quantised codec, in [8, 24]; 0 means 16.
};

/// Reads frames in rising order. For one thread at a time; `stop` may come from any.
class FrameStream {
 public:
  FrameStream(const Connection& connection, FrameQuery query, std::stop_token stop = {});
  FrameStream(FrameStream&&) noexcept;
  FrameStream& operator=(FrameStream&&) noexcept;
  ~FrameStream();

  /// Waits for the next whole frame; nothing at the end of the stream, or after `stop`.
  ///
  /// With credits, this call also acknowledges the frame before: so the age of what it returns is
  /// bounded by `max_in_flight` frames. A broken stream, or bytes whose checksum is wrong, are
  /// asked for again from the last whole frame on: no frame is given twice and, without `latest`,
  /// none is left out. Throws `Error`: `not_found`, `out_of_range`, `invalid_argument`; and
  /// `unavailable` or `data_loss` after `ConnectionOptions::retry_for` without a frame, at once if
  /// there was no server in the first place.
  std::optional<Frame> next();

  /// How often the stream broke and was opened again.
  [[nodiscard]] int reconnect_count() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One frame by a unary call; the newest if `index` is unset. Throws `out_of_range` for one that is
/// not there, `resource_exhausted` for one over the server's message size: then use `FrameStream`.
Frame get_frame(const Connection& connection, const std::string& session,
                std::optional<std::int64_t> index = {});

/// Bodies and topology of an epoch; of the newest if `epoch` is unset. Throws `not_found`;
/// `out_of_range` for an epoch that is not there; `failed_precondition` before the first frame.
v1::Layout get_layout(const Connection& connection, const std::string& session,
                      std::optional<std::int64_t> epoch = {});

}  // namespace sluice::client
