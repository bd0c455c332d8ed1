// SPDX-License-Identifier: Apache-2.0
#include "server/stream/frame_record.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include "proto/wire/crc32c.h"

namespace sluice::stream {
namespace {

constexpr std::size_t length_bytes = 4;
static_assert(std::endian::native == std::endian::little, "lengths are copied as they are");

bool parse(const store::SharedBytes& bytes, v1::StreamFramesResponse& message) {
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

// The same bytes for the same content, in this process and in the next.
std::string serialize(const v1::FrameHeader& header) {
  std::string text;
  {
    google::protobuf::io::StringOutputStream stream(&text);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    header.SerializeToCodedStream(&coded);
  }
  return text;
}

}  // namespace

std::optional<FrameMessages> split_frame_record(const store::SharedBytes& record) {
  FrameMessages messages;
  std::size_t at = 0;
  while (at < record.size()) {
    std::uint32_t length = 0;
    if (record.size() - at < length_bytes) {
      return std::nullopt;
    }
    std::memcpy(&length, record.data() + at, length_bytes);
    at += length_bytes;
    if (record.size() - at < length) {
      return std::nullopt;
    }
    messages.push_back(record.part(at, length));
    at += length;
  }
  if (messages.empty()) {
    return std::nullopt;
  }
  return messages;
}

std::optional<v1::FrameHeader> read_frame_header(const FrameMessages& messages) {
  v1::StreamFramesResponse first;
  if (messages.empty() || !parse(messages.front(), first) || !first.has_header()) {
    return std::nullopt;
  }
  return std::move(*first.mutable_header());
}

void append_frame_message(const v1::StreamFramesResponse& message, std::string& record) {
  const auto length = static_cast<std::uint32_t>(message.ByteSizeLong());
  char prefix[length_bytes];
  std::memcpy(prefix, &length, length_bytes);
  record.append(prefix, length_bytes);
  message.AppendToString(&record);
}

store::SharedBytes share(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  const auto* data = reinterpret_cast<const std::byte*>(owner->data());
  const std::size_t size = owner->size();
  return {std::shared_ptr<const std::byte>(std::move(owner), data), size};
}

std::optional<std::uint32_t> frame_fingerprint(const store::SharedBytes& record) {
  const auto messages = split_frame_record(record);
  if (!messages) {
    return std::nullopt;
  }
  auto header = read_frame_header(*messages);
  if (!header) {
    return std::nullopt;
  }
  header->clear_statistics();
  const std::string text = serialize(*header);
  const std::uint32_t crc = wire::crc32c(std::as_bytes(std::span(text)));
  return wire::crc32c(record.view().subspan(length_bytes + messages->front().size()), crc);
}

std::optional<v1::Frame> whole_frame(const FrameMessages& messages) {
  auto header = read_frame_header(messages);
  if (!header) {
    return std::nullopt;
  }
  v1::Frame frame;
  *frame.mutable_header() = std::move(*header);
  for (std::size_t i = 1; i < messages.size(); ++i) {
    v1::StreamFramesResponse message;
    if (!parse(messages[i], message) || !message.has_chunk()) {
      return std::nullopt;
    }
    *frame.add_chunks() = std::move(*message.mutable_chunk());
  }
  return frame;
}

}  // namespace sluice::stream
