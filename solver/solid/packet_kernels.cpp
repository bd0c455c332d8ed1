// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/packet_kernels.h"

#include <array>
#include <cassert>
#include <tuple>

#include "solver/simd/four_doubles.h"
#include "solver/solid/isotropic/energy_packet.h"
#include "solver/solid/isotropic/hessian_packet.h"
#include "solver/solid/isotropic/packets.h"

namespace sluice::solid {

namespace {

/// The points of corner i of four tets, by axis.
std::array<Double4, 3> load_corners(const std::int32_t* stencils, std::size_t i, const double* x) {
  std::array<Double4, packet_lanes> axes;
  for (std::size_t lane = 0; lane < packet_lanes; ++lane) {
    const double* at = &x[3 * static_cast<std::size_t>(stencils[4 * lane + i])];
    axes[lane] = Double4{at[0], at[1], at[2], 0};
  }
  transpose4(axes[0], axes[1], axes[2], axes[3]);
  return {axes[0], axes[1], axes[2]};
}

/// F of four tets, whose entries column by column are those of D row by row.
Matrix4 load_gradients(const double* maps, const std::int32_t* stencils, const double* x) {
  const auto origin = load_corners(stencils, 0, x);
  Matrix4 F{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto corner = load_corners(stencils, i + 1, x);
    for (std::size_t row = 0; row < 3; ++row) {
      const Double4 G = load4(&maps[packet_lanes * (3 * row + i)]);
      for (std::size_t axis = 0; axis < 3; ++axis)
        F[3 * row + axis] += G * (corner[axis] - origin[axis]);
    }
  }
  return F;
}

Matrix4 load_matrices(const double* p) {
  Matrix4 P;
  for (std::size_t half = 0; half < 8; half += 4) {
    for (std::size_t lane = 0; lane < packet_lanes; ++lane)
      P[half + lane] = load4(&p[9 * lane + half]);
    transpose4(P[half], P[half + 1], P[half + 2], P[half + 3]);
  }
  P[8] = Double4{p[8], p[17], p[26], p[35]};
  return P;
}

void store_matrices(Matrix4 Z, double* z) {
  for (std::size_t half = 0; half < 8; half += 4) {
    transpose4(Z[half], Z[half + 1], Z[half + 2], Z[half + 3]);
    for (std::size_t lane = 0; lane < packet_lanes; ++lane)
      store4(&z[9 * lane + half], Z[half + lane]);
  }
  for (std::size_t lane = 0; lane < packet_lanes; ++lane)
    z[9 * lane + 8] = Z[8][lane];
}

/// G^T S of four tets, by their vertices.
void store_mapped_back(const double* maps, const Matrix4& S, double* slots) {
  std::array<Double4, 12> forces{};  // Vertex i, axis a at 3 i + a: the order of the slots.
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t row = 0; row < 3; ++row) {
      const Double4 G = load4(&maps[packet_lanes * (3 * row + i)]);
      for (std::size_t axis = 0; axis < 3; ++axis)
        forces[3 * (i + 1) + axis] += G * S[3 * row + axis];
    }
  }
  for (std::size_t axis = 0; axis < 3; ++axis)
    forces[axis] = -(forces[3 + axis] + forces[6 + axis] + forces[9 + axis]);
  for (std::size_t part = 0; part < 12; part += 4) {
    transpose4(forces[part], forces[part + 1], forces[part + 2], forces[part + 3]);
    for (std::size_t lane = 0; lane < packet_lanes; ++lane)
      store4(&slots[12 * lane + part], forces[part + lane]);
  }
}

/// One bit for each tet of some packets.
std::uint64_t all_bits(std::size_t packet_count) {
  return packet_count == 0 ? 0 : ~std::uint64_t{0} >> (64 - packet_lanes * packet_count);
}

/// Whether an energy's packet has a Hessian: that of the linear model is a constant, and that of
/// Saint Venant-Kirchhoff is of another form.
template <typename Energy>
constexpr bool has_packet_hessian =
    requires(const Energy& energy, const Matrix4& F) { hessian_terms(energy, F); };

/// Whether its local step has a closed form.
template <typename Energy>
constexpr bool has_closed_step =
    requires(const Energy& energy, const Matrix4& P, double w) { proximal4(energy, P, w); };

/// The bits of packet i.
std::uint64_t bits_of(Long4 mask, std::size_t i) {
  std::uint64_t bits = 0;
  for (std::size_t lane = 0; lane < packet_lanes; ++lane)
    bits |= std::uint64_t{mask[lane] != 0} << (packet_lanes * i + lane);
  return bits;
}

/// Solves packets one after another, by the stages of an energy's `packet_proximal`.
template <typename Proximal>
std::uint64_t solve(const Proximal& proximal, std::size_t packet_count, const double* p,
                    double* z) {
  constexpr int most_iterations = 12;
  std::array<typename Proximal::State, most_packets> states;
  for (std::size_t i = 0; i < packet_count; ++i)
    states[i] = proximal.start(load_matrices(&p[9 * packet_lanes * i]));
  bool is_any_left = true;
  for (int iteration = 0; is_any_left && iteration < most_iterations; ++iteration) {
    is_any_left = false;
    for (std::size_t i = 0; i < packet_count; ++i) {
      if (proximal.is_done(states[i])) continue;
      is_any_left = true;
      proximal.advance(states[i]);
    }
  }
  std::uint64_t solved = 0;
  for (std::size_t i = 0; i < packet_count; ++i) {
    const std::size_t e = packet_lanes * i;
    store_matrices(proximal.finish(load_matrices(&p[9 * e]), states[i]), &z[9 * e]);
    solved |= bits_of(states[i].is_solved, i);
  }
  return solved;
}

