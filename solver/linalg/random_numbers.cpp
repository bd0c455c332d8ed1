// SPDX-License-Identifier: Apache-2.0
// METIS draws from rand(), after a srand() with a fixed seed. The C library has one sequence for
// all threads: gRPC's threads draw from it, too, and once in some twenty runs they did so while
// METIS was at work, whose order was then another one, and the frames were not the same bits. A
// library looks for rand() and srand() in the program first, so that METIS finds these. They give
// the C library's own numbers for a seed.
#include "solver/linalg/random_numbers.h"

#include <stdlib.h>

#include <array>
#include <cstdint>

namespace {

struct RandomNumbers {
  std::array<char, 128> state{};  // The size of the C library's own.
  random_data data{};

  RandomNumbers() { start(1); }
  void start(unsigned seed) {
    data = {};
    initstate_r(seed, state.data(), state.size(), &data);
  }
};

thread_local RandomNumbers random_numbers;

}  // namespace

namespace sluice::linalg {

void restart_random_numbers() { random_numbers.start(1); }

}  // namespace sluice::linalg

extern "C" {

int rand() noexcept {
  std::int32_t number = 0;
  random_r(&random_numbers.data, &number);
  return number;
}

void srand(unsigned seed) noexcept { random_numbers.start(seed); }

}  // extern "C"
