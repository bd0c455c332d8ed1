// SPDX-License-Identifier: Apache-2.0
#include "server/store/asset_store.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "proto/wire/sha256.h"
#include "store_testing.h"
#include "temporary_directory.h"

namespace sluice::store {
namespace {

class AssetStoreTest : public testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<AssetStore> open(AssetStore::Options options = {}) const {
    return must(AssetStore::open(temporary_.path() / "assets", options));
  }
  test::TemporaryDirectory temporary_;
  const std::string content_ = noise(1, 10'000);
  const std::string hash_ = wire::sha256_hex(view_of(content_));
};

// FIPS 180-4's examples (NIST, "SHA256.pdf"): "abc" and the empty message.
// Interrupted twice, by a lost answer and by a restart of the server.
TEST_F(AssetStoreTest, resumes_an_upload) {
  {
    const auto assets = open();
    EXPECT_EQ(must(assets->begin(hash_, content_.size())).committed_bytes, 0U);
    const auto first = view_of(content_).first(4000);
    EXPECT_EQ(must(assets->write(hash_, 0, first)).committed_bytes, 4000U);
    EXPECT_EQ(must(assets->write(hash_, 0, first)).committed_bytes, 4000U);     // Sent again.
    EXPECT_EQ(must(assets->write(hash_, 5000, first)).committed_bytes, 4000U);  // A gap.
  }
  const auto assets = open();
  const auto upload = must(assets->begin(hash_, content_.size()));
  EXPECT_EQ(upload.committed_bytes, 4000U);
  EXPECT_FALSE(upload.complete);
  EXPECT_TRUE(fails_with(assets->size_of(hash_), ErrorCode::not_found));
  must(assets->write(hash_, 4000, view_of(content_).subspan(4000)));
  EXPECT_TRUE(must(assets->finish(hash_)).complete);
  EXPECT_EQ(must(assets->size_of(hash_)), content_.size());
  EXPECT_EQ(text_of(must(assets->read(hash_))), content_);
  // The same content again is there already; finishing again is fine.
  EXPECT_TRUE(must(assets->begin(hash_, content_.size())).complete);
  EXPECT_TRUE(must(assets->finish(hash_)).complete);
}

TEST_F(AssetStoreTest, refuses_content_with_another_hash) {
  const auto assets = open();
  must(assets->begin(hash_, content_.size()));
  must(assets->write(hash_, 0, view_of("something else")));
  EXPECT_TRUE(fails_with(assets->finish(hash_), ErrorCode::mismatch));
  EXPECT_TRUE(fails_with(assets->size_of(hash_), ErrorCode::not_found));
  EXPECT_EQ(must(assets->begin(hash_, content_.size())).committed_bytes, 0U);  // Starts over.
}

TEST_F(AssetStoreTest, refuses_what_is_too_large_or_no_hash) {
  const auto assets = open({.max_asset_bytes = 100});
  EXPECT_TRUE(fails_with(assets->begin(hash_, 101), ErrorCode::limit));
  must(assets->begin(hash_, 100));
  EXPECT_TRUE(fails_with(assets->write(hash_, 0, view_of(content_)), ErrorCode::limit));
  for (const char* bad : {"", "../../etc/passwd", "ABCD"}) {
    EXPECT_TRUE(fails_with(assets->begin(bad, 1), ErrorCode::not_found));
    EXPECT_TRUE(fails_with(assets->write(bad, 0, {}), ErrorCode::not_found));
    EXPECT_TRUE(fails_with(assets->finish(bad), ErrorCode::not_found));
    EXPECT_TRUE(fails_with(assets->read(bad), ErrorCode::not_found));
  }
  EXPECT_TRUE(fails_with(assets->write(std::string(64, 'a'), 0, {}), ErrorCode::not_found));
}

// Symptom: "upload it again" was followed by "it is there already", for ever.
TEST_F(AssetStoreTest, notices_a_change_on_disk_and_takes_the_content_again) {
  const auto assets = open();
  must(assets->begin(hash_, content_.size()));
  must(assets->write(hash_, 0, view_of(content_)));
  must(assets->finish(hash_));
  std::string changed = content_;
  changed[17] ^= 1;
  write_file(assets->path_of(hash_), changed);
  EXPECT_TRUE(fails_with(assets->read(hash_), ErrorCode::corrupt));
  EXPECT_TRUE(fails_with(assets->read(hash_), ErrorCode::not_found));
  EXPECT_FALSE(must(assets->begin(hash_, content_.size())).complete);
  must(assets->write(hash_, 0, view_of(content_)));
  must(assets->finish(hash_));
  EXPECT_EQ(text_of(must(assets->read(hash_))), content_);
  EXPECT_EQ(file_text(assets->path_of(hash_).string() + ".damaged"), changed) << "nothing is lost";
}

TEST_F(AssetStoreTest, knows_its_files_without_the_database) {
  const auto assets = open();
  must(assets->begin(hash_, content_.size()));
  EXPECT_TRUE(must(assets->list()).empty()) << "an upload under way is none";
  must(assets->write(hash_, 0, view_of(content_)));
  must(assets->finish(hash_));
  EXPECT_EQ(must(assets->list()).at(0).file_name, "");
  must(assets->write_note(
      {.sha256 = hash_, .size_bytes = 0, .file_name = "a b.obj", .create_time_micros = 17}));
  const AssetRecord listed = must(assets->list()).at(0);
  EXPECT_EQ(listed.sha256, hash_);
  EXPECT_EQ(listed.size_bytes, static_cast<std::int64_t>(content_.size()));
  EXPECT_EQ(listed.file_name, "a b.obj");
  EXPECT_EQ(listed.create_time_micros, 17);
  const std::string note = assets->path_of(hash_).string() + ".note";
  std::string changed = file_text(note);
  changed[4] ^= 1;
  write_file(note, changed);
  EXPECT_EQ(must(assets->read_note(hash_)).file_name, "");
}

TEST_F(AssetStoreTest, drops_uploads_that_nobody_goes_on_with) {
  const std::string other = wire::sha256_hex(view_of("other"));
  {
    const auto assets = open();
    for (const std::string& hash : {hash_, other}) {
      must(assets->begin(hash, content_.size()));
      must(assets->write(hash, 0, view_of(content_).first(100)));
    }
  }
  const auto age = std::chrono::hours(8 * 24);
  std::filesystem::last_write_time(temporary_.path() / "assets" / "partial" / other,
                                   std::filesystem::file_time_type::clock::now() - age);
  const auto assets = open();
  EXPECT_EQ(must(assets->begin(hash_, content_.size())).committed_bytes, 100U);
  EXPECT_EQ(must(assets->begin(other, content_.size())).committed_bytes, 0U);
}

// The reserve is what the database needs to write down that the disk is full.
TEST_F(AssetStoreTest, leaves_the_reserve_free_also_in_the_middle_of_an_upload) {
  const test::SmallFileSystem small(temporary_.path(), "1m");
  if (!small.mounted()) {
    GTEST_SKIP() << "this user may not mount a tmpfs";
  }
  const auto assets = open({.reserve_bytes = 200'000});
  must(assets->begin(hash_, content_.size()));
  write_file(temporary_.path() / "ballast", std::string(900'000, 'b'));
  EXPECT_TRUE(fails_with(assets->write(hash_, 0, view_of(content_)), ErrorCode::disk_full));
}

TEST_F(AssetStoreTest, reports_a_full_disk_and_resumes_afterwards) {
  const test::SmallFileSystem small(temporary_.path(), "1m");
  if (!small.mounted()) {
    GTEST_SKIP() << "this user may not mount a tmpfs";
  }
  const auto assets = open();
  EXPECT_TRUE(fails_with(assets->begin(hash_, 2'000'000), ErrorCode::disk_full));
  must(assets->begin(hash_, content_.size()));
  must(assets->write(hash_, 0, view_of(content_).first(5000)));
  write_file(temporary_.path() / "ballast", std::string(2'000'000, 'b'));  // It takes all the room.
  const auto rest = view_of(content_).subspan(5000);
  EXPECT_TRUE(fails_with(assets->write(hash_, 5000, rest), ErrorCode::disk_full));
  std::filesystem::remove(temporary_.path() / "ballast");
  EXPECT_EQ(must(assets->begin(hash_, content_.size())).committed_bytes, 5000U);
  must(assets->write(hash_, 5000, rest));
  EXPECT_TRUE(must(assets->finish(hash_)).complete);
}

}  // namespace
}  // namespace sluice::store
