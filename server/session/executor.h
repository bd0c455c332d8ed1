// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/session/error.h"

namespace sluice::session {

/// The parameters of a worker's start.
struct WorkerLaunch {
  std::string session;  ///< `sessions/{id}`
  std::string token;    ///< Identifies this start; valid for one attachment.
  int thread_count = 1;
  std::int64_t memory_bytes = 0;  ///< Limit of the memory that it may allocate.
};

/// How a worker's process ended.
struct WorkerExit {
  bool killed = false;  ///< A signal killed it; `code` is the signal's number.
  int code = 0;
  [[nodiscard]] std::string in_words() const;
};

/// A worker's process. Thread-safe.
class WorkerProcess {
 public:
  virtual ~WorkerProcess() = default;  ///< Kills the process if it runs.
  [[nodiscard]] virtual std::int64_t pid() const = 0;
  virtual void kill() = 0;  ///< Kills the process at once; `on_exit` still reports its end.
};

/// Callbacks that the executor calls on a thread of its own; they must be short.
struct WorkerCallbacks {
  std::function<void(WorkerExit)> on_exit;                ///< Called once, as the last callback.
  std::function<void(std::string line)> on_error_output;  ///< Gets a line that came on stderr.
};

/// Starts workers somewhere: as child processes (local_executor.h), later on a cluster.
/// Thread-safe.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual Result<std::unique_ptr<WorkerProcess>> start(const WorkerLaunch& launch,
                                                       WorkerCallbacks callbacks) = 0;
};

}  // namespace sluice::session
