// SPDX-License-Identifier: Apache-2.0
// The database is lost, emptied, put back from a copy or damaged, as H4 of the field's cases: no
// frame of any session goes with it. Oracle: the bytes read before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "tests/e2e/server_process.h"

namespace sluice::e2e::server_lost_database_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::int64_t frame_count = 12;

std::string read_bytes(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

void flip_bit(const fs::path& path, std::size_t at) {
  std::string bytes = read_bytes(path);
  ASSERT_LT(at, bytes.size()) << path;
  bytes[at] = static_cast<char>(bytes[at] ^ 4);
  write_bytes(path, bytes);
}

class LostDatabase : public testing::Test {
 protected:
  LostDatabase() { server_.emplace(data_.path()); }

  [[nodiscard]] fs::path database(const char* suffix = "") const {
    return data_.path() / (std::string("sluice.db") + suffix);
  }

  /// A session that ends as `state`, and its frames.
  std::string make(v1::SessionState state) {
    const bool ends = state == v1::SESSION_STATE_SUCCEEDED;
    const std::string name =
        create(*server_, ends ? "" : "slow=5", ends ? frame_count : 10'000).name();
    if (!ends) {
      wait_for_frames(*server_, name, 5);
      steer(name);
      wait_for_frames(*server_, name, get(*server_, name).frame_count() + 3);
      grpc::ClientContext context;
      v1::Session stopped;
      if (state == v1::SESSION_STATE_CANCELLED) {
        v1::CancelSessionRequest request;
        request.set_name(name);
        EXPECT_TRUE(server_->sessions->Cancel(&context, request, &stopped).ok());
      } else {
        v1::PauseSessionRequest request;
        request.set_name(name);
        EXPECT_TRUE(server_->sessions->Pause(&context, request, &stopped).ok());
      }
    }
    wait_for_state(*server_, name, state);
    expected_[name] = read_existing(*server_, name);
    commands_[name] = commands(name);
    states_[name] = state;
    return name;
  }

  void steer(const std::string& name) {
    grpc::ClientContext context;
    v1::SteerSessionRequest request;
    request.set_name(name);
    for (const double g : {0.0, 0.0, -3.0}) {
      request.mutable_command()->mutable_set_gravity()->add_gravity(g);
    }
    v1::SteerSessionResponse response;
    const grpc::Status status = server_->sessions->Steer(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
  }

  std::string commands(const std::string& name) {
    grpc::ClientContext context;
    v1::ListCommandsRequest request;
    request.set_name(name);
    v1::ListCommandsResponse response;
    EXPECT_TRUE(server_->sessions->ListCommands(&context, request, &response).ok());
    return response.DebugString();
  }

  void make_three() {
    for (const auto state :
         {v1::SESSION_STATE_SUCCEEDED, v1::SESSION_STATE_CANCELLED, v1::SESSION_STATE_PAUSED}) {
      make(state);
    }
  }

  void kill_server() {
    server_->kill();
    server_.reset();
  }
  void stop_server() {
    EXPECT_EQ(server_->terminate().exit_code, 0);
    server_.reset();
  }

  /// Every session is there as it was, with its frames and commands.
  void expect_everything() {
    server_.emplace(data_.path());
    for (const auto& [name, frames] : expected_) {
      const v1::Session session = get(*server_, name);
      EXPECT_EQ(session.state(), states_.at(name)) << session.ShortDebugString();
      EXPECT_EQ(session.frame_count(), static_cast<std::int64_t>(frames.size()));
      EXPECT_EQ(read_existing(*server_, name), frames) << name;
      EXPECT_EQ(commands(name), commands_.at(name)) << name;
    }
  }

  std::string findings() {
    grpc::ClientContext context;
    v1::ServerInfo info;
    EXPECT_TRUE(server_->server->GetInfo(&context, {}, &info).ok());
    std::string all;
    for (const std::string& finding : info.findings()) {
      all += finding + "\n";
    }
    return all;
  }

  TemporaryDirectory data_;
  std::optional<ServerProcess> server_;
  std::map<std::string, FrameContents> expected_;
  std::map<std::string, std::string> commands_;
  std::map<std::string, v1::SessionState> states_;
};

TEST_F(LostDatabase, removed) {
  make_three();
  kill_server();
  fs::remove(database());
  fs::remove(database("-wal"));
  expect_everything();
  EXPECT_THAT(findings(), HasSubstr("taken up again from its folder"));
  // And the paused one goes on, from its checkpoint and with its commands: the same bits.
  for (const auto& [name, state] : states_) {
    if (state != v1::SESSION_STATE_PAUSED) continue;
    grpc::ClientContext context;
    v1::StepSessionRequest request;
    request.set_name(name);
    request.set_frame_count(3);
    v1::Session stepped;
    ASSERT_TRUE(server_->sessions->Step(&context, request, &stepped).ok());
    const auto more = static_cast<std::int64_t>(expected_.at(name).size()) + 3;
    const v1::Session after = wait_until(*server_, name, [&](const v1::Session& session) {
      return session.frame_count() >= more || session.state() == v1::SESSION_STATE_FAILED;
    });
    EXPECT_NE(after.state(), v1::SESSION_STATE_FAILED) << after.message();
  }
}

TEST_F(LostDatabase, removed_but_for_its_log) {
  make_three();
  kill_server();
  fs::remove(database());
  fs::remove(database("-shm"));
  expect_everything();
  EXPECT_TRUE(fs::exists(data_.path() / "lost+found" / "database" / "sluice.db-wal"));
}

TEST_F(LostDatabase, emptied) {
  make_three();
  stop_server();
  write_bytes(database(), "");
  expect_everything();
}

TEST_F(LostDatabase, no_database_at_all) {
  make_three();
  stop_server();  // Without a log beside it, from which SQLite could make the file again.
  write_bytes(database(), std::string(8192, 'x'));
  expect_everything();
  EXPECT_THAT(findings(), HasSubstr("lost+found"));
  EXPECT_EQ(read_bytes(data_.path() / "lost+found" / "database" / "sluice.db"),
            std::string(8192, 'x'));
}

TEST_F(LostDatabase, put_back_from_an_older_copy) {
  make(v1::SESSION_STATE_SUCCEEDED);
  const std::string changed = create(*server_, "slow=5", 10'000).name();
  const std::string deleted = create(*server_, "", 2).name();
  wait_for_state(*server_, deleted, v1::SESSION_STATE_SUCCEEDED);
  stop_server();
  const std::string copy = read_bytes(database());
  server_.emplace(data_.path());
  {
    wait_for_state(*server_, changed, v1::SESSION_STATE_RUNNING);
    steer(changed);
    grpc::ClientContext context;
    v1::CancelSessionRequest request;
    request.set_name(changed);
    v1::Session cancelled;
    ASSERT_TRUE(server_->sessions->Cancel(&context, request, &cancelled).ok());
    expected_[changed] = read_existing(*server_, changed);
    commands_[changed] = commands(changed);
    states_[changed] = v1::SESSION_STATE_CANCELLED;
  }
  make(v1::SESSION_STATE_PAUSED);
  make(v1::SESSION_STATE_SUCCEEDED);
  {
    grpc::ClientContext context;
    v1::DeleteSessionRequest request;
    request.set_name(deleted);
    google::protobuf::Empty nothing;
    ASSERT_TRUE(server_->sessions->Delete(&context, request, &nothing).ok());
  }
  stop_server();
  write_bytes(database(), copy);
  expect_everything();
  // A session that was deleted since says that its files are gone, and can be deleted.
  EXPECT_THAT(get(*server_, deleted).message(), HasSubstr("its folder is gone"));
  grpc::ClientContext context;
  v1::DeleteSessionRequest request;
  request.set_name(deleted);
  google::protobuf::Empty nothing;
  EXPECT_TRUE(server_->sessions->Delete(&context, request, &nothing).ok());
}

TEST_F(LostDatabase, log_removed_or_damaged_after_a_kill) {
  make_three();
  kill_server();
  ASSERT_TRUE(fs::exists(database("-wal")));
  const std::string log = read_bytes(database("-wal"));
  fs::remove(data_.path() / "worker.sock");  // The dead server's; it is no file to copy.
  const TemporaryDirectory copy;
  fs::copy(data_.path(), copy.path() / "data", fs::copy_options::recursive);
  const auto restore = [&] {
    server_.reset();
    for (const auto& entry : fs::directory_iterator(data_.path())) {
      fs::remove_all(entry.path());
    }
    fs::copy(copy.path() / "data", data_.path(),
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  };
  for (const std::size_t part : {0, 1, 5, 9}) {  // In the header, early, in the middle, late.
    SCOPED_TRACE(part);
    restore();
    flip_bit(database("-wal"), part == 0 ? 17 : log.size() * part / 10);
    expect_everything();
  }
  restore();
  fs::remove(database("-wal"));
  expect_everything();
  restore();
  write_bytes(database("-shm"), std::string(32768, '\7'));
  expect_everything();
}

TEST_F(LostDatabase, bits_flipped_anywhere_in_the_file) {
  make_three();
  stop_server();
  const std::string whole = read_bytes(database());
  // A step that is no divisor of a page: headers, trees, texts and numbers all get their turn.
  for (std::size_t at = 21; at < whole.size(); at += whole.size() / 10) {
    SCOPED_TRACE(at);
    write_bytes(database(), whole);
    flip_bit(database(), at);
    expect_everything();
    stop_server();
  }
}

// Symptom: what the server had no row for was deleted at its start.
TEST_F(LostDatabase, what_is_unknown_is_kept) {
  make(v1::SESSION_STATE_SUCCEEDED);
  stop_server();
  const fs::path strange = data_.path() / "sessions" / "strange";
  fs::create_directories(strange / "frames");
  write_bytes(strange / "frames" / "00000000.seg", "frames of somebody");
  fs::create_directories(data_.path() / "sessions" / "begun" / "frames");
  write_bytes(data_.path() / "sessions" / "README", "notes of somebody");
  expect_everything();
  EXPECT_EQ(
      read_bytes(data_.path() / "lost+found" / "strange" / "strange" / "frames" / "00000000.seg"),
      "frames of somebody");
  EXPECT_THAT(findings(), HasSubstr("sessions/strange"));
  EXPECT_FALSE(fs::exists(data_.path() / "sessions" / "begun")) << "it held nothing";
  EXPECT_EQ(read_bytes(data_.path() / "sessions" / "README"), "notes of somebody");
}

// Frames damaged on disk, the index lost. Symptom: SUCCEEDED, 41 frames claimed, 20 read, exit code
// 0; and a mere read cut the tail off.
TEST_F(LostDatabase, frames_that_are_lost_are_told) {
  const std::string name = make(v1::SESSION_STATE_SUCCEEDED);
  const FrameContents whole = expected_.at(name);
  stop_server();
  const fs::path frames = data_.path() / "sessions" / name.substr(name.find('/') + 1) / "frames";
  const std::string segment = read_bytes(frames / "00000000.seg");
  fs::remove(frames / "index");
  const auto read = [&](std::int64_t from, grpc::Status& status) {
    v1::StreamFramesRequest request;
    request.set_session(name);
    request.set_existing_only(true);
    if (from > 0) request.mutable_cursor()->set_index(from);
    return read_frames(*server_, request, &status);
  };
  const auto changed = [&](const std::string& bytes) {
    write_bytes(frames / "00000000.seg", bytes);
    server_.emplace(data_.path());
  };
  grpc::Status status;
  std::string flipped = segment;
  flipped[segment.size() / 2] = static_cast<char>(flipped[segment.size() / 2] ^ 4);
  changed(flipped);
  const FrameContents before = read(0, status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::DATA_LOSS) << status.error_message();
  const auto lost = static_cast<std::int64_t>(before.size());
  EXPECT_GT(lost, 0);
  FrameContents all = before;
  all.merge(read(lost + 1, status));
  EXPECT_TRUE(status.ok()) << status.error_message();
  FrameContents without = whole;
  without.erase(lost);
  EXPECT_TRUE(all == without) << "every other frame can be had, and " << all.size() << " were";
  EXPECT_THAT(get(*server_, name).message(), HasSubstr("lost to damage"));
  EXPECT_EQ(read_bytes(frames / "00000000.seg"), flipped);
  server_.reset();

  const std::string shorter = segment.substr(0, segment.size() - 100);
  changed(shorter);
  EXPECT_EQ(read(0, status).size(), whole.size() - 1);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::DATA_LOSS) << status.error_message();
  EXPECT_EQ(read_bytes(frames / "00000000.seg"), shorter) << "a read cuts nothing off";
}

// A deletion that a crash broke off is finished, and nothing of it comes back.
TEST_F(LostDatabase, what_was_deleted_stays_deleted) {
  const std::string name = make(v1::SESSION_STATE_SUCCEEDED);
  kill_server();
  const std::string id = name.substr(name.find('/') + 1);
  fs::rename(data_.path() / "sessions" / id, data_.path() / "trash" / id);
  server_.emplace(data_.path());
  EXPECT_ANY_THROW(get(*server_, name));
  EXPECT_TRUE(fs::is_empty(data_.path() / "trash"));
  kill_server();
  server_.emplace(data_.path());
  EXPECT_ANY_THROW(get(*server_, name));
}

}  // namespace
}  // namespace sluice::e2e::server_lost_database_test
