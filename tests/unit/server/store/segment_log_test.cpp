// SPDX-License-Identifier: Apache-2.0
// What a user would lose: frames. The oracle is the list of payloads that were appended.
#include "server/store/segment_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "store_testing.h"
#include "temporary_directory.h"

namespace sluice::store {
namespace {

namespace fs = std::filesystem;

class SegmentLogTest : public testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<SegmentLog> open(SegmentLogOptions options = os_options(),
                                                 OpenMode mode = OpenMode::write) const {
    return must(SegmentLog::open(directory(), options, mode));
  }
  [[nodiscard]] fs::path directory() const { return temporary_.path() / "log"; }
  [[nodiscard]] fs::path segment(int number) const {
    return directory() / ("0000000" + std::to_string(number) + ".seg");
  }
  // Opens the log, appends noise(key, 100 + key) for each of the keys, and closes.
  void write_keys(std::uint64_t first, std::uint64_t end,
                  SegmentLogOptions options = os_options()) {
    const auto log = open(options);
    for (std::uint64_t key = first; key < end; ++key) {
      ASSERT_EQ(must(append(*log, key, noise(key, 100 + key))), AppendOutcome::appended);
    }
    must(log->close());
  }
  static void expect_keys(const SegmentLog& log, std::uint64_t first, std::uint64_t end) {
    for (std::uint64_t key = first; key < end; ++key) {
      const auto bytes = read(log, key);
      ASSERT_TRUE(bytes) << key << ": " << bytes.error().message;
      ASSERT_EQ(text_of(*bytes), noise(key, 100 + key)) << key;
    }
  }

  test::TemporaryDirectory temporary_;
};

TEST_F(SegmentLogTest, gives_back_what_was_appended_now_and_after_reopening) {
  {
    const auto log = open({});  // With fsync.
    const std::vector<ByteView> slices = {view_of("ab"), {}, view_of("cde")};
    EXPECT_EQ(
        must(log->append({.id = {test_kind, 5}, .tag = 9, .fingerprint = {}, .slices = slices})),
        AppendOutcome::appended);
    must(append(*log, 6, ""));
    EXPECT_EQ(text_of(must(read(*log, 5))), "abcde");
    EXPECT_EQ(must(read(*log, 6)).size(), 0U);
    EXPECT_TRUE(fails_with(read(*log, 7), ErrorCode::not_found));
  }
  const auto log = open();
  EXPECT_FALSE(log->open_report().index_rebuilt);
  EXPECT_EQ(log->open_report().scanned_bytes, 0U);
  EXPECT_EQ(text_of(must(read(*log, 5))), "abcde");
  EXPECT_EQ(log->find({test_kind, 5})->tag, 9U);
  EXPECT_EQ(log->list(test_kind).size(), 2U);
}

TEST_F(SegmentLogTest, compares_a_record_that_is_there_already) {
  const auto log = open();
  must(append(*log, 1, "one"));
  const std::uint64_t before = log->stored_bytes();
  EXPECT_EQ(must(append(*log, 1, "one")), AppendOutcome::already_same);
  EXPECT_TRUE(fails_with(append(*log, 1, "two"), ErrorCode::mismatch));
  EXPECT_EQ(log->stored_bytes(), before);
  EXPECT_EQ(text_of(must(read(*log, 1))), "one");
}

TEST_F(SegmentLogTest, compares_by_the_callers_fingerprint) {
  const auto log = open();
  const auto add = [&](std::string_view text, std::uint32_t fingerprint) {
    const ByteView slice = view_of(text);
    return log->append({.id = {test_kind, 1},
                        .tag = 0,
                        .fingerprint = fingerprint,
                        .slices = std::span(&slice, 1)});
  };
  must(add("took 3 ms", 42));
  EXPECT_EQ(must(add("took 4 ms", 42)), AppendOutcome::already_same);
  EXPECT_TRUE(fails_with(add("took 3 ms", 43), ErrorCode::mismatch));
}

TEST_F(SegmentLogTest, rolls_into_new_segments_and_reads_across_them) {
  auto options = os_options();
  options.segment_bytes = 1000;
  write_keys(0, 30, options);
  EXPECT_TRUE(fs::exists(segment(5)));
  EXPECT_LE(fs::file_size(segment(0)), 1000U);
  expect_keys(*open(), 0, 30);
  write_keys(30, 40, options);  // And goes on after a restart.
  expect_keys(*open(), 0, 40);
}

// The last record cut at each of its bytes: all before it is there, the rest is cut off and
// reported, and the log goes on.
TEST_F(SegmentLogTest, cuts_off_a_tail_torn_at_any_byte) {
  write_keys(0, 3);
  const std::string two = file_text(segment(0));
  write_keys(3, 4);
  const std::string three = file_text(segment(0));
  fs::remove(directory() / "index");
  for (std::size_t size = two.size(); size < three.size(); ++size) {
    write_file(segment(0), std::string_view(three).substr(0, size));
    {
      const auto log = open();
      ASSERT_EQ(log->open_report().torn_bytes, size - two.size());
      ASSERT_EQ(log->list(test_kind).size(), 3U);
      expect_keys(*log, 0, 3);
      must(append(*log, 3, noise(3, 103)));
      expect_keys(*log, 0, 4);
    }
    ASSERT_EQ(file_text(segment(0)), three) << size;
    fs::remove(directory() / "index");
  }
}

// After a power cut with Durability::os the file has its length, but the last pages are zeros.
TEST_F(SegmentLogTest, cuts_off_a_tail_of_zeros) {
  write_keys(0, 4);
  std::string text = file_text(segment(0));
  const std::size_t good = text.size();
  text.append(5000, '\0');
  write_file(segment(0), text);
  const auto log = open();
  EXPECT_EQ(log->open_report().torn_bytes, 5000U);
  EXPECT_EQ(fs::file_size(segment(0)), good);
  expect_keys(*log, 0, 4);
}

// Each byte of the file flipped in turn, with and without the index: what is returned is what was
// written, and no more is lost than the record that was hit.
TEST_F(SegmentLogTest, never_returns_flipped_bytes) {
  write_keys(0, 4);
  const std::string good = file_text(segment(0));
  const std::string index = file_text(directory() / "index");
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const bool with_index : {true, false}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
      write_file(segment(0), bad);
      fs::remove(directory() / "index");
      if (with_index) {
        write_file(directory() / "index", index);
      }
      const auto log = open(os_options(), OpenMode::read);
      int lost = 0;
      for (std::uint64_t key = 0; key < 4; ++key) {
        const auto bytes = read(*log, key);
        if (bytes) {
          ASSERT_EQ(text_of(*bytes), noise(key, 100 + key)) << "byte " << at;
        } else {
          ++lost;
        }
      }
      ASSERT_EQ(lost, at < 32 || (with_index && lost == 0) ? 0 : 1) << "byte " << at;
    }
  }
}

