// SPDX-License-Identifier: Apache-2.0
#include "solver/parallel/parallel_for.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

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

struct RunChunk {
  Chunks* chunks;
  SLUICE_BEFORE_HANDOVER void operator()(std::int64_t chunk) const { run_chunk(*chunks, chunk); }
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
  tbb::parallel_for(std::int64_t{0}, chunk_count, RunChunk{&chunks});
  take(chunks.end);
}

}  // namespace detail
}  // namespace sluice::parallel
