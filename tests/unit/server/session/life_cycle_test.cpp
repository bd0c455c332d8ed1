// SPDX-License-Identifier: Apache-2.0
// Oracle: the state diagram in life_cycle.h and the errors in sessions.proto, worked by hand.
#include "server/session/life_cycle.h"

#include <gtest/gtest.h>

namespace sluice::session {
namespace {

using namespace v1;

LifeCycle running(std::int64_t last_frame = 10, int max_restarts = 2) {
  LifeCycle life = LifeCycle::create(last_frame, max_restarts, false);
  life.worker_launched();
  life.worker_ready();
  return life;
}

TEST(LifeCycle, goes_from_pending_to_succeeded) {
  LifeCycle life = LifeCycle::create(2, 3, false);
  EXPECT_EQ(life.standing().state, SESSION_STATE_PENDING);
  EXPECT_EQ(life.standing().reason, SESSION_REASON_QUEUED);
  EXPECT_EQ(life.wish(), WorkerWish::needed);
  life.worker_launched();
  EXPECT_EQ(life.standing().state, SESSION_STATE_STARTING);
  life.worker_ready();
  EXPECT_EQ(life.standing().state, SESSION_STATE_RUNNING);
  EXPECT_EQ(life.run_limit(), 2);
  life.frame_stored(0, true);
  life.frame_stored(1, true);
  EXPECT_EQ(life.standing().state, SESSION_STATE_RUNNING);
  life.frame_stored(2, true);
  EXPECT_EQ(life.standing().state, SESSION_STATE_SUCCEEDED);
  EXPECT_EQ(life.wish(), WorkerWish::none);
}

TEST(LifeCycle, pause_takes_hold_when_the_worker_holds) {
  LifeCycle life = running();
  life.frame_stored(0, true);
  EXPECT_TRUE(life.pause(SESSION_REASON_REQUESTED, "by hand"));
  EXPECT_EQ(life.standing().state, SESSION_STATE_RUNNING);
  EXPECT_TRUE(life.pausing());
  EXPECT_EQ(life.run_limit(), -1);
  life.frame_stored(1, true);  // It was under way.
  life.worker_holds();
  EXPECT_EQ(life.standing(), (Standing{SESSION_STATE_PAUSED, SESSION_REASON_REQUESTED, "by hand"}));
  EXPECT_EQ(life.wish(), WorkerWish::keep);
  EXPECT_FALSE(life.pausing());
}

TEST(LifeCycle, pause_without_a_ready_worker_is_at_once) {
  LifeCycle life = LifeCycle::create(10, 3, false);
  life.worker_launched();
  EXPECT_TRUE(life.pause(SESSION_REASON_REQUESTED, ""));
  EXPECT_EQ(life.standing().state, SESSION_STATE_PAUSED);
  EXPECT_EQ(life.wish(), WorkerWish::needed) << "frame 0 is computed in any case";
  life.worker_ready();
  EXPECT_EQ(life.standing().state, SESSION_STATE_PAUSED);
}

TEST(LifeCycle, resume_takes_back_a_pause_that_has_not_taken_hold) {
  LifeCycle life = running();
  life.pause(SESSION_REASON_REQUESTED, "");
  EXPECT_TRUE(life.resume());
  life.worker_holds();
  EXPECT_EQ(life.standing().state, SESSION_STATE_RUNNING);
  EXPECT_EQ(life.run_limit(), 10);
}

TEST(LifeCycle, step_runs_some_frames_and_pauses) {
  LifeCycle life = LifeCycle::create(10, 3, true);
  EXPECT_EQ(life.standing().state, SESSION_STATE_PAUSED);
  life.worker_ready();
  life.frame_stored(0, true);
  EXPECT_TRUE(life.step(3));
  EXPECT_FALSE(life.step(3)) << "it is on its way";
  life.worker_ready();
  EXPECT_EQ(life.run_limit(), 3);
  life.frame_stored(1, true);
  life.worker_holds();  // This is for an earlier order.
  EXPECT_EQ(life.standing().state, SESSION_STATE_RUNNING);
  life.frame_stored(2, true);
  life.frame_stored(3, true);
  life.worker_holds();
  EXPECT_EQ(life.standing().state, SESSION_STATE_PAUSED);
  EXPECT_TRUE(life.step(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(life.facts().run_until, 10) << "not past the end";
}

TEST(LifeCycle, dead_worker_is_replaced_until_too_many_die_without_a_frame) {
  LifeCycle life = running(10, 2);
  life.frame_stored(0, true);
  for (int i = 1; i <= 2; ++i) {
    life.worker_gone("killed");
    EXPECT_EQ(life.standing(),
              (Standing{SESSION_STATE_PENDING, SESSION_REASON_RECOVERING, "killed"}));
    life.worker_launched();
    EXPECT_EQ(life.standing().reason, SESSION_REASON_RECOVERING);
    life.worker_ready();
    life.frame_stored(0, false);  // Computed again: no progress.
  }
  life.frame_stored(1, true);  // Progress: the count begins anew.
  for (int i = 1; i <= 2; ++i) {
    life.worker_gone("killed");
    life.worker_ready();
  }
  EXPECT_EQ(life.facts().restart_count, 4);
  life.worker_gone("killed");
  EXPECT_EQ(life.standing().state, SESSION_STATE_FAILED);
  EXPECT_EQ(life.standing().reason, SESSION_REASON_WORKER_DIED);
}

TEST(LifeCycle, worker_that_dies_while_pausing_leaves_a_paused_session) {
  LifeCycle life = running();
  life.frame_stored(0, true);
  life.pause(SESSION_REASON_LEASE_EXPIRED, "lease");
  life.worker_gone("killed");
  EXPECT_EQ(life.standing().state, SESSION_STATE_PAUSED);
  EXPECT_EQ(life.standing().reason, SESSION_REASON_LEASE_EXPIRED);
}

TEST(LifeCycle, full_disk_pauses_without_a_worker_until_resumed) {
  LifeCycle life = running();
  life.disk_full("no room");
  EXPECT_EQ(life.standing().state, SESSION_STATE_PAUSED);
  EXPECT_EQ(life.wish(), WorkerWish::none);
  EXPECT_TRUE(life.resume());
  EXPECT_EQ(life.wish(), WorkerWish::needed);
}

TEST(LifeCycle, terminal_states_stay) {
  for (const SessionState terminal :
       {SESSION_STATE_SUCCEEDED, SESSION_STATE_FAILED, SESSION_STATE_CANCELLED}) {
    LifeCycle::Facts facts;
    facts.last_frame = 10;
    facts.standing.state = terminal;
    LifeCycle life(facts);
    EXPECT_TRUE(life.terminal());
    EXPECT_FALSE(life.pause(SESSION_REASON_REQUESTED, ""));
    EXPECT_FALSE(life.resume());
    EXPECT_FALSE(life.step(1));
    EXPECT_EQ(life.cancel(), terminal == SESSION_STATE_CANCELLED);
    life.worker_gone("x");
    life.disk_full("x");
    life.fail(SESSION_REASON_SOLVER_DIVERGED, "x");
    life.frame_stored(10, true);
    life.worker_holds();
    EXPECT_EQ(life.standing().state, terminal);
  }
}

TEST(LifeCycle, recovers_from_what_is_on_disk) {
  LifeCycle::Facts facts;
  facts.last_frame = 10;
  facts.standing = {SESSION_STATE_RUNNING, SESSION_REASON_UNSPECIFIED, ""};
  LifeCycle life(facts);
  life.recover(4);
  EXPECT_EQ(life.standing().state, SESSION_STATE_PENDING);
  EXPECT_EQ(life.standing().reason, SESSION_REASON_RECOVERING);
  EXPECT_EQ(life.facts().frame_count, 4);
  LifeCycle done(facts);
  done.recover(11);  // The server died between the last frame and the row.
  EXPECT_EQ(done.standing().state, SESSION_STATE_SUCCEEDED);
  facts.standing.state = SESSION_STATE_PAUSED;
  LifeCycle paused(facts);
  paused.recover(4);
  EXPECT_EQ(paused.standing().state, SESSION_STATE_PAUSED);
  EXPECT_EQ(paused.wish(), WorkerWish::keep);
}

}  // namespace
}  // namespace sluice::session
