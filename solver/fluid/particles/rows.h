// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/bytes.h"
#include "solver/types.h"

namespace sluice::fluid {

/// The rows of particles in callers' arrays: fluid after fluid, each fluid's in the order in which
/// they came in; and the id of each row's particle, which it keeps for good.
class Rows {
 public:
  Rows() = default;
  /// Makes counts[f] rows for each fluid f, with the ids 0, 1, ...
  explicit Rows(std::span<const std::int64_t> counts);

  [[nodiscard]] std::size_t fluid_count() const noexcept { return fluids_.size(); }
  [[nodiscard]] std::int64_t count(std::size_t fluid) const noexcept {
    return fluids_[fluid].count;
  }
  [[nodiscard]] std::int64_t count() const noexcept;  ///< Number of rows of all fluids.

  /// The ids by row, rising; empty where they are 0, 1, ... up to count(fluid).
  [[nodiscard]] std::span<const std::uint32_t> ids(std::size_t fluid) const noexcept {
    return fluids_[fluid].ids;
  }
  /// The number of particles that may still come in, of any fluid, before ids run out.
  [[nodiscard]] std::int64_t ids_left() const noexcept;

  struct Change {
    std::vector<std::uint32_t> rows_of_former;  ///< By row before: the row now, or no_row.
    std::vector<std::uint32_t> former_rows;     ///< By row now: the row before, or no_row.
  };
  /// Ends the rows `gone`, ascending, and adds born[fluid] new ones behind those of each fluid.
  Change change(std::span<const std::uint32_t> gone, std::span<const std::int64_t> born);

  void save(ByteWriter& out) const;
  /// Returns false if the bytes are not those of `fluid_count` fluids, or not sound.
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
