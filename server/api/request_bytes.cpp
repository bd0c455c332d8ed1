// SPDX-License-Identifier: Apache-2.0
#include "server/api/request_bytes.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <unordered_map>

namespace sluice::api {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::MessageFactory;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

// Protobuf's own limit.
constexpr int deepest = 100;
// Memory of a string besides its text, and of a field that the message does not know, each with
// what the allocator adds.
constexpr std::size_t string_bytes = 64;
constexpr std::size_t unknown_field_bytes = 48;
// A list that grows holds its old half and its new one for a moment.
constexpr std::size_t growth = 2;

std::size_t element_bytes(FieldDescriptor::CppType type) {
  switch (type) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return 1;
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_UINT32:
    case FieldDescriptor::CPPTYPE_ENUM:
    case FieldDescriptor::CPPTYPE_FLOAT:
      return 4;
    default:
      return 8;
  }
}

// Adds up what the fields of a message come to.
class Sum {
 public:
  explicit Sum(CodedInputStream& stream) : stream_(stream) {}

  // Whether the message up to the current limit is well formed.
  bool add_message(const Descriptor& type, int depth) {
    if (depth > deepest) {
      return false;
    }
    bytes_ += object_bytes(type);
    return add_fields(&type, depth, 0);
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  // Fields up to the limit, or to the end of the group `end_tag`; of an unknown group without type.
  bool add_fields(const Descriptor* type, int depth, std::uint32_t end_tag) {
    for (;;) {
      const std::uint32_t tag = stream_.ReadTag();
      if (tag == 0) {
        return end_tag == 0 && stream_.ConsumedEntireMessage();
      }
      if (tag == end_tag) {
        return true;
      }
      const FieldDescriptor* field =
          type == nullptr ? nullptr
                          : type->FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
      if (!add_field(field, tag, depth)) {
        return false;
      }
    }
  }

  bool add_field(const FieldDescriptor* field, std::uint32_t tag, int depth) {
    const auto wire_type = WireFormatLite::GetTagWireType(tag);
    if (wire_type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      return add_delimited(field, depth);
    }
    if (wire_type == WireFormatLite::WIRETYPE_START_GROUP) {
      bytes_ += unknown_field_bytes;
      return depth < deepest &&
             add_fields(nullptr, depth + 1,
                        WireFormatLite::MakeTag(WireFormatLite::GetTagFieldNumber(tag),
                                                WireFormatLite::WIRETYPE_END_GROUP));
    }
    if (field == nullptr) {
      bytes_ += unknown_field_bytes;
    } else if (field->is_repeated()) {
      bytes_ += growth * element_bytes(field->cpp_type());
    }
    return WireFormatLite::SkipField(&stream_, tag);
  }

  bool add_delimited(const FieldDescriptor* field, int depth) {
    int length = 0;
    if (!stream_.ReadVarintSizeAsInt(&length)) {
      return false;
    }
    if (field != nullptr && field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      const auto limit = stream_.PushLimit(length);
      bytes_ += growth * sizeof(void*);
      const bool is_good =
          add_message(*field->message_type(), depth + 1) && stream_.BytesUntilLimit() == 0;
      stream_.PopLimit(limit);
      return is_good;
    }
    if (field == nullptr) {
      bytes_ += unknown_field_bytes;
    }
    const bool is_text = field == nullptr || field->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
    // Packed numbers: a byte each at the least.
    bytes_ += is_text ? string_bytes + static_cast<std::size_t>(length)
                      : growth * element_bytes(field->cpp_type()) *
                            static_cast<std::size_t>(length) / least_wire_bytes(*field);
    return stream_.Skip(length);
  }

  static std::size_t least_wire_bytes(const FieldDescriptor& field) {
    switch (WireFormatLite::WireTypeForFieldType(
        static_cast<WireFormatLite::FieldType>(field.type()))) {
      case WireFormatLite::WIRETYPE_FIXED64:
        return 8;
      case WireFormatLite::WIRETYPE_FIXED32:
        return 4;
      default:
        return 1;
    }
  }

  std::size_t object_bytes(const Descriptor& type) {
    const auto [entry, is_new] = object_bytes_.try_emplace(&type, 0);
    if (is_new) {
      entry->second =
          MessageFactory::generated_factory()->GetPrototype(&type)->SpaceUsedLong() + 16;
    }
    return entry->second;
  }

  CodedInputStream& stream_;
  std::size_t bytes_ = 0;
  std::unordered_map<const Descriptor*, std::size_t> object_bytes_;
};

session::Error no_such_message(const Descriptor& type) {
  return session::invalid_fields(
      {{"", fmt::format("the request is not a {}", std::string(type.full_name()))}});
}

}  // namespace

std::optional<std::size_t> parsed_size(const Descriptor& type, const grpc::ByteBuffer& bytes) {
  grpc::ByteBuffer copy(bytes);  // Shares the slices; reading consumes it.
  grpc::ProtoBufferReader reader(&copy);
  CodedInputStream stream(&reader);
  stream.SetTotalBytesLimit(INT_MAX);
  Sum sum(stream);
  if (!reader.status().ok() || !sum.add_message(type, 0)) {
    return std::nullopt;
  }
  return sum.bytes();
}

std::optional<session::Error> parse_request(const grpc::ByteBuffer& bytes, std::size_t most_bytes,
                                            google::protobuf::Message& request) {
  const Descriptor& type = *request.GetDescriptor();
  if (bytes.Length() > most_bytes) {
    return session::limit_reached("bytes of this request", static_cast<std::int64_t>(most_bytes),
                                  fmt::format("it has {}", bytes.Length()));
  }
  if (bytes.Length() > small_request_bytes) {
    const auto size = parsed_size(type, bytes);
    if (!size) {
      return no_such_message(type);
    }
    const std::size_t most = request_memory_base + request_memory_factor * bytes.Length();
    if (*size > most) {
      return session::limit_reached(
          "bytes of memory for a request of this length", static_cast<std::int64_t>(most),
          fmt::format("it has so many small fields that it would take {}", *size));
    }
  }
  grpc::ByteBuffer copy(bytes);
  grpc::ProtoBufferReader reader(&copy);
  if (!reader.status().ok() || !request.ParseFromZeroCopyStream(&reader)) {
    return no_such_message(type);
  }
  return std::nullopt;
}

grpc::ByteBuffer to_bytes(const google::protobuf::Message& message) {
  const grpc::Slice slice(message.ByteSizeLong());
  // A new slice is nobody else's yet.
  message.SerializeWithCachedSizesToArray(const_cast<std::uint8_t*>(slice.begin()));
  return {&slice, 1};
}

}  // namespace sluice::api
