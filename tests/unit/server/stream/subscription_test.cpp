// SPDX-License-Identifier: Apache-2.0
// What a viewer would lose: frames, their order, or their freshness. No clock and no transport: the
// reader takes messages when the test says so.
#include "server/stream/subscription.h"

#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <random>
#include <thread>

#include "server/stream/subscription_registry.h"
#include "stream_testing.h"

namespace sluice::stream {
namespace {

using Indices = std::vector<std::int64_t>;

Indices from_to(std::int64_t first, std::int64_t end) {
  Indices indices(static_cast<std::size_t>(end - first));
  std::iota(indices.begin(), indices.end(), first);
  return indices;
}

SubscribeOptions from(std::int64_t index, std::int64_t epoch = 0) {
  SubscribeOptions options;
  options.cursor = FrameCursor{.epoch = epoch, .index = index};
  return options;
}

SubscribeOptions latest(int max_in_flight) {
  SubscribeOptions options;
  options.delivery = Delivery::latest;
  options.max_in_flight = max_in_flight;
  return options;
}

using SubscriptionTest = Feed;

TEST_F(SubscriptionTest, every_gets_all_in_order_past_and_live) {
  append(0, 5);
  Reader reader(feed_, {});
  EXPECT_EQ(reader.take(), from_to(0, 5));
  EXPECT_FALSE(reader.end());
  append(5, 7);
  EXPECT_EQ(reader.wakes(), 1);  // Once for the wait, not once for each frame.
  EXPECT_EQ(reader.take(), from_to(5, 7));
  feed_->set_state(FeedState::complete);
  EXPECT_EQ(reader.wakes(), 2);
  EXPECT_TRUE(reader.take().empty());
  EXPECT_EQ(reader.end()->reason, EndReason::done);
}

TEST_F(SubscriptionTest, sends_the_stored_bytes) {
  append(0, 1);
  Reader reader(feed_, {});
  reader.take();
  const auto stored = *split_frame_record(make_frame(0));
  ASSERT_EQ(reader.last_frame().size(), stored.size());
  for (std::size_t i = 0; i < stored.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(reader.last_frame()[i].view(), stored[i].view()));
  }
}

TEST_F(SubscriptionTest, sends_the_selected_arrays_alone) {
  append(0, 2);
  SubscribeOptions options;
  options.form.selection = select({"water"}, {v1::FIELD_POSITION});
  Reader reader(feed_, options);
  EXPECT_EQ(reader.take(), from_to(0, 2));
  EXPECT_EQ(reader.last_frame().size(), 3U);
}

// A slow EVERY reader falls far behind what is in memory, and gets everything from disk.
TEST_F(SubscriptionTest, every_catches_up_from_disk) {
  feed_ = open(1);
  append(0, 3);
  Reader reader(feed_, {});
  Indices got = reader.take(4);  // In the middle of frame 0.
  append(3, 100);
  const Indices rest = reader.take();
  got.insert(got.end(), rest.begin(), rest.end());
  EXPECT_EQ(got, from_to(0, 100));
  EXPECT_GE(reader.loads(), 98);
}

TEST_F(SubscriptionTest, every_holds_back_at_its_credits) {
  append(0, 10);
  SubscribeOptions options;
  options.max_in_flight = 3;
  Reader reader(feed_, options);
  EXPECT_EQ(reader.take(), from_to(0, 3));
  EXPECT_EQ(reader.subscription().in_flight(), 3);
  append(10, 11);
  EXPECT_EQ(reader.wakes(), 0);  // A new frame is of no use without a credit.
  reader.subscription().acknowledge({.epoch = 0, .index = 1});  // And with it all before.
  EXPECT_EQ(reader.wakes(), 1);
  reader.subscription().acknowledge({.epoch = 0, .index = 1});
  EXPECT_EQ(reader.subscription().in_flight(), 1);
  EXPECT_EQ(reader.take(), from_to(3, 5));
  reader.subscription().acknowledge({.epoch = 0, .index = 1000});
  EXPECT_EQ(reader.take(), from_to(5, 8));
}

// The reader takes one message now and then while frames come: what it gets is the newest at the
// time a credit was free, and never more than the window is unacknowledged.
TEST_F(SubscriptionTest, latest_gets_the_newest_within_its_credits) {
  for (const int window : {1, 2, 5}) {
    feed_ = open();
    const auto start = static_cast<std::int64_t>(feed_->range().next);
    append(start, start + 1);
    Reader reader(feed_, latest(window));
    std::mt19937 random(static_cast<unsigned>(window));
    std::int64_t newest = start;
    std::int64_t last = -1;
    bool in_frame = false;
    int received = 0;
    for (int step = 0; step < 3000; ++step) {
      if (random() % 20 == 0) {
        append(newest + 1, newest + 2);
        ++newest;
      }
      Next next = reader.subscription().next();
      ASSERT_LE(reader.subscription().in_flight(), window);
      if (const auto* send = std::get_if<Send>(&next)) {
        if (!in_frame) {
          const std::int64_t index = parse(send->message).header().cursor().index();
          ASSERT_EQ(index, newest);
          ASSERT_GT(index, last);
          last = index;
        }
        in_frame = !send->ends_frame;
        if (send->ends_frame) {
          ++received;
        }
      } else {
        ASSERT_TRUE(std::holds_alternative<Wait>(next));
      }
      if (!in_frame && random() % 30 == 0) {
        reader.subscription().acknowledge({.epoch = 0, .index = last});
      }
    }
    EXPECT_GT(received, 20);
  }
}

// Every twelfth frame at most gets through a reader that is twelve times too slow, and each one is
// fresh.
TEST_F(SubscriptionTest, latest_skips_for_a_slow_reader_and_ends_with_the_last_frame) {
  append(0, 1);
  Reader reader(feed_, latest(1));
  Indices got = reader.take();
  for (std::int64_t index = 1; index < 121; ++index) {
    append(index, index + 1);
    if (index % 12 == 0) {
      reader.subscription().acknowledge({.epoch = 0, .index = got.back()});
      const Indices more = reader.take();
      ASSERT_EQ(more, Indices{index});
      got.push_back(index);
    }
    EXPECT_TRUE(reader.take().empty());  // No credit.
  }
  append(121, 124);
  feed_->set_state(FeedState::complete);
  EXPECT_FALSE(reader.end());
  reader.subscription().acknowledge({.epoch = 0, .index = got.back()});
  EXPECT_EQ(reader.take(), Indices{123});
  EXPECT_EQ(reader.end()->reason, EndReason::done);
}

// A frame that must be read first does not go round in circles when newer ones come meanwhile.
TEST_F(SubscriptionTest, latest_sends_what_it_loaded_though_a_newer_came) {
  append(0, 1);
  SubscribeOptions options = latest(1);
  options.form.selection = select({"water"}, {});
  Reader reader(feed_, options);
  ASSERT_TRUE(std::holds_alternative<Load>(reader.subscription().next()));
  append(1, 2);
  reader.subscription().load();
  append(2, 3);
  EXPECT_EQ(reader.take(), Indices{0});
  reader.subscription().acknowledge({.epoch = 0, .index = 0});
  EXPECT_EQ(reader.take(), Indices{2});
}

TEST_F(SubscriptionTest, takes_every_strideth_frame) {
  append(0, 20);
  SubscribeOptions options = from(2);
  options.stride = 5;
  Reader every(feed_, options);
  EXPECT_EQ(every.take(), (Indices{2, 7, 12, 17}));
  options.delivery = Delivery::latest;
  Reader newest(feed_, options);
  EXPECT_EQ(newest.take(), Indices{17});
  append(20, 22);
  EXPECT_TRUE(newest.take().empty());
  append(22, 24);
  EXPECT_EQ(newest.take(), Indices{22});
  EXPECT_EQ(every.take(), Indices{22});
}

TEST_F(SubscriptionTest, latest_begins_with_the_newest_and_every_with_the_oldest) {
  append(0, 9);
  EXPECT_EQ(Reader(feed_, latest(0)).take(), Indices{8});
  EXPECT_EQ(Reader(feed_, {}).take(), from_to(0, 9));
}

TEST_F(SubscriptionTest, ends_after_what_exists_if_asked_to) {
  SubscribeOptions options;
  options.existing_only = true;
  Reader nothing(feed_, options);
  EXPECT_TRUE(nothing.take().empty());
  EXPECT_EQ(nothing.end()->reason, EndReason::done);
  append(0, 4);
  Reader reader(feed_, options);
  append(4, 6);
  EXPECT_EQ(reader.take(), from_to(0, 4));
  EXPECT_EQ(reader.end()->reason, EndReason::done);
}

TEST_F(SubscriptionTest, waits_for_the_first_frame) {
  Reader every(feed_, {});
  Reader ahead(feed_, from(2));
  EXPECT_TRUE(every.take().empty());
  EXPECT_TRUE(ahead.take().empty());
  append(0, 3);
  EXPECT_EQ(every.wakes(), 1);
  EXPECT_EQ(every.take(), from_to(0, 3));
  EXPECT_EQ(ahead.take(), Indices{2});
}

TEST_F(SubscriptionTest, says_which_cursors_are_gone) {
  append(5, 8, 1);  // The oldest frames were not kept.
  append(8, 10, 2);
  const auto end_of = [&](const SubscribeOptions& options) {
    Reader reader(feed_, options);
    reader.take();
    return reader.end();
  };
  const auto gone = end_of(from(3, 1));
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->reason, EndReason::out_of_range);
  EXPECT_NE(gone->message.find("epoch 1 index 5"), std::string::npos) << gone->message;
  EXPECT_EQ(end_of(from(7, 2))->reason, EndReason::out_of_range);
  EXPECT_EQ(end_of(from(3, 0))->reason, EndReason::out_of_range);
  EXPECT_FALSE(end_of(from(7, 0))) << "0 stands for any epoch";
  EXPECT_EQ(end_of(from(-1, 1))->reason, EndReason::out_of_range);
  EXPECT_FALSE(end_of(from(8, 1)));  // Behind the last frame of epoch 1.
  EXPECT_FALSE(end_of(from(8, 2)));
  EXPECT_FALSE(end_of(from(10, 2)));  // Not computed yet.
  feed_->set_state(FeedState::complete);
  EXPECT_EQ(end_of(from(10, 2))->reason, EndReason::done);
  EXPECT_EQ(end_of(from(11, 2))->reason, EndReason::out_of_range);
}

