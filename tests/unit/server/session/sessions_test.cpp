// SPDX-License-Identifier: Apache-2.0
// Sessions on a real store, with an executor that cannot start a worker.
#include "server/session/sessions.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <optional>

#include "tests/unit/server/store/temporary_directory.h"

namespace sluice::session {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

class NoWorkers final : public Executor {
 public:
  Result<std::unique_ptr<WorkerProcess>> start(const WorkerLaunch&, WorkerCallbacks) override {
    ++start_count;
    return internal_error("no more processes");
  }
  std::atomic<int> start_count = 0;
};

class SessionsTest : public testing::Test {
 protected:
  SessionsTest() {
    directory_ = std::move(store::DataDirectory::open(root_.path())).value();
    database_ = std::move(store::Database::open(directory_->database_path())).value();
    assets_ = std::move(store::AssetStore::open(directory_->assets_path(), {})).value();
  }
  ~SessionsTest() override {
    pool_.stop();
    sessions_.reset();
  }

  /// Starts as after the server was killed; it sees what `meanwhile` has changed.
  void reopen(const std::function<void()>& meanwhile) {
    sessions_.reset();
    database_.reset();
    assets_.reset();
    directory_.reset();
    meanwhile();
    directory_ = std::move(store::DataDirectory::open(root_.path())).value();
    database_ = std::move(store::Database::open(directory_->database_path())).value();
    assets_ = std::move(store::AssetStore::open(directory_->assets_path(), {})).value();
    sessions_ =
        *Sessions::open({Settings(), pool_, *directory_, *database_, *assets_, executor_, slots_});
  }

  void remove_database() const {
    for (const char* const suffix : {"", "-wal", "-shm"}) {
      fs::remove(root_.path() / (std::string("sluice.db") + suffix));
    }
  }

  /// A paused session with two commands that it was created with.
  void create_paused(const std::string& id) {
    CreateOrder paused = order(id);
    paused.options.set_start_paused(true);
    paused.options.set_max_restarts(100);
    paused.scene.set_name("scene of " + id);
    paused.request_id = "request " + id;
    for (const int frame : {3, 7}) {
      paused.recorded_commands.emplace_back().set_frame_index(frame);
    }
    ASSERT_TRUE(sessions_->create(std::move(paused)));
  }

  void cancel(const std::string& id) {
    const auto session = *sessions_->find(id);
    ASSERT_TRUE(
        answer_of<v1::Session>([&](SessionReply reply) { session->cancel(std::move(reply)); }));
  }

  void open() {
    sessions_ =
        *Sessions::open({Settings(), pool_, *directory_, *database_, *assets_, executor_, slots_});
    sessions_->start();
  }

  static CreateOrder order(const std::string& id) {
    CreateOrder order;
    order.session_id = id;
    order.options.set_frame_count(10);
    order.options.set_max_restarts(3);
    return order;
  }

  template <typename Value, typename Call>
  static Result<Value> answer_of(Call&& call) {
    std::promise<Result<Value>> promise;
    call([&](Result<Value> result) { promise.set_value(std::move(result)); });
    return promise.get_future().get();
  }

