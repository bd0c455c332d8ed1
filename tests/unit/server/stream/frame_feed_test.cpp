// SPDX-License-Identifier: Apache-2.0
#include "server/stream/frame_feed.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "stream_testing.h"

namespace sluice::stream {
namespace {

TEST_F(Feed, stores_a_frame_and_compares_it_when_it_is_computed_again) {
  EXPECT_EQ(must(feed_->append(make_frame(0, 0, 0.1))), store::AppendOutcome::appended);
  EXPECT_EQ(must(feed_->append(make_frame(0, 0, 0.2))), store::AppendOutcome::already_same);
  const auto other = feed_->append(make_frame(0, 0, 0.1, 128));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, store::ErrorCode::mismatch);
  const auto garbage = feed_->append(share("no frame"));
  ASSERT_FALSE(garbage);
  EXPECT_EQ(garbage.error().code, store::ErrorCode::corrupt);
}

TEST_F(Feed, announces_a_frame_only_once_it_is_stored) {
  std::vector<std::uint64_t> told;
  {
    const FrameFeed::Listener listener(feed_, [&] {
      told.push_back(feed_->range().next);
      EXPECT_TRUE(feed_->read(told.back() - 1, {}));
    });
    append(0, 3);
    must(feed_->append(make_frame(2)));
  }
  append(3, 4);
  EXPECT_EQ(told, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST_F(Feed, keeps_layouts) {
  EXPECT_FALSE(feed_->layout());
  v1::Layout layout;
  layout.set_epoch(0);
  layout.add_bodies()->set_name("water");
  must(feed_->append_layout(layout));
  EXPECT_EQ(must(feed_->append_layout(layout)), store::AppendOutcome::already_same);
  EXPECT_EQ(must(feed_->layout()).bodies(0).name(), "water");
  EXPECT_EQ(must(feed_->layout(0)).bodies(0).name(), "water");
  EXPECT_FALSE(feed_->layout(1));
  EXPECT_FALSE(feed_->layout(-1));
}

TEST_F(Feed, gives_each_epoch_the_triangles_of_the_first) {
  v1::Layout layout;
  v1::Body& water = *layout.add_bodies();
  water.set_name("water");
  water.set_count(3);
  v1::Body& sheet = *layout.add_bodies();
  sheet.set_name("sheet");
  sheet.set_triangles("some triangles");
  sheet.set_tetrahedra("some tetrahedra");
  must(feed_->append_layout(layout));
  v1::Layout later = layout;
  later.set_epoch(4);
  later.mutable_bodies(0)->set_count(2);
  later.mutable_bodies(0)->add_ids(0);
  later.mutable_bodies(0)->add_ids(2);
  later.mutable_bodies(1)->clear_triangles();
  later.mutable_bodies(1)->clear_tetrahedra();
  must(feed_->append_layout(later));
  EXPECT_EQ(must(feed_->append_layout(later)), store::AppendOutcome::already_same);
  const v1::Layout read = must(feed_->layout(4));
  EXPECT_EQ(read.epoch(), 4);
  EXPECT_EQ(read.bodies(0).count(), 2);
  EXPECT_EQ(read.bodies(0).ids(1), 2);
  EXPECT_EQ(read.bodies(1).triangles(), "some triangles");
  EXPECT_EQ(read.bodies(1).tetrahedra(), "some tetrahedra");
  EXPECT_EQ(must(feed_->layout()).epoch(), 4);
}

TEST_F(Feed, reads_the_same_from_memory_and_from_disk) {
  append(0, 3);
  const auto from_memory = feed_->find_in_memory(2, {});
  ASSERT_TRUE(from_memory);
  ASSERT_TRUE(feed_->close());
  feed_ = open();
  EXPECT_FALSE(feed_->find_in_memory(2, {}));
  const auto from_disk = must(feed_->read(2, {}));
  ASSERT_EQ(from_disk.size(), from_memory->size());
  for (std::size_t i = 0; i < from_disk.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(from_disk[i].view(), (*from_memory)[i].view()));
  }
  EXPECT_TRUE(feed_->find_in_memory(2, {}));
}

// Twenty subscribers of one selection share its bytes: the very same memory.
TEST_F(Feed, encodes_a_selection_once) {
  append(0, 1);
  const FrameForm form{.selection = select({"cloth"}, {}), .encoding = {}};
  std::atomic<int> different = 0;
  const FrameMessages first = must(feed_->read(0, form));
  std::vector<std::thread> threads;
  threads.reserve(20);
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([&] {
      const FrameMessages again = must(feed_->read(0, form));
      different += again[1].data() == first[1].data() ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(different, 0);
}

TEST_F(Feed, keeps_no_more_in_memory_than_it_may) {
  const std::size_t frame_bytes = make_frame(0).size();
  feed_ = open(4 * frame_bytes);
  append(0, 20);
  int in_memory = 0;
  for (std::uint64_t index = 0; index < 20; ++index) {
    in_memory += feed_->find_in_memory(index, {}) ? 1 : 0;
  }
  EXPECT_EQ(in_memory, 4);
  EXPECT_TRUE(feed_->find_in_memory(19, {}));
  // Even where one frame is more than may be kept, the newest stays.
  feed_ = open(10);
  append(20, 22);
  EXPECT_TRUE(feed_->find_in_memory(21, {}));
}

TEST(SharedCache, lets_one_load_and_the_others_wait) {
  using Cache = SharedCache<int, FrameMessages>;
  Cache cache(1 << 20, [](const FrameMessages& messages) { return messages.size(); });
  std::atomic<int> loads = 0;
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const auto messages = cache.get(3, [&]() -> store::Result<FrameMessages> {
        ++loads;
        std::this_thread::yield();
        return FrameMessages{share("x")};
      });
      EXPECT_TRUE(messages);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(loads, 1);
  const auto failed = cache.get(4, []() -> store::Result<FrameMessages> {
    return store::Error{store::ErrorCode::io_error, "no"};
  });
  EXPECT_FALSE(failed);
  EXPECT_TRUE(
      cache.get(4, []() -> store::Result<FrameMessages> { return FrameMessages{share("y")}; }));
}

}  // namespace
}  // namespace sluice::stream
