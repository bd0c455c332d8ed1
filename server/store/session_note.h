// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a session's own folder says of it, so that the folder alone can bring its row back.
///
///   <folder>/session    the row as it was created, with its scene and the commands it began with;
///                       written once, before the row
///   <folder>/standing   its state since, in the same form without scene and commands; replaced
///                       after the row
///
///   file    = magic:8 "SLUICROW"  version:u32 = 1  crc:u32  length:u64  payload:length
///   payload = text{6}  number{9}  command_count:u64  command{command_count}
///   text    = length:u64  octet{length}
///   command = sequence:u64  frame_index:u64  text
///
/// texts: id, request_id, display_name, state_message, scene_bytes, options_bytes. numbers: the
/// integers of SessionRecord in the order of its declaration, as u64. All is little-endian; crc is
/// the CRC32C of the payload.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "server/store/records.h"
#include "server/store/shared_bytes.h"
#include "server/store/store_error.h"

namespace sluice::store {

struct SessionNote {
  SessionRecord row = {};
  std::vector<CommandRecord> commands = {};  ///< By sequence.
};

[[nodiscard]] std::vector<std::byte> encode_note(const SessionNote& note);

/// What `bytes` hold; nothing if they are not whole, or not of a version that is known here.
[[nodiscard]] std::optional<SessionNote> decode_note(ByteView bytes);

/// Both are durable on return, and a crash leaves the old file or the new one.
[[nodiscard]] Status write_session_note(const std::filesystem::path& folder,
                                        const SessionNote& note);
[[nodiscard]] Status write_standing_note(const std::filesystem::path& folder,
                                         const SessionRecord& row);

/// What Database::put_warnings keeps of the session: the same guarantees.
[[nodiscard]] Status write_warnings_note(const std::filesystem::path& folder,
                                         const std::string& payload_bytes);

/// `not_found` where there is none, `corrupt` for one that fails its checksum.
[[nodiscard]] Result<SessionNote> read_session_note(const std::filesystem::path& folder);
[[nodiscard]] Result<SessionRecord> read_standing_note(const std::filesystem::path& folder);
[[nodiscard]] Result<std::string> read_warnings_note(const std::filesystem::path& folder);

/// Overwrites in `row` what changes over a session's life with what `standing` says of it.
void apply_standing(const SessionRecord& standing, SessionRecord& row);

}  // namespace sluice::store
