// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "solver/fluid/lattice/key_index.h"
#include "solver/types.h"

namespace sluice::fluid {

/// Points in cells of a hash table, for the question how near the next one is.
class Crowd {
 public:
  /// Sees as far as `reach` [m], > 0.
  explicit Crowd(double reach) : reach_(reach) {}

  void add(const Vec3& x) {
    const auto index = static_cast<std::uint32_t>(points_.size());
    const std::uint32_t cell = first_in_cell_.find_or_insert(
        key(cell_of(x)), static_cast<std::uint32_t>(last_of_cell_.size()));
    if (cell == last_of_cell_.size()) last_of_cell_.push_back(KeyIndex::none);
    points_.push_back(x);
    before_.push_back(last_of_cell_[cell]);
    last_of_cell_[cell] = index;
  }

  /// [m] The distance from `x` to the nearest point, at most `reach`.
  [[nodiscard]] double room_at(const Vec3& x) const {
    const std::array<std::int64_t, 3> middle = cell_of(x);
    double squared = reach_ * reach_;
    for (int n = 0; n < 27; ++n) {
      const std::uint32_t cell = first_in_cell_.find(
          key({middle[0] + n / 9 - 1, middle[1] + n / 3 % 3 - 1, middle[2] + n % 3 - 1}));
      if (cell == KeyIndex::none) continue;
      for (std::uint32_t i = last_of_cell_[cell]; i != KeyIndex::none; i = before_[i])
        squared = std::min(squared, (points_[i] - x).squaredNorm());
    }
    return std::sqrt(squared);
  }

  [[nodiscard]] bool has_near(const Vec3& x) const { return room_at(x) < reach_; }

 private:
  [[nodiscard]] std::array<std::int64_t, 3> cell_of(const Vec3& x) const {
    std::array<std::int64_t, 3> cell{};
    for (int axis = 0; axis < 3; ++axis)
      cell[static_cast<std::size_t>(axis)] =
          static_cast<std::int64_t>(std::floor(x[axis] / reach_));
    return cell;
  }
  // Far cells that share a key only cost time.
  static std::uint64_t key(const std::array<std::int64_t, 3>& cell) {
    std::uint64_t key = 0;
    for (const std::int64_t c : cell)
      key = key << 21 ^ static_cast<std::uint64_t>(c);
    return key;
  }

  double reach_;
  KeyIndex first_in_cell_;
  std::vector<Vec3> points_;
  std::vector<std::uint32_t> before_, last_of_cell_;
};

}  // namespace sluice::fluid
