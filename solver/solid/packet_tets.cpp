// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/packet_tets.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "solver/parallel/parallel_for.h"
#include "solver/solid/isotropic/material.h"
#include "solver/solid/packet_kernels.h"

namespace sluice::solid {

namespace {

/// `body(i)` for each of the first `count` bits that is not set.
template <typename Body>
void for_others(std::uint64_t done, std::size_t count, const Body& body) {
  assert(count > 0 && count <= 64);
  for (std::uint64_t left = ~done & (~std::uint64_t{0} >> (64 - count)); left != 0;
       left &= left - 1)
    body(static_cast<std::size_t>(std::countr_zero(left)));
}

/// `body(first, count)` for [begin, end) in parts of up to `size`.
template <typename Body>
void for_blocks(std::size_t begin, std::size_t end, std::size_t size, const Body& body) {
  for (std::size_t first = begin; first < end; first += size)
    body(first, std::min(size, end - first));
}

constexpr std::size_t largest_block = packet_lanes * most_packets;

}  // namespace

template <typename Energy>
PacketTets<Energy>::PacketTets(const Energy& energy, RestShapes<3> shapes)
    : Base(energy, std::move(shapes)),
      stiffness_(2 * energy.lame.mu + std::max(0.0, 3 * energy.lame.lambda)) {
  assert((!std::is_same_v<Energy, NeoHookean> || energy.lame.lambda >= 0));
}

template <typename Energy>
double PacketTets<Energy>::energy_of(std::size_t first, std::size_t last,
                                     std::span<const Vec3> x) const {
  double sum = 0;
  for_blocks(first, last, largest_block, [&](std::size_t begin, std::size_t count) {
    const auto packets = TetKernels<Energy>::energy(
        this->elastic_energy(),
        {&this->stencils()[4 * begin], &this->maps()[12 * begin], &this->measures()[begin]},
        count / packet_lanes, x.data()->data());
    sum += packets.energy;
    for_others(packets.done, count,
               [&](std::size_t i) { sum += Base::energy_of(begin + i, begin + i + 1, x); });
  });
  return sum;
}

template <typename Energy>
void PacketTets<Energy>::write_gradients(std::size_t first, std::size_t last,
                                         std::span<const Vec3> x, std::span<Vec3> slots) const {
  for_blocks(first, last, largest_block, [&](std::size_t begin, std::size_t count) {
    const std::uint64_t done = TetKernels<Energy>::gradients(
        this->elastic_energy(),
        {&this->stencils()[4 * begin], &this->maps()[12 * begin], &this->measures()[begin]},
        count / packet_lanes, x.data()->data(), slots[4 * begin].data());
    for_others(done, count,
               [&](std::size_t i) { Base::write_gradients(begin + i, begin + i + 1, x, slots); });
  });
}

template <typename Energy>
void PacketTets<Energy>::hessians(std::size_t first, std::size_t last, std::span<const Vec3> x,
                                  HessianForm form, std::span<double> out) const {
  assert(out.size() == 81 * (last - first));
  if (form == HessianForm::exact) return Base::hessians(first, last, x, form, out);
  for_blocks(first, last, largest_block, [&](std::size_t begin, std::size_t count) {
    const auto own = out.subspan(81 * (begin - first), 81 * count);
    const std::uint64_t done = TetKernels<Energy>::hessians(
        this->elastic_energy(),
        {&this->stencils()[4 * begin], &this->maps()[12 * begin], &this->measures()[begin]},
        count / packet_lanes, x.data()->data(), own.data());
    for_others(done, count, [&](std::size_t i) {
      Base::hessians(begin + i, begin + i + 1, x, form, own.subspan(81 * i, 81));
    });
  });
}

template <typename Energy>
void PacketTets<Energy>::local_step(std::span<const double> p, double scale,
                                    std::span<double> z) const {
  assert(p.size() == 9 * this->element_count() && z.size() == p.size() && scale > 0);
  const double w = stiffness_ * scale;
  constexpr std::size_t block = 32;    // Tets in flight at once: 45 ns each, and 70 with four.
  constexpr std::int64_t grain = 512;  // Whole blocks: 20 us or so.
  parallel::parallel_for(0, static_cast<std::int64_t>(this->element_count()), grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           for_blocks(
                               static_cast<std::size_t>(begin), static_cast<std::size_t>(end),
                               block, [&](std::size_t first, std::size_t count) {
                                 const std::uint64_t done = TetKernels<Energy>::proximal(
                                     this->elastic_energy(), w, count / packet_lanes, &p[9 * first],
                                     &z[9 * first]);
                                 for_others(done, count, [&](std::size_t i) {
                                   const Mat3 P = Eigen::Map<const Mat3>(&p[9 * (first + i)]);
                                   Eigen::Map<Mat3> result(&z[9 * (first + i)]);
                                   result = this->proximal_at(first + i, P, w);
                                 });
                               });
                         });
}

template class PacketTets<LinearElasticity>;
template class PacketTets<StVenantKirchhoff>;
template class PacketTets<NeoHookean>;
template class PacketTets<StableNeoHookean>;
template class PacketTets<FixedCorotated>;

}  // namespace sluice::solid
