// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

/// The limits of sessions and calls. The members of `Limits` are settings, which
/// Server.GetInfo reports; the constants below hold for every server.
namespace sluice::session {

struct Limits {
  int running_sessions = 4;      ///< Most workers at once; further sessions wait their turn.
  int stored_sessions = 10'000;  ///< Terminal sessions included. Each takes about 1 KB of RAM.
  std::int64_t particles_per_scene = 20'000'000;
  std::int64_t vertices_per_scene = 4'000'000;
  std::int64_t frames_per_session = 1'000'001;       ///< The initial frame included.
  std::int64_t frame_bytes = std::int64_t{1} << 30;  ///< [bytes] Largest frame.
  std::int64_t asset_bytes = std::int64_t{1} << 30;  ///< [bytes] Largest asset.
  std::int64_t reserved_disk_bytes = std::int64_t{64}
                                     << 20;             ///< [bytes] Left free for the database.
  std::int64_t message_bytes = std::int64_t{32} << 20;  ///< [bytes] Largest message, each way.
  std::int64_t worker_memory_bytes = std::int64_t{8} << 30;  ///< [bytes] Memory of one worker.
  int threads_per_session = 1;                               ///< sluiced's default: all cores.
  int streams =
      1'000;  ///< Frames.Stream and Sessions.Watch together; an idle one takes about 20 KB.
};

/// Most frames that a worker may have sent before they are durable: one is written while the next
/// is on its way. More would only take more memory.
inline constexpr int worker_frames_in_flight = 2;

/// Largest piece of a frame, an asset or a checkpoint in one message: the measured optimum of gRPC
/// (wire format: 64 KiB and 6 MiB are both slower).
inline constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

inline constexpr std::size_t max_display_name_characters = 128;
inline constexpr std::size_t max_request_id_characters = 64;
inline constexpr std::size_t max_file_name_characters = 255;
inline constexpr int max_page_size = 1'000;
inline constexpr int default_page_size = 50;
inline constexpr std::int64_t max_frames_a_call = 1'000'000;  ///< For `Step`, `stride` and others.
inline constexpr int max_stream_credits = 1'024;
inline constexpr int max_restarts_allowed = 100;
inline constexpr int default_max_restarts = 3;
inline constexpr int default_checkpoint_interval_frames = 10;
inline constexpr std::chrono::seconds shortest_lease{1};
inline constexpr std::chrono::seconds longest_lease{86'400};

/// Most steering commands of a session that wait for its worker's answer.
inline constexpr std::size_t max_pending_steers = 256;
/// Most commands that a session may be created with.
inline constexpr int max_recorded_commands = 100'000;
/// Largest page of `ListCommands`: a command has some hundred bytes.
inline constexpr int max_command_page_size = 10'000;
inline constexpr int default_command_page_size = 1'000;
/// Number of lines of a worker's log that a session keeps for `Watch`.
inline constexpr std::size_t kept_log_lines = 200;

/// A worker that has not attached after this long, or is silent for this long, is killed and
/// counted as dead. It promises a sign of life every 2 s; a machine that swaps needs slack.
inline constexpr std::chrono::seconds worker_silence{30};

}  // namespace sluice::session
