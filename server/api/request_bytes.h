// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/message.h>
#include <grpcpp/support/byte_buffer.h>

#include <cstddef>
#include <optional>

#include "server/session/error.h"

namespace sluice::api {

// Requests come as bytes and are parsed here, because protobuf would make 100 bytes of memory out
// of each byte of a list of empty messages before anybody could look at it.

/// Enough for a request with names and numbers alone.
inline constexpr std::size_t small_request_bytes = std::size_t{64} << 10;
/// Enough for the names of all bodies of a scene.
inline constexpr std::size_t selection_request_bytes = std::size_t{256} << 10;

/// What a request may come to in memory: this much, and so many times its own size.
inline constexpr std::size_t request_memory_base = std::size_t{16} << 20;
inline constexpr std::size_t request_memory_factor = 8;

/// Reads `request` from `bytes`, or says why not: it is longer than `most_bytes`, would take more
/// memory than the above, or is not such a message.
[[nodiscard]] std::optional<session::Error> parse_request(const grpc::ByteBuffer& bytes,
                                                          std::size_t most_bytes,
                                                          google::protobuf::Message& request);

/// [bytes] that a message of that type takes in memory when parsed, at most; nothing if `bytes` are
/// not in protobuf's wire format. Parses nothing.
[[nodiscard]] std::optional<std::size_t> parsed_size(const google::protobuf::Descriptor& type,
                                                     const grpc::ByteBuffer& bytes);

/// `message`, serialised.
[[nodiscard]] grpc::ByteBuffer to_bytes(const google::protobuf::Message& message);

}  // namespace sluice::api
