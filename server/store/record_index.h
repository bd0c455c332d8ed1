// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "server/store/segment_log.h"

namespace sluice::store {

/// The records of a log that count, by kind and key. Not thread-safe.
///
/// A sorted array: frames come in rising order, so inserting is appending, and a million of them
/// take 56 MB.
class RecordIndex {
 public:
  RecordIndex() = default;
  /// `sorted` by kind and key, none twice.
  explicit RecordIndex(std::vector<RecordInfo> sorted) : records_(std::move(sorted)) {}

  /// Takes in a record; it replaces one of its kind and key.
  void apply(const RecordInfo& record);

  /// Forgets the records in segments below `segment`.
  void drop_segments_before(std::uint32_t segment);

  [[nodiscard]] std::optional<RecordInfo> find(RecordId id) const;
  [[nodiscard]] std::span<const RecordInfo> of_kind(std::uint32_t kind) const;
  [[nodiscard]] std::span<const RecordInfo> all() const { return records_; }

 private:
  std::vector<RecordInfo> records_;
};

}  // namespace sluice::store
