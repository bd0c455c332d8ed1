// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "server/session/executor.h"

namespace sluice::session {

struct LocalExecutorOptions {
  std::filesystem::path worker_binary;
  std::string attach_address;  ///< Where workers dial to, as `unix:/path`.
  int nice = 5;                ///< Added to the priority number, so that the server stays prompt.
};

/// Runs workers as children of this process.
///
/// A child never outlives its server (PR_SET_PDEATHSIG, which follows the *thread* that forked, so
/// that one thread of the executor's own makes all children and lives as long as it does). Memory
/// is bounded by RLIMIT_DATA: heap and private writable mappings, not address space, of which
/// allocators reserve more than they use. Children get no file but their standard streams.
class LocalExecutor final : public Executor {
 public:
  explicit LocalExecutor(LocalExecutorOptions options);
  /// Kills what still runs and waits for it.
  ~LocalExecutor() override;

  /// Failures: the binary cannot be started, no more processes.
  Result<std::unique_ptr<WorkerProcess>> start(const WorkerLaunch& launch,
                                               WorkerCallbacks callbacks) override;

 private:
  class Loop;
  LocalExecutorOptions options_;
  std::shared_ptr<Loop> loop_;
};

}  // namespace sluice::session
