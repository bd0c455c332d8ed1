// SPDX-License-Identifier: Apache-2.0
#include "client/render/tiles.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace sluice::render {

void for_each_piece(int count, int thread_count, const std::function<void(int)>& work) {
  std::atomic<int> next{0};
  const auto run = [&] {
    for (int i = next++; i < count; i = next++) {
      work(i);
    }
  };
  std::vector<std::jthread> others;
  for (int i = 1; i < std::min(thread_count, count); ++i) {
    others.emplace_back(run);
  }
  run();
}

}  // namespace sluice::render
