// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/message.h>
#include <grpcpp/support/byte_buffer.h>

#include <cstddef>
#include <optional>

#include "server/session/error.h"

namespace sluice::api {

// Requests come as bytes and are parsed here: for a list of empty messages protobuf would take 100
// bytes of memory per byte of the request, before any check could look at it.

/// Size limit [bytes] for a request that holds only names and numbers.
inline constexpr std::size_t small_request_bytes = std::size_t{64} << 10;
/// Size limit [bytes] for a request with a selection: the names of all bodies of a scene.
inline constexpr std::size_t selection_request_bytes = std::size_t{256} << 10;

/// Memory limit [bytes] for a parsed request: base + factor * (size of the request).
inline constexpr std::size_t request_memory_base = std::size_t{16} << 20;
inline constexpr std::size_t request_memory_factor = 8;

/// Parses `bytes` into `request`. Returns an error if the request is longer than `most_bytes`,
/// would take more memory than the limit above, or is not a message of that type.
[[nodiscard]] std::optional<session::Error> parse_request(const grpc::ByteBuffer& bytes,
                                                          std::size_t most_bytes,
                                                          google::protobuf::Message& request);

/// Returns the most memory [bytes] that a parsed message of `type` takes, without parsing it.
/// Nothing if `bytes` are not in protobuf's wire format.
[[nodiscard]] std::optional<std::size_t> parsed_size(const google::protobuf::Descriptor& type,
                                                     const grpc::ByteBuffer& bytes);

/// Serialises `message`.
[[nodiscard]] grpc::ByteBuffer to_bytes(const google::protobuf::Message& message);

}  // namespace sluice::api
