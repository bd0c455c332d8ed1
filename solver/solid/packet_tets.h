// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "solver/solid/continuum_potential.h"
#include "solver/solid/packet_kernels.h"

namespace sluice::solid {

namespace detail {
inline constexpr std::size_t largest_block = packet_lanes * most_packets;

/// Calls `kernel(begin, packet_count)`, which returns a bit for each tet that it served, for the
/// whole packets in [first, last) up to `block` tets at once; and `other(e)` for each tet left.
template <typename Kernel, typename Other>
void for_packets(std::size_t first, std::size_t last, std::size_t block, const Kernel& kernel,
                 const Other& other) {
  const std::size_t aligned =
      std::min(last, (first + packet_lanes - 1) / packet_lanes * packet_lanes);
  for (std::size_t e = first; e < aligned; ++e)
    other(e);
  for (std::size_t begin = aligned; begin < last; begin += block) {
    const std::size_t count = std::min(block, last - begin);
    const std::uint64_t done = kernel(begin, count / packet_lanes);
    for (std::uint64_t left = ~done & (~std::uint64_t{0} >> (64 - count)); left != 0;
         left &= left - 1)
      other(begin + static_cast<std::size_t>(std::countr_zero(left)));
  }
}

}  // namespace detail

/// Whether tets of an energy that has a packet may go four at a time.
template <typename Energy>
[[nodiscard]] bool may_have_packets(const Energy& energy) {
  if constexpr (requires { packets_serve(energy); }) return packets_serve(energy);
  return true;
}

/// Tets of an energy that has a packet, four at a time: the loops that ContinuumPotential runs one
/// element after another, ten times as fast and more. Results differ by rounding, of which a
/// projected Hessian may show the square root, and in which minimum `local_step` finds where there
/// are several. Only where may_have_packets (asserted).
template <typename Energy>
class PacketTets final : public ContinuumPotential<Energy, 3, 3> {
  using Base = ContinuumPotential<Energy, 3, 3>;

 public:
  PacketTets(const Energy& energy, RestShapes<3> shapes);

  void hessians(std::size_t first, std::size_t last, std::span<const Vec3> x, HessianForm form,
                std::span<double> out) const override;
  void map(std::size_t first, std::size_t last, std::span<const Vec3> x,
           std::span<double> out) const override;
  void map_back(std::size_t first, std::size_t last, std::span<const double> S,
                std::span<Vec3> out) const override;
  void local_step(std::size_t first, std::size_t last, std::span<const double> p, double scale,
                  std::span<double> z) const override;

 private:
  double energy_of(std::size_t first, std::size_t last, std::span<const Vec3> x) const override;
  void write_gradients(std::size_t first, std::size_t last, std::span<const Vec3> x,
                       std::span<Vec3> slots) const override;

  /// Returns the arrays from the tet `begin` on, a multiple of four.
  [[nodiscard]] TetArrays arrays(std::size_t begin) const;

  double stiffness_;                 ///< [Pa] weight over volume, the same for all.
  std::vector<double> packed_maps_;  ///< Maps of whole packets: see TetArrays.
};

template <typename Energy>
PacketTets<Energy>::PacketTets(const Energy& energy, RestShapes<3> shapes)
    : Base(energy, std::move(shapes)),
      stiffness_(2 * energy.lame.mu + std::max(0.0, 3 * energy.lame.lambda)) {
  assert(may_have_packets(energy));
  const std::size_t end = this->element_count() / packet_lanes * packet_lanes;
  packed_maps_.reserve(packed_map / packet_lanes * end);
  for (std::size_t e = 0; e < end; e += packet_lanes) {
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t i = 1; i < 4; ++i) {
        for (std::size_t lane = 0; lane < packet_lanes; ++lane)
          packed_maps_.push_back(this->maps()[12 * (e + lane) + 4 * row + i]);
      }
    }
  }
}

template <typename Energy>
TetArrays PacketTets<Energy>::arrays(std::size_t begin) const {
  return {&this->stencils()[4 * begin], packed_maps_.data() + packed_map / packet_lanes * begin,
          &this->measures()[begin]};
}

