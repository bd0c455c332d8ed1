// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>

namespace sluice::session {

/// Counts of what happened since the server was started. Thread-safe.
struct Totals {
  std::atomic<std::int64_t> frame_count = 0;         ///< Frames stored for the first time.
  std::atomic<std::int64_t> frame_byte_count = 0;    ///< [bytes] Size of those frames.
  std::atomic<std::int64_t> substep_count = 0;       ///< The solvers' steps for those frames.
  std::atomic<std::int64_t> solve_microseconds = 0;  ///< [us] The solvers' time for those frames.
  std::atomic<std::int64_t> checkpoint_count = 0;    ///< Checkpoints stored.
  std::atomic<std::int64_t> steer_count = 0;         ///< Commands applied.
  std::atomic<std::int64_t> worker_start_count = 0;
  std::atomic<std::int64_t> worker_death_count = 0;  ///< Workers that ended without being told to.
};

/// The server's contents and totals, which its operator wants to see over time.
struct Census {
  std::map<std::string, std::int64_t> sessions;  ///< Counts by state (`RUNNING`), for every state.
  std::int64_t stored_frame_count = 0;
  std::int64_t stored_byte_count = 0;     ///< [bytes] Size of all frames and checkpoints.
  std::int64_t free_disk_byte_count = 0;  ///< [bytes] Free space where the data directory is.
  std::int64_t stream_count = 0;          ///< Open streams: Frames.Stream and Sessions.Watch.
  std::int64_t frame_count = 0;           ///< This count and those below: see Totals.
  std::int64_t frame_byte_count = 0;
  std::int64_t substep_count = 0;
  double solve_seconds = 0;
  std::int64_t checkpoint_count = 0;
  std::int64_t steer_count = 0;
  std::int64_t worker_start_count = 0;
  std::int64_t worker_death_count = 0;
};

}  // namespace sluice::session
