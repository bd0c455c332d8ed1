// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/spring_lanes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace sluice::integrator {

namespace {

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

struct LooseSpring {
  std::int32_t a, b;
  bool is_reversed;
  std::size_t element;
  double stiffness, rest_length;
};

}  // namespace

SpringLanes::SpringLanes(std::span<const solid::SpringPotential* const> springs) {
  std::vector<LooseSpring> all;
  for (const solid::SpringPotential* potential : springs) {
    for (std::size_t e = 0; e < potential->element_count(); ++e) {
      const auto ends = potential->stencils().subspan(2 * e, 2);
      all.push_back({std::min(ends[0], ends[1]), std::max(ends[0], ends[1]), ends[1] < ends[0],
                     all.size(), potential->weights()[e], potential->rest_lengths()[e]});
      greatest_stiffness_ = std::max(greatest_stiffness_, all.back().stiffness);
    }
  }
  std::ranges::stable_sort(all, [](const LooseSpring& p, const LooseSpring& q) {
    return std::tuple(p.b - p.a, p.a) < std::tuple(q.b - q.a, q.a);
  });
  const auto add_chunk = [&](std::span<const LooseSpring> few) {
    Constants constants{};
    for (std::size_t i = 0; i < width; ++i) {
      const LooseSpring& s = few[std::min(i, few.size() - 1)];
      pairs_.push_back({s.a, s.b, s.is_reversed, s.element, s.rest_length});
      constants.rest_length[i] = static_cast<float>(s.rest_length);
      constants.stiffness[i] = i < few.size() ? static_cast<float>(s.stiffness) : 0.0F;
    }
    constants_.push_back(constants);
  };
  std::vector<LooseSpring> loose;
  std::size_t longest = 0;  // In chunks.
  for (std::size_t first = 0; first < all.size();) {
    std::size_t last = first + 1;
    while (last < all.size() && all[last].b - all[last].a == all[first].b - all[first].a &&
           all[last].a == all[last - 1].a + 1)
      ++last;
    // A rest shorter than half a chunk is cheaper gathered.
    const std::size_t rest = (last - first) % width, end = rest < width / 2 ? last - rest : last;
    if (first < end) {
      runs_.push_back({all[first].a, all[first].b, constants_.size(), 0});
      for (; first < end; first += std::min(width, end - first))
        add_chunk(std::span(all).subspan(first, std::min(width, end - first)));
      runs_.back().last_chunk = constants_.size();
      longest = std::max(longest, constants_.size() - runs_.back().first_chunk);
    }
    loose.insert(loose.end(), all.begin() + static_cast<std::ptrdiff_t>(first),
                 all.begin() + static_cast<std::ptrdiff_t>(last));
    first = last;
  }
  first_loose_chunk_ = constants_.size();
  std::ranges::stable_sort(loose, {}, &LooseSpring::a);  // Neighbours share cache lines.
  for (std::size_t first = 0; first < loose.size(); first += width) {
    add_chunk(std::span(loose).subspan(first, std::min(width, loose.size() - first)));
    Ends& ends = ends_.emplace_back();
    for (std::size_t i = 0; i < width; ++i) {
      ends.a[i] = pairs_[pairs_.size() - width + i].a;
      ends.b[i] = pairs_[pairs_.size() - width + i].b;
    }
  }
  references_.resize(constants_.size());
  tangents_.resize(constants_.size());
  forces_.assign(6 * (longest + 2) * width, 0.0F);
}

void SpringLanes::set_reference(std::span<const Vec3> positions) {
  for (std::size_t n = 0; n < pairs_.size(); ++n) {
    const auto [a, b, is_reversed, element, l] = pairs_[n];
    const Vec3 d = positions[at(a)] - positions[at(b)];
    Reference& reference = references_[n / width];
    const std::size_t i = n % width;
    reference.x[i] = static_cast<float>(d.x());
    reference.y[i] = static_cast<float>(d.y());
    reference.z[i] = static_cast<float>(d.z());
    reference.squared_excess[i] = static_cast<float>(d.squaredNorm() - l * l);
  }
}