template <typename Energy>
double PacketTets<Energy>::energy_of(std::size_t first, std::size_t last,
                                     std::span<const Vec3> x) const {
  double sum = 0;
  detail::for_packets(
      first, last, detail::largest_block,
      [&](std::size_t begin, std::size_t packets) {
        const auto found = tet_kernels<Energy>().energy(this->elastic_energy(), arrays(begin),
                                                        packets, x.data()->data());
        sum += found.energy;
        return found.done;
      },
      [&](std::size_t e) { sum += Base::energy_of(e, e + 1, x); });
  return sum;
}

template <typename Energy>
void PacketTets<Energy>::write_gradients(std::size_t first, std::size_t last,
                                         std::span<const Vec3> x, std::span<Vec3> slots) const {
  detail::for_packets(
      first, last, detail::largest_block,
      [&](std::size_t begin, std::size_t packets) {
        return tet_kernels<Energy>().gradients(this->elastic_energy(), arrays(begin), packets,
                                               x.data()->data(), slots[4 * (begin - first)].data());
      },
      [&](std::size_t e) {
        Base::write_gradients(e, e + 1, x, slots.subspan(4 * (e - first), 4));
      });
}

template <typename Energy>
void PacketTets<Energy>::hessians(std::size_t first, std::size_t last, std::span<const Vec3> x,
                                  HessianForm form, std::span<double> out) const {
  assert(out.size() == 81 * (last - first));
  if (form == HessianForm::exact) return Base::hessians(first, last, x, form, out);
  detail::for_packets(
      first, last, detail::largest_block,
      [&](std::size_t begin, std::size_t packets) {
        return tet_kernels<Energy>().hessians(this->elastic_energy(), arrays(begin), packets,
                                              x.data()->data(), &out[81 * (begin - first)]);
      },
      [&](std::size_t e) { Base::hessians(e, e + 1, x, form, out.subspan(81 * (e - first), 81)); });
}

template <typename Energy>
void PacketTets<Energy>::map(std::size_t first, std::size_t last, std::span<const Vec3> x,
                             std::span<double> out) const {
  detail::for_packets(
      first, last, detail::largest_block,
      [&](std::size_t begin, std::size_t packets) {
        return map_tets(arrays(begin), packets, x.data()->data(), &out[9 * (begin - first)]);
      },
      [&](std::size_t e) { Base::map(e, e + 1, x, out.subspan(9 * (e - first), 9)); });
}

template <typename Energy>
void PacketTets<Energy>::map_back(std::size_t first, std::size_t last, std::span<const double> S,
                                  std::span<Vec3> out) const {
  detail::for_packets(
      first, last, detail::largest_block,
      [&](std::size_t begin, std::size_t packets) {
        return map_tets_back(arrays(begin), packets, &S[9 * (begin - first)],
                             out[4 * (begin - first)].data());
      },
      [&](std::size_t e) {
        const std::size_t at = e - first;
        Base::map_back(e, e + 1, S.subspan(9 * at, 9), out.subspan(4 * at, 4));
      });
}

template <typename Energy>
void PacketTets<Energy>::local_step(std::size_t first, std::size_t last, std::span<const double> p,
                                    double scale, std::span<double> z) const {
  assert(p.size() == 9 * (last - first) && z.size() == p.size() && scale > 0);
  const double w = stiffness_ * scale;
  constexpr std::size_t block = 32;  // Tets in flight at once: 45 ns each, and 70 with four.
  detail::for_packets(
      first, last, block,
      [&](std::size_t begin, std::size_t packets) {
        return tet_kernels<Energy>().proximal(this->elastic_energy(), w, packets,
                                              &p[9 * (begin - first)], &z[9 * (begin - first)]);
      },
      [&](std::size_t e) {
        const Mat3 P = Eigen::Map<const Mat3>(&p[9 * (e - first)]);
        Eigen::Map<Mat3> result(&z[9 * (e - first)]);
        result = this->proximal_at(e, P, w);
      });
}

}  // namespace sluice::solid
