// SPDX-License-Identifier: Apache-2.0
// A worker is not trusted: what it sends must be whole, in order and intact.
#include "server/session/frame_assembler.h"

#include <gtest/gtest.h>

#include "proto/wire/crc32c.h"
#include "server/stream/frame_record.h"

namespace sluice::session {
namespace {

v1::FrameHeader header(std::int64_t index, const std::vector<std::int64_t>& sizes) {
  v1::FrameHeader header;
  header.mutable_cursor()->set_index(index);
  for (const std::int64_t size : sizes) {
    header.add_arrays()->set_byte_count(size);
  }
  return header;
}

v1::FrameChunk chunk(int array, std::int64_t offset, const std::string& data) {
  v1::FrameChunk chunk;
  chunk.set_array(array);
  chunk.set_offset(offset);
  chunk.set_data(data);
  chunk.set_crc32c(wire::crc32c(std::as_bytes(std::span(data))));
  return chunk;
}

TEST(FrameAssembler, gives_the_frame_with_its_last_piece) {
  FrameAssembler assembler(100);
  EXPECT_FALSE(assembler.begin(header(3, {4, 0, 2}))->has_value());
  EXPECT_FALSE(assembler.add(chunk(0, 0, "ab"))->has_value());
  EXPECT_FALSE(assembler.add(chunk(0, 2, "cd"))->has_value());
  const auto whole = assembler.add(chunk(2, 0, "ef"));  // Array 1 is empty.
  ASSERT_TRUE(whole->has_value());
  EXPECT_EQ((*whole)->header.cursor().index(), 3);
  const auto messages = stream::split_frame_record((*whole)->record);
  ASSERT_TRUE(messages);
  EXPECT_EQ(messages->size(), 4U);
  EXPECT_EQ(stream::whole_frame(*messages)->chunks(2).data(), "ef");
  EXPECT_TRUE(assembler.begin(header(4, {}))->has_value()) << "a frame without bytes is whole";
}

TEST(FrameAssembler, refuses_what_is_out_of_order_or_damaged) {
  const auto refused = [](auto&& act) {
    FrameAssembler assembler(100);
    EXPECT_TRUE(assembler.begin(header(0, {4})));
    return !act(assembler);
  };
  EXPECT_TRUE(refused([](auto& a) { return a.add(chunk(0, 1, "b")); })) << "a gap";
  EXPECT_TRUE(refused([](auto& a) { return a.add(chunk(1, 0, "a")); })) << "another array";
  EXPECT_TRUE(refused([](auto& a) { return a.add(chunk(0, 0, "abcde")); })) << "too long";
  EXPECT_TRUE(refused([](auto& a) { return a.add(chunk(0, 0, "")); })) << "no bytes";
  EXPECT_TRUE(refused([](auto& a) { return a.begin(header(1, {})); })) << "a frame in a frame";
  EXPECT_TRUE(refused([](auto& a) {
    v1::FrameChunk damaged = chunk(0, 0, "ab");
    damaged.set_data("ac");
    return a.add(damaged);
  }));
  FrameAssembler small(100);
  EXPECT_FALSE(small.begin(header(0, {60, 60}))) << "above the limit";
  EXPECT_FALSE(small.begin(header(0, {-1})));
  EXPECT_FALSE(small.add(chunk(0, 0, "a"))) << "not begun";
}

TEST(CheckpointAssembler, puts_pieces_together_and_refuses_gaps) {
  CheckpointAssembler assembler(10);
  EXPECT_FALSE(assembler.add({7, 5, 0}, "abc")->has_value());
  const auto whole = assembler.add({7, 5, 3}, "de");
  ASSERT_TRUE(whole->has_value());
  EXPECT_EQ((*whole)->bytes, "abcde");
  EXPECT_EQ((*whole)->frame_index, 7);
  EXPECT_FALSE(assembler.add({8, 5, 1}, "a")) << "does not begin at 0";
  EXPECT_FALSE(CheckpointAssembler(10).add({8, 11, 0}, "a")) << "above the limit";
}

}  // namespace
}  // namespace sluice::session
