// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sluice::web {

/// Settings of the web server: its address, the viewer's files, and who may call.
struct WebSettings {
  std::string host = "127.0.0.1";  ///< Name or address to listen at; IPv6 in brackets: `[::1]`.
  int port = 7781;                 ///< In [0, 65535]; 0: any free one.
  /// Origins of other pages that may call, for example `https://sim.example.org`; `*`: all. This
  /// server also answers to the host names in them.
  std::vector<std::string> origins;
  std::filesystem::path root;  ///< The viewer's files; empty: there are none.
  int max_connections = 512;   ///< Most at once; further ones get 503. Each takes about 30 KB.
};

// Time limits for a peer. Every wait for a peer has one.
inline constexpr std::chrono::seconds head_patience{10};   ///< Limit for a request's whole head.
inline constexpr std::chrono::seconds idle_patience{75};   ///< Limit between two requests.
inline constexpr std::chrono::seconds body_patience{20};   ///< For a body, plus its size / rate:
inline constexpr std::size_t slowest_body_rate = 8 << 10;  ///< [bytes/s] Lowest average rate.
inline constexpr std::chrono::seconds write_patience{60};  ///< Limit for taking no byte at all.
/// Limit for a silent peer of a CallChannel; after half of it a ping is sent.
inline constexpr std::chrono::seconds channel_patience{120};
inline constexpr std::chrono::seconds linger_patience{2};  ///< For reading our last answer.

inline constexpr std::uint32_t max_head_bytes = 16 << 10;
/// Size of a connection's read buffer: a head, and bytes that were sent ahead.
inline constexpr std::size_t max_buffer_bytes = 64 << 10;
/// Most bytes that a peer may send ahead while its request is being answered.
inline constexpr std::size_t max_bytes_ahead = 16 << 10;
/// Most memory for request bodies over all connections, in units of the largest message.
inline constexpr std::size_t max_bodies = 8;
/// Largest request over a CallChannel; larger ones (assets, scenes) use HTTP requests instead.
inline constexpr std::size_t max_channel_request_bytes = 64 << 10;
/// Most calls under way over one CallChannel.
inline constexpr std::size_t max_channel_calls = 64;
/// With more bytes of answers waiting in a CallChannel, no further request is read from it.
inline constexpr std::size_t max_channel_waiting_bytes = 64 << 20;
/// Larger statuses go into a last frame, not into the head: proxies refuse large heads.
inline constexpr std::size_t max_status_in_head = 2 << 10;

}  // namespace sluice::web
