// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "solver/parallel/collector.h"
#include "solver/parallel/for_each_index.h"
#include "solver/parallel/parallel_for.h"
#include "solver/parallel/parallel_reduce.h"
#include "solver/parallel/radix_sort.h"
#include "solver/parallel/thread_limit.h"

namespace sluice::parallel {
namespace {

TEST(ParallelFor, visits_every_index_once_for_any_grain) {
  ThreadLimit limit(3);
  for (const std::int64_t grain : {1, 7, 64, 1000, 5000}) {
    std::vector<int> visits(1003, 0);
    limit.run([&] {
      parallel_for(0, 1003, grain, [&](std::int64_t first, std::int64_t last) {
        EXPECT_EQ(first % grain, 0);
        EXPECT_LE(last - first, grain);
        for (std::int64_t i = first; i < last; ++i)
          ++visits[static_cast<std::size_t>(i)];
      });
    });
    EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), 1003);
  }
}

TEST(ParallelFor, does_nothing_for_an_empty_or_reversed_range) {
  int calls = 0;
  parallel_for(5, 5, 1, [&](std::int64_t, std::int64_t) { ++calls; });
  parallel_for(5, 2, 1, [&](std::int64_t, std::int64_t) { ++calls; });
  EXPECT_EQ(calls, 0);
}

TEST(ParallelFor, passes_an_exception_of_a_body_to_the_caller) {
  ThreadLimit limit(2);
  EXPECT_THROW(limit.run([] {
    parallel_for(0, 100, 1, [](std::int64_t first, std::int64_t) {
      if (first == 42) throw std::runtime_error("42");
    });
  }),
               std::runtime_error);
}

// The other thread does not go on with all that is left, which takes some ten seconds.
TEST(ParallelFor, runs_no_more_chunks_after_an_exception) {
  ThreadLimit limit(2);
  std::atomic<std::int64_t> calls = 0;
  constexpr std::int64_t count = 1'000'000'000;
  EXPECT_THROW(limit.run([&] {
    parallel_for(0, count, 1, [&](std::int64_t, std::int64_t) {
      if (++calls == 1000) throw std::runtime_error("enough");
    });
  }),
               std::runtime_error);
  EXPECT_LT(calls, count / 2);
}

TEST(ForEachIndex, visits_every_index_once_for_any_grain) {
  for (const std::int64_t grain : {1, 7, 1000}) {
    std::vector<int> visits(100, 0);
    for_each_index(visits.size(), grain, [&](std::size_t n) { ++visits[n]; });
    EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), 100) << "grain " << grain;
  }
}

TEST(ThreadCount, is_that_of_the_limit) {
  for (const int count : {1, 3}) {
    ThreadLimit limit(count);
    limit.run([&] { EXPECT_EQ(thread_count(), count); });
  }
}

TEST(Collector, lists_what_chunks_find_in_their_order_for_any_thread_count) {
  // i times i, for i in [0, 200): more than 64 chunks of uneven length.
  std::vector<int> expected;
  for (int i = 0; i < 200; ++i)
    expected.insert(expected.end(), static_cast<std::size_t>(i), i);
  const auto find = [](std::int64_t first, std::int64_t last, std::vector<int>& found) {
    for (std::int64_t i = first; i < last; ++i)
      found.insert(found.end(), static_cast<std::size_t>(i), static_cast<int>(i));
  };
  for (const int threads : {1, 4}) {
    ThreadLimit limit(threads);
    limit.run([&] {
      Collector<int> collector;
      std::vector<int> all{7};  // The 7 is forgotten.
      collector.collect(200, 3, find, all);
      EXPECT_EQ(all, expected);
      collector.collect(200, 7, find, all);
      EXPECT_EQ(all, expected);
      collector.collect(0, 7, find, all);
      EXPECT_TRUE(all.empty());
    });
  }
}

