// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

/// The messages of a CallChannel. Pure functions; every input is allowed.
///
///   request  = id [ path-length path message ]   ; the id alone cancels the call
///   answer   = id frame                          ; a frame of gRPC-Web: a message, or the status
///   id       = 4 bytes, big-endian               ; the client's choice, unused by a running call
///   path     = "/package.Service/Method"         ; its length in one byte
///   message  = the request's bytes, not compressed
///
/// The answers of a call come in order and end with its status, also after it was cancelled.
namespace sluice::web {

inline constexpr std::string_view channel_path = "/calls";
inline constexpr std::string_view channel_protocol = "sluice.calls.v1";

using ChannelId = std::uint32_t;

/// A request, as views into the bytes that were read.
struct ChannelRequest {
  ChannelId id;
  std::string_view path;     ///< Empty: the call is to be cancelled.
  std::string_view message;  ///< The request message; empty where `path` is empty.
};

/// Parses a request. Nothing if it is shorter than an id, or its path is cut off or no method.
[[nodiscard]] std::optional<ChannelRequest> read_channel_request(std::string_view bytes);

/// Returns the bytes that stand before each answer of the call `id`.
[[nodiscard]] std::array<char, 4> channel_prefix(ChannelId id);

}  // namespace sluice::web
