// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

namespace sluice::store {

static_assert(std::endian::native == std::endian::little,
              "the file formats are little-endian and are copied as they are in memory");

/// Writes `value` at `bytes[offset]` and returns the offset behind it.
template <typename T>
std::size_t put(std::span<std::byte> bytes, std::size_t offset, T value) {
  static_assert(std::is_unsigned_v<T>);
  std::memcpy(bytes.subspan(offset, sizeof value).data(), &value, sizeof value);
  return offset + sizeof value;
}

/// Reads a T at `bytes[offset]` and moves `offset` behind it. Pre: `bytes` are long enough.
template <typename T>
T take(std::span<const std::byte> bytes, std::size_t& offset) {
  static_assert(std::is_unsigned_v<T>);
  T value;
  std::memcpy(&value, bytes.subspan(offset, sizeof value).data(), sizeof value);
  offset += sizeof value;
  return value;
}

}  // namespace sluice::store