float sum_of(const std::vector<float>& values, int thread_count) {
  ThreadLimit limit(thread_count);
  float sum = 0;
  limit.run([&] {
    sum = parallel_reduce(
        0, static_cast<std::int64_t>(values.size()), 100, 0.0F,
        [&](std::int64_t first, std::int64_t last) {
          return std::accumulate(values.begin() + first, values.begin() + last, 0.0F);
        },
        [](float a, float b) { return a + b; });
  });
  return sum;
}

TEST(ParallelReduce, sums_floats_to_the_same_bits_on_any_number_of_threads) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
  std::vector<float> values(100001);
  for (float& value : values)
    value = uniform(generator);
  const float sum = sum_of(values, 1);
  EXPECT_NEAR(sum, std::accumulate(values.begin(), values.end(), 0.0), 1e-3);  // double: exact here
  for (const int thread_count : {2, 3, 4})
    EXPECT_EQ(sum_of(values, thread_count), sum);
}

TEST(ParallelReduce, combines_neighbours_in_order) {
  const auto text = parallel_reduce(
      0, 11, 2, std::string(),
      [](std::int64_t first, std::int64_t last) {
        return std::string(static_cast<std::size_t>(last - first), static_cast<char>('a' + first));
      },
      [](const std::string& a, const std::string& b) { return a + b; });
  EXPECT_EQ(text, "aacceeggiik");
  EXPECT_EQ(parallel_reduce(
                3, 3, 2, 7, [](std::int64_t, std::int64_t) { return 1; },
                [](int a, int b) { return a + b; }),
            7);
}

template <typename Key>
void expect_sorted_like_standard_library(std::size_t count, Key mask) {
  std::mt19937_64 generator(count);
  std::vector<std::pair<Key, std::uint32_t>> expected(count);
  std::vector<Key> keys(count);
  std::vector<std::uint32_t> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    keys[i] = static_cast<Key>(generator()) & mask;
    values[i] = static_cast<std::uint32_t>(i);
    expected[i] = {keys[i], values[i]};
  }
  std::stable_sort(expected.begin(), expected.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  ThreadLimit limit(3);
  limit.run([&] { radix_sort<Key>(keys, values); });
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(keys[i], expected[i].first) << i;
    ASSERT_EQ(values[i], expected[i].second) << i;
  }
}

TEST(RadixSort, agrees_with_std_stable_sort) {
  for (const std::size_t count : {0, 1, 2, 1000, 100003}) {
    expect_sorted_like_standard_library<std::uint32_t>(count, 0xffffffffU);
    expect_sorted_like_standard_library<std::uint32_t>(count, 0xffU);        // one pass: odd
    expect_sorted_like_standard_library<std::uint32_t>(count, 0xff0000ffU);  // skips the middle
    expect_sorted_like_standard_library<std::uint64_t>(count, ~std::uint64_t{0});
    expect_sorted_like_standard_library<std::uint64_t>(count, 0);  // all equal
  }
}

TEST(RadixSort, orders_by_key_then_index) {
  std::vector<std::uint64_t> keys{5, 1, 5, 0, 1};
  std::vector<std::uint32_t> order{0, 1, 2, 3, 4};
  radix_sort<std::uint64_t>(keys, order);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{3, 1, 4, 0, 2}));
}

TEST(ThreadLimit, never_runs_more_threads_than_told) {
  for (const int thread_count : {1, 2, 3}) {
    ThreadLimit limit(thread_count);
    std::atomic<int> running{0}, most{0};
    limit.run([&] {
      parallel_for(0, 200, 1, [&](std::int64_t, std::int64_t) {
        const int now = ++running;
        int seen = most.load();
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        volatile double sink = 0;
        for (int i = 1; i < 2000; ++i)
          sink = sink + std::sqrt(i);
        --running;
      });
    });
    EXPECT_LE(most.load(), thread_count);
  }
}

}  // namespace
}  // namespace sluice::parallel
