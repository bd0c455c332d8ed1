// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace sluice::store {

/// A view of bytes that the caller owns, valid during a call.
using ByteView = std::span<const std::byte>;

/// Immutable bytes with shared ownership: bytes that are read once go to every subscriber without a
/// copy, and live until the last socket has sent them. Copying a SharedBytes copies a pointer.
/// Thread-safe, as any immutable object is.
class SharedBytes {
 public:
  SharedBytes() = default;

  /// Shares `size` bytes at `data`; the control block of `data` frees them.
  SharedBytes(std::shared_ptr<const std::byte> data, std::size_t size)
      : data_(std::move(data)), size_(size) {}

  [[nodiscard]] static SharedBytes from_vector(std::vector<std::byte> bytes) {
    auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    const std::byte* data = owner->data();
    const std::size_t size = owner->size();
    return {std::shared_ptr<const std::byte>(std::move(owner), data), size};
  }

  [[nodiscard]] static SharedBytes copy_of(ByteView bytes) {
    return from_vector(std::vector<std::byte>(bytes.begin(), bytes.end()));
  }

  /// Returns a part of these bytes, which keeps the whole alive. Pre: offset + count <= size().
  [[nodiscard]] SharedBytes part(std::size_t offset, std::size_t count) const {
    assert(offset <= size_ && count <= size_ - offset);
    return {std::shared_ptr<const std::byte>(data_, data_.get() + offset), count};
  }

  [[nodiscard]] const std::byte* data() const noexcept { return data_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] ByteView view() const noexcept { return {data_.get(), size_}; }

 private:
  std::shared_ptr<const std::byte> data_;
  std::size_t size_ = 0;
};

}  // namespace sluice::store
