// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/particles/rows.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace sluice::fluid {
namespace {

using Numbers = std::vector<std::uint32_t>;

Numbers ids_of(const Rows& rows, std::size_t fluid) {
  return {rows.ids(fluid).begin(), rows.ids(fluid).end()};
}

TEST(Rows, are_the_ids_while_nothing_goes_out) {
  const std::array<std::int64_t, 2> counts{3, 2}, born{2, 0};
  Rows rows(counts);
  const Rows::Change change = rows.change({}, born);
  EXPECT_EQ(change.rows_of_former, (Numbers{0, 1, 2, 5, 6}));
  EXPECT_EQ(change.former_rows, (Numbers{0, 1, 2, no_row, no_row, 3, 4}));
  EXPECT_EQ(rows.count(0), 5);
  EXPECT_EQ(rows.count(), 7);
  EXPECT_TRUE(rows.ids(0).empty());
  EXPECT_TRUE(rows.ids(1).empty());
}

TEST(Rows, close_up_over_what_has_gone_and_never_give_an_id_twice) {
  const std::array<std::int64_t, 2> counts{3, 2}, born{1, 1}, none{0, 0};
  Rows rows(counts);
  const Numbers gone{2, 3};
  const Rows::Change change = rows.change(gone, born);
  EXPECT_EQ(change.rows_of_former, (Numbers{0, 1, no_row, no_row, 3}));
  EXPECT_EQ(change.former_rows, (Numbers{0, 1, no_row, 4, no_row}));
  EXPECT_EQ(ids_of(rows, 0), (Numbers{0, 1, 3}));
  EXPECT_EQ(ids_of(rows, 1), (Numbers{1, 2}));

  const Numbers all{0, 1, 2};
  static_cast<void>(rows.change(all, none));
  EXPECT_EQ(rows.count(0), 0);
  static_cast<void>(rows.change({}, born));
  EXPECT_EQ(ids_of(rows, 0), (Numbers{4})) << "after the last one of before, which is out";
  EXPECT_EQ(ids_of(rows, 1), (Numbers{1, 2, 3}));
}

TEST(Rows, are_restored_as_they_were) {
  const std::array<std::int64_t, 2> counts{3, 2}, born{1, 1};
  Rows rows(counts);
  const Numbers gone{0};
  static_cast<void>(rows.change(gone, born));
  ByteWriter out;
  rows.save(out);
  Rows restored;
  ByteReader in(out.bytes());
  ASSERT_TRUE(restored.restore(in, 2));
  EXPECT_TRUE(in.is_at_end());
  EXPECT_EQ(ids_of(restored, 0), ids_of(rows, 0));
  EXPECT_EQ(restored.count(1), 3);
  static_cast<void>(rows.change({}, born));
  static_cast<void>(restored.change({}, born));
  EXPECT_EQ(ids_of(restored, 0), ids_of(rows, 0));

  ByteWriter without_ids;  // It has two rows, though three have come in.
  without_ids.put(std::uint64_t{1});
  without_ids.put(std::int64_t{2});
  without_ids.put(std::uint32_t{3});
  without_ids.put(std::uint8_t{0});
  ByteReader which_two(without_ids.bytes());
  EXPECT_FALSE(restored.restore(which_two, 1));

  ByteReader of_three(out.bytes());
  EXPECT_FALSE(restored.restore(of_three, 3));
  for (std::size_t size = 0; size < out.bytes().size(); ++size) {
    ByteReader cut_off(out.bytes().first(size));
    EXPECT_FALSE(restored.restore(cut_off, 2)) << size;
  }
}

}  // namespace
}  // namespace sluice::fluid
