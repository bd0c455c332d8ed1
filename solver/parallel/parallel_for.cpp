// SPDX-License-Identifier: Apache-2.0
#include "solver/parallel/parallel_for.h"

#include <tbb/parallel_for.h>

namespace sluice::parallel::detail {

void run_chunks(std::int64_t chunk_count, void (*body)(void* context, std::int64_t chunk),
                void* context) {
  if (chunk_count == 1) {
    body(context, 0);
    return;
  }
  tbb::parallel_for(std::int64_t{0}, chunk_count,
                    [body, context](std::int64_t chunk) { body(context, chunk); });
}

}  // namespace sluice::parallel::detail
