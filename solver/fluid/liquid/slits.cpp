// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/slits.h"

#include <algorithm>
#include <cstdint>

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t slits_grain = 16;  // Tiles.

// The filled part of the room around a face, over the open part of the face: more makes it a slit.
// Next to a body that floats there are faces with twice as much, and by those the swings of its
// heave would be damped by 3 % more each, instead of 2 %.
constexpr float most_filled = 8;

}  // namespace

template <int D>
void Slits<D>::shut(const Faces<float>& weights, float full, MacGrid<D>& grid,
                    Faces<std::uint8_t>& known) {
  collector_.collect(
      static_cast<std::int64_t>(grid.tiles.count()), slits_grain,
      [&](std::int64_t begin, std::int64_t end, std::vector<Slit>& found) {
        for (auto tile = static_cast<std::size_t>(begin); tile < static_cast<std::size_t>(end);
             ++tile) {
          if (grid.is_clear[tile] != 0) continue;
          for (std::size_t axis = 0; axis < D; ++axis) {
            const bool is_mixed = !grid.lightness[axis].empty();
            for (std::size_t face = tile * tile_size<D>; face < (tile + 1) * tile_size<D>; ++face) {
              const float open = grid.open[axis][face];
              if (!(open > 0 && most_filled * open < 1) || known[axis][face] == 0) continue;
              const float lightness = is_mixed ? grid.lightness[axis][face] : 1;
              // More than that is too dense, and held by what is around.
              const float filled = std::min(weights[axis][face] * lightness / full, 1.0F);
              if (!(filled > most_filled * open)) continue;
              found.push_back(
                  {axis, face, open, grid.velocity[axis][face], most_filled * open / filled});
            }
          }
        }
      },
      slits_);
  for (const Slit& slit : slits_) {
    grid.open[slit.axis][slit.face] = 0;
    known[slit.axis][slit.face] = 0;
  }
}

template <int D>
void Slits<D>::open(MacGrid<D>& grid) const {
  for (const Slit& slit : slits_) {
    grid.open[slit.axis][slit.face] = slit.open;
    float& velocity = grid.velocity[slit.axis][slit.face];
    velocity += slit.part * (slit.velocity - velocity);
  }
}

template class Slits<2>;
template class Slits<3>;

}  // namespace sluice::fluid::grid
