// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::fluid {

/// A hash table from block keys to indices: open addressing, linear probing. Its answers depend
/// only on the pairs that were put in.
class KeyIndex {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  void clear() {
    slots_.assign(slots_.size(), Slot{0, none});
    size_ = 0;
  }

  /// The index of `key`; `none` if it has none.
  [[nodiscard]] std::uint32_t find(std::uint64_t key) const noexcept {
    return slots_.empty() ? none : slots_[place(key)].index;
  }

  /// The index of `key`; if it has none, gives it `index` (not `none`).
  std::uint32_t find_or_insert(std::uint64_t key, std::uint32_t index) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[place(key)];
    if (slot.index == none) {
      slot = {key, index};
      ++size_;
    }
    return slot.index;
  }

 private:
  struct Slot {
    std::uint64_t key;
    std::uint32_t index;
  };

  [[nodiscard]] std::size_t place(std::uint64_t key) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    // Fibonacci hashing: the high half of the product depends on all bits of the key.
    std::size_t at = static_cast<std::size_t>((key * 0x9e3779b97f4a7c15U) >> 32) & mask;
    while (slots_[at].index != none && slots_[at].key != key)
      at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size(), Slot{0, none});
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.index != none) slots_[place(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_;  // A power of two of them, at most half in use.
  std::size_t size_ = 0;
};

}  // namespace sluice::fluid
