// SPDX-License-Identifier: Apache-2.0
// A disk that is full, too small a limit, a disk that cannot be written: a typed error, and every
// record that was acknowledged before is still there. The oracle is the list of acknowledged keys.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "server/store/segment_log.h"
#include "store_testing.h"
#include "temporary_directory.h"

namespace sluice::store {
namespace {

constexpr std::size_t payload_bytes = 40'000;

// Appends noise until it fails; answers how many were acknowledged, and the error.
std::pair<std::uint64_t, Error> fill(SegmentLog& log, std::uint64_t from = 0) {
  for (std::uint64_t key = from;; ++key) {
    if (auto outcome = append(log, key, noise(key, payload_bytes)); !outcome) {
      return {key, outcome.error()};
    }
  }
}

void expect_all(const SegmentLog& log, std::uint64_t end) {
  ASSERT_EQ(log.list(test_kind).size(), end);
  for (std::uint64_t key = 0; key < end; ++key) {
    ASSERT_EQ(text_of(must(read(log, key))), noise(key, payload_bytes)) << key;
  }
}

class FullDisk : public testing::TestWithParam<Durability> {};

TEST_P(FullDisk, is_reported_and_loses_nothing_and_can_be_gone_on_from) {
  test::TemporaryDirectory temporary;
  const test::SmallFileSystem small(temporary.path(), "1m");
  if (!small.mounted()) {
    GTEST_SKIP() << "this user may not mount a tmpfs";
  }
  write_file(temporary.path() / "ballast", std::string(200'000, 'b'));
  SegmentLogOptions options{.durability = GetParam()};
  options.segment_bytes = 100'000;  // Full both within a segment and at the start of one.
  std::uint64_t stored = 0;
  {
    const auto log = must(SegmentLog::open(temporary.path() / "log", options, OpenMode::write));
    const auto [count, error] = fill(*log);
    stored = count;
    EXPECT_EQ(error.code, ErrorCode::disk_full) << error.message;
    EXPECT_NE(error.message.find(".seg"), std::string::npos) << error.message;
    EXPECT_GE(stored, 10U);
    expect_all(*log, stored);
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(
          fails_with(append(*log, stored, noise(stored, payload_bytes)), ErrorCode::disk_full));
    }
    std::filesystem::remove(temporary.path() / "ballast");
    const auto [more, again] = fill(*log, stored);
    EXPECT_GT(more, stored) << again.message;
    stored = more;
    expect_all(*log, stored);
  }
  const auto log = must(SegmentLog::open(temporary.path() / "log", options, OpenMode::write));
  EXPECT_EQ(log->open_report().torn_bytes, 0U);
  expect_all(*log, stored);
}

INSTANTIATE_TEST_SUITE_P(, FullDisk, testing::Values(Durability::os, Durability::fsync),
                         [](const auto& tested) {
                           return tested.param == Durability::os ? "os" : "fsync";
                         });

TEST(SegmentFaults, keeps_the_reserve_free) {
  test::TemporaryDirectory temporary;
  const test::SmallFileSystem small(temporary.path(), "1m");
  if (!small.mounted()) {
    GTEST_SKIP() << "this user may not mount a tmpfs";
  }
  SegmentLogOptions options{.durability = Durability::os};
  options.reserve_bytes = 500'000;
  const auto log = must(SegmentLog::open(temporary.path() / "log", options, OpenMode::write));
  EXPECT_EQ(fill(*log).second.code, ErrorCode::disk_full);
  EXPECT_GE(std::filesystem::space(temporary.path()).available, 500'000U);
}

TEST(SegmentFaults, a_directory_that_becomes_read_only_loses_nothing) {
  test::TemporaryDirectory temporary;
  const test::SmallFileSystem small(temporary.path(), "1m");
  if (!small.mounted()) {
    GTEST_SKIP() << "this user may not mount a tmpfs";
  }
  {
    const auto log = must(SegmentLog::open(temporary.path() / "log", {}, OpenMode::write));
    must(append(*log, 0, noise(0, payload_bytes)));
  }
  ASSERT_TRUE(small.set_read_only(true));
  const auto made = SegmentLog::open(temporary.path() / "other", {}, OpenMode::write);
  EXPECT_TRUE(fails_with(made, ErrorCode::read_only));
  {
    const auto log = must(SegmentLog::open(temporary.path() / "log", {}, OpenMode::read));
    expect_all(*log, 1);
  }
  ASSERT_TRUE(small.set_read_only(false));
  const auto log = must(SegmentLog::open(temporary.path() / "log", {}, OpenMode::write));
  must(append(*log, 1, noise(1, payload_bytes)));
  expect_all(*log, 2);
}

// Where nobody may mount: the file-size limit cuts a write short in the same way.
TEST(SegmentFaults, a_file_size_limit_is_reported_and_loses_nothing) {
  test::TemporaryDirectory temporary;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);  // Then the write fails with EFBIG.
  rlimit low = before;
  low.rlim_cur = 300'000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
  std::uint64_t stored = 0;
  {
    const auto log = must(SegmentLog::open(temporary.path() / "log", {}, OpenMode::write));
    const auto [count, error] = fill(*log);
    stored = count;
    EXPECT_EQ(error.code, ErrorCode::limit) << error.message;
    EXPECT_EQ(stored, 7U);
    expect_all(*log, stored);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    must(append(*log, stored, noise(stored, payload_bytes)));
    expect_all(*log, stored + 1);
  }
  std::signal(SIGXFSZ, old_handler);
  const auto log = must(SegmentLog::open(temporary.path() / "log", {}, OpenMode::write));
  EXPECT_EQ(log->open_report().torn_bytes, 0U);
  expect_all(*log, stored + 1);
}

}  // namespace
}  // namespace sluice::store
