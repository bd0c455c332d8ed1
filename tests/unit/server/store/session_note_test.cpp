// SPDX-License-Identifier: Apache-2.0
#include "server/store/session_note.h"

#include <gtest/gtest.h>

#include "store_testing.h"
#include "temporary_directory.h"

namespace sluice::store {
namespace {

SessionNote note() {
  SessionNote note;
  note.row = {.id = "one",
              .request_id = "r",
              .display_name = "Ein Tuch \xc3\xa4",
              .state = 5,
              .state_reason = 3,
              .state_message = "why",
              .create_time_micros = 1'700'000'000'000'000,
              .update_time_micros = 1'700'000'000'000'001,
              .scene_bytes = std::string("\0scene", 6),
              .options_bytes = "options",
              .target_frame_count = 41,
              .frame_count = 7,
              .epoch = 2,
              .restart_count = 1,
              .checkpoint_frame = -1};
  note.commands = {{"one", 1, 5, "gravity"}, {"one", 2, 5, ""}};
  return note;
}

void expect_same(const SessionNote& a, const SessionNote& b) {
  EXPECT_EQ(encode_note(a), encode_note(b));
}

TEST(SessionNote, comes_back_as_it_was_written) {
  const auto read = decode_note(encode_note(note()));
  ASSERT_TRUE(read);
  expect_same(*read, note());
  EXPECT_EQ(read->row.checkpoint_frame, -1);
  EXPECT_EQ(read->row.scene_bytes, note().row.scene_bytes);
  ASSERT_EQ(read->commands.size(), 2U);
  EXPECT_EQ(read->commands[0].payload_bytes, "gravity");
  EXPECT_EQ(read->commands[0].frame_index, 5);
}

TEST(SessionNote, with_any_bit_flipped_or_cut_anywhere_is_none) {
  const auto bytes = encode_note(note());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    EXPECT_FALSE(decode_note(std::span(bytes).first(at))) << at;
    for (int bit = 0; bit < 8; ++bit) {
      auto changed = bytes;
      changed[at] ^= static_cast<std::byte>(1 << bit);
      EXPECT_FALSE(decode_note(changed)) << at << ", bit " << bit;
    }
  }
  auto longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode_note(longer));
}

TEST(SessionNote, standing_is_kept_apart_from_what_never_changes) {
  const test::TemporaryDirectory temporary;
  const auto& folder = temporary.path();
  EXPECT_TRUE(fails_with(read_session_note(folder), ErrorCode::not_found));
  EXPECT_TRUE(fails_with(read_standing_note(folder), ErrorCode::not_found));
  must(write_session_note(folder, note()));
  SessionRecord later = note().row;
  later.state = 7;
  later.state_message = "ended";
  later.frame_count = 20;
  must(write_standing_note(folder, later));
  SessionNote read = must(read_session_note(folder));
  expect_same(read, note());
  const SessionRecord standing = must(read_standing_note(folder));
  EXPECT_TRUE(standing.scene_bytes.empty());
  apply_standing(standing, read.row);
  EXPECT_EQ(read.row.state, 7);
  EXPECT_EQ(read.row.state_message, "ended");
  EXPECT_EQ(read.row.frame_count, 20);
  EXPECT_EQ(read.row.options_bytes, "options");
  write_file(folder / "session", "SLUICROW and so on");
  EXPECT_TRUE(fails_with(read_session_note(folder), ErrorCode::corrupt));
}

}  // namespace
}  // namespace sluice::store
