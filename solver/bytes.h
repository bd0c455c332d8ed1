// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "solver/parallel/parallel_for.h"

namespace sluice {

/// FNV-1a over 8-byte words: tells damaged or foreign bytes from ours; no defence against forgery.
class Checksum {
 public:
  void add(std::span<const std::byte> bytes) noexcept {
    std::size_t i = 0;
    for (; i + 8 <= bytes.size(); i += 8) {
      std::uint64_t word;
      std::memcpy(&word, bytes.data() + i, 8);
      mix(word);
    }
    std::uint64_t tail = bytes.size() - i;
    for (; i < bytes.size(); ++i)
      tail = (tail << 8) | std::to_integer<std::uint64_t>(bytes[i]);
    mix(tail);
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  void mix(std::uint64_t word) noexcept {
    value_ = (value_ ^ word) * 0x100000001b3ULL;
    value_ ^= value_ >> 29;  // Words instead of bytes: high bits must reach low ones.
  }
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

template <typename T>
concept Plain = std::is_arithmetic_v<T>;

/// Appends numbers and arrays, in this machine's byte order. Large arrays are copied on the threads
/// of the caller's parallel::ThreadLimit.
class ByteWriter {
 public:
  ByteWriter() = default;
  /// Writes over `recycled`, whose contents are lost. Memory that was written to before costs a
  /// third of what fresh memory costs, which the kernel clears page by page.
  explicit ByteWriter(std::vector<std::byte> recycled) noexcept : bytes_(std::move(recycled)) {}

  /// Makes room for `size` bytes more.
  void reserve(std::size_t size) { bytes_.reserve(size_ + size); }
  template <Plain T>
  void put(T value) {
    append(&value, sizeof(T));
  }
  /// Appends the number of elements, then their bytes. T has no padding.
  template <typename T>
  void put_array(std::span<const T> values) {
    put(static_cast<std::uint64_t>(values.size()));
    put_elements(values);
  }
  /// Appends the elements' bytes alone, for a reader that knows their number.
  template <typename T>
  void put_elements(std::span<const T> values) {
    append(values.data(), values.size_bytes());
  }
  void put_text(const std::string& text) { put_array(std::span<const char>(text)); }
  /// Appends a block of bytes: its length, then the bytes that `write(*this)` appends.
  template <typename Write>
  void put_block(const Write& write) {
    const std::size_t first = size_;
    put(std::uint64_t{0});
    write(*this);
    const std::uint64_t length = size_ - first - sizeof(std::uint64_t);
    std::memcpy(bytes_.data() + first, &length, sizeof(length));
  }

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return std::span(bytes_).first(size_);
  }
  [[nodiscard]] std::vector<std::byte> take() noexcept {
    bytes_.resize(size_);
    size_ = 0;
    return std::move(bytes_);
  }

 private:
  void append(const void* data, std::size_t size) {
    const std::size_t end = size_ + size;
    // A vector would double its memory, of which a large state has too little to spare.
    if (end > bytes_.capacity()) bytes_.reserve(end + end / 8);
    if (end > bytes_.size()) bytes_.resize(end);
    // Two threads copy a large array in less time than one; a small one is copied at once.
    constexpr std::int64_t piece = 1 << 19;
    std::byte* const to = bytes_.data() + size_;
    const auto* const from = static_cast<const std::byte*>(data);
    parallel::parallel_for(
        0, static_cast<std::int64_t>(size), piece, [&](std::int64_t first, std::int64_t last) {
          std::memcpy(to + first, from + first, static_cast<std::size_t>(last - first));
        });
    size_ = end;
  }
  std::vector<std::byte> bytes_;  // Its first size_ bytes are written.
  std::size_t size_ = 0;
};

/// Reads what ByteWriter wrote. Every get answers false, and changes nothing, past the end or where
/// a length is not the expected one.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) noexcept : rest_(bytes) {}

  template <Plain T>
  [[nodiscard]] bool get(T& value) noexcept {
    if (rest_.size() < sizeof(T)) return false;
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_ = rest_.subspan(sizeof(T));
    return true;
  }
  /// Fills `values`, whose size must be the written one.
  template <typename T>
  [[nodiscard]] bool get_array(std::span<T> values) noexcept {
    std::uint64_t count = 0;
    ByteReader ahead = *this;
    if (!ahead.get(count) || count != values.size() || !ahead.get_elements(values)) return false;
    *this = ahead;
    return true;
  }
  /// Fills `values` from elements without a length.
  template <typename T>
  [[nodiscard]] bool get_elements(std::span<T> values) noexcept {
    if (rest_.size() < values.size_bytes()) return false;
    if (!values.empty()) {
      std::memcpy(static_cast<void*>(values.data()), rest_.data(), values.size_bytes());
    }
    rest_ = rest_.subspan(values.size_bytes());
    return true;
  }
  /// Points `bytes` to those of an array of unknown length, without a copy.
  [[nodiscard]] bool get_bytes(std::span<const std::byte>& bytes) noexcept {
    std::uint64_t count = 0;
    ByteReader ahead = *this;
    if (!ahead.get(count) || count > ahead.rest_.size()) return false;
    bytes = ahead.rest_.first(static_cast<std::size_t>(count));
    rest_ = ahead.rest_.subspan(static_cast<std::size_t>(count));
    return true;
  }
  [[nodiscard]] std::size_t left() const noexcept { return rest_.size(); }
  [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace sluice
