// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/spring_layout.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace sluice::integrator {

namespace {

constexpr std::size_t width = SpringLayout::width;
constexpr std::size_t lanes_per_block = SpringLayout::block_width / width;

std::size_t lane_of(std::int32_t vertex) { return at(vertex) / width; }
std::size_t block_of(std::int32_t vertex) { return at(vertex) / SpringLayout::block_width; }

struct Spring {
  std::int32_t a, b;
  bool is_reversed;
  std::size_t element;
  double stiffness, rest_length;

  std::int32_t distance() const { return b - a; }
};

/// The springs of a chunk of a run, in order; fewer where some are missing.
using Few = std::vector<Spring>;

/// The springs by chunks, and those that are loose.
struct Sorted {
  std::vector<Few> chunks;  ///< By distance, then a.
  std::vector<Spring> loose;

  explicit Sorted(std::vector<Spring> all) {
    std::ranges::stable_sort(all, [](const Spring& p, const Spring& q) {
      return std::tuple(p.distance(), p.a) < std::tuple(q.distance(), q.a);
    });
    for (std::size_t n = 0; n < all.size();) {
      const Spring& first = all[n];
      Few chunk;
      for (; n < all.size() && all[n].distance() == first.distance() &&
             lane_of(all[n].a) == lane_of(first.a);
           ++n) {
        // Only one of the springs that have both ends in common can be in a run.
        const bool is_doubled = !chunk.empty() && chunk.back().a == all[n].a;
        (is_doubled ? loose : chunk).push_back(all[n]);
      }
      // Less than half a chunk is cheaper gathered.
      if (chunk.size() < width / 2) {
        loose.insert(loose.end(), chunk.begin(), chunk.end());
      } else {
        chunks.push_back(std::move(chunk));
      }
    }
    std::ranges::stable_sort(loose, {}, &Spring::a);  // Neighbours share cache lines.
  }
};

/// Adds springs to a layout lane by lane.
class Lanes {
 public:
  explicit Lanes(SpringLayout& layout) : layout_(layout) {}

  /// Where it is none, a lane without stiffness.
  void add(const Spring& s, bool is_spring) {
    const std::size_t i = layout_.pairs.size() % width;
    layout_.pairs.push_back(
        {s.a, s.b, s.is_reversed, is_spring ? s.element : SpringLayout::no_element});
    constants_.stiffness[i] = is_spring ? static_cast<float>(s.stiffness) : 0.0F;
    constants_.half_compliance[i] =
        constants_.stiffness[i] > 0 ? 0.5F / constants_.stiffness[i] : 0.0F;
    constants_.rest_length[i] = static_cast<float>(s.rest_length);
    rest_lengths_[i] = s.rest_length;
    if (i + 1 < width) return;
    const auto next = static_cast<std::uint32_t>(layout_.constants.size());
    const auto [kind, is_new] = kinds_.try_emplace({constants_.stiffness, rest_lengths_}, next);
    layout_.kinds.push_back(kind->second);
    if (!is_new) return;
    layout_.constants.push_back(constants_);
    layout_.rest_lengths.push_back(rest_lengths_);
  }

 private:
  SpringLayout::Constants constants_;
  SpringLayout& layout_;
  std::map<std::pair<SpringLayout::Numbers, SpringLayout::RestLengths>, std::uint32_t> kinds_;
  SpringLayout::RestLengths rest_lengths_;
};

void add_loose(const std::vector<Spring>& loose, Lanes& lanes, SpringLayout& layout) {
  auto next = loose.begin();
  for (std::size_t n = 0; n < layout.blocks.size(); ++n) {
    layout.blocks[n].first_loose = layout.ends.size();
    while (next != loose.end() && block_of(next->a) == n) {
      const Spring& first = *next;
      SpringLayout::Ends& ends = layout.ends.emplace_back();
      for (std::size_t i = 0; i < width; ++i) {
        const bool is_spring = next != loose.end() && block_of(next->a) == n;
        const Spring& s = is_spring ? *next++ : first;
        lanes.add(s, is_spring);
        ends.a[i] = s.a;
        ends.b[i] = s.b;
      }
    }
    layout.blocks[n].last_loose = layout.ends.size();
  }
}

/// The places of the forces that vertices of a lane collect, as in SpringLayout::sources, by the
/// ends of runs that they are.
struct Sources {
  std::vector<std::ptrdiff_t> at_a, at_b;

