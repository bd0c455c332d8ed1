// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sluice::web {

/// Where and what the web server serves.
struct WebSettings {
  std::string host = "127.0.0.1";  ///< Name or address; `[::1]` in brackets.
  int port = 7781;                 ///< In [0, 65535]; 0: any free one.
  /// Origins of pages besides our own that may call, as `https://sim.example.org`; `*`: all. Their
  /// host names are also ones that this server answers to.
  std::vector<std::string> origins;
  std::filesystem::path root;  ///< The viewer's files; empty: there are none.
  int max_connections = 512;   ///< Open at once; more are told 503. Each costs about 30 KB.
};

// How long a peer may take. Every wait for one has an end.
inline constexpr std::chrono::seconds head_patience{10};  ///< For the whole head of a request.
inline constexpr std::chrono::seconds idle_patience{75};  ///< Between two requests.
inline constexpr std::chrono::seconds body_patience{20};  ///< For a body, and its size by the rate:
inline constexpr std::size_t slowest_body_rate = 8 << 10;  ///< [bytes/s] on average
inline constexpr std::chrono::seconds write_patience{60};  ///< Without taking a single byte.
/// Of a CallChannel whose peer says nothing; a ping asks it after half of that.
inline constexpr std::chrono::seconds channel_patience{120};
inline constexpr std::chrono::seconds linger_patience{2};  ///< To read the answer to a bad request.

inline constexpr std::uint32_t max_head_bytes = 16 << 10;
/// Of a connection's buffer: a head, and what was sent ahead.
inline constexpr std::size_t max_buffer_bytes = 64 << 10;
/// What a peer may send ahead while its request is worked on.
inline constexpr std::size_t max_bytes_ahead = 16 << 10;
/// Bodies of requests in memory at once, over all connections, in largest messages.
inline constexpr std::size_t max_bodies = 8;
/// A request over a CallChannel: the large ones (assets, scenes) have requests of their own.
inline constexpr std::size_t max_channel_request_bytes = 64 << 10;
/// Calls under way over one CallChannel.
inline constexpr std::size_t max_channel_calls = 64;
/// Answers that wait in one CallChannel: above it, no further request is read.
inline constexpr std::size_t max_channel_waiting_bytes = 64 << 20;
/// Larger statuses go behind the answer: proxies refuse large heads.
inline constexpr std::size_t max_status_in_head = 2 << 10;

}  // namespace sluice::web
