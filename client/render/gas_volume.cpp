// SPDX-License-Identifier: Apache-2.0
#include "client/render/gas_volume.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "client/render/gas_light.h"
#include "client/render/lights.h"
#include "client/render/tiles.h"

namespace sluice::render {
namespace {

constexpr float opaque = 4;  // Optical depth that lets 2 % through.
constexpr float steps_a_cell = 1.25F;
constexpr float bounce_share = 0.35F;   // Part of the ground's light that counts, from below.
constexpr float least_density = 1e-4F;  // Below, it is as good as nothing.
constexpr float least_transmittance = 0.004F;  // Below a step of 8 bits.
constexpr int brick_size = 8;                  // Cells a side.

/// The part of light that gets through gas of this optical depth, with a share of what was
/// scattered on the way.
float scattered_light(float optical_depth) {
  return 0.8F * std::exp(-optical_depth) + 0.2F * std::exp(-0.25F * optical_depth);
}

}  // namespace

GasVolume::GasVolume(const GasField& field, const GasScale& scale, float height,
                     const ShadowMap& shadow, const Float3& to_light, const Float3& up,
                     int thread_count)
    : field_(field),
      scale_(scale),
      bounds_(field.bounds()),
      extinction_(opaque / (0.1F * height)),
      to_light_(to_light),
      cells_(field.lattice().cell_count()) {
  const CellLattice& lattice = field.lattice();
  step_ = static_cast<float>(*std::min_element(lattice.edges.begin(), lattice.edges.end())) /
          steps_a_cell;
  const int rows = lattice.counts[1] * lattice.counts[2];
  const auto width = static_cast<std::size_t>(lattice.counts[0]);
  std::vector<float> density(cells_.size());
  for_each_piece(rows, thread_count, [&](int row) {
    const std::size_t first = static_cast<std::size_t>(row) * width;
    for (std::size_t cell = first; cell < first + width; ++cell) {
      density[cell] = look_of(field.cell(cell), scale).density;
    }
  });
  const std::vector<float> to_sun = gas_before_light(lattice, density, to_light, thread_count);
  const std::vector<float> to_sky = gas_before_light(lattice, density, up, thread_count);
  for_each_piece(rows, thread_count, [&](int row) {
    for (int i = 0; i < lattice.counts[0]; ++i) {
      const std::size_t at = static_cast<std::size_t>(row) * width + static_cast<std::size_t>(i);
      Cell& cell = cells_[at];
      cell.density = density[at];
      cell.through = std::exp(-extinction_ * to_sun[at]);
      cell.sun = scattered_light(extinction_ * to_sun[at]);
      // It comes from all of the upper half: less gas is before it at the sides.
      cell.sky = scattered_light(0.6F * extinction_ * to_sky[at]);
      if (cell.density > least_density) {
        const std::array<int, 3> index{i, row % lattice.counts[1], row / lattice.counts[1]};
        Float3 middle;
        for (int axis = 0; axis < 3; ++axis) {
          const auto a = static_cast<std::size_t>(axis);
          middle[axis] = static_cast<float>(lattice.lower[a] + (index[a] + 0.5) * lattice.edges[a]);
        }
        cell.sun *= shadow.light(middle, {}, 0);
      }
    }
  });
  find_bricks();
}

void GasVolume::find_bricks() {
  const CellLattice& lattice = field_.lattice();
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    brick_counts_[a] = (lattice.counts[a] + brick_size - 1) / brick_size;
    bricks_a_metre_[axis] = static_cast<float>(1 / (brick_size * lattice.edges[a]));
  }
  has_gas_.assign(static_cast<std::size_t>(brick_counts_[0]) *
                      static_cast<std::size_t>(brick_counts_[1]) *
                      static_cast<std::size_t>(brick_counts_[2]),
                  0);
  // A cell is in the means of its neighbours: it counts for their bricks too.
  const auto range = [&](int cell, std::size_t axis) {
    return std::array<int, 2>{std::max(cell - 1, 0) / brick_size,
                              std::min(cell + 1, lattice.counts[axis] - 1) / brick_size};
  };
  std::size_t at = 0;
  for (int z = 0; z < lattice.counts[2]; ++z) {
    for (int y = 0; y < lattice.counts[1]; ++y) {
      for (int x = 0; x < lattice.counts[0]; ++x, ++at) {
        if (cells_[at].density <= least_density) {
          continue;
        }
        for (const int k : range(z, 2)) {
          for (const int j : range(y, 1)) {
            for (const int i : range(x, 0)) {
              const int brick = (k * brick_counts_[1] + j) * brick_counts_[0] + i;
              has_gas_[static_cast<std::size_t>(brick)] = 1;
            }
          }
        }
      }
    }
  }
}

