// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/spring_potential.h"

#include <cstdint>
#include <vector>

namespace sluice::solid {

namespace {

std::vector<std::int32_t> ends_of(std::span<const Spring> springs) {
  std::vector<std::int32_t> stencils;
  stencils.reserve(2 * springs.size());
  for (const Spring& spring : springs)
    stencils.insert(stencils.end(), {spring.a, spring.b});
  return stencils;
}

std::vector<double> differences(std::size_t count) {
  std::vector<double> maps(2 * count);
  for (std::size_t e = 0; e < count; ++e) {
    maps[2 * e] = 1;
    maps[2 * e + 1] = -1;
  }
  return maps;
}

std::vector<double> each(std::span<const Spring> springs, double Spring::* member) {
  std::vector<double> values;
  values.reserve(springs.size());
  for (const Spring& spring : springs)
    values.push_back(spring.*member);
  return values;
}

}  // namespace

SpringPotential::SpringPotential(std::span<const Spring> springs)
    : LengthPotential({2, 1, ends_of(springs), differences(springs.size())},
                      each(springs, &Spring::stiffness), each(springs, &Spring::rest_length)) {}

}  // namespace sluice::solid
