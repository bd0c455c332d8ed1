// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

/// What goes over a CallChannel, message by message. Pure functions; every input is allowed.
///
///   request  = id [ path-length path message ]   ; the id alone cancels the call
///   answer   = id frame                          ; a frame of gRPC-Web: a message, or the status
///   id       = 4 bytes, big-endian               ; chosen by the client, of no call under way
///   path     = "/package.Service/Method"         ; its length in one byte
///   message  = the request's bytes, not compressed
///
/// The answers of a call come in order and end with its status, also after it was cancelled.
namespace sluice::web {

inline constexpr std::string_view channel_path = "/calls";
inline constexpr std::string_view channel_protocol = "sluice.calls.v1";

using ChannelId = std::uint32_t;

/// A request; views into what was read.
struct ChannelRequest {
  ChannelId id;
  std::string_view path;     ///< Empty: the call is to be cancelled.
  std::string_view message;  ///< Empty where `path` is.
};

/// Nothing for what is no request: less than an id, a path that is cut off or names no method.
[[nodiscard]] std::optional<ChannelRequest> read_channel_request(std::string_view bytes);

/// What stands before each answer of a call.
[[nodiscard]] std::array<char, 4> channel_prefix(ChannelId id);

}  // namespace sluice::web
