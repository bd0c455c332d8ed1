// SPDX-License-Identifier: Apache-2.0
#include "server/store/frame_log.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "store_testing.h"
#include "temporary_directory.h"

namespace sluice::store {
namespace {

Result<AppendOutcome> add(FrameLog& log, std::uint64_t index, std::string_view text,
                          std::uint32_t epoch = 0) {
  const ByteView slice = view_of(text);
  return log.append(index, epoch, std::span(&slice, 1));
}

class FrameLogTest : public testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<FrameLog> open() const {
    return must(FrameLog::open(temporary_.path() / "frames", os_options(), OpenMode::write));
  }
  test::TemporaryDirectory temporary_;
};

TEST_F(FrameLogTest, refuses_a_frame_that_leaves_a_gap_or_differs) {
  const auto log = open();
  must(add(*log, 0, "a"));
  EXPECT_TRUE(fails_with(add(*log, 2, "c"), ErrorCode::mismatch));
  EXPECT_TRUE(fails_with(add(*log, 0, "b"), ErrorCode::mismatch));
  EXPECT_EQ(log->range().next, 1U);
}

// Damage in the middle: what may be announced ends before it, and running again fills it up.
TEST_F(FrameLogTest, announces_up_to_damage_and_goes_on_once_it_is_filled) {
  {
    const auto log = open();
    for (std::uint64_t index = 0; index < 6; ++index) {
      must(add(*log, index, noise(index, 50)));
    }
  }
  const auto segment = temporary_.path() / "frames" / "00000000.seg";
  std::string text = file_text(segment);
  text[text.find(noise(3, 50))] ^= 1;
  write_file(segment, text);
  std::filesystem::remove(temporary_.path() / "frames" / "index");

  const auto log = open();
  EXPECT_EQ(log->range().first, 0U);
  EXPECT_EQ(log->range().next, 3U);
  EXPECT_EQ(log->range().stored_end, 6U);
  EXPECT_TRUE(fails_with(log->read(3), ErrorCode::corrupt));
  EXPECT_TRUE(fails_with(log->read(6), ErrorCode::not_found));
  must(add(*log, 3, noise(3, 50)));
  EXPECT_EQ(log->range().next, 6U);
  EXPECT_EQ(must(add(*log, 4, noise(4, 50))), AppendOutcome::already_same);
}

TEST_F(FrameLogTest, keeps_layouts_by_epoch) {
  {
    const auto log = open();
    EXPECT_FALSE(log->last_epoch());
    const ByteView zero = view_of("layout 0");
    const ByteView one = view_of("layout 1");
    must(log->append_layout(0, std::span(&zero, 1)));
    must(add(*log, 0, "a", 0));
    must(log->append_layout(1, std::span(&one, 1)));
    must(add(*log, 1, "b", 1));
    EXPECT_EQ(must(log->append_layout(1, std::span(&one, 1))), AppendOutcome::already_same);
    EXPECT_TRUE(fails_with(log->append_layout(1, std::span(&zero, 1)), ErrorCode::mismatch));
  }
  const auto log = open();
  EXPECT_EQ(log->last_epoch(), 1U);
  EXPECT_EQ(text_of(must(log->read_layout(0))), "layout 0");
  EXPECT_EQ(log->find(1)->epoch, 1U);
  EXPECT_EQ(log->range().next, 2U);
}

// One appender, four readers: each reads any announced frame at any time and gets its bytes.
TEST_F(FrameLogTest, is_read_by_many_while_it_grows) {
  auto options = os_options();
  options.segment_bytes = 100'000;
  const auto log = must(FrameLog::open(temporary_.path() / "frames", options, OpenMode::write));
  constexpr std::uint64_t frame_count = 400;
  std::atomic<bool> done = false;
  std::atomic<std::uint64_t> reads = 0;
  std::vector<std::thread> readers;
  readers.reserve(4);
  for (unsigned reader = 0; reader < 4; ++reader) {
    readers.emplace_back([&, reader] {
      std::mt19937 random(reader);
      while (!done) {
        const FrameRange range = log->range();
        if (range.next == 0) {
          continue;
        }
        const std::uint64_t index = random() % range.next;
        ASSERT_EQ(text_of(must(log->read(index))), noise(index, 2000));
        ++reads;
      }
    });
  }
  for (std::uint64_t index = 0; index < frame_count; ++index) {
    must(add(*log, index, noise(index, 2000)));
  }
  done = true;
  for (std::thread& reader : readers) {
    reader.join();
  }
  EXPECT_GT(reads, 0U);
}

}  // namespace
}  // namespace sluice::store
