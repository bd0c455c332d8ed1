// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/particles/rows.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>

namespace sluice::fluid {

Rows::Rows(std::span<const std::int64_t> counts) {
  for (const std::int64_t count : counts)
    fluids_.push_back({count, static_cast<std::uint32_t>(count), {}});
}

std::int64_t Rows::count() const noexcept {
  std::int64_t sum = 0;
  for (const OfFluid& fluid : fluids_)
    sum += fluid.count;
  return sum;
}

std::int64_t Rows::ids_left() const noexcept {
  std::int64_t left = no_row;
  for (const OfFluid& fluid : fluids_)
    left = std::min(left, std::int64_t{no_row} - fluid.next_id);
  return left;
}

Rows::Change Rows::change(std::span<const std::uint32_t> gone, std::span<const std::int64_t> born) {
  assert(born.size() == fluids_.size());
  Change change;
  change.rows_of_former.reserve(static_cast<std::size_t>(count()));
  std::uint32_t row = 0;
  auto next_gone = gone.begin();
  for (std::size_t f = 0; f < fluids_.size(); ++f) {
    OfFluid& fluid = fluids_[f];
    const std::uint32_t first = row;
    const auto last = static_cast<std::uint32_t>(first + fluid.count);
    if (fluid.ids.empty() && next_gone != gone.end() && *next_gone < last) {
      fluid.ids.resize(static_cast<std::size_t>(fluid.count));
      std::iota(fluid.ids.begin(), fluid.ids.end(), 0U);
    }
    std::size_t kept = 0;
    for (; row < last; ++row) {
      if (next_gone != gone.end() && *next_gone == row) {
        ++next_gone;
        change.rows_of_former.push_back(no_row);
        continue;
      }
      change.rows_of_former.push_back(static_cast<std::uint32_t>(change.former_rows.size()));
      change.former_rows.push_back(row);
      if (!fluid.ids.empty()) fluid.ids[kept] = fluid.ids[row - first];
      ++kept;
    }
    const auto births = static_cast<std::size_t>(born[f]);
    change.former_rows.insert(change.former_rows.end(), births, no_row);
    if (!fluid.ids.empty() || fluid.next_id != fluid.count) {
      fluid.ids.resize(kept + births);
      std::iota(fluid.ids.begin() + static_cast<std::ptrdiff_t>(kept), fluid.ids.end(),
                fluid.next_id);
    }
    fluid.count = static_cast<std::int64_t>(kept + births);
    fluid.next_id += static_cast<std::uint32_t>(births);
  }
  return change;
}

void Rows::save(ByteWriter& out) const {
  out.put(static_cast<std::uint64_t>(fluids_.size()));
  for (const OfFluid& fluid : fluids_) {
    out.put(fluid.count);
    out.put(fluid.next_id);
    out.put(static_cast<std::uint8_t>(fluid.ids.empty() ? 0 : 1));
    out.put_elements(std::span(fluid.ids));
  }
}

bool Rows::restore(ByteReader& in, std::size_t fluid_count) {
  std::uint64_t found_fluids = 0;
  if (!in.get(found_fluids) || found_fluids != fluid_count) return false;
  fluids_.assign(fluid_count, {});
  for (OfFluid& fluid : fluids_) {
    std::uint8_t has_ids = 0;
    if (!in.get(fluid.count) || !in.get(fluid.next_id) || !in.get(has_ids)) return false;
    if (fluid.count < 0 || fluid.count > fluid.next_id) return false;
    if (has_ids == 0 && fluid.count != 0 && fluid.count != fluid.next_id) return false;
    if (has_ids == 0) continue;
    // A length beyond what the bytes hold must not be asked memory for.
    if (static_cast<std::uint64_t>(fluid.count) > in.left() / sizeof(std::uint32_t)) return false;
    fluid.ids.resize(static_cast<std::size_t>(fluid.count));
    if (!in.get_elements(std::span(fluid.ids))) return false;
    if (std::ranges::adjacent_find(fluid.ids, std::greater_equal<>()) != fluid.ids.end()) {
      return false;
    }
    if (!fluid.ids.empty() && fluid.ids.back() >= fluid.next_id) return false;
  }
  return true;
}

}  // namespace sluice::fluid