template <typename Energy>
typename TetKernels<Energy>::Sum sum_energies(const Energy& energy, const TetArrays& tets,
                                              std::size_t packet_count, const double* x) noexcept {
  assert(packet_count <= most_packets);
  Double4 sums = splat4(0);
  std::uint64_t done = 0;
  for (std::size_t i = 0; i < packet_count; ++i) {
    const std::size_t e = packet_lanes * i;
    const Matrix4 F = load_gradients(&tets.maps[packed_map * i], &tets.stencils[4 * e], x);
    const auto [density, is_good] = energy4(energy, F);
    sums += is_good ? load4(&tets.volumes[e]) * density : splat4(0);
    done |= bits_of(is_good, i);
  }
  return {(sums[0] + sums[1]) + (sums[2] + sums[3]), done};
}

template <typename Energy>
std::uint64_t write_gradients(const Energy& energy, const TetArrays& tets, std::size_t packet_count,
                              const double* x, double* slots) noexcept {
  assert(packet_count <= most_packets);
  std::uint64_t done = 0;
  for (std::size_t n = 0; n < packet_count; ++n) {
    const std::size_t e = packet_lanes * n;
    const double* maps = &tets.maps[packed_map * n];
    auto [P, is_good] = stress4(energy, load_gradients(maps, &tets.stencils[4 * e], x));
    const Double4 volume = load4(&tets.volumes[e]);
    for (Double4& entry : P)
      entry *= volume;
    store_mapped_back(maps, P, &slots[12 * e]);
    done |= bits_of(is_good, n);
  }
  return done;
}

template <typename Energy>
std::uint64_t write_hessians(const Energy& energy, const TetArrays& tets, std::size_t packet_count,
                             const double* x, double* out) noexcept {
  assert(packet_count <= most_packets);
  std::uint64_t done = 0;
  if constexpr (has_packet_hessian<Energy>) {
    std::array<Double4, 81> H;
    for (std::size_t n = 0; n < packet_count; ++n) {
      const std::size_t e = packet_lanes * n;
      const Matrix4 F = load_gradients(&tets.maps[packed_map * n], &tets.stencils[4 * e], x);
      done |= bits_of(projected_hessian4(energy, F, load4(&tets.volumes[e]), H), n);
      for (std::size_t part = 0; part < 80; part += 4) {
        transpose4(H[part], H[part + 1], H[part + 2], H[part + 3]);
        for (std::size_t lane = 0; lane < packet_lanes; ++lane)
          store4(&out[81 * (e + lane) + part], H[part + lane]);
      }
      for (std::size_t lane = 0; lane < packet_lanes; ++lane)
        out[81 * (e + lane) + 80] = H[80][lane];
    }
  }
  return done;
}

template <typename Energy>
std::uint64_t solve_proximal(const Energy& energy, double w, std::size_t packet_count,
                             const double* p, double* z) noexcept {
  assert(packet_count <= most_packets);
  if constexpr (has_closed_step<Energy>) {
    std::uint64_t done = 0;
    for (std::size_t i = 0; i < packet_count; ++i) {
      const std::size_t e = packet_lanes * i;
      store_matrices(proximal4(energy, load_matrices(&p[9 * e]), w), &z[9 * e]);
      done |= bits_of(every_lane, i);
    }
    return done;
  } else {
    return solve(packet_proximal(energy, w), packet_count, p, z);
  }
}

template <typename... Energies>
constexpr std::tuple<TetKernels<Energies>...> make_kernels(
    const std::tuple<Energies...>* /*energies*/) {
  return {TetKernels<Energies>{sum_energies<Energies>, write_gradients<Energies>,
                               write_hessians<Energies>, solve_proximal<Energies>}...};
}

constexpr PacketEnergies* packet_energies = nullptr;

}  // namespace

std::uint64_t map_tets(const TetArrays& tets, std::size_t packet_count, const double* x,
                       double* D) noexcept {
  for (std::size_t i = 0; i < packet_count; ++i) {
    const std::size_t e = packet_lanes * i;
    store_matrices(load_gradients(&tets.maps[packed_map * i], &tets.stencils[4 * e], x), &D[9 * e]);
  }
  return all_bits(packet_count);
}

std::uint64_t map_tets_back(const TetArrays& tets, std::size_t packet_count, const double* S,
                            double* slots) noexcept {
  for (std::size_t i = 0; i < packet_count; ++i) {
    const std::size_t e = packet_lanes * i;
    store_mapped_back(&tets.maps[packed_map * i], load_matrices(&S[9 * e]), &slots[12 * e]);
  }
  return all_bits(packet_count);
}

constinit const detail::KernelsOf<PacketEnergies>::type all_tet_kernels =
    make_kernels(packet_energies);

}  // namespace sluice::solid
