// SPDX-License-Identifier: Apache-2.0
#include "server/store/session_note.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <string_view>

#include "proto/wire/crc32c.h"
#include "server/store/file.h"
#include "server/store/little_endian.h"

namespace sluice::store {
namespace {

constexpr std::string_view magic = "SLUICROW";
constexpr std::uint32_t note_version = 1;
constexpr std::size_t header_bytes = 8 + 4 + 4 + 8;
constexpr std::size_t number_count = 9;
// Far above any real note: a scene and its commands come in one message, which ends at 2 GiB.
constexpr std::uint64_t max_note_bytes = std::uint64_t{3} << 30;

class Writer {
 public:
  void number(std::uint64_t value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    put(std::span(bytes_), at, value);
  }
  void text(std::string_view value) {
    number(value.size());
    const auto octets = std::as_bytes(std::span(value));
    bytes_.insert(bytes_.end(), octets.begin(), octets.end());
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads what Writer wrote; once something is missing all further values are empty.
class Reader {
 public:
  explicit Reader(ByteView bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    if (bytes_.size() - offset_ < sizeof(std::uint64_t)) {
      is_good_ = false;
      return 0;
    }
    return take<std::uint64_t>(bytes_, offset_);
  }
  std::string text() {
    const std::uint64_t length = number();
    if (length > bytes_.size() - offset_) {
      is_good_ = false;
      return {};
    }
    std::string value(reinterpret_cast<const char*>(bytes_.data()) + offset_, length);
    offset_ += length;
    return value;
  }
  [[nodiscard]] bool is_good() const { return is_good_; }
  [[nodiscard]] bool at_end() const { return offset_ == bytes_.size(); }

 private:
  ByteView bytes_;
  std::size_t offset_ = 0;
  bool is_good_ = true;
};

std::array<std::int64_t, number_count> numbers_of(const SessionRecord& row) {
  return {row.state,
          row.state_reason,
          row.create_time_micros,
          row.update_time_micros,
          row.target_frame_count,
          row.frame_count,
          row.epoch,
          row.restart_count,
          row.checkpoint_frame};
}

std::filesystem::path session_path_in(const std::filesystem::path& folder) {
  return folder / "session";
}

std::filesystem::path standing_path_in(const std::filesystem::path& folder) {
  return folder / "standing";
}

std::filesystem::path warnings_path_in(const std::filesystem::path& folder) {
  return folder / "warnings";
}

Result<SessionNote> read_note(const std::filesystem::path& path) {
  const auto bytes = read_whole_file(path, max_note_bytes);
  if (!bytes) {
    return bytes.error();
  }
  auto note = decode_note(*bytes);
  if (!note) {
    return Error{ErrorCode::corrupt, fmt::format("{} fails its checksum", path.string())};
  }
  return *std::move(note);
}

}  // namespace

std::vector<std::byte> encode_note(const SessionNote& note) {
  Writer payload;
  const SessionRecord& row = note.row;
  for (const std::string* text : {&row.id, &row.request_id, &row.display_name, &row.state_message,
                                  &row.scene_bytes, &row.options_bytes}) {
    payload.text(*text);
  }
  for (const std::int64_t number : numbers_of(row)) {
    payload.number(static_cast<std::uint64_t>(number));
  }
  payload.number(note.commands.size());
  for (const CommandRecord& command : note.commands) {
    payload.number(static_cast<std::uint64_t>(command.sequence));
    payload.number(static_cast<std::uint64_t>(command.frame_index));
    payload.text(command.payload_bytes);
  }
  std::vector<std::byte> bytes(header_bytes);
  std::memcpy(bytes.data(), magic.data(), magic.size());
  std::size_t at = magic.size();
  at = put(std::span(bytes), at, note_version);
  at = put(std::span(bytes), at, wire::crc32c(payload.bytes()));
  put(std::span(bytes), at, static_cast<std::uint64_t>(payload.bytes().size()));
  bytes.insert(bytes.end(), payload.bytes().begin(), payload.bytes().end());
  return bytes;
}

std::optional<SessionNote> decode_note(ByteView bytes) {
  if (bytes.size() < header_bytes || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0) {
    return std::nullopt;
  }
  std::size_t at = magic.size();
  const auto version = take<std::uint32_t>(bytes, at);
  const auto crc = take<std::uint32_t>(bytes, at);
  const auto length = take<std::uint64_t>(bytes, at);
  const ByteView payload = bytes.subspan(at);
  if (version != note_version || length != payload.size() || wire::crc32c(payload) != crc) {
    return std::nullopt;
  }
  Reader reader(payload);
  SessionNote note;
  SessionRecord& row = note.row;
  for (std::string* text : {&row.id, &row.request_id, &row.display_name, &row.state_message,
                            &row.scene_bytes, &row.options_bytes}) {
    *text = reader.text();
  }
  const auto number = [&] { return static_cast<std::int64_t>(reader.number()); };
  row.state = static_cast<int>(number());
  row.state_reason = static_cast<int>(number());
  for (std::int64_t* value :
       {&row.create_time_micros, &row.update_time_micros, &row.target_frame_count, &row.frame_count,
        &row.epoch, &row.restart_count, &row.checkpoint_frame}) {
    *value = number();
  }
  const std::uint64_t command_count = reader.number();
  for (std::uint64_t i = 0; i < command_count && reader.is_good(); ++i) {
    CommandRecord command;
    command.session_id = row.id;
    command.sequence = number();
    command.frame_index = number();
    command.payload_bytes = reader.text();
    note.commands.push_back(std::move(command));
  }
  if (!reader.is_good() || !reader.at_end()) {
    return std::nullopt;
  }
  return note;
}

Status write_session_note(const std::filesystem::path& folder, const SessionNote& note) {
  return replace_file(session_path_in(folder), encode_note(note));
}

Status write_standing_note(const std::filesystem::path& folder, const SessionRecord& row) {
  SessionNote note;
  note.row.id = row.id;
  apply_standing(row, note.row);
  return replace_file(standing_path_in(folder), encode_note(note));
}

// The payload is the only text of a note that has nothing else.
Status write_warnings_note(const std::filesystem::path& folder, const std::string& payload_bytes) {
  SessionNote note;
  note.row.options_bytes = payload_bytes;
  return replace_file(warnings_path_in(folder), encode_note(note));
}

Result<std::string> read_warnings_note(const std::filesystem::path& folder) {
  auto note = read_note(warnings_path_in(folder));
  if (!note) {
    return note.error();
  }
  return std::move(note->row.options_bytes);
}

Result<SessionNote> read_session_note(const std::filesystem::path& folder) {
  return read_note(session_path_in(folder));
}

Result<SessionRecord> read_standing_note(const std::filesystem::path& folder) {
  auto note = read_note(standing_path_in(folder));
  if (!note) {
    return note.error();
  }
  return std::move(note->row);
}

void apply_standing(const SessionRecord& standing, SessionRecord& row) {
  row.state = standing.state;
  row.state_reason = standing.state_reason;
  row.state_message = standing.state_message;
  row.update_time_micros = standing.update_time_micros;
  row.target_frame_count = standing.target_frame_count;
  row.frame_count = standing.frame_count;
  row.epoch = standing.epoch;
  row.restart_count = standing.restart_count;
  row.checkpoint_frame = standing.checkpoint_frame;
}

}  // namespace sluice::store
