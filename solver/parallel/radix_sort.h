// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace sluice::parallel {

/// Sorts pairs (keys[i], values[i]) by key, ascending and stable: equal keys keep their order, so
/// the result is unique.
///
/// Least significant digit first, 8 bits a pass; a pass whose digit is the same in all keys is
/// skipped, so small keys cost few passes. Both spans have the same length, < 2^31. Memory: one
/// copy of both, freed on return. Instantiated for Key = uint32_t, uint64_t.
template <typename Key>
void radix_sort(std::span<Key> keys, std::span<std::uint32_t> values);

extern template void radix_sort<std::uint32_t>(std::span<std::uint32_t>, std::span<std::uint32_t>);
extern template void radix_sort<std::uint64_t>(std::span<std::uint64_t>, std::span<std::uint32_t>);

}  // namespace sluice::parallel
