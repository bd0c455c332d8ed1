// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/obstacle_images.h"

#include <algorithm>
#include <cstddef>
#include <variant>

#include "solver/fluid/mpm/kernel.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid {

namespace {

constexpr std::int64_t blocks_at_once = 4;
constexpr std::int64_t images_at_once = 1024;

// Cosine of the angle by which an image's own normal may differ from the one that it was reflected
// along. Beyond, it is nearer to another part of the surface, whose images are there.
constexpr double least_cosine = 0.99;

// Of the distance, what curvature is found across.
constexpr double curvature_step = 1e-3;

// [m/s] By which the forces of a substep change the velocity of what is at `x`.
Vec3 gain_at(const Substep& step, const Vec3& x) {
  Vec3 gain = (step.duration * step.gravity).cast<double>();
  for (const Push& push : step.pushes) {
    if ((x - push.center).squaredNorm() <= push.radius * push.radius)
      gain += static_cast<double>(step.duration) * push.acceleration;
  }
  return gain;
}

// Areas of the surfaces as far behind that of an obstacle as `x` is before it, over those there:
// det(I - 2 d H), with H the second derivatives of the distance d.
double area_ratio(const Boundary& boundary, const GridFrame& frame, const scene::Obstacle& obstacle,
                  const Vec3& x, const geometry::SignedDistance& surface) {
  if (std::holds_alternative<geometry::Box>(obstacle.shape.form) ||
      std::holds_alternative<geometry::HalfSpace>(obstacle.shape.form))
    return 1;
  const double e = curvature_step * static_cast<double>(frame.cell_size);
  const Vec3& n = surface.normal;
  Vec3 along[2];
  along[0] = frame.is_flat ? n.cross(Vec3::UnitY()).eval() : n.unitOrthogonal();
  along[1] = n.cross(along[0]);
  const int count = frame.is_flat ? 1 : 2;
  Eigen::Matrix2d ratio = Eigen::Matrix2d::Identity();
  for (int a = 0; a < count; ++a) {
    const Vec3 change = (boundary.surface_at(obstacle, x + e * along[a]).normal -
                         boundary.surface_at(obstacle, x - e * along[a]).normal) /
                        (2 * e);
    for (int b = 0; b < count; ++b)
      ratio(b, a) -= 2 * surface.distance * change.dot(along[b]);
  }
  return std::clamp(ratio.determinant(), 0.0, 1.0);
}

bool is_in_reach(const GridFrame& frame, const Vec3& x) {
  return (x.array() >= frame.reach_lower.cast<double>().array()).all() &&
         (x.array() <= frame.reach_upper.cast<double>().array()).all();
}

}  // namespace

