// SPDX-License-Identifier: Apache-2.0
#include "client/render/raster.h"

#include <algorithm>
#include <cmath>

#include "client/render/tiles.h"

namespace sluice::render {
namespace {

constexpr int tile_size = 128;  // Samples a side: nearness and ids of a tile fit the L2 cache.

// Weights are rounded differently in neighbouring triangles; without this, samples on their common
// edge could belong to neither.
constexpr float least_weight = -1e-4F;

/// Samples [x0, x1) x [y0, y1).
struct Box {
  int x0, y0, x1, y1;
};

/// The samples whose centres lie in the given range, cut to the picture. Infinite and undefined
/// numbers give an empty box.
Box covered(float x0, float y0, float x1, float y1, const VisibilityBuffer& buffer) {
  const auto first = [](float v, int end) {
    return v > 0 ? (v < static_cast<float>(end) ? static_cast<int>(std::ceil(v - 0.5F)) : end) : 0;
  };
  const auto last = [](float v, int end) {
    return v > 0 ? (v < static_cast<float>(end) ? static_cast<int>(std::floor(v + 0.5F)) : end) : 0;
  };
  return {first(x0, buffer.width), first(y0, buffer.height), last(x1, buffer.width),
          last(y1, buffer.height)};
}

Box box_of(const ScreenTriangle& t, const VisibilityBuffer& buffer) {
  return covered(std::min({t.a.x, t.b.x, t.c.x}), std::min({t.a.y, t.b.y, t.c.y}),
                 std::max({t.a.x, t.b.x, t.c.x}), std::max({t.a.y, t.b.y, t.c.y}), buffer);
}

Box box_of(const ScreenSphere& s, const VisibilityBuffer& buffer) {
  return covered(s.x - s.radius, s.y - s.radius, s.x + s.radius, s.y + s.radius, buffer);
}

Box intersect(const Box& a, const Box& b) {
  return {std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1), std::min(a.y1, b.y1)};
}

void put(VisibilityBuffer& buffer, std::size_t at, float nearness, std::uint32_t id) {
  if (nearness > buffer.nearness[at]) {
    buffer.nearness[at] = nearness;
    buffer.id[at] = id;
  }
}

void draw(const ScreenTriangle& t, const Box& box, VisibilityBuffer& buffer) {
  const float area = (t.b.x - t.a.x) * (t.c.y - t.a.y) - (t.b.y - t.a.y) * (t.c.x - t.a.x);
  if (!(std::abs(area) > 1e-12F)) {
    return;
  }
  const float scale = 1 / area;
  // Barycentric weights change by these from one sample to the next in a row.
  const float step_b = (t.c.y - t.a.y) * scale;
  const float step_c = (t.a.y - t.b.y) * scale;
  for (int y = box.y0; y < box.y1; ++y) {
    const float py = static_cast<float>(y) + 0.5F - t.a.y;
    const std::size_t row = buffer.index(0, y);
    for (int x = box.x0; x < box.x1; ++x) {
      const float px = static_cast<float>(x) + 0.5F - t.a.x;
      const float wb = px * step_b - py * (t.c.x - t.a.x) * scale;
      const float wc = px * step_c + py * (t.b.x - t.a.x) * scale;
      const float wa = 1 - wb - wc;
      if (wa >= least_weight && wb >= least_weight && wc >= least_weight) {
        put(buffer, row + static_cast<std::size_t>(x),
            wa * t.a.nearness + wb * t.b.nearness + wc * t.c.nearness, t.id);
      }
    }
  }
}

template <Projection projection>
void draw(const ScreenSphere& s, const Box& box, VisibilityBuffer& buffer) {
  const float metres_a_sample = s.world_radius / s.radius;
  for (int y = box.y0; y < box.y1; ++y) {
    const float dy = static_cast<float>(y) + 0.5F - s.y;
    const float rest = s.radius * s.radius - dy * dy;
    if (rest <= 0) {
      continue;
    }
    const float half = std::sqrt(rest);
    const int x0 = std::max(box.x0, static_cast<int>(std::ceil(s.x - half - 0.5F)));
    const int x1 = std::min(box.x1, static_cast<int>(std::floor(s.x + half + 0.5F)));
    const std::size_t row = buffer.index(0, y);
    for (int x = x0; x < x1; ++x) {
      const float dx = static_cast<float>(x) + 0.5F - s.x;
      const float bulge = std::sqrt(std::max(rest - dx * dx, 0.0F)) * metres_a_sample;
      const float depth = s.depth - bulge;
      put(buffer, row + static_cast<std::size_t>(x),
          projection == Projection::perspective ? 1 / depth : -depth, s.id);
    }
  }
}

/// Which primitives touch which tile, in their order.
template <class Primitive>
std::vector<std::vector<std::uint32_t>> sort_into_tiles(std::span<const Primitive> primitives,
                                                        int columns, int rows,
                                                        const VisibilityBuffer& buffer) {
  std::vector<std::vector<std::uint32_t>> tiles(static_cast<std::size_t>(columns) *
                                                static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < primitives.size(); ++i) {
    const Box box = box_of(primitives[i], buffer);
    if (box.x0 >= box.x1 || box.y0 >= box.y1) {
      continue;
    }
    for (int row = box.y0 / tile_size; row <= (box.y1 - 1) / tile_size; ++row) {
      for (int column = box.x0 / tile_size; column <= (box.x1 - 1) / tile_size; ++column) {
        const std::size_t tile = static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                                 static_cast<std::size_t>(column);
        tiles[tile].push_back(static_cast<std::uint32_t>(i));
      }
    }
  }
  return tiles;
}

}  // namespace

void rasterise(std::span<const ScreenTriangle> triangles, std::span<const ScreenSphere> spheres,
               Projection projection, int thread_count, VisibilityBuffer& buffer) {
  const int columns = (buffer.width + tile_size - 1) / tile_size;
  const int rows = (buffer.height + tile_size - 1) / tile_size;
  const auto triangles_of = sort_into_tiles(triangles, columns, rows, buffer);
  const auto spheres_of = sort_into_tiles(spheres, columns, rows, buffer);
  for_each_piece(columns * rows, thread_count, [&](int piece) {
    const auto tile = static_cast<std::size_t>(piece);
    const int x = piece % columns * tile_size;
    const int y = piece / columns * tile_size;
    const Box area{x, y, std::min(x + tile_size, buffer.width),
                   std::min(y + tile_size, buffer.height)};
    for (const std::uint32_t i : triangles_of[tile]) {
      draw(triangles[i], intersect(box_of(triangles[i], buffer), area), buffer);
    }
    for (const std::uint32_t i : spheres_of[tile]) {
      const Box box = intersect(box_of(spheres[i], buffer), area);
      if (projection == Projection::perspective) {
        draw<Projection::perspective>(spheres[i], box, buffer);
      } else {
        draw<Projection::parallel>(spheres[i], box, buffer);
      }
    }
  });
}

}  // namespace sluice::render
