// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>

namespace sluice::parallel {

/// Holds a given number of threads for the parallel loops that run under it.
///
/// While it lives, work passed to `run` uses at most `thread_count` threads, the caller's included,
/// more than the machine has cores if told so. Not for nesting: of several that live at once in one
/// process with different counts, each has at most its own count, and all together share the
/// smallest one's worker threads.
class ThreadLimit {
 public:
  explicit ThreadLimit(int thread_count);  ///< >= 1
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

  /// Calls `body()` on the calling thread; its parallel loops spread over the threads held.
  /// Exceptions pass through.
  template <typename Body>
  void run(Body&& body) {
    execute([](void* context) { (*static_cast<std::remove_reference_t<Body>*>(context))(); },
            &body);
  }

  [[nodiscard]] int thread_count() const noexcept { return thread_count_; }

 private:
  struct Arena;
  void execute(void (*body)(void* context), void* context);

  int thread_count_;
  std::unique_ptr<Arena> arena_;
};

}  // namespace sluice::parallel
