// SPDX-License-Identifier: Apache-2.0
#include "server/stream/frame_record.h"

#include <gtest/gtest.h>

#include "server/stream/frame_selection.h"
#include "stream_testing.h"

namespace sluice::stream {
namespace {

TEST(FrameRecord, splits_into_the_messages_that_were_appended) {
  const auto messages = split_frame_record(make_frame(7, 2));
  ASSERT_TRUE(messages);
  ASSERT_EQ(messages->size(), 9U);
  const auto header = read_frame_header(*messages);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->cursor().index(), 7);
  EXPECT_EQ(header->cursor().epoch(), 2);
  EXPECT_EQ(parse(messages->at(8)).chunk().array(), 3);
}

// Cut anywhere: either a sequence of whole messages or refused.
TEST(FrameRecord, refuses_a_record_that_is_cut) {
  const store::SharedBytes record = make_frame(1);
  int refused = 0;
  for (std::size_t size = 0; size < record.size(); ++size) {
    const auto messages = split_frame_record(record.part(0, size));
    refused += messages ? 0 : 1;
    if (messages) {
      EXPECT_LT(messages->size(), 9U);
    }
  }
  EXPECT_EQ(refused, static_cast<int>(record.size()) - 8);
  EXPECT_FALSE(frame_fingerprint(share("????")));
}

TEST(FrameRecord, fingerprints_the_content_and_not_the_time_it_took) {
  const auto fingerprint = frame_fingerprint(make_frame(1, 0, 0.5));
  EXPECT_TRUE(fingerprint);
  EXPECT_EQ(fingerprint, frame_fingerprint(make_frame(1, 0, 0.0)));
  EXPECT_NE(fingerprint, frame_fingerprint(make_frame(2, 0, 0.5)));
  EXPECT_NE(fingerprint, frame_fingerprint(make_frame(1, 1, 0.5)));
  const store::SharedBytes record = make_frame(1);
  std::string changed(reinterpret_cast<const char*>(record.data()), record.size());
  changed[changed.size() - 10] ^= 1;
  EXPECT_NE(fingerprint, frame_fingerprint(share(changed)));
}

TEST(FrameRecord, joins_into_one_message) {
  const auto frame = whole_frame(*split_frame_record(make_frame(3)));
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->header().cursor().index(), 3);
  ASSERT_EQ(frame->chunks_size(), 8);
  EXPECT_EQ(frame->chunks(2).data() + frame->chunks(3).data(),
            array_bytes(3, "water", v1::FIELD_VELOCITY, 64));
}

TEST(FrameSelection, keeps_the_selected_arrays_and_numbers_them_anew) {
  const auto selected = must(
      select_arrays(*split_frame_record(make_frame(5)), select({"cloth"}, {v1::FIELD_VELOCITY})));
  ASSERT_EQ(selected.size(), 3U);
  const auto header = read_frame_header(selected);
  ASSERT_EQ(header->arrays_size(), 1);
  EXPECT_EQ(header->arrays(0).body(), "cloth");
  EXPECT_EQ(header->arrays(0).field(), v1::FIELD_VELOCITY);
  EXPECT_EQ(header->cursor().index(), 5);
  std::string bytes;
  for (const std::size_t i : {1, 2}) {
    const v1::FrameChunk chunk = parse(selected[i]).chunk();
    EXPECT_EQ(chunk.array(), 0);
    EXPECT_EQ(chunk.crc32c(), wire::crc32c(std::as_bytes(std::span(chunk.data()))));
    bytes += chunk.data();
  }
  EXPECT_EQ(bytes, array_bytes(5, "cloth", v1::FIELD_VELOCITY, 64));
}

TEST(FrameSelection, is_the_same_in_whatever_order) {
  EXPECT_EQ(select({"a", "b"}, {}), select({"b", "a", "a"}, {}));
  EXPECT_NE(select({"a"}, {}), select({"b"}, {}));
  EXPECT_TRUE(select({}, {}).is_everything());
  EXPECT_TRUE(select({}, {v1::FIELD_UNSPECIFIED, v1::FIELD_POSITION}).is_everything());
}

TEST(FrameSelection, names_the_bodies_that_do_not_exist) {
  v1::Layout layout;
  layout.add_bodies()->set_name("water");
  EXPECT_EQ(select({"water", "wine"}, {}).unknown_bodies(layout), std::vector<std::string>{"wine"});
}

}  // namespace
}  // namespace sluice::stream
