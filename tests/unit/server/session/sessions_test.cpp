// SPDX-License-Identifier: Apache-2.0
// Sessions on a real store, with an executor that cannot start a worker.
#include "server/session/sessions.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
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
TEST_F(SessionsTest, TriesAgainLaterWhenNoWorkerCanBeStarted) {
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
TEST_F(SessionsTest, ChangesNothingForACallThatItRefusesWhileItStops) {
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
TEST_F(SessionsTest, KeepsTheFilesOfASessionThatItCannotRead) {
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

}  // namespace
}  // namespace sluice::session
