// SPDX-License-Identifier: Apache-2.0
// Oracle: worker_link.proto, Assignment.stored_frame_count, RunOrder and WorkerHolding.
#include "server/worker/orders.h"

#include <gtest/gtest.h>

namespace sluice::worker {
namespace {

v1::RunOrder run_order(std::int64_t until, std::int64_t id) {
  v1::RunOrder order;
  order.set_until_frame_index(until);
  order.set_id(id);
  return order;
}

TEST(Orders, advances_to_the_limit_then_holds_once) {
  Orders orders(10);
  orders.run(run_order(2, 1));
  EXPECT_TRUE(std::holds_alternative<Advance>(orders.next({0, 9, 0})));
  EXPECT_TRUE(std::holds_alternative<Advance>(orders.next({1, 9, 0})));
  EXPECT_EQ(std::get<Hold>(orders.next({2, 9, 0})).order_id, 1);
  orders.run(run_order(-1, 2));
  EXPECT_EQ(std::get<Hold>(orders.next({2, 9, 0})).order_id, 2) << "each order has its answer";
  orders.stop(true);
  EXPECT_TRUE(std::get<Stop>(orders.next({2, 9, 0})).checkpoint);
}

TEST(Orders, stored_frames_are_computed_again_before_anything_else) {
  Orders orders(10);
  orders.run(run_order(-1, 1));
  v1::SteerOrder steer;
  steer.set_id(5);
  orders.steer(steer);
  // Frames 0 to 3 are stored; the worker stands at its checkpoint, frame 1.
  EXPECT_TRUE(std::holds_alternative<Advance>(orders.next({1, 9, 4})));
  EXPECT_TRUE(std::holds_alternative<Advance>(orders.next({2, 9, 4})));
  EXPECT_EQ(std::get<Steer>(orders.next({3, 9, 4})).id, 5);
  EXPECT_TRUE(std::holds_alternative<Hold>(orders.next({3, 9, 4})));
}

TEST(Orders, a_frame_needs_a_credit) {
  Orders orders(1);
  orders.run(run_order(9, 1));
  EXPECT_TRUE(std::holds_alternative<Advance>(orders.next({0, 9, 0})));
  orders.stop(false);
  EXPECT_TRUE(std::holds_alternative<Stop>(orders.next({1, 9, 0}))) << "none left: only a stop";
}

TEST(Orders, accepted_frames_give_credits_back) {
  Orders orders(1);
  orders.run(run_order(9, 1));
  orders.take_credit();
  orders.frame_accepted();
  EXPECT_TRUE(std::holds_alternative<Advance>(orders.next({0, 9, 0})));
}

}  // namespace
}  // namespace sluice::worker