TEST_F(SegmentLogTest, keeps_good_records_behind_damage_and_heals_the_hole) {
  write_keys(0, 5);
  std::string text = file_text(segment(0));
  // Over the end of record 1 and the header of record 2.
  const std::size_t hit = text.find(noise(2, 102)) - 60;
  text.replace(hit, 20, std::string(20, '\x55'));
  write_file(segment(0), text);
  fs::remove(directory() / "index");
  const auto log = open();
  EXPECT_EQ(log->open_report().torn_bytes, 0U);
  EXPECT_EQ(log->open_report().damaged_bytes, 2 * 56 + 101 + 102U);
  expect_keys(*log, 3, 5);
  EXPECT_TRUE(fails_with(read(*log, 1), ErrorCode::not_found));
  must(append(*log, 1, noise(1, 101)));
  must(append(*log, 2, noise(2, 102)));
  expect_keys(*log, 0, 5);
}

TEST_F(SegmentLogTest, does_not_take_a_record_inside_a_payload_for_a_record) {
  write_keys(0, 3);
  const std::string inner = file_text(segment(0));
  fs::remove_all(directory());
  {
    const auto log = open();
    must(append(*log, 10, inner));  // A whole segment file as payload...
    must(append(*log, 11, "last"));
  }
  std::string text = file_text(segment(0));
  text[40] = static_cast<char>(text[40] ^ 1);  // ... whose own header is then damaged.
  write_file(segment(0), text);
  fs::remove(directory() / "index");
  const auto log = open();
  ASSERT_EQ(log->list(test_kind).size(), 1U);
  EXPECT_EQ(text_of(must(read(*log, 11))), "last");
}

TEST_F(SegmentLogTest, rebuilds_a_missing_or_damaged_index) {
  auto options = os_options();
  options.segment_bytes = 1000;
  write_keys(0, 20, options);
  const std::string index = file_text(directory() / "index");
  std::vector<std::string> bad = {"", "x", index.substr(0, index.size() - 1), index + "x",
                                  std::string(index.size(), '\0')};
  for (std::size_t at = 0; at < index.size(); at += 7) {
    bad.push_back(index);
    bad.back()[at] = static_cast<char>(bad.back()[at] ^ 16);
  }
  for (const std::string& text : bad) {
    write_file(directory() / "index", text);
    const auto log = open(options, OpenMode::read);
    ASSERT_TRUE(log->open_report().index_rebuilt);
    expect_keys(*log, 0, 20);
  }
  fs::remove(directory() / "index");
  expect_keys(*open(options), 0, 20);
}

