// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/support/status.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

/// The gRPC-Web protocol, binary form: messages and a status as frames of a flag byte, four bytes
/// of big-endian length and a payload. Pure functions; every input is allowed.
///
/// Source: grpc/grpc, doc/PROTOCOL-WEB.md and doc/PROTOCOL-HTTP2.md.
namespace sluice::web {

inline constexpr std::size_t frame_prefix_bytes = 5;
using FramePrefix = std::array<char, frame_prefix_bytes>;

/// Whether a Content-Type says gRPC-Web in binary form with protobuf in it. Parameters are ignored.
[[nodiscard]] bool is_grpc_web(std::string_view content_type);

/// Whether a path names a method, as `/package.Service/Method`.
[[nodiscard]] bool is_method(std::string_view path);

/// The one message in the body of a request (a view into it), or why there is none: not exactly one
/// frame, a length that is not the body's, compression.
[[nodiscard]] std::variant<std::string_view, grpc::Status> read_message(std::string_view body);

/// What stands before a message of so many bytes, less than 2^32.
[[nodiscard]] FramePrefix message_prefix(std::size_t message_bytes);

/// A status as the last frame of an answer.
[[nodiscard]] std::string trailer_frame(const grpc::Status& status);

/// The names and values of a status, a line each that ends in CRLF: what stands in the last frame,
/// or in the head of an answer that has no message.
[[nodiscard]] std::string status_lines(const grpc::Status& status);

/// Reads `grpc-timeout`: one to eight digits and one of H M S m u n. Nothing for anything else.
/// At most a year comes out.
[[nodiscard]] std::optional<std::chrono::nanoseconds> parse_timeout(std::string_view text);

/// Whether gRPC takes it as the value of metadata; it ends the process over any other.
[[nodiscard]] bool is_metadata_value(std::string_view value);

/// Printable ASCII but `%` stays, every other byte becomes %XX.
[[nodiscard]] std::string percent_encode(std::string_view text);

/// With the padding left off.
[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace sluice::web
