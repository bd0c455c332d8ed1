// SPDX-License-Identifier: Apache-2.0
#include "sluice/asset.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <utility>

#include "sluice/error.h"
#include "tests/unit/client/lib/fake_server.h"

namespace sluice::client {
namespace {

/// Keeps what is written, as `Assets` says.
class AssetStore {
 public:
  explicit AssetStore(FakeServer& server) {
    server.write = [this](const v1::WriteAssetRequest& in, v1::Asset& out) {
      return write(in, out);
    };
  }

  int break_at{-1};   // This call is lost after it had its effect.
  int forget_at{-1};  // Before this call the server loses all but 10 bytes.

  std::string content(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return contents_[name];
  }
  /// Bytes of all calls since the last time that this was asked.
  std::size_t take_sent_bytes() {
    const std::lock_guard lock(mutex_);
    return std::exchange(sent_bytes_, 0);
  }

 private:
  grpc::Status write(const v1::WriteAssetRequest& in, v1::Asset& out) {
    const std::lock_guard lock(mutex_);
    std::string& content = contents_[in.name()];
    if (calls_ == forget_at) {
      content.resize(10);
    }
    sent_bytes_ += in.data().size();
    EXPECT_LE(in.data().size(), std::size_t{1} << 20U);
    if (in.offset() > static_cast<std::int64_t>(content.size())) {
      ++calls_;
      return {grpc::StatusCode::OUT_OF_RANGE, "committed: " + std::to_string(content.size())};
    }
    if (!in.data().empty()) {
      content.replace(static_cast<std::size_t>(in.offset()), std::string::npos, in.data());
    }
    if (calls_++ == break_at) {
      return {grpc::StatusCode::UNAVAILABLE, "broken"};
    }
    out.set_committed_byte_count(static_cast<std::int64_t>(content.size()));
    out.set_complete(static_cast<std::int64_t>(content.size()) == in.byte_count());
    return grpc::Status::OK;
  }

  std::mutex mutex_;
  std::map<std::string, std::string> contents_;
  int calls_{0};
  std::size_t sent_bytes_{0};
};

std::string make_content() {
  std::string content(2'500'000, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) {
    content[i] = static_cast<char>(i * 7 + i / 251);
  }
  return content;
}

TEST(UploadAsset, writes_in_pieces_under_the_hash_of_the_content) {
  FakeServer server;
  AssetStore store(server);
  const TemporaryFolder folder;
  const auto name = upload_asset(Connection(server.address()), folder.write("a.obj", "abc"));
  // Oracle: FIPS 180-4, example of SHA-256("abc").
  EXPECT_EQ(name, "assets/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(store.content(name), "abc");
  const auto large = upload_asset(Connection(server.address()), folder.write("b", make_content()));
  EXPECT_EQ(store.content(large), make_content());
}

TEST(UploadAsset, sends_nothing_that_the_server_has) {
  FakeServer server;
  AssetStore store(server);
  const TemporaryFolder folder;
  const auto file = folder.write("a.obj", make_content());
  (void)upload_asset(Connection(server.address()), file);
  EXPECT_GT(store.take_sent_bytes(), 0U);
  (void)upload_asset(Connection(server.address()), file);
  EXPECT_EQ(store.take_sent_bytes(), 0U);
}

TEST(UploadAsset, goes_on_where_the_server_is_after_a_break_or_a_loss) {
  for (const bool loses : {false, true}) {
    FakeServer server;
    AssetStore store(server);
    (loses ? store.forget_at : store.break_at) = 2;
    const TemporaryFolder folder;
    const auto name =
        upload_asset(Connection(server.address()), folder.write("a.obj", make_content()));
    EXPECT_EQ(store.content(name), make_content());
    EXPECT_LT(store.take_sent_bytes(), 2 * make_content().size());
  }
}

TEST(UploadAsset, says_which_file_cannot_be_read) {
  FakeServer server;
  const TemporaryFolder folder;
  const Connection connection(server.address());
  try {
    (void)upload_asset(connection, folder.path() / "missing.obj");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::not_found);
    EXPECT_NE(std::string(error.what()).find("missing.obj"), std::string::npos);
  }
  EXPECT_THROW((void)upload_asset(connection, folder.write("empty.obj", "")), Error);
}

}  // namespace
}  // namespace sluice::client
