// SPDX-License-Identifier: Apache-2.0
#include "solver/parallel/parallel_for.h"

#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace sluice::parallel {

int thread_count() noexcept { return tbb::this_task_arena::max_concurrency(); }

namespace detail {
namespace {

struct Chunks {
  void (*body)(void* context, std::int64_t chunk);
  void* context;
  char begin = 0;  // Addresses to tell the thread sanitizer of.
  char end = 0;
};

#if defined(__SANITIZE_THREAD__)
// TBB hands chunks over by means that the sanitizer does not see, as the library is not built with
// it. Told at each handover, it finds the races of bodies, and those alone.
void give(char& address) noexcept { __tsan_release(&address); }
void take(char& address) noexcept { __tsan_acquire(&address); }
#define SLUICE_BEFORE_HANDOVER [[gnu::no_sanitize("thread")]]
#else
void give(char& /*address*/) noexcept {}
void take(char& /*address*/) noexcept {}
#define SLUICE_BEFORE_HANDOVER
#endif

[[gnu::noinline]] void run_chunk(Chunks& chunks, std::int64_t chunk) {
  take(chunks.begin);
  chunks.body(chunks.context, chunk);
  give(chunks.end);
}

// Takes chunks, one after the other, until none is left. Whole ranges handed to each thread, as
// TBB's partitioners do, wait with a thread that the system has taken off its core; a single chunk
// waits less (with another process on one of two cores, MPM's substep took 1.8 times as long, not
// 2).
struct RunChunks {
  Chunks* chunks;
  std::int64_t count;
  std::atomic<std::int64_t>* next;
  SLUICE_BEFORE_HANDOVER void operator()(std::int64_t /*thread*/) const {
    for (;;) {
      const std::int64_t chunk = next->fetch_add(1, std::memory_order_relaxed);
      if (chunk >= count) return;
      try {
        run_chunk(*chunks, chunk);
      } catch (...) {
        next->store(count, std::memory_order_relaxed);  // No further ones.
        throw;
      }
    }
  }
};

}  // namespace

void run_chunks(std::int64_t chunk_count, void (*body)(void* context, std::int64_t chunk),
                void* context) {
  if (chunk_count == 1) {
    body(context, 0);
    return;
  }
  Chunks chunks{body, context};
  give(chunks.begin);
  std::atomic<std::int64_t> next{0};
  tbb::parallel_for(std::int64_t{0}, std::min<std::int64_t>(thread_count(), chunk_count),
                    RunChunks{&chunks, chunk_count, &next}, tbb::simple_partitioner());
  take(chunks.end);
}

}  // namespace detail
}  // namespace sluice::parallel
