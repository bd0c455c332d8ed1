// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "server/session/executor.h"

namespace sluice::session {

struct LocalExecutorOptions {
  std::filesystem::path worker_binary;
  std::string attach_address;  ///< Address that workers connect to, as `unix:/path`.
  int nice = 5;                ///< Added to a worker's nice value, so that the server stays prompt.
};

/// Runs workers as children of this process.
///
/// A child never outlives its server. PR_SET_PDEATHSIG sees to that; it follows the *thread* that
/// forked, so one thread of the executor makes all children and lives as long as the executor.
/// RLIMIT_DATA limits a child's memory: heap and private writable mappings, not address space, of
/// which allocators reserve more than they use. Children get no files but their standard streams.
class LocalExecutor final : public Executor {
 public:
  explicit LocalExecutor(LocalExecutorOptions options);
  /// Kills all workers that still run, and waits for them.
  ~LocalExecutor() override;

  /// Fails if the binary cannot be started, or no further process can be made.
  Result<std::unique_ptr<WorkerProcess>> start(const WorkerLaunch& launch,
                                               WorkerCallbacks callbacks) override;

 private:
  class Loop;
  LocalExecutorOptions options_;
  std::shared_ptr<Loop> loop_;
};

}  // namespace sluice::session
