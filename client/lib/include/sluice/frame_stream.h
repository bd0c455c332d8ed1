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

/// The frames to stream, and their delivery; `StreamFramesRequest` explains each field.
struct FrameQuery {
  std::string session;                        ///< Name of the session: `sessions/{session}`.
  std::optional<std::int64_t> first_index{};  ///< If unset, 0; with `latest`, the newest frame.
  std::int32_t stride{1};                     ///< Distance of the frames, in [1, 1000000].
  std::vector<std::string> bodies{};          ///< The bodies wanted; all if empty.
  std::vector<v1::Field> fields{};            ///< The fields wanted; all stored ones if empty.
  bool latest{false};             ///< Skip frames rather than fall behind; else every frame comes.
  std::int32_t max_in_flight{0};  ///< Credits, in [0, 1024]; 0: only the transport limits.
  bool existing_only{false};      ///< End after the existing frames instead of waiting for more.

  /// Encoding of numbers: CODEC_F32 for the solver's own bits, or a quantised codec, which takes
  /// a fifth of the bytes and gives numbers within half a step (`Quantization` in frames.proto).
  v1::Codec codec{v1::CODEC_F32};
  std::int32_t quantization_bits{0};  ///< For a quantised codec, in [8, 24]; 0 means 16.
};

/// Reads frames in rising order. For one thread at a time; `stop` may be requested from any.
class FrameStream {
 public:
  FrameStream(const Connection& connection, FrameQuery query, std::stop_token stop = {});
  FrameStream(FrameStream&&) noexcept;
  FrameStream& operator=(FrameStream&&) noexcept;
  ~FrameStream();

  /// Waits for the next whole frame; nothing at the end of the stream, or after `stop`.
  ///
  /// With credits, this call also acknowledges the frame before, so that the returned frame is at
  /// most `max_in_flight` frames old. If the stream breaks or a checksum is wrong, a new stream
  /// starts behind the last whole frame: no frame comes twice and, without `latest`, none is left
  /// out. Throws `Error`: `not_found`, `out_of_range`, `invalid_argument`; and `unavailable` or
  /// `data_loss` after `ConnectionOptions::retry_for` without a frame, but at once if the server
  /// was never reached.
  std::optional<Frame> next();

  /// Number of times that the stream broke and was opened again.
  [[nodiscard]] int reconnect_count() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Gets one frame by a unary call; the newest if `index` is unset. Throws `out_of_range` if it does
/// not exist, `resource_exhausted` if it exceeds the message size limit: then use `FrameStream`.
Frame get_frame(const Connection& connection, const std::string& session,
                std::optional<std::int64_t> index = {});

/// Gets bodies and topology of an epoch; the newest if `epoch` is unset. Throws `not_found`;
/// `out_of_range` for an epoch that does not exist; `failed_precondition` before the first frame.
v1::Layout get_layout(const Connection& connection, const std::string& session,
                      std::optional<std::int64_t> epoch = {});

}  // namespace sluice::client
