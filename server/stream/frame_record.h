// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The form of a stored frame, in which it is ready to be sent.
///
///   record  = message+
///   message = length:u32 octet{length}
///
/// length is little-endian; the octets are a serialised sluice.v1.StreamFramesResponse, the first
/// with `header`, each other with a `chunk`. So a subscriber without a filter is sent the stored
/// bytes as they are, neither decoded nor encoded again.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/store/shared_bytes.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::stream {

/// The messages of a frame, header first. A part of a record keeps the whole record alive.
using FrameMessages = std::vector<store::SharedBytes>;

/// Splits `record` into its messages, by their lengths only. Nothing if it has another form.
[[nodiscard]] std::optional<FrameMessages> split_frame_record(const store::SharedBytes& record);

/// Reads the header in the first of `messages`; nothing if that holds no header.
[[nodiscard]] std::optional<v1::FrameHeader> read_frame_header(const FrameMessages& messages);

/// Serialises `message` and appends its length and its bytes to `record`.
void append_frame_message(const v1::StreamFramesResponse& message, std::string& record);

/// Makes SharedBytes from `text`, without a copy.
[[nodiscard]] store::SharedBytes share(std::string text);

/// Returns the CRC32C of the frame's deterministic content: everything except
/// `FrameHeader.statistics`, which tells how long the solver took. Nothing if `record` does not
/// have this form.
[[nodiscard]] std::optional<std::uint32_t> frame_fingerprint(const store::SharedBytes& record);

/// Makes one message of the whole frame, as `Frames.Get` returns it. Nothing if `messages` have
/// another form.
[[nodiscard]] std::optional<v1::Frame> whole_frame(const FrameMessages& messages);

}  // namespace sluice::stream
