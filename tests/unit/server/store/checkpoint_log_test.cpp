// SPDX-License-Identifier: Apache-2.0
#include "server/store/checkpoint_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "store_testing.h"
#include "temporary_directory.h"

namespace sluice::store {
namespace {

namespace fs = std::filesystem;

class CheckpointLogTest : public testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<CheckpointLog> open() const {
    return must(CheckpointLog::open(directory(), os_options(), OpenMode::write));
  }
  [[nodiscard]] fs::path directory() const { return temporary_.path() / "checkpoints"; }
  static void add(CheckpointLog& log, std::uint64_t frame) {
    const std::string text = noise(frame, 3000);
    const ByteView slice = view_of(text);
    must(log.append(frame, std::span(&slice, 1)));
  }
  [[nodiscard]] std::vector<fs::path> segments() const {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(directory())) {
      if (entry.path().extension() == ".seg") {
        paths.push_back(entry.path());
      }
    }
    std::sort(paths.begin(), paths.end());
    return paths;
  }
  test::TemporaryDirectory temporary_;
};

TEST_F(CheckpointLogTest, keeps_the_last_two) {
  {
    const auto log = open();
    EXPECT_FALSE(log->latest());
    for (std::uint64_t frame = 10; frame <= 100; frame += 10) {
      add(*log, frame);
    }
    EXPECT_EQ(segments().size(), 2U);
    EXPECT_LT(log->stored_bytes(), 7000U);
  }
  const auto log = open();
  EXPECT_EQ(log->latest()->frame_index, 100U);
  EXPECT_EQ(text_of(log->latest()->bytes), noise(100, 3000));
  EXPECT_EQ(log->latest(99)->frame_index, 90U);
  EXPECT_FALSE(log->latest(89));
}

// The newest torn at any of some bytes, as by a crash while it was written; or damaged later.
TEST_F(CheckpointLogTest, falls_back_to_the_one_before_when_the_newest_is_bad) {
  {
    const auto log = open();
    add(*log, 10);
    add(*log, 20);
  }
  const std::string good = file_text(segments().back());
  for (const std::size_t size : {0UL, 20UL, 32UL, 50UL, 88UL, 1000UL, good.size() - 1}) {
    const fs::path newest = directory() / "00000001.seg";
    write_file(newest, good.substr(0, size));
    {
      const auto log = open();
      ASSERT_TRUE(log->latest()) << size;
      EXPECT_EQ(log->latest()->frame_index, 10U) << size;
    }
    write_file(newest, good);
  }
  std::string flipped = good;
  flipped[2000] ^= 4;
  write_file(segments().back(), flipped);
  const auto log = open();
  EXPECT_EQ(log->latest()->frame_index, 10U);
  add(*log, 20);
  EXPECT_EQ(log->latest()->frame_index, 20U);
}

// After a restart from checkpoint 10 the run comes by 20 again.
TEST_F(CheckpointLogTest, takes_the_same_frame_again) {
  const auto log = open();
  add(*log, 10);
  add(*log, 20);
  add(*log, 20);
  add(*log, 30);
  EXPECT_EQ(log->latest()->frame_index, 30U);
  EXPECT_EQ(log->latest(29)->frame_index, 20U);
}

}  // namespace
}  // namespace sluice::store
