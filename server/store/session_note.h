// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Copies of a session's rows in its own folder, from which the rows can be restored.
///
///   <folder>/session    the row at its creation, with the scene and the first commands
///                       (written once, before the row)
///   <folder>/standing   the later state, in the same form without scene and commands (replaced
///                       after the row); <folder>/warnings: what Database::put_warnings stores
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
  std::vector<CommandRecord> commands = {};  ///< Sorted by sequence number.
};

[[nodiscard]] std::vector<std::byte> encode_note(const SessionNote& note);

/// Decodes a note. Nothing if `bytes` are damaged, or of another version of the format.
[[nodiscard]] std::optional<SessionNote> decode_note(ByteView bytes);

/// Write a note durably; a crash leaves the old file or the new one.
[[nodiscard]] Status write_session_note(const std::filesystem::path& folder,
                                        const SessionNote& note);
[[nodiscard]] Status write_standing_note(const std::filesystem::path& folder,
                                         const SessionRecord& row);

/// Writes what Database::put_warnings stores, with the same guarantees.
[[nodiscard]] Status write_warnings_note(const std::filesystem::path& folder,
                                         const std::string& payload_bytes);

/// Read a note. `not_found` if there is none, `corrupt` if it fails its checksum.
[[nodiscard]] Result<SessionNote> read_session_note(const std::filesystem::path& folder);
[[nodiscard]] Result<SessionRecord> read_standing_note(const std::filesystem::path& folder);
[[nodiscard]] Result<std::string> read_warnings_note(const std::filesystem::path& folder);

/// Copies from `standing` into `row` the members that change during a session's life.
void apply_standing(const SessionRecord& standing, SessionRecord& row);

}  // namespace sluice::store