TEST_F(SubscriptionTest, ends_when_the_server_stops_or_the_session_goes) {
  append(0, 3);
  Reader reader(feed_, {});
  EXPECT_EQ(reader.take(9 + 4), Indices{0});  // In the middle of frame 1.
  feed_->set_state(FeedState::stopping);
  EXPECT_TRUE(reader.take().empty());
  EXPECT_EQ(reader.end()->reason, EndReason::server_stopping);
  EXPECT_EQ(reader.subscription().resume_cursor().index, 1);
  feed_->set_state(FeedState::deleted);
  Reader other(feed_, {});
  other.take();
  EXPECT_EQ(other.end()->reason, EndReason::session_deleted);
}

TEST_F(SubscriptionTest, names_a_damaged_frame_and_how_to_go_on) {
  append(0, 3);
  must(feed_->close());
  const auto path = temporary_.path() / "frames" / "00000000.seg";
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(-20, std::ios::end);
  file.put('?');
  file.close();
  ASSERT_TRUE(file);
  feed_ = open();
  Reader reader(feed_, {});
  EXPECT_EQ(reader.take(), from_to(0, 2));
  ASSERT_TRUE(reader.end());
  EXPECT_EQ(reader.end()->reason, EndReason::data_loss);
  EXPECT_NE(reader.end()->message.find("frame 2"), std::string::npos) << reader.end()->message;
}

