// SPDX-License-Identifier: Apache-2.0
#include "server/worker/heap.h"

#include <malloc.h>

namespace sluice::worker {

namespace {

constexpr int mebibyte = 1 << 20;
/// The most that glibc allows: arrays above it come from mmap and go back to it.
constexpr int mmap_threshold = 32 * mebibyte;

}  // namespace

void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, mmap_threshold);
  mallopt(M_TRIM_THRESHOLD, 256 * mebibyte);
  mallopt(M_TOP_PAD, 16 * mebibyte);
}

}  // namespace sluice::worker