  bool operator==(const Sources&) const = default;
};

/// Adds the runs, and returns by lane of vertices whose ends they are.
std::vector<Sources> add_runs(const std::vector<Few>& chunks, Lanes& lanes, SpringLayout& layout) {
  std::vector<Sources> sources((layout.vertex_count + width - 1) / width);
  std::vector<std::vector<SpringLayout::Run>> runs(layout.blocks.size());
  layout.force_count = (layout.ends.size() + 1) * width;
  const auto follows = [&](std::size_t n) {
    return n > 0 && n < chunks.size() &&
           chunks[n].front().distance() == chunks[n - 1].front().distance() &&
           lane_of(chunks[n].front().a) == lane_of(chunks[n - 1].front().a) + 1;
  };
  for (std::size_t n = 0; n < chunks.size(); ++n) {
    const Few& few = chunks[n];
    const std::size_t lane = lane_of(few.front().a), a = lane * width, chunk = layout.chunk_count(),
                      b = a + at(few.front().distance()), block = a / SpringLayout::block_width;
    if (!follows(n) || runs[block].empty() || runs[block].back().last_chunk != chunk)
      runs[block].push_back({a, b, chunk, chunk, layout.force_count});
    runs[block].back().last_chunk = chunk + 1;
    auto next = few.begin();
    for (std::size_t i = 0; i < width; ++i) {
      const bool is_spring = next != few.end() && at(next->a) == a + i;
      lanes.add(is_spring ? *next++ : few.front(), is_spring);
    }
    const auto place = static_cast<std::ptrdiff_t>(layout.force_count);
    sources[lane].at_a.push_back(place - static_cast<std::ptrdiff_t>(a));
    // Lanes of ends b are cut by two chunks, unless it is the first or the last.
    const std::ptrdiff_t at_b = place - static_cast<std::ptrdiff_t>(b);
    if (!follows(n)) sources[b / width].at_b.push_back(at_b);
    const std::size_t last_lane = (b + width - 1) / width;
    if (b % width == 0) {
      if (follows(n)) sources[b / width].at_b.push_back(at_b);
    } else if (last_lane < sources.size()) {
      sources[last_lane].at_b.push_back(at_b);
    }
    layout.force_count += follows(n + 1) ? width : 2 * width;
  }
  for (std::size_t n = 0; n < runs.size(); ++n) {
    layout.blocks[n].first_run = layout.runs.size();
    layout.runs.insert(layout.runs.end(), runs[n].begin(), runs[n].end());
    layout.blocks[n].last_run = layout.runs.size();
  }
  return sources;
}

void add_segments(const std::vector<Sources>& sources, SpringLayout& layout) {
  for (std::size_t n = 0; n < layout.blocks.size(); ++n) {
    layout.blocks[n].first_segment = layout.segments.size();
    const std::size_t end = std::min((n + 1) * lanes_per_block, sources.size());
    for (std::size_t lane = n * lanes_per_block; lane < end;) {
      const std::size_t first = lane;
      while (lane < end && sources[lane] == sources[first])
        ++lane;
      const auto& [at_a, at_b] = sources[first];
      const std::size_t source = layout.sources.size();
      layout.segments.push_back({first * width, lane * width, source, source + at_a.size(),
                                 source + at_a.size() + at_b.size()});
      layout.sources.insert(layout.sources.end(), at_a.begin(), at_a.end());
      layout.sources.insert(layout.sources.end(), at_b.begin(), at_b.end());
    }
    layout.blocks[n].last_segment = layout.segments.size();
  }
}

}  // namespace

SpringLayout::SpringLayout(std::span<const solid::SpringPotential* const> springs) {
  std::vector<Spring> all;
  for (const solid::SpringPotential* potential : springs) {
    for (std::size_t e = 0; e < potential->element_count(); ++e) {
      const auto of_e = potential->stencils().subspan(2 * e, 2);
      all.push_back({std::min(of_e[0], of_e[1]), std::max(of_e[0], of_e[1]), of_e[1] < of_e[0],
                     all.size(), potential->weights()[e], potential->rest_lengths()[e]});
    }
  }
  for (const Spring& s : all) {
    vertex_count = std::max(vertex_count, at(s.b) + 1);
    greatest_stiffness = std::max(greatest_stiffness, s.stiffness);
    reach = std::max(reach, block_of(s.b) - block_of(s.a));
  }
  blocks.resize((vertex_count + block_width - 1) / block_width);
  const Sorted sorted(std::move(all));
  Lanes lanes(*this);
  add_loose(sorted.loose, lanes, *this);
  add_segments(add_runs(sorted.chunks, lanes, *this), *this);
}

}  // namespace sluice::integrator