// A client that is cut off 1,000 times, anywhere in a frame, and goes on behind its last whole
// frame.
TEST_F(SubscriptionTest, loses_and_doubles_nothing_over_a_thousand_reconnects) {
  feed_ = open(20'000);
  std::mt19937 random(7);
  std::int64_t appended = 1;
  append(0, 1);
  Indices got;
  for (int connection = 0; connection < 1000; ++connection) {
    const std::int64_t next = got.empty() ? 0 : got.back() + 1;
    Reader reader(feed_, from(next));
    for (int burst = 0; burst < 3; ++burst) {
      const Indices more = reader.take(random() % 12);
      got.insert(got.end(), more.begin(), more.end());
      if (random() % 2 == 0) {
        append(appended, appended + 1);
        ++appended;
      }
    }
    ASSERT_FALSE(reader.end());
    ASSERT_EQ(reader.subscription().resume_cursor().index, got.empty() ? 0 : got.back() + 1);
  }
  const std::int64_t next = got.empty() ? 0 : got.back() + 1;
  const Indices rest = Reader(feed_, from(next)).take();
  got.insert(got.end(), rest.begin(), rest.end());
  EXPECT_EQ(got, from_to(0, appended));
  EXPECT_GT(appended, 1000);
}

// The same with real threads: an appender, and readers that sleep until they are woken.
TEST_F(SubscriptionTest, no_wake_is_lost) {
  constexpr std::int64_t frame_count = 300;
  std::vector<std::thread> readers;
  readers.reserve(4);
  for (int number = 0; number < 4; ++number) {
    readers.emplace_back([this, number] {
      std::mutex mutex;
      std::condition_variable woken;
      bool awake = false;
      SubscribeOptions options;
      options.delivery = number % 2 == 0 ? Delivery::every : Delivery::latest;
      options.max_in_flight = number < 2 ? 0 : 2;
      Subscription subscription(feed_, options, [&] {
        const std::lock_guard lock(mutex);
        awake = true;
        woken.notify_one();
      });
      std::int64_t last = -1;
      while (true) {
        Next next = subscription.next();
        if (std::holds_alternative<Load>(next)) {
          subscription.load();
        } else if (const auto* send = std::get_if<Send>(&next)) {
          if (send->ends_frame) {
            last = subscription.resume_cursor().index - 1;
            subscription.acknowledge({.epoch = 0, .index = last});
          }
        } else if (std::holds_alternative<Wait>(next)) {
          std::unique_lock lock(mutex);
          ASSERT_TRUE(woken.wait_for(lock, std::chrono::seconds(30), [&] { return awake; }));
          awake = false;
        } else {
          ASSERT_EQ(std::get<End>(next).reason, EndReason::done);
          break;
        }
      }
      EXPECT_EQ(last, frame_count - 1);
    });
  }
  append(0, frame_count);
  feed_->set_state(FeedState::complete);
  for (std::thread& reader : readers) {
    reader.join();
  }
}

TEST_F(SubscriptionTest, is_found_by_its_id_while_it_lives) {
  SubscriptionRegistry registry;
  auto subscription = std::make_shared<Subscription>(feed_, SubscribeOptions{}, [] {});
  const std::string id = registry.add(subscription);
  EXPECT_EQ(id.size(), 32U);
  EXPECT_NE(registry.add(subscription), id);
  EXPECT_EQ(registry.find(id), subscription);
  EXPECT_EQ(registry.find("other"), nullptr);
  EXPECT_EQ(parse(start_message(id)).start().stream_id(), id);
  subscription.reset();
  EXPECT_EQ(registry.find(id), nullptr);
  registry.remove(id);
  EXPECT_EQ(registry.count(), 1U);
}

}  // namespace
}  // namespace sluice::stream
