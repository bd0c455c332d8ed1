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

/// A fixed number of threads that work off tasks, and one that starts tasks at a time.
///
/// Disk writes, scene checks and session logic run here, so that the threads of gRPC never wait for
/// a disk and there is no thread a session or a stream. Thread-safe. Tasks must not throw.
class WorkPool {
 public:
  explicit WorkPool(int thread_count);
  ~WorkPool();  ///< As `stop`.
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  void post(Task task);
  void post_after(std::chrono::milliseconds delay, Task task);

  /// Works off what was posted, forgets what was to start later, and ends the threads. Tasks posted
  /// from then on are dropped.
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

/// Runs tasks one at a time, in the order they were posted, on a pool: what they touch needs no
/// lock. Lives on until its last task is done. The pool must outlive it.
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
