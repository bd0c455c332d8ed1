// SPDX-License-Identifier: Apache-2.0
#include "server/store/record_index.h"

#include <algorithm>
#include <tuple>

namespace sluice::store {
namespace {

bool before(const RecordInfo& record, RecordId id) {
  return std::tie(record.kind, record.key) < std::tie(id.kind, id.key);
}

}  // namespace

void RecordIndex::apply(const RecordInfo& record) {
  const RecordId id{record.kind, record.key};
  const auto at = std::lower_bound(records_.begin(), records_.end(), id, before);
  if (at != records_.end() && at->kind == id.kind && at->key == id.key) {
    *at = record;
  } else {
    records_.insert(at, record);
  }
}

void RecordIndex::drop_segments_before(std::uint32_t segment) {
  std::erase_if(records_, [&](const RecordInfo& record) { return record.segment < segment; });
}

std::optional<RecordInfo> RecordIndex::find(RecordId id) const {
  const auto at = std::lower_bound(records_.begin(), records_.end(), id, before);
  if (at == records_.end() || at->kind != id.kind || at->key != id.key) {
    return std::nullopt;
  }
  return *at;
}

std::span<const RecordInfo> RecordIndex::of_kind(std::uint32_t kind) const {
  const auto less = [](const RecordInfo& record, std::uint32_t wanted) {
    return record.kind < wanted;
  };
  const auto begin = std::lower_bound(records_.begin(), records_.end(), kind, less);
  const auto end = std::find_if(begin, records_.end(),
                                [&](const RecordInfo& record) { return record.kind != kind; });
  return {begin, end};
}

}  // namespace sluice::store
