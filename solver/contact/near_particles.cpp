// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/near_particles.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "solver/parallel/parallel_reduce.h"

namespace sluice::contact {
namespace {

// Substeps that a list is made for, if all moved on as fast as the mean.
constexpr double substeps_of_particles = 8;
// The largest margin, as a part of the triangles' mean extent: beyond, a list holds particles that
// are near nothing, and each meets many triangles.
constexpr double extent_part = 1;
// Substeps that a list has to last to be worth making.
constexpr double fewest_substeps = 2;
// A new list is made when more than one particle in this many may have strayed.
constexpr std::size_t stray_part = 16;

constexpr std::int64_t near_particles_grain = 2048;

}  // namespace

std::span<const std::int32_t> NearParticles::find(const MotionBounds& bounds,
                                                  std::span<const geometry::Bounds> boxes,
                                                  const geometry::SparseGrid& grid, double reach) {
  const bool is_kept = is_list_of(bounds, boxes, reach);
  if (is_kept) find_strays(bounds);
  if (!is_kept || strays_.size() > places_.size() / stray_part) {
    make_list(bounds, boxes, grid, reach);
    if (places_.empty()) return list_;  // The list holds all particles.
    find_strays(bounds);
  }
  near_.clear();
  std::ranges::set_union(list_, strays_, std::back_inserter(near_));
  return near_;
}

bool NearParticles::is_list_of(const MotionBounds& bounds, std::span<const geometry::Bounds> boxes,
                               double reach) const {
  if (reach != reach_ || places_.size() != bounds.t0().particles.size() ||
      boxes_.size() != boxes.size())
    return false;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Vec3 excess =
        (boxes_[i].lower - boxes[i].lower).cwiseMax(boxes[i].upper - boxes_[i].upper);
    if (!(excess.maxCoeff() <= margin_)) return false;
  }
  return true;
}

void NearParticles::make_list(const MotionBounds& bounds, std::span<const geometry::Bounds> boxes,
                              const geometry::SparseGrid& grid, double reach) {
  const std::span<const Vec3f> particles = bounds.t0().particles;
  const auto count = static_cast<std::int64_t>(particles.size());
  reach_ = reach;
  places_.assign(particles.begin(), particles.end());
  boxes_.assign(boxes.begin(), boxes.end());
  double extent = 0;
  for (const geometry::Bounds& box : boxes)
    extent += (box.upper - box.lower).maxCoeff() / static_cast<double>(boxes.size());
  const double way = parallel::parallel_reduce(
      0, count, near_particles_grain, 0.0,
      [&](std::int64_t first, std::int64_t last) {
        double sum = 0;
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
          sum += static_cast<double>(bounds.particle_way(i, places_[i]));
        return sum / static_cast<double>(count);
      },
      [](double a, double b) { return a + b; });
  margin_ = std::min(substeps_of_particles * way, extent_part * extent);
  if (!(margin_ >= fewest_substeps * way)) {
    places_.clear();
    list_.resize(particles.size());
    std::iota(list_.begin(), list_.end(), 0);
    return;
  }
  const auto find = [&](std::int64_t first, std::int64_t last, std::vector<std::int32_t>& found) {
    for (auto i = static_cast<std::int32_t>(first); i < last; ++i) {
      const Vec3 place = places_[static_cast<std::size_t>(i)].cast<double>();
      const double padded =
          (1 + 1e-15) * (reach_ + 2 * margin_) + 1e-15 * place.cwiseAbs().maxCoeff();
      bool is_near = false;
      grid.for_each_overlap({place.array() - padded, place.array() + padded},
                            [&](std::int32_t) { is_near = true; });
      if (is_near) found.push_back(i);
    }
  };
  collector_.collect(count, near_particles_grain, find, list_);
}

// Finds the particles that may have left their places by more than the margin.
void NearParticles::find_strays(const MotionBounds& bounds) {
  const auto find = [&](std::int64_t first, std::int64_t last, std::vector<std::int32_t>& found) {
    for (auto i = static_cast<std::int32_t>(first); i < last; ++i) {
      const auto particle = static_cast<std::size_t>(i);
      if (!(static_cast<double>(bounds.particle_way(particle, places_[particle])) <= margin_))
        found.push_back(i);
    }
  };
  collector_.collect(static_cast<std::int64_t>(places_.size()), near_particles_grain, find,
                     strays_);
}

}  // namespace sluice::contact