void ObstacleImages::find_images(const Substep& step, const Boundary& boundary,
                                 const Boundary::ObstacleList& near, float reach, std::uint32_t i,
                                 const Particles& particles, std::vector<Image>& images) {
  const float* c = particles.affine[i].c;
  const Mat3f affine = Eigen::Map<const Mat3f>(c);
  const bool is_free_to_leave =
      is_loose(step.materials[particles.materials[i]], particles.affine[i].strain);
  const std::size_t first = images.size();
  const auto mirror = [&](const Image& original, const scene::Obstacle& obstacle) {
    const Vec3 x = original.position.cast<double>();
    const geometry::SignedDistance surface = boundary.surface_at(obstacle, x);
    if (surface.distance >= static_cast<double>(reach) || surface.distance < 0) return;
    if (surface.normal.isZero(0)) return;
    const Vec3& n = surface.normal;
    const Vec3 own = obstacle.velocity;
    const Vec3 velocity = original.velocity.cast<double>() + gain_at(step, x) - own;
    if (is_free_to_leave && velocity.dot(n) > 0) return;
    const Vec3 behind = x - 2 * surface.distance * n;
    if (!is_in_reach(step.frame, behind)) return;
    const geometry::SignedDistance back = boundary.surface_at(obstacle, behind);
    if (back.distance > 0 || back.normal.dot(n) < least_cosine) return;
    const Mat3 reflect = Mat3::Identity() - 2 * n * n.transpose();
    const bool is_slip = obstacle.wall == scene::WallCondition::slip;
    const Mat3 turn = is_slip ? reflect : Mat3(-Mat3::Identity());
    Image image = original;
    image.position = behind.cast<float>();
    image.velocity = (own + turn * velocity - gain_at(step, behind)).cast<float>();
    image.affine = (turn * original.affine.cast<double>() * reflect).cast<float>();
    image.weight *= static_cast<float>(area_ratio(boundary, step.frame, obstacle, x, surface));
    images.push_back(image);
  };
  const Image itself{i, 1, particles.positions[i], particles.velocities[i], affine};
  for (const std::uint32_t o : near) {
    if (!boundary.has_images(o)) continue;
    const scene::Obstacle& obstacle = boundary.obstacle(o);
    const auto is_covered = [&](const Image& image) {
      return boundary.surface_at(obstacle, image.position.cast<double>()).distance < 0;
    };
    const auto own = images.begin() + static_cast<std::ptrdiff_t>(first);
    images.erase(std::remove_if(own, images.end(), is_covered), images.end());
    const std::size_t last = images.size();
    mirror(itself, obstacle);
    for (std::size_t n = first; n < last; ++n)
      mirror(Image(images[n]), obstacle);
  }
}

bool ObstacleImages::append(const Substep& step, scene::Kernel kernel, const Boundary& boundary,
                            const ParticleBlocks& blocks, Particles& particles) {
  const int support = kernel == scene::Kernel::quadratic
                          ? BSpline<scene::Kernel::quadratic>::support
                          : BSpline<scene::Kernel::cubic>::support;
  // [cells] Where kernels that reach a node which a particle next to the surface sees begin; what
  // the last half a cell of them would add is not seen.
  const double reach = 0.5 * support + 0.5;
  const auto find = [&](std::int64_t first, std::int64_t last, std::vector<Image>& images) {
    for (auto b = static_cast<std::size_t>(first); b < static_cast<std::size_t>(last); ++b) {
      const ParticleBlock& block = blocks.blocks[b];
      const Boundary::ObstacleList near = boundary.obstacles_within(block.key, reach);
      if (std::ranges::none_of(near, [&](std::uint32_t o) { return boundary.has_images(o); }))
        continue;
      for (std::uint32_t o = block.first; o < block.last; ++o) {
        const std::uint32_t i = blocks.order[o];
        if (step.materials[particles.materials[i]].model != Model::newtonian) continue;
        find_images(step, boundary, near, static_cast<float>(reach) * step.frame.cell_size, i,
                    particles, images);
      }
    }
  };
  collector_.collect(static_cast<std::int64_t>(blocks.blocks.size()), blocks_at_once, find,
                     images_);
  if (images_.empty()) return false;
  const std::size_t count = particles.count;
  particles.resize(count + images_.size(), !particles.elastic.empty());
  particles.parts.assign(particles.count, 1);
  parallel::parallel_for(0, static_cast<std::int64_t>(images_.size()), images_at_once,
                         [&](std::int64_t first, std::int64_t last) {
                           for (auto n = static_cast<std::size_t>(first);
                                n < static_cast<std::size_t>(last); ++n) {
                             const Image& image = images_[n];
                             const std::size_t to = count + n;
                             particles.positions[to] = image.position;
                             particles.velocities[to] = image.velocity;
                             particles.materials[to] = particles.materials[image.source];
                             particles.affine[to].strain = particles.affine[image.source].strain;
                             Eigen::Map<Mat3f>(particles.affine[to].c) = image.affine;
                             particles.parts[to] = image.weight;
                           }
                         });
  return true;
}

void ObstacleImages::remove(Particles& particles) {
  if (images_.empty()) return;
  particles.resize(particles.count - images_.size(), !particles.elastic.empty());
  particles.parts.clear();
  images_.clear();
}

}  // namespace sluice::fluid
