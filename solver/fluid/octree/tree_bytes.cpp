// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/octree/tree_bytes.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sluice::fluid::octree {

using grid::tile_size;

template <int D>
void save_tree(const Tree<D>& tree, ByteWriter& out) {
  for (std::size_t k = 1; k < tree.level_count(); ++k) {
    const auto& level = tree.level(k);
    std::vector<std::int32_t> divided;
    for (std::size_t tile = 0; tile < level.tiles.count(); ++tile) {
      level.divided[tile].for_each([&](std::size_t i) {
        for (const std::int32_t c : level.tiles.cell(tile * tile_size<D> + i))
          divided.push_back(c);
      });
    }
    out.put(static_cast<std::uint64_t>(divided.size()));
    out.put_elements(std::span<const std::int32_t>(divided));
  }
}

template <int D>
std::optional<Tree<D>> restored_tree(const Cell<D>& size, std::size_t level_count, ByteReader& in) {
  std::vector<Cells<D>> divided(level_count);
  for (std::size_t k = 1; k < level_count; ++k) {
    std::uint64_t count = 0;
    if (!in.get(count) || count % D != 0 || count > in.left() / sizeof(std::int32_t)) return {};
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(count));
    if (!in.get_elements(std::span<std::int32_t>(numbers))) return {};
    std::vector<Cell<D>> cells(numbers.size() / D);
    for (std::size_t n = 0; n < numbers.size(); ++n)
      cells[n / D][n % D] = numbers[n];
    divided[k] = gathered<D>(cells);
  }
  return Tree<D>(size, std::move(divided));
}

template void save_tree<2>(const Tree<2>&, ByteWriter&);
template void save_tree<3>(const Tree<3>&, ByteWriter&);
template std::optional<Tree<2>> restored_tree<2>(const Cell<2>&, std::size_t, ByteReader&);
template std::optional<Tree<3>> restored_tree<3>(const Cell<3>&, std::size_t, ByteReader&);

}  // namespace sluice::fluid::octree
