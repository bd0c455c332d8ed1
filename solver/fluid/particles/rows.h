// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/bytes.h"
#include "solver/types.h"

namespace sluice::fluid {

/// Where the particles are for those outside: rows, fluid after fluid, in each in the order in
/// which they came in; and which particle each row is for good, its id.
class Rows {
 public:
  Rows() = default;
  /// So many of each fluid, with the ids 0, 1, ...
  explicit Rows(std::span<const std::int64_t> counts);

  [[nodiscard]] std::size_t fluid_count() const noexcept { return fluids_.size(); }
  [[nodiscard]] std::int64_t count(std::size_t fluid) const noexcept {
    return fluids_[fluid].count;
  }
  [[nodiscard]] std::int64_t count() const noexcept;  ///< Of all fluids.

  /// Rising; empty where they are 0, 1, ... up to count(fluid).
  [[nodiscard]] std::span<const std::uint32_t> ids(std::size_t fluid) const noexcept {
    return fluids_[fluid].ids;
  }
  /// How many more may come in, of any fluid, before ids run out.
  [[nodiscard]] std::int64_t ids_left() const noexcept;

  struct Change {
    std::vector<std::uint32_t> rows_of_former;  ///< By row before: the row now, or no_row.
    std::vector<std::uint32_t> former_rows;     ///< By row now: the row before, or no_row.
  };
  /// Rows `gone`, ascending, end, and behind those of each fluid come `born[fluid]` new ones.
  Change change(std::span<const std::uint32_t> gone, std::span<const std::int64_t> born);

  void save(ByteWriter& out) const;
  /// False if the bytes are not those of `fluid_count` fluids, or not sound.
  [[nodiscard]] bool restore(ByteReader& in, std::size_t fluid_count);

 private:
  struct OfFluid {
    std::int64_t count = 0;
    std::uint32_t next_id = 0;
    std::vector<std::uint32_t> ids;
  };
  std::vector<OfFluid> fluids_;
};

}  // namespace sluice::fluid
