// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/spring_lanes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace sluice::integrator {

namespace {

// Iterations that pass together should not need more than what a core has of cache to itself.
constexpr std::size_t cache_bytes = std::size_t{768} * 1024;

/// Four doubles at once.
using HalfLane = Double4;
constexpr std::size_t half_width = Lanes<double>::count;

void store_half(const HalfLane& half, float* to) {
  store4(to, __builtin_convertvector(half, Float4));
}

}  // namespace

SpringLanes::SpringLanes(std::span<const solid::SpringPotential* const> springs)
    : layout_(springs),
      references_(layout_.chunk_count()),
      tangents_(layout_.chunk_count()),
      dual_sums_(layout_.vertex_count),
      loose_sums_(layout_.vertex_count) {
  for (Floats& axis : forces_)
    axis.assign(layout_.force_count, 0.0F);
  for (auto& axis : positions_)
    axis.assign(layout_.vertex_count + 2 * width, 0.0);
  const std::size_t bytes = layout_.chunk_count() * (sizeof(Reference) + 3 * sizeof(Numbers));
  const std::size_t bytes_behind =
      layout_.reach * bytes / std::max<std::size_t>(1, layout_.blocks.size());
  together_ = static_cast<int>(
      std::clamp<std::size_t>(cache_bytes / std::max<std::size_t>(1, bytes_behind), 1, 1000));
}

/// `difference(p)` is that of four doubles between the ends of the first or second half.
template <typename Difference>
void SpringLanes::set_reference_of(std::size_t chunk, const Difference& difference) {
  Reference& reference = references_[chunk];
  const SpringLayout::RestLengths& rest_lengths = layout_.rest_lengths[layout_.kinds[chunk]];
  for (std::size_t i = 0; i < width; i += half_width) {
    const HalfLane x = difference(positions_[0].data(), i), y = difference(positions_[1].data(), i),
                   z = difference(positions_[2].data(), i), l = load(&rest_lengths[i]);
    store_half(x, &reference.x[i]);
    store_half(y, &reference.y[i]);
    store_half(z, &reference.z[i]);
    store_half(x * x + y * y + z * z - l * l, &reference.squared_excess[i]);
  }
}

void SpringLanes::set_reference(std::span<const Vec3> positions) {
  for (std::size_t i = 0; i < layout_.vertex_count; ++i) {
    for (std::size_t c = 0; c < 3; ++c)
      positions_[c][i] = positions[i][static_cast<Eigen::Index>(c)];
  }
  for (std::size_t n = 0; n < layout_.ends.size(); ++n) {
    const SpringLayout::Ends& ends = layout_.ends[n];
    set_reference_of(n, [&ends](const double* p, std::size_t first) {
      HalfLane d;
      for (std::size_t i = 0; i < half_width; ++i)
        d[i] = p[ends.a[first + i]] - p[ends.b[first + i]];
      return d;
    });
  }
  for (const SpringLayout::Run& run : layout_.runs) {
    for (std::size_t n = run.first_chunk; n < run.last_chunk; ++n) {
      const std::size_t a = run.a + (n - run.first_chunk) * width, b = run.b - run.a + a;
      set_reference_of(n, [a, b](const double* p, std::size_t first) {
        return load(p + a + first) - load(p + b + first);
      });
    }
  }
}

/// For each chunk of the block's runs calls begin(chunk, place, difference), where `place` is that
/// of its forces and difference(p) is p_a - p_b, and forces(chunk, what that returned), and notes
/// what this returns. The next chunk is begun before, so that roots and divisions have time.
template <typename Begin, typename Forces>
void SpringLanes::note_runs(const Block& block, Notes& notes, const Begin& begin_by,
                            const Forces& forces_by) const {
  // Copies: what they hold stays in registers while numbers are stored.
  const Begin begin = begin_by;
  const Forces forces = forces_by;
  float *const x = notes[0].data(), *const y = notes[1].data(), *const z = notes[2].data();
  for (std::size_t r = block.first_run; r < block.last_run; ++r) {
    const SpringLayout::Run run = layout_.runs[r];
    const auto begin_chunk = [&](std::size_t chunk) {
      const std::size_t n = (chunk - run.first_chunk) * width, a = run.a + n,
                        distance = run.b - run.a;
      return begin(chunk, run.force + n,
                   [a, distance](const float* p) { return load(p + a) - load(p + a + distance); });
    };
    const auto note = [&forces, run, x, y, z](std::size_t chunk, const auto& begun) {
      const std::array<Lane, 3> f = forces(chunk, begun);
      const std::size_t place = run.force + (chunk - run.first_chunk) * width;
      store(f[0], x + place);
      store(f[1], y + place);
      store(f[2], z + place);
    };
    auto begun = begin_chunk(run.first_chunk);
    for (std::size_t next = run.first_chunk + 1; next < run.last_chunk; ++next) {
      const auto of_next = begin_chunk(next);
      note(next - 1, begun);
      begun = of_next;
    }
    note(run.last_chunk - 1, begun);
  }
}

