// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How a frame lies in the store: ready to be sent.
///
///   record  = message+
///   message = length:u32 octet{length}
///
/// length is little-endian; the octets are a serialised sluice.v1.StreamFramesResponse, the first
/// with `header`, each other with a `chunk`. So an unfiltered subscriber is sent what was stored,
/// byte for byte, neither decoded nor encoded again.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/store/shared_bytes.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::stream {

/// The messages of a record, header first, each a part that keeps the record alive.
using FrameMessages = std::vector<store::SharedBytes>;

/// The messages of `record`; nothing if it does not have this form. Looks at lengths alone.
[[nodiscard]] std::optional<FrameMessages> split_frame_record(const store::SharedBytes& record);

/// The header in the first of `messages`, or nothing if it holds none.
[[nodiscard]] std::optional<v1::FrameHeader> read_frame_header(const FrameMessages& messages);

/// Appends `message`, serialised, with its length before it.
void append_frame_message(const v1::StreamFramesResponse& message, std::string& record);

/// Bytes with the content of `text`, which moves into them.
[[nodiscard]] store::SharedBytes share(std::string text);

/// CRC32C of what must be the same whenever the frame is computed: all but
/// `FrameHeader.statistics`, which tells how long the solver took. Nothing if `record` does not
/// have this form.
[[nodiscard]] std::optional<std::uint32_t> frame_fingerprint(const store::SharedBytes& record);

/// The frame in one message, as `Frames.Get` answers it; nothing if `messages` are not of this
/// form.
[[nodiscard]] std::optional<v1::Frame> whole_frame(const FrameMessages& messages);

}  // namespace sluice::stream
