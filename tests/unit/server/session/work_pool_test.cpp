// SPDX-License-Identifier: Apache-2.0
#include "server/session/work_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <vector>

namespace sluice::session {
namespace {

using std::chrono::milliseconds;

TEST(Strand, runs_tasks_one_at_a_time_in_order) {
  WorkPool pool(4);
  const auto strand = Strand::create(pool);
  std::vector<int> order;  // No lock: that is what a strand is for.
  std::promise<void> done;
  for (int i = 0; i < 1000; ++i) {
    strand->post([&order, i] { order.push_back(i); });
  }
  strand->post([&done] { done.set_value(); });
  done.get_future().wait();
  ASSERT_EQ(order.size(), 1000U);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(order[static_cast<std::size_t>(i)], i);
  }
}

TEST(Strand, lets_others_work_between_its_tasks) {
  WorkPool pool(1);
  const auto busy = Strand::create(pool);
  std::atomic<bool> stop = false;
  std::function<void()> again = [&] {
    if (!stop) busy->post(again);
  };
  busy->post(again);
  std::promise<void> done;
  pool.post([&done] { done.set_value(); });
  EXPECT_EQ(done.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
  stop = true;
  pool.stop();
}

TEST(WorkPool, starts_timers_in_the_order_of_their_times) {
  WorkPool pool(1);
  std::vector<int> order;
  std::promise<void> done;
  pool.post_after(milliseconds(60), [&] {
    order.push_back(2);
    done.set_value();
  });
  pool.post_after(milliseconds(20), [&] { order.push_back(1); });
  done.get_future().wait();
  EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST(WorkPool, stop_works_off_what_was_posted_and_forgets_timers) {
  std::atomic<int> count = 0;
  WorkPool pool(2);
  for (int i = 0; i < 100; ++i) {
    pool.post([&] { ++count; });
  }
  pool.post_after(std::chrono::hours(1), [&] { count = -1; });
  pool.stop();
  EXPECT_EQ(count, 100);
  pool.post([&] { count = -1; });
  EXPECT_EQ(count, 100);
}

}  // namespace
}  // namespace sluice::session