/// The same for the loose chunks; adds the forces to `out` at the ends a, and `sign` times them at
/// the ends b.
template <typename Begin, typename Forces>
void SpringLanes::scatter_loose(const Block& block, float sign, Notes& notes,
                                const std::array<float*, 3>& out, const Begin& begin,
                                const Forces& forces) const {
  for (std::size_t chunk = block.first_loose; chunk < block.last_loose; ++chunk) {
    const auto& [a, b] = layout_.ends[chunk];
    const std::size_t place = chunk * width;
    const std::array<Lane, 3> f = forces(chunk, begin(chunk, place, [&](const float* p) {
                                           Numbers d;
                                           for (std::size_t i = 0; i < width; ++i)
                                             d[i] = p[a[i]] - p[b[i]];
                                           return load(d.data());
                                         }));
    for (std::size_t c = 0; c < 3; ++c) {
      float* numbers = notes[c].data() + place;
      store(f[c], numbers);
      for (std::size_t i = 0; i < width; ++i) {
        out[c][a[i]] += numbers[i];
        out[c][b[i]] += sign * numbers[i];
      }
    }
  }
}

/// Calls add(vertex, sum) for each lane of vertices of a block: with what the runs noted, and
/// `sign` times that at the ends b. It is complete once the runs of this block and those before are
/// noted.
template <typename Add>
void SpringLanes::collect(const Block& block, float sign, const Notes& notes,
                          const Add& add) const {
  const std::ptrdiff_t* sources = layout_.sources.data();
  const float *x = notes[0].data(), *y = notes[1].data(), *z = notes[2].data();
  for (std::size_t s = block.first_segment; s < block.last_segment; ++s) {
    const SpringLayout::Segment segment = layout_.segments[s];
    for (std::size_t i = segment.first_vertex; i < segment.last_vertex; i += width) {
      Lane sum_x{}, sum_y{}, sum_z{}, at_b_x{}, at_b_y{}, at_b_z{};
      for (std::size_t n = segment.first_at_a; n < segment.first_at_b; ++n) {
        const std::ptrdiff_t place = sources[n] + static_cast<std::ptrdiff_t>(i);
        sum_x += load(x + place);
        sum_y += load(y + place);
        sum_z += load(z + place);
      }
      for (std::size_t n = segment.first_at_b; n < segment.last_at_b; ++n) {
        const std::ptrdiff_t place = sources[n] + static_cast<std::ptrdiff_t>(i);
        at_b_x += load(x + place);
        at_b_y += load(y + place);
        at_b_z += load(z + place);
      }
      add(i,
          std::array<Lane, 3>{sum_x + sign * at_b_x, sum_y + sign * at_b_y, sum_z + sign * at_b_z});
    }
  }
}

/// Adds forces at the ends a to `out`, and `sign` times that at the ends b.
template <typename Begin, typename Forces>
void SpringLanes::accumulate(float sign, const std::array<float*, 3>& out, const Begin& begin,
                             const Forces& forces) const {
  for (const Block& block : layout_.blocks) {
    scatter_loose(block, sign, forces_, out, begin, forces);
    note_runs(block, forces_, begin, forces);
    collect(block, sign, forces_, [&](std::size_t i, const std::array<Lane, 3>& sum) {
      for (std::size_t c = 0; c < 3; ++c)
        store(load(out[c] + i) + sum[c], out[c] + i);
    });
  }
}

/// A vector d = d0 + v between the ends of eight springs, and how far they are stretched.
struct SpringLanes::Stretched {
  std::array<Lane, 3> d;
  Lane squared_length, strain;  ///< |d|^2, 1 - l0 / |d|

  Stretched(const Reference& reference, const SpringLayout::Constants& constants,
            const std::array<Lane, 3>& v) {
    const Lane rx = load(reference.x.data()), ry = load(reference.y.data()),
               rz = load(reference.z.data()), rest_length = load(constants.rest_length.data());
    d = {rx + v[0], ry + v[1], rz + v[2]};
    const Lane excess = multiply_add(
        rx + d[0], v[0],
        multiply_add(ry + d[1], v[1],
                     multiply_add(rz + d[2], v[2], load(reference.squared_excess.data()))));
    // Where the ends coincide the force is 0, as d is.
    squared_length =
        larger(multiply_add(d[0], d[0], multiply_add(d[1], d[1], d[2] * d[2])), 1e-30F);
    const Lane length = square_root(squared_length);
    strain = excess / multiply_add(length, rest_length, squared_length);
  }
};

