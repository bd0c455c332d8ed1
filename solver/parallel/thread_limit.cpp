// SPDX-License-Identifier: Apache-2.0
#include "solver/parallel/thread_limit.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cassert>
#include <cstddef>

namespace sluice::parallel {

// An arena alone cannot have more threads than cores: the control raises (or lowers) the size of
// TBB's pool.
struct ThreadLimit::Arena {
  explicit Arena(int thread_count)
      : control(tbb::global_control::max_allowed_parallelism,
                static_cast<std::size_t>(thread_count)),
        arena(thread_count) {}
  tbb::global_control control;
  tbb::task_arena arena;
};

ThreadLimit::ThreadLimit(int thread_count) : thread_count_(thread_count) {
  assert(thread_count >= 1);
  arena_ = std::make_unique<Arena>(thread_count);
}

ThreadLimit::~ThreadLimit() = default;

void ThreadLimit::execute(void (*body)(void* context), void* context) {
  arena_->arena.execute([body, context] { body(context); });
}

}  // namespace sluice::parallel
