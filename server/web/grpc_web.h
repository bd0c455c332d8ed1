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

/// Whether `content_type` means gRPC-Web in binary form with protobuf. Parameters are ignored.
[[nodiscard]] bool is_grpc_web(std::string_view content_type);

/// Whether `path` has the form of a method's name: `/package.Service/Method`.
[[nodiscard]] bool is_method(std::string_view path);

/// Returns the message in a request's body (a view into it), or an error status: the body is not
/// exactly one frame, the frame's length does not match, or the message is compressed.
[[nodiscard]] std::variant<std::string_view, grpc::Status> read_message(std::string_view body);

/// Returns the frame prefix of a message of `message_bytes` bytes, less than 2^32.
[[nodiscard]] FramePrefix message_prefix(std::size_t message_bytes);

/// Returns `status` as the last frame of an answer.
[[nodiscard]] std::string trailer_frame(const grpc::Status& status);

/// Returns `status` as header lines that end in CRLF. They stand in the last frame of an answer,
/// or in the head of an answer without a message.
[[nodiscard]] std::string status_lines(const grpc::Status& status);

/// Parses the value of `grpc-timeout`: one to eight digits and one of H M S m u n. Nothing if
/// `text` has another form. Values above a year give a year.
[[nodiscard]] std::optional<std::chrono::nanoseconds> parse_timeout(std::string_view text);

/// Whether gRPC accepts `value` as a metadata value; with any other it ends the process.
[[nodiscard]] bool is_metadata_value(std::string_view value);

/// Percent-encodes `text`: printable ASCII except `%` stays, every other byte becomes %XX.
[[nodiscard]] std::string percent_encode(std::string_view text);

/// Encodes `bytes` in base64 without padding.
[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace sluice::web