/// d = d0 + D u of the springs of a chunk.
auto SpringLanes::stretched(const LaneVector& u) const {
  return [u_x = u[0], u_y = u[1], u_z = u[2], kinds = layout_.kinds.data(),
          all_constants = layout_.constants.data(),
          references = references_.data()](std::size_t c, std::size_t, const auto& difference) {
    return Stretched(references[c], all_constants[kinds[c]],
                     {difference(u_x), difference(u_y), difference(u_z)});
  };
}

double SpringLanes::linearize(const LaneVector& u, LaneVector& gradient) {
  LaneSum energy;
  accumulate(
      -1, {gradient[0], gradient[1], gradient[2]}, stretched(u),
      [&energy, kinds = layout_.kinds.data(), constants = layout_.constants.data(),
       tangents = tangents_.data()](std::size_t c, const Stretched& spring) -> std::array<Lane, 3> {
        const Lane k = load(constants[kinds[c]].stiffness.data());
        const auto& [x, y, z] = spring.d;
        const Lane tension = k * spring.strain;
        energy.add(tension * spring.strain * spring.squared_length);
        const Lane across = larger(tension, 0);
        const Lane along = square_root(larger(k - across, 0) / spring.squared_length);
        Tangent& tangent = tangents[c];
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
  accumulate(-1, {gradient[0], gradient[1], gradient[2]}, stretched(u),
             [&energy, kinds = layout_.kinds.data(), constants = layout_.constants.data()](
                 std::size_t c, const Stretched& spring) -> std::array<Lane, 3> {
               const Lane tension = load(constants[kinds[c]].stiffness.data()) * spring.strain;
               energy.add(tension * spring.strain * spring.squared_length);
               return {tension * spring.d[0], tension * spring.d[1], tension * spring.d[2]};
             });
  return 0.5 * energy.total();
}

double SpringLanes::rounding_of_forces(double energy) const {
  constexpr double units = 4;  // Found: up to 1.2.
  return units * static_cast<double>(std::numeric_limits<float>::epsilon()) *
         std::sqrt(2 * layout_.greatest_stiffness * energy);
}

void SpringLanes::begin_duals(const LaneVector& u) {
  for (std::size_t c = 0; c < 3; ++c) {
    duals_[c].assign(layout_.force_count, 0.0F);
    std::ranges::fill(dual_sums_.of_axis[c], 0.0F);
  }
  LaneVector unused(layout_.vertex_count);
  local_and_dual_step(u, unused);
}

void SpringLanes::local_and_dual_step(const LaneVector& u, LaneVector& gradient) {
  for (const Block& block : layout_.blocks)
    step_block(block, u, gradient);
}

void SpringLanes::iterate(int count, std::size_t end, const LaneVector& u, LaneVector& gradient,
                          const GlobalStep& global_step) {
  const std::size_t block_count = (end + block_width - 1) / block_width;
  for (int done = 0; done < count; done += together_) {
    const auto together = static_cast<std::size_t>(std::min(together_, count - done));
    for (std::size_t front = 0; front < block_count + (together - 1) * layout_.reach; ++front) {
      for (std::size_t n = 0; n < together && n * layout_.reach <= front; ++n) {
        const std::size_t block = front - n * layout_.reach;
        if (block >= block_count) continue;
        if (block < layout_.blocks.size()) step_block(layout_.blocks[block], u, gradient);
        global_step(block * block_width, std::min((block + 1) * block_width, end));
      }
    }
  }
}

/// With w = k the prox of p = D x + u_e is halfway to its projection onto length l0, so that u_e' =
/// p - z_e = (1 - l0 / |p|) p / 2, and k (z_e - u_e' - D x) = k (u_e - 2 u_e'): all small. The sum
/// of 2 k u_e' less half that of 2 k u_e stands for the gradient.
void SpringLanes::step_block(const Block& block, const LaneVector& u, LaneVector& gradient) {
  const auto stretched_with_dual =
      [u_x = u[0], u_y = u[1], u_z = u[2], x = duals_[0].data(), y = duals_[1].data(),
       z = duals_[2].data(), kinds = layout_.kinds.data(), all_constants = layout_.constants.data(),
       references = references_.data()](std::size_t c, std::size_t place, const auto& difference) {
        const SpringLayout::Constants& constants = all_constants[kinds[c]];
        const Lane half = load(constants.half_compliance.data());
        return Stretched(references[c], constants,
                         {multiply_add(half, load(x + place), difference(u_x)),
                          multiply_add(half, load(y + place), difference(u_y)),
                          multiply_add(half, load(z + place), difference(u_z))});
      };
  const auto doubled_duals = [kinds = layout_.kinds.data(),
                              all_constants = layout_.constants.data()](
                                 std::size_t c, const Stretched& spring) -> std::array<Lane, 3> {
    const Lane k = load(all_constants[kinds[c]].stiffness.data()), tension = k * spring.strain;
    return {tension * spring.d[0], tension * spring.d[1], tension * spring.d[2]};
  };
  scatter_loose(block, -1, duals_, {loose_sums_[0], loose_sums_[1], loose_sums_[2]},
                stretched_with_dual, doubled_duals);
  note_runs(block, duals_, stretched_with_dual, doubled_duals);
  const Lane half = Lane{} + 0.5F;
  collect(block, -1, duals_, [&](std::size_t i, const std::array<Lane, 3>& of_runs) {
    for (std::size_t c = 0; c < 3; ++c) {
      float *sum = dual_sums_[c] + i, *loose = loose_sums_[c] + i, *out = gradient[c] + i;
      const Lane next = of_runs[c] + load(loose);
      store(load(out) + multiply_add(-half, load(sum), next), out);
      store(next, sum);
      store(Lane{}, loose);
    }
  });
}

void SpringLanes::write_duals(std::span<double> duals) const {
  const auto write = [&](std::size_t chunk, std::size_t place) {
    const auto& half_compliance = layout_.constants[layout_.kinds[chunk]].half_compliance;
    for (std::size_t i = 0; i < width; ++i) {
      const SpringLayout::Pair& pair = layout_.pairs[chunk * width + i];
      if (pair.element == SpringLayout::no_element) continue;
      const double scale = (pair.is_reversed ? -1 : 1) * static_cast<double>(half_compliance[i]);
      for (std::size_t c = 0; c < 3; ++c)
        duals[3 * pair.element + c] = scale * static_cast<double>(duals_[c][place + i]);
    }
  };
  for (std::size_t chunk = 0; chunk < layout_.ends.size(); ++chunk)
    write(chunk, chunk * width);
  for (const SpringLayout::Run& run : layout_.runs) {
    for (std::size_t chunk = run.first_chunk; chunk < run.last_chunk; ++chunk)
      write(chunk, run.force + (chunk - run.first_chunk) * width);
  }
}

void SpringLanes::add_product(const LaneVector& p, LaneVector& out) const {
  accumulate(
      -1, {out[0], out[1], out[2]},
      [tangents = tangents_.data(), p_x = p[0], p_y = p[1], p_z = p[2]](
          std::size_t c, std::size_t, const auto& difference) -> std::array<Lane, 3> {
        const Tangent& tangent = tangents[c];
        const Lane dx = difference(p_x), dy = difference(p_y), dz = difference(p_z);
        const Lane mx = load(tangent.x.data()), my = load(tangent.y.data()),
                   mz = load(tangent.z.data()), across = load(tangent.across.data());
        const Lane along = multiply_add(mx, dx, multiply_add(my, dy, mz * dz));
        return {multiply_add(across, dx, along * mx), multiply_add(across, dy, along * my),
                multiply_add(across, dz, along * mz)};
      },
      [](std::size_t, const std::array<Lane, 3>& forces) { return forces; });
}

void SpringLanes::add_diagonal(std::array<Floats, 6>& blocks) const {
  auto& [xx, xy, xz, yy, yz, zz] = blocks;
  // Lanes without a spring have no tangent either.
  const auto forces = [](std::size_t, const std::array<Lane, 3>& sums) { return sums; };
  accumulate(
      1, {xx.data(), xy.data(), xz.data()},
      [this](std::size_t c, std::size_t, const auto&) -> std::array<Lane, 3> {
        const Tangent& tangent = tangents_[c];
        const Lane x = load(tangent.x.data());
        return {load(tangent.across.data()) + x * x, x * load(tangent.y.data()),
                x * load(tangent.z.data())};
      },
      forces);
  accumulate(
      1, {yy.data(), yz.data(), zz.data()},
      [this](std::size_t c, std::size_t, const auto&) -> std::array<Lane, 3> {
        const Tangent& tangent = tangents_[c];
        const Lane y = load(tangent.y.data()), z = load(tangent.z.data()),
                   across = load(tangent.across.data());
        return {across + y * y, y * z, across + z * z};
      },
      forces);
}

}  // namespace sluice::integrator
