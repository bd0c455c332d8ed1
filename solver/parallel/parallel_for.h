// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <type_traits>

namespace sluice::parallel {

namespace detail {
/// Calls `body(context, chunk)` for every chunk in [0, chunk_count), on the threads of the calling
/// arena.
void run_chunks(std::int64_t chunk_count, void (*body)(void* context, std::int64_t chunk),
                void* context);
}  // namespace detail

/// Returns how many threads the caller's loops may use. Nothing that is computed may depend on
/// it.
[[nodiscard]] int thread_count() noexcept;

/// Number of chunks that parallel_for and parallel_reduce cut [begin, end) into.
[[nodiscard]] constexpr std::int64_t chunk_count(std::int64_t begin, std::int64_t end,
                                                 std::int64_t grain) noexcept {
  return end <= begin ? 0 : (end - begin + grain - 1) / grain;
}

/// Calls `body(first, last)` for the chunks [begin, begin + grain), [begin + grain, ...) of [begin,
/// end).
///
/// The chunks depend on the arguments alone, never on the number of threads, so a body that writes
/// by index or by chunk gives the same bits on any machine. Their order, and the thread that runs
/// each, are not fixed: bodies must not write to the same place. An exception of a body reaches the
/// caller, after the running chunks have ended. `grain` >= 1: choose it so that a chunk takes some
/// 10 microseconds or more.
template <typename Body>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, Body&& body) {
  assert(grain >= 1);
  struct Context {
    std::int64_t begin, end, grain;
    std::remove_reference_t<Body>* body;
  } context{begin, end, grain, &body};
  detail::run_chunks(
      chunk_count(begin, end, grain),
      [](void* opaque, std::int64_t chunk) {
        const auto& c = *static_cast<const Context*>(opaque);
        const std::int64_t first = c.begin + chunk * c.grain;
        (*c.body)(first, std::min(first + c.grain, c.end));
      },
      &context);
}

}  // namespace sluice::parallel
