// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/immersed/outline_map.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace sluice::fluid::grid {
namespace {

using Point = std::array<double, 2>;  // [cells]

Point in_cells(const CellFrame<2>& frame, const Vec3& x) {
  Point X;
  for (int axis = 0; axis < 2; ++axis) {
    const int a = world_axis<2>(axis);
    X[static_cast<std::size_t>(axis)] =
        (x[a] - static_cast<double>(frame.origin[a])) / static_cast<double>(frame.cell_size);
  }
  return X;
}

// The first line at `x` [cells] or above it, by its number.
std::int32_t line_from(double x) { return static_cast<std::int32_t>(std::ceil(2 * x)); }

}  // namespace

void OutlineMap::set(const CellFrame<2>& frame, std::span<const Vec3> positions,
                     std::span<const EdgeIndices> outline) {
  pieces_.clear();
  found_ = {};
  first_ = end_ = {};
  ends_.clear();
  for (const EdgeIndices& edge : outline) {
    for (const std::int32_t end : edge)
      ends_.push_back(in_cells(frame, positions[static_cast<std::size_t>(end)]));
  }
  for (std::size_t axis = 0; axis < 2 && !ends_.empty(); ++axis) {
    const auto [low, high] = std::ranges::minmax(
        ends_, [axis](const Point& a, const Point& b) { return a[axis] < b[axis]; });
    first_[axis] = static_cast<std::int32_t>(std::floor(low[axis]));
    end_[axis] = static_cast<std::int32_t>(std::floor(high[axis])) + 1;
  }
  for (std::size_t edge = 0; edge < outline.size(); ++edge)
    add_edge(static_cast<std::uint32_t>(edge), ends_[2 * edge], ends_[2 * edge + 1]);
  find_corners(outline);
  sort_lines();
  sort_pieces();
}

// By how much the outline turns, where it is convex: 1 - cos.
void OutlineMap::find_corners(std::span<const EdgeIndices> outline) {
  std::unordered_map<std::int32_t, std::size_t> into;  // By vertex, the edge that ends there.
  for (std::size_t edge = 0; edge < outline.size(); ++edge)
    into[outline[edge][1]] = edge;
  sharpness_.assign(outline.size(), {0, 0});
  const auto along = [&](std::size_t edge) {
    const Point &a = ends_[2 * edge], &b = ends_[2 * edge + 1];
    const double length = std::hypot(b[0] - a[0], b[1] - a[1]);
    return Point{(b[0] - a[0]) / length, (b[1] - a[1]) / length};
  };
  for (std::size_t edge = 0; edge < outline.size(); ++edge) {
    const std::size_t before = into.at(outline[edge][0]);
    const Point from = along(before), to = along(edge);
    const bool is_convex = from[0] * to[1] - from[1] * to[0] > 0;
    const double sharpness = is_convex ? 1 - (from[0] * to[0] + from[1] * to[1]) : 0;
    sharpness_[before][1] = sharpness_[edge][0] = sharpness;
  }
}

void OutlineMap::add_edge(std::uint32_t edge, const Point& a, const Point& b) {
  struct Cut {
    double part;
    Point at;
  };
  std::vector<Cut> cuts;  // By lines through corners of cells.
  for (std::size_t across = 0; across < 2; ++across) {
    const std::size_t along = 1 - across;
    const double low = std::min(a[across], b[across]), high = std::max(a[across], b[across]);
    // A line through an end is crossed by one of the edges there or by both, or by neither, as the
    // outline goes on: ends on a line count as above it.
    for (std::int32_t line = line_from(low); 0.5 * line <= high; ++line) {
      const double level = 0.5 * line;
      if ((a[across] < level) == (b[across] < level)) continue;
      const double part = (level - a[across]) / (b[across] - a[across]);
      const double at = a[along] + part * (b[along] - a[along]);
      found_[along].push_back({line, {at, {edge, part}}});
      if (line % 2 != 0) continue;
      Cut cut{part, {}};
      cut.at[across] = level;
      cut.at[along] = at;
      cuts.push_back(cut);
    }
  }
  std::ranges::sort(cuts, {}, &Cut::part);
  cuts.push_back({1, b});
  Cut from{0, a};
  for (const Cut& to : cuts) {
    const Point way{to.at[0] - from.at[0], to.at[1] - from.at[1]};
    if (way[0] != 0 || way[1] != 0) {
      Piece piece{{}, {edge, 0.5 * (from.part + to.part)}, {way[1], -way[0]}};
      for (std::size_t axis = 0; axis < 2; ++axis) {
        // Rounding may have a crossing past the edge's end.
        const double middle = 0.5 * (from.at[axis] + to.at[axis]);
        piece.cell[axis] =
            std::clamp(static_cast<std::int32_t>(std::floor(middle)), first_[axis], end_[axis] - 1);
      }
      pieces_.push_back(piece);
    }
    from = to;
  }
}