TEST_F(SegmentLogTest, scans_what_an_old_index_does_not_cover) {
  auto options = os_options();
  options.segment_bytes = 1000;
  write_keys(0, 10, options);
  const std::string old_index = file_text(directory() / "index");
  write_keys(10, 30, options);
  write_file(directory() / "index", old_index);
  const auto log = open(options);
  EXPECT_FALSE(log->open_report().index_rebuilt);
  EXPECT_GT(log->open_report().scanned_bytes, 20 * 100U);
  EXPECT_EQ(log->list(test_kind).size(), 30U);
  expect_keys(*log, 0, 30);
}

TEST_F(SegmentLogTest, ignores_an_index_of_other_files) {
  write_keys(0, 10);
  const std::string index = file_text(directory() / "index");
  fs::remove_all(directory());
  {
    const auto log = open();  // The same sizes, other keys and bytes.
    for (std::uint64_t key = 0; key < 10; ++key) {
      must(append(*log, 100 + key, noise(50 + key, 100 + key)));
    }
  }
  write_file(directory() / "index", index);
  const auto log = open();
  EXPECT_TRUE(log->open_report().index_rebuilt);
  EXPECT_TRUE(fails_with(read(*log, 3), ErrorCode::not_found));
  EXPECT_EQ(text_of(must(read(*log, 103))), noise(53, 103));
}

TEST_F(SegmentLogTest, drops_a_segment_whose_creation_was_cut_short) {
  write_keys(0, 3);
  write_file(segment(1), "SLUIC");
  write_keys(3, 5);
  EXPECT_FALSE(fs::exists(segment(1)));
  expect_keys(*open(), 0, 5);
}

TEST_F(SegmentLogTest, starts_a_new_segment_behind_one_with_a_damaged_header) {
  write_keys(0, 3);
  std::string text = file_text(segment(0));
  text[3] = '?';
  write_file(segment(0), text);
  write_keys(3, 5);
  EXPECT_TRUE(fs::exists(segment(1)));
  expect_keys(*open(), 0, 5);
}

TEST_F(SegmentLogTest, refuses_a_file_of_a_newer_version) {
  write_keys(0, 1);
  std::string text = file_text(segment(0));
  text[8] = 2;
  const std::uint32_t crc = [&] {
    // Bitwise CRC32C with the field itself as zero, independent of the code under test.
    std::string head = text.substr(0, 28) + std::string(4, '\0');
    std::uint32_t value = ~0U;
    for (const char c : head) {
      value ^= static_cast<unsigned char>(c);
      for (int bit = 0; bit < 8; ++bit) {
        value = (value >> 1) ^ ((value & 1U) != 0 ? 0x82F63B78U : 0U);
      }
    }
    return ~value;
  }();
  std::memcpy(text.data() + 28, &crc, sizeof crc);
  write_file(segment(0), text);
  EXPECT_TRUE(fails_with(SegmentLog::open(directory(), os_options(), OpenMode::write),
                         ErrorCode::unsupported_version));
}

TEST_F(SegmentLogTest, deletes_old_segments_whole) {
  auto options = os_options();
  options.segment_bytes = 1000;
  write_keys(0, 30, options);
  {
    const auto log = open(options);
    const std::uint32_t last = log->find({test_kind, 29})->segment;
    must(log->remove_segments_before(last + 100));
    EXPECT_EQ(log->list(test_kind).front().segment, last);
  }
  EXPECT_FALSE(fs::exists(segment(0)));
  const auto log = open(options);
  EXPECT_FALSE(log->open_report().index_rebuilt);
  EXPECT_EQ(text_of(must(read(*log, 29))), noise(29, 129));
}

TEST_F(SegmentLogTest, refuses_what_is_too_long_and_anything_once_closed) {
  auto options = os_options();
  options.max_payload_bytes = 10;
  const auto log = open(options);
  EXPECT_TRUE(fails_with(append(*log, 0, "12345678901"), ErrorCode::limit));
  must(append(*log, 0, "1234567890"));
  must(log->close());
  EXPECT_TRUE(fails_with(append(*log, 1, "x"), ErrorCode::read_only));
  EXPECT_EQ(text_of(must(read(*log, 0))), "1234567890");
}

TEST_F(SegmentLogTest, reading_changes_nothing) {
  write_keys(0, 3);
  const std::string torn = file_text(segment(0)) + "torn";
  write_file(segment(0), torn);
  {
    const auto log = open(os_options(), OpenMode::read);
    EXPECT_EQ(log->open_report().torn_bytes, 4U);
    expect_keys(*log, 0, 3);
    EXPECT_TRUE(fails_with(append(*log, 3, "x"), ErrorCode::read_only));
  }
  EXPECT_EQ(file_text(segment(0)), torn);
}

}  // namespace
}  // namespace sluice::store
