// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/rigid_frames.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solver/solid/isotropic/signed_svd.h"

namespace sluice::coupling {
namespace {

// The stiffness of a body's shape over its inertia: under a thousand times its weight its points
// come nearer by a thousandth of h^2 g, 0.2 um in 1/240 s.
constexpr double shape_over_inertia = 1e6;

// The smallest of a body's spreads, as a part of the largest: a rod has points beside its axis too.
constexpr double least_spread = 1e-3;

constexpr std::size_t pair_hessian_size = 81;

// The signs of the points along each axis.
constexpr std::array<std::array<double, 4>, 3> signs{
    {{1, 1, -1, -1}, {1, -1, 1, -1}, {1, -1, -1, 1}}};

Vec3 spread_of(const solid::RigidBody& body) {
  const Vec3& I = body.rotor.moments;
  const double half = 0.5 * I.sum();
  Vec3 spread = ((half - I.array()) / body.mass).max(0).sqrt();
  return spread.cwiseMax(least_spread * spread.maxCoeff());
}

}  // namespace

RigidFrames::RigidFrames(const solid::DeformableSystem& solids)
    : solids_(solids),
      first_point_(static_cast<std::int32_t>(solids.positions.size())),
      bodies_([&] {
        std::vector<Body> bodies;
        for (std::size_t b = 0; b < solids.rigid_bodies.size(); ++b) {
          if (!solids.rigid_bodies[b].script)
            bodies.push_back({b, spread_of(solids.rigid_bodies[b].inertia)});
        }
        return bodies;
      }()),
      body_of_rigid_(solids.rigid_bodies.size(), -1),
      shape_(solids, bodies_, first_point_) {
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    body_of_rigid_[bodies_[i].rigid_body] = static_cast<std::int32_t>(i);
}

void RigidFrames::begin(double h, const RigidStep& rigid, std::vector<Vec3>& targets,
                        std::vector<double>& inertia) {
  shape_.begin_step({}, h);
  for (const Body& body : bodies_) {
    const solid::Pose& pose = rigid.free_end(body.rigid_body);
    for (std::size_t k = 0; k < points_per_body; ++k) {
      const Vec3 point(signs[0][k] * body.spread[0], signs[1][k] * body.spread[1],
                       signs[2][k] * body.spread[2]);
      targets.push_back(solid::transform(pose, point));
      inertia.push_back(solids_.rigid_bodies[body.rigid_body].inertia.mass / (4 * h * h));
    }
  }
}

std::optional<RigidFrames::Points> RigidFrames::points_of(std::int32_t vertex) const {
  const std::int32_t rigid = solids_.bodies[at(solids_.body_of_vertex[at(vertex)])].rigid_body;
  if (rigid < 0 || body_of_rigid_[at(rigid)] < 0) return std::nullopt;
  const std::int32_t first = first_point_ + 4 * body_of_rigid_[at(rigid)];
  return Points{first, first + 1, first + 2, first + 3};
}

RigidFrames::Weights RigidFrames::weights_of(std::int32_t vertex) const {
  const solid::BodyRange& range = solids_.bodies[at(solids_.body_of_vertex[at(vertex)])];
  const Vec3& point =
      solids_.rigid_bodies[at(range.rigid_body)].points[at(vertex - range.first_vertex)];
  const Vec3& spread = bodies_[at(body_of_rigid_[at(range.rigid_body)])].spread;
  Weights weights{};
  for (std::size_t k = 0; k < points_per_body; ++k) {
    weights[k] = 0.25 * (1 + signs[0][k] * point[0] / spread[0] +
                         signs[1][k] * point[1] / spread[1] + signs[2][k] * point[2] / spread[2]);
  }
  return weights;
}

void RigidFrames::carry(std::span<Vec3> x) const {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const solid::RigidMember& member = solids_.rigid_bodies[bodies_[b].rigid_body];
    const solid::BodyRange& range = solids_.bodies[at(member.body)];
    const auto points = x.subspan(at(first_point_) + points_per_body * b, points_per_body);
    for (std::int32_t v = range.first_vertex; v < range.first_vertex + range.vertex_count; ++v) {
      const Weights weights = weights_of(v);
      x[at(v)].setZero();
      for (std::size_t k = 0; k < points_per_body; ++k)
        x[at(v)] += weights[k] * points[k];
    }
  }
}