GasVolume::Stretch GasVolume::stretch(const Float3& from, const Float3& direction) const {
  Stretch found{0, std::numeric_limits<float>::infinity()};
  for (int axis = 0; axis < 3; ++axis) {
    const float to_lower = bounds_.lower[axis] - from[axis];
    const float to_upper = bounds_.upper[axis] - from[axis];
    if (direction[axis] == 0) {
      if (to_lower > 0 || to_upper < 0) {
        return {0, 0};
      }
      continue;
    }
    const float a = to_lower / direction[axis];
    const float b = to_upper / direction[axis];
    found = {std::max(found.begin, std::min(a, b)), std::min(found.end, std::max(a, b))};
  }
  return found;
}

GasVolume::Cell GasVolume::mean(const CellWeights& at) const {
  Cell sum{};
  for (std::size_t i = 0; i < at.cells.size(); ++i) {
    const Cell& cell = cells_[at.cells[i]];
    sum.density += at.weights[i] * cell.density;
    sum.sun += at.weights[i] * cell.sun;
    sum.sky += at.weights[i] * cell.sky;
    sum.through += at.weights[i] * cell.through;
  }
  return sum;
}

GasSeen GasVolume::seen(const Float3& eye, const Float3& ray, float depth) const {
  GasSeen seen;
  const Stretch way = stretch(eye, ray);
  const float end = std::min(way.end, depth);
  const float metres = length(ray);
  const float step = step_ / metres;
  for (float t = way.begin; t < end && seen.transmittance > least_transmittance;) {
    const float next = std::min(t + step, end);
    const Float3 p = eye + ray * (0.5F * (t + next));
    // Steps to the end of a brick without gas are not taken.
    std::size_t brick = 0;
    float out = std::numeric_limits<float>::infinity();
    for (int axis = 2; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      const float x = (p[axis] - bounds_.lower[axis]) * bricks_a_metre_[axis];
      const int index = std::clamp(static_cast<int>(x), 0, brick_counts_[a] - 1);
      brick = brick * static_cast<std::size_t>(brick_counts_[a]) + static_cast<std::size_t>(index);
      const float rate = ray[axis] * bricks_a_metre_[axis];
      if (rate != 0) {
        const float border = static_cast<float>(rate > 0 ? index + 1 : index);
        out = std::min(out, (border - x) / rate);
      }
    }
    if (has_gas_[brick] == 0) {
      t += step * (1 + std::floor(std::max(out, 0.0F) / step));
      continue;
    }
    const CellWeights at = field_.weights(p);
    const Cell here = mean(at);
    if (here.density > least_density) {
      const GasLook look = look_of(field_.mean(at), scale_);
      const float share = 1 - std::exp(-extinction_ * here.density * (next - t) * metres);
      const Float3 light = sunlight * here.sun + skylight * here.sky + bounce * bounce_share;
      seen.colour += (look.albedo * light + look.emission) * (share * seen.transmittance);
      seen.transmittance *= 1 - share;
    }
    t = next;
  }
  return seen;
}

float GasVolume::sun(const Float3& position) const {
  const Stretch way = stretch(position, to_light_);
  if (way.end <= way.begin) {
    return 1;
  }
  return mean(field_.weights(position + to_light_ * way.begin)).through;
}

}  // namespace sluice::render
