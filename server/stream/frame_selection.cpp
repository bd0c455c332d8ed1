// SPDX-License-Identifier: Apache-2.0
#include "server/stream/frame_selection.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "server/stream/frame_arrays.h"

namespace sluice::stream {
namespace {

template <typename T>
void sort_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

bool is_derived(int field) { return field == v1::FIELD_SPEED || field == v1::FIELD_ORDER; }

}  // namespace

FrameSelection::FrameSelection(const v1::Selection& selection)
    : bodies_(selection.bodies().begin(), selection.bodies().end()),
      fields_(selection.fields().begin(), selection.fields().end()) {
  sort_unique(bodies_);
  sort_unique(fields_);
  every_stored_field_ = fields_.empty() || fields_.front() == v1::FIELD_UNSPECIFIED;
  if (every_stored_field_) {
    std::erase_if(fields_, [](int field) { return !is_derived(field); });
  }
}

bool FrameSelection::has(const v1::ArrayDescriptor& array) const {
  return has_body(array.body()) && (every_stored_field_ || names(array.field()));
}

bool FrameSelection::has_body(const std::string& body) const {
  return bodies_.empty() || std::ranges::binary_search(bodies_, body);
}

bool FrameSelection::names(v1::Field field) const {
  return std::ranges::binary_search(fields_, static_cast<int>(field));
}

std::vector<std::string> FrameSelection::unknown_bodies(const v1::Layout& layout) const {
  std::vector<std::string> unknown;
  for (const std::string& name : bodies_) {
    const bool known = std::any_of(layout.bodies().begin(), layout.bodies().end(),
                                   [&](const v1::Body& body) { return body.name() == name; });
    if (!known) {
      unknown.push_back(name);
    }
  }
  return unknown;
}

store::Result<FrameMessages> select_arrays(const FrameMessages& messages,
                                           const FrameSelection& selection) {
  if (selection.names(v1::FIELD_SPEED)) {
    auto frame = read_arrays(messages, selection);
    return frame ? store::Result<FrameMessages>(write_arrays(*std::move(frame))) : frame.error();
  }
  auto header = read_frame_header(messages);
  if (!header) {
    return damaged_frame();
  }
  // new_number[i]: where array i goes, or `dropped`.
  constexpr int dropped = -1;
  std::vector<int> new_number;
  google::protobuf::RepeatedPtrField<v1::ArrayDescriptor> kept;
  for (const v1::ArrayDescriptor& array : header->arrays()) {
    if (selection.has(array)) {
      new_number.push_back(kept.size());
      *kept.Add() = array;
    } else {
      new_number.push_back(dropped);
    }
  }
  header->mutable_arrays()->Swap(&kept);

  FrameMessages selected;
  v1::StreamFramesResponse message;
  *message.mutable_header() = *std::move(header);
  selected.push_back(share(message.SerializeAsString()));
  for (std::size_t i = 1; i < messages.size(); ++i) {
    if (!message.ParseFromArray(messages[i].data(), static_cast<int>(messages[i].size())) ||
        !message.has_chunk()) {
      return damaged_frame();
    }
    const auto array = static_cast<std::size_t>(message.chunk().array());
    if (array >= new_number.size()) {
      return damaged_frame();
    }
    if (new_number[array] == dropped) {
      continue;
    }
    // Not a part of the stored message, even where it is the same: that would keep the whole
    // record, of all bodies, in memory for a small one.
    message.mutable_chunk()->set_array(new_number[array]);
    selected.push_back(share(message.SerializeAsString()));
  }
  return selected;
}

}  // namespace sluice::stream