RigidFrames::Shape::Shape(const solid::DeformableSystem& solids, std::vector<Body> bodies,
                          std::int32_t first_point)
    : ElementPotential(
          [&] {
            Tables tables{4, 3, {}, {}};
            for (std::int32_t p = 0; p < static_cast<std::int32_t>(4 * bodies.size()); ++p)
              tables.stencils.push_back(first_point + p);
            for (std::size_t b = 0; b < bodies.size(); ++b) {
              for (const auto& along : signs) {
                for (const double sign : along)
                  tables.maps.push_back(0.25 * sign);
              }
            }
            return tables;
          }(),
          std::vector<double>(bodies.size(), 1.0)),
      bodies_(std::move(bodies)) {
  for (const Body& body : bodies_)
    masses_.push_back(solids.rigid_bodies[body.rigid_body].inertia.mass);
}

void RigidFrames::Shape::begin_step(std::span<const Vec3> /*x_n*/, double h) {
  for (std::size_t e = 0; e < masses_.size(); ++e)
    mutable_weights()[e] = shape_over_inertia * masses_[e] / (h * h);
}

// B has a column for each row of D.
Mat3 RigidFrames::Shape::rotation_at(std::size_t e, const Mat3& B) const {
  return solid::polar<3, 3>(B * bodies_[e].spread.asDiagonal()).R;
}

double RigidFrames::Shape::energy_of(std::size_t first, std::size_t last,
                                     std::span<const Vec3> x) const {
  double sum = 0;
  for (std::size_t e = first; e < last; ++e) {
    const Mat3 B = map_one<3>(e, x).transpose();
    const Mat3 off = B - rotation_at(e, B) * bodies_[e].spread.asDiagonal();
    sum += 0.5 * weights()[e] * off.squaredNorm();
  }
  return sum;
}

void RigidFrames::Shape::write_gradients(std::size_t first, std::size_t last,
                                         std::span<const Vec3> x, std::span<Vec3> slots) const {
  for (std::size_t e = first; e < last; ++e) {
    const Mat3 B = map_one<3>(e, x).transpose();
    const Mat3 off = B - rotation_at(e, B) * bodies_[e].spread.asDiagonal();
    write_forces<3>(e, weights()[e] * off.transpose(), &slots[points_per_body * (e - first)]);
  }
}

void RigidFrames::Shape::hessians(std::size_t first, std::size_t last, std::span<const Vec3> x,
                                  solid::HessianForm /*form*/, std::span<double> out) const {
  for (std::size_t e = first; e < last; ++e) {
    const Mat3 B = map_one<3>(e, x).transpose();
    const Mat3 R = rotation_at(e, B);
    Eigen::Map<Eigen::Matrix<double, 9, 9>> H(&out[pair_hessian_size * (e - first)]);
    H.setIdentity();
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
      Mat3 turned = Mat3::Zero();  // R e_axis x diag(spread), a direction of its rotations.
      const Eigen::Index i = (axis + 1) % 3, j = (axis + 2) % 3;
      turned.col(i) = bodies_[e].spread[i] * R.col(j);
      turned.col(j) = -bodies_[e].spread[j] * R.col(i);
      turned /= turned.norm();
      const Eigen::Map<const Eigen::Matrix<double, 9, 1>> u(turned.data());
      H -= u * u.transpose();
    }
    H *= weights()[e];
  }
}

void RigidFrames::Shape::local_step(std::size_t first, std::size_t last, std::span<const double> p,
                                    double scale, std::span<double> z) const {
  for (std::size_t e = first; e < last; ++e) {
    const Eigen::Map<const Mat3> B(&p[9 * (e - first)]);
    Eigen::Map<Mat3> end(&z[9 * (e - first)]);
    end = (scale * B + rotation_at(e, B) * bodies_[e].spread.asDiagonal()) / (1 + scale);
  }
}

}  // namespace sluice::coupling
