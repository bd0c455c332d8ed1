// SPDX-License-Identifier: Apache-2.0
#include "client/lib/frame_assembler.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "sluice/error.h"
#include "tests/unit/client/lib/sample_frames.h"

namespace sluice::client {
namespace {

std::optional<Frame> assemble(const SampleFrame& sample) {
  FrameAssembler assembler;
  std::optional<Frame> frame = assembler.add(sample.header);
  for (const v1::FrameChunk& chunk : sample.chunks) {
    frame = assembler.add(chunk);
  }
  return frame;
}

TEST(FrameAssembler, puts_pieces_together_bit_for_bit) {
  const auto frame = assemble(sample_frame(7));
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->index, 7);
  EXPECT_EQ(frame->arrays[0].values, sample_values(7));
  EXPECT_EQ(frame->arrays[1].values, sample_values(7));
}

TEST(FrameAssembler, tells_where_obstacles_are) {
  SampleFrame sample = sample_frame(7);
  v1::ObstacleOffset& moved = *sample.header.add_obstacle_offsets();
  moved.set_body("ball");
  for (const double component : {0.5, -1.0, 2.0})
    moved.add_offset(component);
  const auto frame = assemble(sample);
  ASSERT_TRUE(frame);
  ASSERT_EQ(frame->obstacle_offsets.size(), 1U);
  EXPECT_EQ(frame->obstacle_offsets[0].body, "ball");
  EXPECT_EQ(frame->obstacle_offsets[0].offset, (std::array{0.5, -1.0, 2.0}));
  moved.add_offset(3);
  EXPECT_THROW(assemble(sample), Error);
}

TEST(FrameAssembler, gives_nothing_before_the_last_piece) {
  const SampleFrame sample = sample_frame(7);
  FrameAssembler assembler;
  EXPECT_FALSE(assembler.add(sample.header));
  EXPECT_FALSE(assembler.add(sample.chunks[0]));
  EXPECT_FALSE(assembler.add(sample.chunks[1]));
  EXPECT_TRUE(assembler.in_frame());
  EXPECT_TRUE(assembler.add(sample.chunks[2]));
  EXPECT_FALSE(assembler.in_frame());
}

TEST(FrameAssembler, gives_a_frame_without_bytes_with_its_header) {
  v1::FrameHeader header;
  header.mutable_cursor()->set_index(3);
  v1::ArrayDescriptor& array = *header.add_arrays();
  array.set_body("water");
  array.set_component_count(3);
  const auto frame = FrameAssembler().add(header);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->arrays[0].values.size(), 0U);
}

TEST(FrameAssembler, refuses_every_piece_that_cannot_be_right) {
  using Damage = std::function<void(SampleFrame&)>;
  const std::vector<Damage> damages{
      [](SampleFrame& f) { f.chunks[0].mutable_data()->at(5) ^= 1; },         // A flipped bit.
      [](SampleFrame& f) { f.chunks.erase(f.chunks.begin()); },               // A lost piece.
      [](SampleFrame& f) { std::swap(f.chunks[0], f.chunks[1]); },            // Out of order.
      [](SampleFrame& f) { f.chunks[1] = f.chunks[0]; },                      // Twice.
      [](SampleFrame& f) { f.chunks[0].set_array(-1); },                      // No such array.
      [](SampleFrame& f) { f.chunks[2].set_array(2); },                       // No such array.
      [](SampleFrame& f) { f.chunks[1].set_data(std::string(24, 'x')); },     // Too long.
      [](SampleFrame& f) { f.chunks[1].clear_data(); },                       // Empty.
      [](SampleFrame& f) { f.header.mutable_arrays(0)->set_byte_count(8); },  // Sizes disagree.
      [](SampleFrame& f) { f.header.mutable_arrays(0)->set_count(-10); },
      [](SampleFrame& f) { f.header.mutable_arrays(0)->set_count(std::int64_t{1} << 61); },
      [](SampleFrame& f) { f.header.mutable_arrays(0)->set_component_count(0); },
      [](SampleFrame& f) { f.header.mutable_arrays(0)->set_codec(static_cast<v1::Codec>(9)); },
  };
  for (std::size_t i = 0; i < damages.size(); ++i) {
    SampleFrame sample = sample_frame(1);
    damages[i](sample);
    try {
      (void)assemble(sample);
      ADD_FAILURE() << "damage " << i << " was not seen";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data_loss) << i;
    }
  }
}

TEST(FrameAssembler, refuses_a_header_in_the_middle_and_a_piece_without_one) {
  FrameAssembler assembler;
  EXPECT_THROW((void)assembler.add(sample_frame(1).chunks[0]), Error);
  (void)assembler.add(sample_frame(1).header);
  EXPECT_THROW((void)assembler.add(sample_frame(2).header), Error);
}

}  // namespace
}  // namespace sluice::client
