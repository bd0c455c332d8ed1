// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/fluid/mpm/node_bits.h"

namespace sluice::fluid {

/// A set of nodes around one in the middle, -3 to 4 from it along each axis.
class Neighbourhood {
 public:
  Neighbourhood() = default;
  /// Takes `nodes` of a kernel in which the one in the middle is node `middle`.
  Neighbourhood(NodeBits nodes, const std::array<int, 3>& middle) {
    for (int i = 0; i < block_edge; ++i) {
      NodeBits rows = nodes >> node_bit(i, 0, 0) & 0xffff;
      rows = (rows | rows << 8) & 0x00ff'00ff;  // Four bits a row, in a byte each.
      rows = (rows | rows << 4) & 0x0f0f'0f0f;
      const int layer = i - middle[0] + reach;
      layers_[static_cast<std::size_t>(layer)] = rows
                                                 << (8 * (reach - middle[1]) + reach - middle[2]);
    }
  }

  [[nodiscard]] bool meets(const Neighbourhood& other) const {
    NodeBits common = 0;
    for (std::size_t i = 0; i < layers_.size(); ++i)
      common |= layers_[i] & other.layers_[i];
    return common != 0;
  }
  void add(const Neighbourhood& other) {
    for (std::size_t i = 0; i < layers_.size(); ++i)
      layers_[i] |= other.layers_[i];
  }

 private:
  static constexpr int reach = block_edge - 1;
  std::array<NodeBits, 8> layers_{};  // By x; a byte a row in z.
};

/// Neighbourhoods that meet, directly or through others, are one component.
class Components {
 public:
  void clear() {
    nodes_.clear();
    component_of_.clear();
  }

  void add(const Neighbourhood& one) {
    auto component = static_cast<std::uint32_t>(nodes_.size());
    for (std::uint32_t c = 0; c < nodes_.size(); ++c) {
      if (!nodes_[c].meets(one)) continue;
      if (component == nodes_.size()) {
        component = c;
        nodes_[c].add(one);
      } else {
        nodes_[component].add(nodes_[c]);
        nodes_[c] = {};
        std::ranges::replace(component_of_, c, component);
      }
    }
    if (component == nodes_.size()) nodes_.push_back(one);
    component_of_.push_back(component);
  }

  /// Sets numbers[n] to the component of the n-th neighbourhood added. Components are numbered from
  /// 0 in the order of their first members. Returns how many there are.
  std::uint32_t number(std::vector<std::uint32_t>& numbers) const {
    numbers.clear();
    std::uint32_t count = 0;
    for (std::size_t n = 0; n < component_of_.size(); ++n) {
      const auto end = component_of_.begin() + static_cast<std::ptrdiff_t>(n);
      const auto same = std::find(component_of_.begin(), end, component_of_[n]);
      numbers.push_back(
          same == end ? count++ : numbers[static_cast<std::size_t>(same - component_of_.begin())]);
    }
    return count;
  }

 private:
  std::vector<Neighbourhood> nodes_;  // Empty for one merged into another.
  std::vector<std::uint32_t> component_of_;
};

}  // namespace sluice::fluid