void OutlineMap::sort_lines() {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    std::vector<OnLine>& found = found_[axis];
    std::ranges::stable_sort(found, [](const OnLine& a, const OnLine& b) {
      return a.line != b.line ? a.line < b.line : a.crossing.at < b.crossing.at;
    });
    const std::size_t across = 1 - axis;
    const std::int32_t first = 2 * first_[across];
    first_of_[axis].assign(static_cast<std::size_t>(2 * end_[across] - first) + 2, 0);
    crossings_[axis].clear();
    for (const OnLine& one : found) {
      ++first_of_[axis][static_cast<std::size_t>(one.line - first) + 1];
      crossings_[axis].push_back(one.crossing);
    }
    for (std::size_t line = 1; line < first_of_[axis].size(); ++line)
      first_of_[axis][line] += first_of_[axis][line - 1];
  }
}

auto OutlineMap::crossings(int axis, std::int32_t line) const noexcept
    -> std::span<const Crossing> {
  const auto a = static_cast<std::size_t>(axis);
  const std::int32_t first = 2 * first_[1 - a];
  if (line < first || line > 2 * end_[1 - a] || crossings_[a].empty()) return {};
  const auto here = static_cast<std::size_t>(line - first);
  const std::size_t begin = first_of_[a][here];
  return std::span(crossings_[a]).subspan(begin, first_of_[a][here + 1] - begin);
}

bool OutlineMap::is_inside(int axis, std::int32_t line, double at) const noexcept {
  const auto all = crossings(axis, line);
  const auto next = std::ranges::upper_bound(all, at, {}, &Crossing::at);
  return (next - all.begin()) % 2 != 0;
}

double OutlineMap::covered(int axis, std::int32_t line, double begin, double end) const noexcept {
  const auto all = crossings(axis, line);
  double sum = 0;
  for (std::size_t i = 0; i + 1 < all.size(); i += 2)
    sum += std::max(0.0, std::min(end, all[i + 1].at) - std::max(begin, all[i].at));
  return sum;
}

void OutlineMap::sort_pieces() {
  const auto place_of = [&](const Cell<2>& cell) {
    return static_cast<std::size_t>(cell[1] - first_[1]) *
               static_cast<std::size_t>(end_[0] - first_[0]) +
           static_cast<std::size_t>(cell[0] - first_[0]);
  };
  const Cell<2> count{end_[0] - first_[0], end_[1] - first_[1]};
  first_piece_.assign(static_cast<std::size_t>(count[0]) * static_cast<std::size_t>(count[1]) + 1,
                      0);
  by_cell_.resize(pieces_.size());
  for (const Piece& piece : pieces_)
    ++first_piece_[place_of(piece.cell) + 1];
  for (std::size_t place = 1; place < first_piece_.size(); ++place)
    first_piece_[place] += first_piece_[place - 1];
  std::vector<std::size_t> next = first_piece_;
  for (std::uint32_t piece = 0; piece < pieces_.size(); ++piece)
    by_cell_[next[place_of(pieces_[piece].cell)]++] = piece;
}

auto OutlineMap::look(int axis, std::int32_t line, double at, std::size_t side) const noexcept
    -> Sight {
  const auto all = crossings(axis, line);
  const auto next = std::ranges::upper_bound(all, at, {}, &Crossing::at);
  if (side == 1 && next != all.end()) return {next->at - at, next->place};
  if (side == 0 && next != all.begin()) return {at - (next - 1)->at, (next - 1)->place};
  return {};
}

auto OutlineMap::nearest(const Point& at, std::span<const std::uint8_t> counts) const noexcept
    -> Nearest {
  Nearest nearest;
  double least = 1;  // [cells^2]
  const auto width = static_cast<std::size_t>(end_[0] - first_[0]);
  const auto first_of = [&](std::size_t axis) {
    return std::max(first_[axis], static_cast<std::int32_t>(std::floor(at[axis])) - 1);
  };
  const auto end_of = [&](std::size_t axis) {
    return std::min(end_[axis], static_cast<std::int32_t>(std::floor(at[axis])) + 2);
  };
  for (std::int32_t j = first_of(1); j < end_of(1); ++j) {
    for (std::int32_t i = first_of(0); i < end_of(0); ++i) {
      const std::size_t place =
          static_cast<std::size_t>(j - first_[1]) * width + static_cast<std::size_t>(i - first_[0]);
      for (std::size_t n = first_piece_[place]; n < first_piece_[place + 1]; ++n) {
        const std::uint32_t edge = pieces_[by_cell_[n]].middle.edge;
        if (counts[edge] == 0) continue;
        const std::size_t end = 2 * std::size_t{edge};
        const Point &a = ends_[end], &b = ends_[end + 1];
        const Point along{b[0] - a[0], b[1] - a[1]}, away{at[0] - a[0], at[1] - a[1]};
        const double part = std::clamp(
            (away[0] * along[0] + away[1] * along[1]) / (along[0] * along[0] + along[1] * along[1]),
            0.0, 1.0);
        const double x = away[0] - part * along[0], y = away[1] - part * along[1];
        if (!(x * x + y * y < least)) continue;
        least = x * x + y * y;
        const double sharpness = part == 0   ? sharpness_[edge][0]
                                 : part == 1 ? sharpness_[edge][1]
                                             : 0;
        nearest = {std::sqrt(least), {edge, part}, sharpness};
      }
    }
  }
  return nearest;
}

}  // namespace sluice::fluid::grid
