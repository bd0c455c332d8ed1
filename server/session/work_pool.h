// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace sluice::session {

using Task = std::function<void()>;

/// A fixed number of threads that run tasks, and one thread that posts delayed tasks in time.
///
/// Disk writes and session logic run here, so that the threads of gRPC never wait for a disk, and
/// sessions and streams need no threads of their own. Thread-safe. Tasks must not throw.
class WorkPool {
 public:
  explicit WorkPool(int thread_count);
  ~WorkPool();  ///< Calls `stop`.
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  void post(Task task);
  void post_after(std::chrono::milliseconds delay, Task task);

  /// Runs the tasks that were posted, drops delayed ones, and ends the threads. Tasks that are
  /// posted later are dropped.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  void work();
  void wait_for_timers();

  std::mutex mutex_;
  std::condition_variable task_ready_;
  std::condition_variable timers_changed_;
  std::deque<Task> tasks_;
  std::multimap<Clock::time_point, Task> timers_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

/// Runs tasks on a pool one at a time, in the order they were posted, so that the data they use
/// needs no lock. It lives until its last task is done. The pool must outlive it.
class Strand : public std::enable_shared_from_this<Strand> {
 public:
  static std::shared_ptr<Strand> create(WorkPool& pool) {
    return std::shared_ptr<Strand>(new Strand(pool));
  }
  void post(Task task);
  void post_after(std::chrono::milliseconds delay, Task task);

 private:
  explicit Strand(WorkPool& pool) : pool_(pool) {}
  void run();

  WorkPool& pool_;
  std::mutex mutex_;
  std::deque<Task> tasks_;
  bool running_ = false;
};

}  // namespace sluice::session