/// For each chunk calls forces(chunk, difference), where difference(p) is p_a - p_b, and adds what
/// it returns to `out` at the ends a, and `sign` times that at the ends b.
template <std::size_t count, typename Forces>
void SpringLanes::accumulate(float sign, const std::array<float*, count>& out,
                             const Forces& forces) const {
  for (const Run& run : runs_) {
    const std::size_t a = at(run.a), b = at(run.b), chunks = run.last_chunk - run.first_chunk;
    const auto forces_of = [&](std::size_t n) {
      return forces(run.first_chunk + n, [&, n](const float* p) {
        return load(p + a + n * width) - load(p + b + n * width);
      });
    };
    if (b - a >= width) {
      for (std::size_t n = 0; n < chunks; ++n) {
        const std::array<Lane, count> f = forces_of(n);
        for (std::size_t c = 0; c < count; ++c) {
          float* to = out[c] + n * width;
          store(load(to + a) + f[c], to + a);
          store(load(to + b) + sign * f[c], to + b);
        }
      }
      continue;
    }
    // The ends b of a chunk are ends a of it and of the next. Written as above each load would wait
    // for stores that it half overlaps; so forces are noted first, and added up after.
    const std::size_t stride = (chunks + 2) * width;
    for (std::size_t n = 0; n < chunks; ++n) {
      const std::array<Lane, count> f = forces_of(n);
      for (std::size_t c = 0; c < count; ++c)
        store(f[c], forces_.data() + c * stride + (n + 1) * width);
    }
    for (std::size_t c = 0; c < count; ++c) {
      float* noted = forces_.data() + c * stride;
      store(Lane{}, noted);
      store(Lane{}, noted + (chunks + 1) * width);
      // One lane more than the chunks, for the last ends b; the vector has room for it.
      for (std::size_t n = 1; n <= chunks + 1; ++n) {
        float* to = out[c] + a + (n - 1) * width;
        const Lane at_b = load(noted + n * width - (b - a));
        store(load(to) + load(noted + n * width) + sign * at_b, to);
      }
    }
  }
  for (std::size_t n = 0; n < ends_.size(); ++n) {
    const Ends& ends = ends_[n];
    const std::array<Lane, count> f = forces(first_loose_chunk_ + n, [&](const float* p) {
      Numbers d;
      for (std::size_t i = 0; i < width; ++i)
        d[i] = p[ends.a[i]] - p[ends.b[i]];
      return load(d.data());
    });
    for (std::size_t c = 0; c < count; ++c) {
      Numbers numbers;
      store(f[c], numbers.data());
      for (std::size_t i = 0; i < width; ++i) {
        out[c][ends.a[i]] += numbers[i];
        out[c][ends.b[i]] += sign * numbers[i];
      }
    }
  }
}

/// A vector d = d0 + v between the ends of eight springs, and how far its length is from theirs.
struct SpringLanes::Stretched {
  std::array<Lane, 3> d;
  Lane length, inverse, stretch;  ///< |d|, 1/|d|, |d| - l0

