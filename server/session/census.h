// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>

namespace sluice::session {

/// What happened since the server was started, counted where it happens. Thread-safe.
struct Totals {
  std::atomic<std::int64_t> frame_count = 0;         ///< Frames stored for the first time.
  std::atomic<std::int64_t> frame_byte_count = 0;    ///< [bytes] of those
  std::atomic<std::int64_t> substep_count = 0;       ///< Steps of the solvers for those.
  std::atomic<std::int64_t> solve_microseconds = 0;  ///< [us] the solvers took for those
  std::atomic<std::int64_t> checkpoint_count = 0;    ///< Checkpoints stored.
  std::atomic<std::int64_t> steer_count = 0;         ///< Commands applied.
  std::atomic<std::int64_t> worker_start_count = 0;
  std::atomic<std::int64_t> worker_death_count = 0;  ///< Ended without having been told to.
};

/// What a server has and has done: what somebody who runs one wants to see over time.
struct Census {
  std::map<std::string, std::int64_t> sessions;  ///< By state, as `RUNNING`; every state is there.
  std::int64_t stored_frame_count = 0;
  std::int64_t stored_byte_count = 0;     ///< [bytes] of frames and checkpoints
  std::int64_t free_disk_byte_count = 0;  ///< [bytes] where the data directory is
  std::int64_t stream_count = 0;          ///< Frames.Stream and Sessions.Watch that are open.
  std::int64_t frame_count = 0;           ///< From here on as in Totals.
  std::int64_t frame_byte_count = 0;
  std::int64_t substep_count = 0;
  double solve_seconds = 0;
  std::int64_t checkpoint_count = 0;
  std::int64_t steer_count = 0;
  std::int64_t worker_start_count = 0;
  std::int64_t worker_death_count = 0;
};

}  // namespace sluice::session
