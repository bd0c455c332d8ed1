// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "solver/bytes.h"
#include "solver/fluid/octree/tree.h"

namespace sluice::fluid::octree {

/// Writes which cells of a tree are divided.
template <int D>
void save_tree(const Tree<D>& tree, ByteWriter& out);

/// Reads what save_tree() wrote of a tree over a domain of `size` [finest cells] with as many
/// levels; nothing if the bytes do not fit.
template <int D>
[[nodiscard]] std::optional<Tree<D>> restored_tree(const Cell<D>& size, std::size_t level_count,
                                                   ByteReader& in);

extern template void save_tree<2>(const Tree<2>&, ByteWriter&);
extern template void save_tree<3>(const Tree<3>&, ByteWriter&);
extern template std::optional<Tree<2>> restored_tree<2>(const Cell<2>&, std::size_t, ByteReader&);
extern template std::optional<Tree<3>> restored_tree<3>(const Cell<3>&, std::size_t, ByteReader&);

}  // namespace sluice::fluid::octree