  Stretched(const Reference& reference, const Lane& rest_length, const std::array<Lane, 3>& v) {
    const Lane rx = load(reference.x.data()), ry = load(reference.y.data()),
               rz = load(reference.z.data());
    const Lane excess = load(reference.squared_excess.data()) + (rx + rx + v[0]) * v[0] +
                        (ry + ry + v[1]) * v[1] + (rz + rz + v[2]) * v[2];
    d = {rx + v[0], ry + v[1], rz + v[2]};
    length = square_root(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    // Where the ends coincide the force is 0, as d is.
    inverse = 1.0F / larger(length, 1e-30F);
    stretch = excess / (length + rest_length);
  }
};

double SpringLanes::linearize(const LaneVector& u, LaneVector& gradient) {
  LaneSum energy;
  accumulate<3>(-1, {gradient[0], gradient[1], gradient[2]},
                [&](std::size_t c, const auto& difference) -> std::array<Lane, 3> {
                  const Lane k = load(constants_[c].stiffness.data());
                  const Stretched spring(references_[c], load(constants_[c].rest_length.data()),
                                         {difference(u[0]), difference(u[1]), difference(u[2])});
                  const auto& [x, y, z] = spring.d;
                  const Lane tension = k * spring.stretch * spring.inverse;
                  energy.add(k * spring.stretch * spring.stretch);
                  const Lane across = larger(tension, 0);
                  const Lane along = square_root(larger(k - across, 0)) * spring.inverse;
                  Tangent& tangent = tangents_[c];
                  store(along * x, tangent.x.data());
                  store(along * y, tangent.y.data());
                  store(along * z, tangent.z.data());
                  store(across, tangent.across.data());
                  return {tension * x, tension * y, tension * z};
                });
  return 0.5 * energy.total();
}

double SpringLanes::add_gradient(const LaneVector& u, LaneVector& gradient) const {
  LaneSum energy;
  accumulate<3>(-1, {gradient[0], gradient[1], gradient[2]},
                [&](std::size_t c, const auto& difference) -> std::array<Lane, 3> {
                  const Lane k = load(constants_[c].stiffness.data());
                  const Stretched spring(references_[c], load(constants_[c].rest_length.data()),
                                         {difference(u[0]), difference(u[1]), difference(u[2])});
                  const Lane tension = k * spring.stretch * spring.inverse;
                  energy.add(k * spring.stretch * spring.stretch);
                  return {tension * spring.d[0], tension * spring.d[1], tension * spring.d[2]};
                });
  return 0.5 * energy.total();
}

double SpringLanes::rounding_of_forces(double energy) const {
  constexpr double units = 4;  // Found: up to 1.2.
  return units * static_cast<double>(std::numeric_limits<float>::epsilon()) *
         std::sqrt(2 * greatest_stiffness_ * energy);
}

void SpringLanes::begin_duals(const LaneVector& u) {
  duals_.assign(constants_.size(), Dual{});
  LaneVector unused = u;
  local_and_dual_step(u, unused);
}

/// With w = k the prox of p = D x + u_e is halfway to its projection onto length l0, so that u_e' =
/// p - z_e = (1 - l0 / |p|) p / 2, and k (z_e - u_e' - D x) = k (u_e - 2 u_e'): all small.
void SpringLanes::local_and_dual_step(const LaneVector& u, LaneVector& gradient) {
  accumulate<3>(-1, {gradient[0], gradient[1], gradient[2]},
                [&](std::size_t c, const auto& difference) -> std::array<Lane, 3> {
                  Dual& dual = duals_[c];
                  const Lane x = load(dual.x.data()), y = load(dual.y.data()),
                             z = load(dual.z.data()), k = load(constants_[c].stiffness.data());
                  const Stretched spring(
                      references_[c], load(constants_[c].rest_length.data()),
                      {difference(u[0]) + x, difference(u[1]) + y, difference(u[2]) + z});
                  const Lane twice = spring.stretch * spring.inverse;
                  const Lane twice_x = twice * spring.d[0], twice_y = twice * spring.d[1],
                             twice_z = twice * spring.d[2];
                  store(0.5F * twice_x, dual.x.data());
                  store(0.5F * twice_y, dual.y.data());
                  store(0.5F * twice_z, dual.z.data());
                  return {k * (twice_x - x), k * (twice_y - y), k * (twice_z - z)};
                });
}

void SpringLanes::write_duals(std::span<double> duals) const {
  for (std::size_t n = 0; n < pairs_.size(); ++n) {
    const Pair& pair = pairs_[n];
    // The lanes after the last spring of a chunk are of none.
    if (n % width != 0 && pair.element == pairs_[n - 1].element) continue;
    const Dual& dual = duals_[n / width];
    const std::size_t i = n % width;
    const double sign = pair.is_reversed ? -1 : 1;
    for (std::size_t c = 0; c < 3; ++c) {
      const Numbers& axis = c == 0 ? dual.x : c == 1 ? dual.y : dual.z;
      duals[3 * pair.element + c] = sign * static_cast<double>(axis[i]);
    }
  }
}

void SpringLanes::add_product(const LaneVector& p, LaneVector& out) const {
  accumulate<3>(-1, {out[0], out[1], out[2]},
                [&](std::size_t c, const auto& difference) -> std::array<Lane, 3> {
                  const Tangent& tangent = tangents_[c];
                  const Lane dx = difference(p[0]), dy = difference(p[1]), dz = difference(p[2]);
                  const Lane mx = load(tangent.x.data()), my = load(tangent.y.data()),
                             mz = load(tangent.z.data()), across = load(tangent.across.data());
                  const Lane along = mx * dx + my * dy + mz * dz;
                  return {across * dx + along * mx, across * dy + along * my,
                          across * dz + along * mz};
                });
}

void SpringLanes::add_diagonal(std::array<std::vector<float>, 6>& blocks) const {
  auto& [xx, xy, xz, yy, yz, zz] = blocks;
  accumulate<6>(1, {xx.data(), xy.data(), xz.data(), yy.data(), yz.data(), zz.data()},
                [&](std::size_t c, const auto&) -> std::array<Lane, 6> {
                  const Tangent& tangent = tangents_[c];
                  const Lane mx = load(tangent.x.data()), my = load(tangent.y.data()),
                             mz = load(tangent.z.data()), across = load(tangent.across.data());
                  // Lanes without a spring have no tangent either.
                  return {across + mx * mx, mx * my, mx * mz,
                          across + my * my, my * mz, across + mz * mz};
                });
}

}  // namespace sluice::integrator
