// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "server/store/segment_log.h"

namespace sluice::store {

/// The current records of a log, by kind and key. Not thread-safe.
///
/// A sorted array: frames come in rising order, so that inserting is appending, and a million
/// frames take 56 MB.
class RecordIndex {
 public:
  RecordIndex() = default;
  /// `sorted`: records sorted by kind and key, each kind and key once.
  explicit RecordIndex(std::vector<RecordInfo> sorted) : records_(std::move(sorted)) {}

  /// Inserts a record, which replaces a record of the same kind and key.
  void apply(const RecordInfo& record);

  /// Removes the records in segments with a number below `segment`.
  void drop_segments_before(std::uint32_t segment);

  [[nodiscard]] std::optional<RecordInfo> find(RecordId id) const;
  [[nodiscard]] std::span<const RecordInfo> of_kind(std::uint32_t kind) const;
  [[nodiscard]] std::span<const RecordInfo> all() const { return records_; }

 private:
  std::vector<RecordInfo> records_;
};

}  // namespace sluice::store
