// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/session/error.h"

namespace sluice::session {

/// What a worker is told on its way.
struct WorkerLaunch {
  std::string session;  ///< `sessions/{id}`
  std::string token;    ///< Names this start; good for one attachment.
  int thread_count = 1;
  std::int64_t memory_bytes = 0;  ///< What it may allocate.
};

/// How a worker's process ended.
struct WorkerExit {
  bool killed = false;  ///< By a signal; then `code` is its number.
  int code = 0;
  [[nodiscard]] std::string in_words() const;
};

/// A worker's process. Thread-safe.
class WorkerProcess {
 public:
  virtual ~WorkerProcess() = default;  ///< Kills it if it runs.
  [[nodiscard]] virtual std::int64_t pid() const = 0;
  virtual void kill() = 0;  ///< At once, whatever it does. Its exit is reported as ever.
};

/// Called on a thread of the executor; must be short.
struct WorkerCallbacks {
  std::function<void(WorkerExit)> on_exit;                ///< Once, last.
  std::function<void(std::string line)> on_error_output;  ///< A line the worker wrote to stderr.
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
