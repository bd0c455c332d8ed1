// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "server/store/segment_log.h"

namespace sluice::store {

inline ByteView view_of(std::string_view text) { return std::as_bytes(std::span(text)); }

inline std::string text_of(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::string text_of(const SharedBytes& bytes) { return text_of(bytes.view()); }

/// The value, or a failed test that tells the error.
template <typename T>
T must(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << to_string(result.error().code) << ": " << result.error().message;
    throw std::runtime_error(result.error().message);
  }
  return std::move(result).value();
}

template <typename T>
testing::AssertionResult fails_with(const Result<T>& result, ErrorCode code) {
  if (result) {
    return testing::AssertionFailure() << "succeeded, should fail with " << to_string(code);
  }
  if (result.error().code != code) {
    return testing::AssertionFailure()
           << "failed with " << to_string(result.error().code) << ": " << result.error().message;
  }
  return testing::AssertionSuccess() << result.error().message;
}

/// `size` bytes that depend on `seed` alone.
inline std::string noise(std::uint64_t seed, std::size_t size) {
  std::mt19937_64 random(seed);
  std::string text(size, '\0');
  for (char& c : text) {
    c = static_cast<char>(random());
  }
  return text;
}

constexpr std::uint32_t test_kind = 7;

inline Result<AppendOutcome> append(SegmentLog& log, std::uint64_t key, std::string_view text) {
  const ByteView slice = view_of(text);
  return log.append({.id = {.kind = test_kind, .key = key},
                     .tag = 0,
                     .fingerprint = {},
                     .slices = std::span(&slice, 1)});
}

inline Result<SharedBytes> read(const SegmentLog& log, std::uint64_t key) {
  return log.read({.kind = test_kind, .key = key});
}

inline SegmentLogOptions os_options() { return {.durability = Durability::os}; }

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
}

}  // namespace sluice::store
