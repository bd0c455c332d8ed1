// SPDX-License-Identifier: Apache-2.0
#include "server/stream/frame_selection.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace sluice::stream {
namespace {

template <typename T>
void sort_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

template <typename T>
bool is_chosen(const std::vector<T>& chosen, const T& value) {
  return chosen.empty() || std::binary_search(chosen.begin(), chosen.end(), value);
}

store::Error damaged() {
  return {store::ErrorCode::corrupt, "a stored frame does not consist of a header and chunks"};
}

}  // namespace

FrameSelection::FrameSelection(const v1::Selection& selection)
    : bodies_(selection.bodies().begin(), selection.bodies().end()),
      fields_(selection.fields().begin(), selection.fields().end()) {
  if (std::find(fields_.begin(), fields_.end(), v1::FIELD_UNSPECIFIED) != fields_.end()) {
    fields_.clear();  // "Every field", says the API.
  }
  sort_unique(bodies_);
  sort_unique(fields_);
}

bool FrameSelection::has(const v1::ArrayDescriptor& array) const {
  return is_chosen(bodies_, array.body()) && is_chosen(fields_, static_cast<int>(array.field()));
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
  auto header = read_frame_header(messages);
  if (!header) {
    return damaged();
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
      return damaged();
    }
    const auto array = static_cast<std::size_t>(message.chunk().array());
    if (array >= new_number.size()) {
      return damaged();
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
