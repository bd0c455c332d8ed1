// SPDX-License-Identifier: Apache-2.0
// Oracle: what was written is read, and the bytes are those of a writer with memory of its own.
#include "solver/bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "solver/parallel/thread_limit.h"

namespace sluice {
namespace {

// 3 MiB: of the size that several threads copy, and not a multiple of their pieces.
std::vector<std::uint32_t> many_numbers() {
  std::vector<std::uint32_t> numbers(786'433);
  std::iota(numbers.begin(), numbers.end(), 7U);
  return numbers;
}

std::vector<std::byte> write_into(std::vector<std::byte> recycled, std::uint32_t first) {
  ByteWriter out(std::move(recycled));
  out.put(first);
  out.put_block([](ByteWriter& block) {
    block.put_array(std::span<const std::uint32_t>(many_numbers()));
    block.put_text("end");
  });
  return out.take();
}

TEST(Bytes, a_block_reads_as_the_bytes_that_were_written_into_it) {
  const std::vector<std::byte> bytes = write_into({}, 5);
  ByteReader in(bytes);
  std::uint32_t first = 0;
  std::span<const std::byte> block;
  ASSERT_TRUE(in.get(first));
  EXPECT_EQ(first, 5U);
  ASSERT_TRUE(in.get_bytes(block));
  EXPECT_TRUE(in.is_at_end());
  ByteReader inside(block);
  std::vector<std::uint32_t> numbers(many_numbers().size());
  ASSERT_TRUE(inside.get_array(std::span(numbers)));
  EXPECT_EQ(numbers, many_numbers());
  std::span<const std::byte> text;
  ASSERT_TRUE(inside.get_bytes(text));
  EXPECT_EQ(text.size(), 3U);
  EXPECT_TRUE(inside.is_at_end());
}

TEST(Bytes, recycled_memory_is_used_again_and_its_contents_are_not) {
  const std::vector<std::byte> fresh = write_into({}, 5);
  for (const std::size_t size : {fresh.size() / 2, fresh.size(), 2 * fresh.size()})
    EXPECT_EQ(write_into(std::vector<std::byte>(size, std::byte{0xee}), 5), fresh) << size;
  std::vector<std::byte> large(2 * fresh.size(), std::byte{0xee});
  const std::byte* const memory = large.data();
  EXPECT_EQ(write_into(std::move(large), 5).data(), memory);
}

TEST(Bytes, same_bytes_for_any_number_of_threads) {
  const std::vector<std::byte> alone = write_into({}, 1);
  parallel::ThreadLimit threads(3);
  std::vector<std::byte> together;
  threads.run([&] { together = write_into({}, 1); });
  EXPECT_EQ(together, alone);
}

}  // namespace
}  // namespace sluice
