// SPDX-License-Identifier: Apache-2.0
#include "solver/linalg/supernodes.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "solver/types.h"

namespace sluice::linalg {

namespace {

// Wider panels no longer make a solve faster, and of a panel this wide a hundred rows are 25 KB:
// they stay in the first cache.
constexpr std::int32_t widest = 64;

std::vector<std::int32_t> inverse(std::span<const std::int32_t> order) {
  std::vector<std::int32_t> place(order.size());
  for (std::size_t p = 0; p < order.size(); ++p)
    place[at(order[p])] = static_cast<std::int32_t>(p);
  return place;
}

/// Calls visit(k) for the places k < p of the neighbours of the row at place p.
template <typename Visit>
void for_each_before(const SparsePattern& pattern, const Supernodes& shape, std::int32_t p,
                     const Visit& visit) {
  const std::size_t row = at(shape.order[at(p)]);
  for (std::int32_t n = pattern.row_starts[row]; n < pattern.row_starts[row + 1]; ++n) {
    const std::int32_t k = shape.place[at(pattern.columns[at(n)])];
    if (k < p) visit(k);
  }
}

/// Parent of each column in the elimination tree, -1 at a root.
std::vector<std::int32_t> elimination_tree(const SparsePattern& pattern, const Supernodes& shape) {
  const auto count = static_cast<std::int32_t>(shape.order.size());
  std::vector<std::int32_t> parent(shape.order.size(), -1), ancestor(shape.order.size(), -1);
  for (std::int32_t p = 0; p < count; ++p) {
    for_each_before(pattern, shape, p, [&](std::int32_t k) {
      while (k != -1 && k < p) {
        const std::int32_t next = std::exchange(ancestor[at(k)], p);
        if (next == -1) parent[at(k)] = p;
        k = next;
      }
    });
  }
  return parent;
}

/// Columns so that each comes after its descendants, which directly precede it.
std::vector<std::int32_t> postorder(std::span<const std::int32_t> parent) {
  std::vector<std::int32_t> first_child(parent.size(), -1), next_sibling(parent.size(), -1);
  std::vector<std::int32_t> stack, order;
  for (auto p = static_cast<std::int32_t>(parent.size()) - 1; p >= 0; --p) {
    if (parent[at(p)] == -1) {
      stack.push_back(p);
    } else {
      next_sibling[at(p)] = std::exchange(first_child[at(parent[at(p)])], p);
    }
  }
  order.reserve(parent.size());
  while (!stack.empty()) {
    const std::int32_t p = stack.back();
    const std::int32_t child = std::exchange(first_child[at(p)], -1);
    if (child == -1) {
      order.push_back(p);
      stack.pop_back();
    }
    for (std::int32_t c = child, n = 0; c != -1; c = n) {
      n = next_sibling[at(c)];
      stack.push_back(c);
    }
  }
  return order;
}

/// Entries of each column of the factor, the diagonal included: row p has one in each column on the
/// paths from its neighbours up to p.
std::vector<std::int32_t> column_counts(const SparsePattern& pattern, const Supernodes& shape,
                                        std::span<const std::int32_t> parent) {
  std::vector<std::int32_t> counts(parent.size(), 1), seen_by(parent.size(), -1);
  for (std::int32_t p = 0; p < static_cast<std::int32_t>(parent.size()); ++p) {
    seen_by[at(p)] = p;
    for_each_before(pattern, shape, p, [&](std::int32_t k) {
      for (; seen_by[at(k)] != p; k = parent[at(k)]) {
        seen_by[at(k)] = p;
        ++counts[at(k)];
      }
    });
  }
  return counts;
}

/// A supernode while columns are gathered.
struct Run {
  std::int32_t first, last;  ///< Columns [first, last)
  std::int64_t rows;         ///< Entries of its first column if all its columns share their rows.
  std::int64_t zeros;        ///< Entries of the panel that no column needs.
};

/// Whether a panel of `columns` columns, of whose entries a part `zeros` is empty, beats two. Tuned
/// on a grid of 100 x 100 vertices, where a solve takes 0.8 of the time without zeros.
bool pays(std::int64_t columns, double zeros) {
  if (columns <= 4) return true;
  if (columns <= 16) return zeros < 0.6;
  return zeros < (columns <= widest ? 0.3 : 0.1);
}

std::vector<Run> gather_columns(std::span<const std::int32_t> parent,
                                std::span<const std::int32_t> counts) {
  std::vector<Run> runs;
  for (std::int32_t p = 0; p < static_cast<std::int32_t>(parent.size()); ++p) {
    runs.push_back({p, p + 1, counts[at(p)], 0});
    // The run before ends in column p - 1. If p is that one's parent, they may become one.
    while (runs.size() > 1) {
      const Run& before = runs[runs.size() - 2];
      const Run& last = runs.back();
      if (parent[at(last.first - 1)] < last.first || parent[at(last.first - 1)] >= last.last) break;
      const std::int64_t width = last.last - before.first, added = last.first - before.first;
      const std::int64_t rows = last.rows + added;
      const std::int64_t zeros = before.zeros + last.zeros + added * (rows - before.rows);
      const std::int64_t entries = width * rows - width * (width - 1) / 2;
      if (!pays(width, static_cast<double>(zeros) / static_cast<double>(entries))) break;
      const Run merged{before.first, last.last, rows, zeros};
      runs.pop_back();
      runs.back() = merged;
    }
  }
  return runs;
}

/// Cuts runs into even parts of at most `widest` columns.
std::vector<Supernode> cut(std::span<const Run> runs) {
  std::vector<Supernode> supernodes;
  for (const Run& run : runs) {
    const std::int32_t width = run.last - run.first, parts = (width + widest - 1) / widest;
    for (std::int32_t i = 0; i < parts; ++i) {
      const std::int32_t first = run.first + width * i / parts;
      supernodes.push_back({first, run.first + width * (i + 1) / parts - first, 0, 0, -1});
    }
  }
  return supernodes;
}

/// Fills in the rows of each supernode: those of its columns in the matrix and those of its
/// children.
void find_rows(const SparsePattern& pattern, Supernodes& shape) {
  std::vector<std::int32_t> owner(shape.order.size());
  std::vector<std::vector<std::int32_t>> children(shape.supernodes.size());
  for (std::size_t s = 0; s < shape.supernodes.size(); ++s) {
    const Supernode& own = shape.supernodes[s];
    std::fill_n(owner.begin() + own.first_column, own.column_count, static_cast<std::int32_t>(s));
  }
  std::vector<std::int32_t> seen_by(shape.order.size(), -1);
  for (std::size_t s = 0; s < shape.supernodes.size(); ++s) {
    Supernode& own = shape.supernodes[s];
    const std::int32_t end = own.first_column + own.column_count;
    own.first_row = static_cast<std::int32_t>(shape.rows.size());
    const auto add = [&](std::int32_t place) {
      if (place < end || seen_by[at(place)] == static_cast<std::int32_t>(s)) return;
      seen_by[at(place)] = static_cast<std::int32_t>(s);
      shape.rows.push_back(place);
    };
    for (std::int32_t p = own.first_column; p < end; ++p) {
      const std::size_t row = at(shape.order[at(p)]);
      for (std::int32_t n = pattern.row_starts[row]; n < pattern.row_starts[row + 1]; ++n)
        add(shape.place[at(pattern.columns[at(n)])]);
    }
    for (const std::int32_t c : children[s]) {
      const Supernode child = shape.supernodes[at(c)];
      for (std::int32_t n = 0; n < child.row_count; ++n)
        add(shape.rows[at(child.first_row + n)]);
    }
    std::sort(shape.rows.begin() + own.first_row, shape.rows.end());
    own.row_count = static_cast<std::int32_t>(shape.rows.size()) - own.first_row;
    if (own.row_count > 0) {
      own.parent = owner[at(shape.rows[at(own.first_row)])];
      children[at(own.parent)].push_back(static_cast<std::int32_t>(s));
    }
  }
}

}  // namespace

Supernodes find_supernodes(const SparsePattern& pattern, std::span<const std::int32_t> order) {
  Supernodes shape;
  shape.order.assign(order.begin(), order.end());
  shape.place = inverse(order);
  const std::vector<std::int32_t> posted = postorder(elimination_tree(pattern, shape));
  for (std::size_t p = 0; p < posted.size(); ++p)
    shape.order[p] = order[at(posted[p])];
  shape.place = inverse(shape.order);
  const std::vector<std::int32_t> parent = elimination_tree(pattern, shape);
  shape.supernodes = cut(gather_columns(parent, column_counts(pattern, shape, parent)));
  find_rows(pattern, shape);
  return shape;
}

}  // namespace sluice::linalg
