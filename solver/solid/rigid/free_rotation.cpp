// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/rigid/free_rotation.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace sluice::solid {
namespace {

// [rad] The test that breaks at twice this: RotateFreely.keeps_an_asymmetric_top_for_1000_turns.
constexpr double largest_turn = 0.5;
// More than one step of any scene needs; so that no state makes a step endless.
constexpr int most_parts = 10'000;

// [Blanes2002, table 2]: the symmetric method of order 6 with 10 stages, a and b in turns, first
// half; the middle ones make each sum 1.
constexpr std::array<double, 5> half_a{0.0502627644003922, 0.413514300428344, 0.0450798897943977,
                                       -0.188054853819569, 0.541960678450780};
constexpr std::array<double, 4> half_b{0.148816447901042, -0.132385865767784, 0.067307604692185,
                                       0.432666402578175};
constexpr double middle_a = 1 - 2 * (half_a[0] + half_a[1] + half_a[2] + half_a[3] + half_a[4]);
constexpr double middle_b = 0.5 - (half_b[0] + half_b[1] + half_b[2] + half_b[3]);
constexpr std::array<double, 11> stages_a{half_a[0], half_a[1], half_a[2], half_a[3],
                                          half_a[4], middle_a,  half_a[4], half_a[3],
                                          half_a[2], half_a[1], half_a[0]};
constexpr std::array<double, 10> stages_b{half_b[0], half_b[1], half_b[2], half_b[3], middle_b,
                                          middle_b,  half_b[3], half_b[2], half_b[1], half_b[0]};

// The body's attitude, and the constant angular momentum as the body sees it.
struct Attitude {
  Quaternion world_from_body;
  Vec3 momentum;

  // Turns the body about its own axis; what is fixed in the world turns the other way for it.
  void turn(Eigen::Index axis, double angle) {
    const Eigen::Index j = (axis + 1) % 3, k = (axis + 2) % 3;
    const double cosine = std::cos(angle), sine = std::sin(angle);
    const double mj = momentum[j], mk = momentum[k];
    momentum[j] = cosine * mj + sine * mk;
    momentum[k] = cosine * mk - sine * mj;
    world_from_body = world_from_body * rotation_by(angle * Vec3::Unit(axis));
  }
};

// The axis of the middle moment.
Eigen::Index middle_axis(const Vec3& moments) {
  std::array<Eigen::Index, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(),
            [&](Eigen::Index i, Eigen::Index j) { return moments[i] < moments[j]; });
  return order[1];
}

}  // namespace

Quaternion rotate_freely(const Rotor& rotor, const Vec3& angular_momentum, double step,
                         const Quaternion& world_from_body) {
  assert(rotor.moments.minCoeff() > 0 && angular_momentum.allFinite() && std::isfinite(step));
  // I_min |omega|^2 <= 2 T, which is constant.
  const double fastest = std::sqrt(2 * rotational_energy(rotor, angular_momentum, world_from_body) /
                                   rotor.moments.minCoeff());
  const double wanted_parts = std::ceil(std::abs(step) * fastest / largest_turn);
  const int part_count =
      wanted_parts < most_parts ? std::max(1, static_cast<int>(wanted_parts)) : most_parts;
  const double h = step / part_count;

  const Eigen::Index middle = middle_axis(rotor.moments);
  const Eigen::Index a = (middle + 1) % 3, b = (middle + 2) % 3;
  const double inverse = 1 / rotor.moments[middle];
  const double rate_a = 1 / rotor.moments[a] - inverse, rate_b = 1 / rotor.moments[b] - inverse;
  const Quaternion about_momentum = rotation_by(h * inverse * angular_momentum);

  Attitude attitude{world_from_body, {}};
  for (int part = 0; part < part_count; ++part) {
    attitude.momentum = attitude.world_from_body.conjugate() * angular_momentum;
    for (std::size_t i = 0; i < stages_a.size(); ++i) {
      attitude.turn(a, stages_a[i] * h * rate_a * attitude.momentum[a]);
      if (i < stages_b.size()) {
        attitude.turn(b, stages_b[i] * h * rate_b * attitude.momentum[b]);
      }
    }
    attitude.world_from_body = (about_momentum * attitude.world_from_body).normalized();
  }
  return attitude.world_from_body;
}

Vec3 angular_velocity(const Rotor& rotor, const Vec3& angular_momentum,
                      const Quaternion& world_from_body) {
  const Vec3 in_body = world_from_body.conjugate() * angular_momentum;
  return world_from_body * Vec3(in_body.cwiseQuotient(rotor.moments));
}

double rotational_energy(const Rotor& rotor, const Vec3& angular_momentum,
                         const Quaternion& world_from_body) {
  const Vec3 in_body = world_from_body.conjugate() * angular_momentum;
  return 0.5 * in_body.dot(in_body.cwiseQuotient(rotor.moments));
}

}  // namespace sluice::solid