  test::TemporaryDirectory root_;
  std::unique_ptr<store::DataDirectory> directory_;
  std::unique_ptr<store::Database> database_;
  std::unique_ptr<store::AssetStore> assets_;
  WorkPool pool_{2};
  RunSlots slots_{1};
  NoWorkers executor_;
  std::unique_ptr<Sessions> sessions_;
};

// Symptom: while the system had no process left for some milliseconds, every try was used up.
TEST_F(SessionsTest, tries_again_later_when_no_worker_can_be_started) {
  open();
  const auto begin = steady_clock::now();
  ASSERT_TRUE(sessions_->create(order("hopeless")));
  const auto session = *sessions_->find("hopeless");
  while (session->snapshot().state() != v1::SESSION_STATE_FAILED) {
    ASSERT_LT(steady_clock::now() - begin, std::chrono::seconds(60));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(executor_.start_count, 4);
  EXPECT_EQ(session->snapshot().reason(), v1::SESSION_REASON_WORKER_DIED);
  // The third start waits for 100 ms, the fourth for 200 ms.
  EXPECT_GE(steady_clock::now() - begin, std::chrono::milliseconds(300));
}

// Symptom: a step that was answered with UNAVAILABLE, "try again", was taken nevertheless.
TEST_F(SessionsTest, changes_nothing_for_a_call_that_it_refuses_while_it_stops) {
  open();
  CreateOrder paused = order("paused");
  paused.options.set_start_paused(true);
  paused.options.set_max_restarts(100);
  ASSERT_TRUE(sessions_->create(std::move(paused)));
  const auto session = *sessions_->find("paused");
  sessions_->stop();
  const auto stepped =
      answer_of<v1::Session>([&](SessionReply reply) { session->step(5, std::move(reply)); });
  ASSERT_FALSE(stepped);
  EXPECT_EQ(stepped.error().kind, ErrorKind::unavailable);
  const auto cancelled =
      answer_of<v1::Session>([&](SessionReply reply) { session->cancel(std::move(reply)); });
  ASSERT_FALSE(cancelled);
  const auto row = std::move(database_->get_session("paused")).value();
  EXPECT_EQ(row.state, v1::SESSION_STATE_PAUSED);
  EXPECT_EQ(row.target_frame_count, 1) << "frame 0 alone";
}

// Symptom: creating a session under the name of one whose row is damaged removed that one's frames.
TEST_F(SessionsTest, keeps_the_files_of_a_session_that_it_cannot_read) {
  store::SessionRecord damaged;
  damaged.id = "mine";
  damaged.options_bytes = "not a message";
  ASSERT_TRUE(database_->insert_session(damaged));
  ASSERT_TRUE(directory_->create_session("mine"));
  const fs::path frames = directory_->frames_path("mine") / "00000000.seg";
  std::ofstream(frames) << "frames";
  open();
  const auto created = sessions_->create(order("mine"));
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().kind, ErrorKind::already_exists);
  EXPECT_TRUE(fs::exists(frames));
}

// Symptom: a start without the database deleted every session.
TEST_F(SessionsTest, takes_sessions_up_from_their_folders) {
  open();
  create_paused("kept");
  create_paused("ended");
  cancel("ended");
  pool_.stop();
  reopen([&] { remove_database(); });
  EXPECT_EQ(sessions_->findings().size(), 2U);
  EXPECT_EQ((*sessions_->find("kept"))->snapshot().state(), v1::SESSION_STATE_PAUSED);
  EXPECT_EQ((*sessions_->find("ended"))->snapshot().state(), v1::SESSION_STATE_CANCELLED);
  for (const char* const id : {"kept", "ended"}) {
    EXPECT_EQ(sessions_->scene(id)->name(), std::string("scene of ") + id);
    const auto commands = sessions_->commands(id, {}, 10);
    ASSERT_TRUE(commands);
    ASSERT_EQ(commands->commands.size(), 2U);
    EXPECT_EQ(commands->commands[1].frame_index(), 7);
  }
  const auto row = std::move(database_->find_session_by_request_id("request kept")).value();
  EXPECT_TRUE(row) << "asking again gives the same session";
  reopen([] {});
  EXPECT_TRUE(sessions_->findings().empty()) << "all is well again";
}

TEST_F(SessionsTest, believes_the_folder_where_the_database_is_older) {
  open();
  create_paused("ended");
  const auto older = std::move(database_->get_session("ended")).value();
  cancel("ended");
  pool_.stop();
  reopen([&] {
    const auto database = std::move(store::Database::open(root_.path() / "sluice.db")).value();
    ASSERT_TRUE(database->restore_session(older, {}));
  });
  EXPECT_EQ(sessions_->findings().size(), 1U);
  EXPECT_EQ((*sessions_->find("ended"))->snapshot().state(), v1::SESSION_STATE_CANCELLED);
  EXPECT_EQ(sessions_->commands("ended", {}, 10)->commands.size(), 2U);
}

TEST_F(SessionsTest, believes_the_row_that_is_newer_than_the_folder) {
  open();
  create_paused("ended");
  cancel("ended");
  pool_.stop();
  const fs::path standing = root_.path() / "sessions" / "ended" / "standing";
  reopen([&] { fs::remove(standing); });  // The server dies before it is written.
  EXPECT_TRUE(sessions_->findings().empty());
  EXPECT_EQ((*sessions_->find("ended"))->snapshot().state(), v1::SESSION_STATE_CANCELLED);
  EXPECT_TRUE(fs::exists(standing)) << "made up for";
}

TEST_F(SessionsTest, repairs_a_row_from_the_folder) {
  open();
  create_paused("mine");
  pool_.stop();
  reopen([&] {
    const auto database = std::move(store::Database::open(root_.path() / "sluice.db")).value();
    auto row = std::move(database->get_session("mine")).value();
    row.options_bytes = "not a message";
    row.scene_bytes = "nor this";
    ASSERT_TRUE(database->restore_session(row, {}));
  });
  EXPECT_EQ(sessions_->findings().size(), 1U);
  EXPECT_EQ((*sessions_->find("mine"))->snapshot().options().frame_count(), 10);
  EXPECT_EQ(sessions_->scene("mine")->name(), "scene of mine");
  EXPECT_EQ(sessions_->commands("mine", {}, 10)->commands.size(), 2U);
}

TEST_F(SessionsTest, says_that_a_folder_is_gone) {
  open();
  create_paused("gone");
  pool_.stop();
  reopen([&] { fs::remove_all(root_.path() / "sessions" / "gone"); });
  const v1::Session session = (*sessions_->find("gone"))->snapshot();
  EXPECT_EQ(session.state(), v1::SESSION_STATE_FAILED);
  EXPECT_EQ(session.reason(), v1::SESSION_REASON_STORAGE_FAILED);
  EXPECT_NE(session.message().find("its folder is gone"), std::string::npos);
}

}  // namespace
}  // namespace sluice::session
