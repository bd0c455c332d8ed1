// SPDX-License-Identifier: Apache-2.0
#include "server/worker/outbox.h"

#include <gtest/gtest.h>

#include <thread>

namespace sluice::worker {
namespace {

v1::WorkerMessage holding(std::int64_t index) {
  v1::WorkerMessage message;
  message.mutable_holding()->set_frame_index(index);
  return message;
}

TEST(Outbox, gives_messages_and_sequences_in_order) {
  Outbox outbox;
  outbox.put(holding(1));
  outbox.put_all([next = 2](v1::WorkerMessage& message) mutable {
    message = holding(next++);
    return next <= 5;  // 2, 3 and 4.
  });
  outbox.put(holding(5));
  v1::WorkerMessage message;
  for (std::int64_t expected = 1; expected <= 5; ++expected) {
    ASSERT_TRUE(outbox.take(message));
    EXPECT_EQ(message.holding().frame_index(), expected);
  }
}

TEST(Outbox, a_sign_of_life_is_left_out_where_a_message_waits) {
  Outbox outbox;
  outbox.put(holding(1));
  outbox.put_if_empty(holding(2));
  outbox.put(holding(3));
  v1::WorkerMessage message;
  ASSERT_TRUE(outbox.take(message));
  ASSERT_TRUE(outbox.take(message));
  EXPECT_EQ(message.holding().frame_index(), 3);
}

TEST(Outbox, close_ends_whoever_waits) {
  Outbox outbox;
  std::thread taker([&] {
    v1::WorkerMessage message;
    EXPECT_FALSE(outbox.take(message));
  });
  outbox.close();
  taker.join();
  outbox.wait_until_empty();
}

}  // namespace
}  // namespace sluice::worker
