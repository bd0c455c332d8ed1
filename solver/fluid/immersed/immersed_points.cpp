// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/immersed/immersed_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/fluid/immersed/delta_kernel.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t immersed_points_grain = 256;  // Points or faces.

// A point that sees less than this part of what it would see without walls counts as in a wall.
constexpr double least_sight = 0.02;

constexpr std::uint32_t no_face = std::numeric_limits<std::uint32_t>::max();

template <typename Visit>
void for_each(std::size_t count, const Visit& visit) {
  parallel::parallel_for(0, static_cast<std::int64_t>(count), immersed_points_grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (auto i = static_cast<std::size_t>(begin);
                                i < static_cast<std::size_t>(end); ++i)
                             visit(i);
                         });
}

}  // namespace

template <int D>
void ImmersedPoints<D>::set(const ImmersedSolids& solids) {
  points_.assign(solids.points.begin(), solids.points.end());
  positions_.assign(solids.positions.begin(), solids.positions.end());
  start_velocities_.assign(solids.start_velocities.begin(), solids.start_velocities.end());
  velocities_.assign(solids.velocities.begin(), solids.velocities.end());
  impulses_.assign(positions_.size(), Vec3::Zero());
  given_.assign(positions_.size(), Vec3::Zero());
  answer_.assign(positions_.size(), Vec3::Zero());
  forces_.resize(points_.size());
  response_ = solids.response;
}

template <int D>
void ImmersedPoints<D>::find(const MacGrid<D>& grid) {
  if (is_empty()) return;
  for (int axis = 0; axis < D; ++axis) {
    Weights& weights = weights_[static_cast<std::size_t>(axis)];
    find_entries(grid, axis, weights);
    transpose(weights);
  }
  find_masses();
}

template <int D>
void ImmersedPoints<D>::find_entries(const MacGrid<D>& grid, int axis, Weights& weights) const {
  const auto a = static_cast<std::size_t>(axis);
  weights.faces.clear();
  weights.face_of.assign(points_.size() * entry_count, no_face);
  weights.weight.assign(points_.size() * entry_count, 0);
  std::vector<std::uint32_t> number(grid.tiles.array_size(), no_face);
  const auto number_of = [&](const Cell<D>& face) {
    const std::size_t index = grid.tiles.find_cell(face);
    if (number[index] != no_face) return number[index];
    Cell<D> below = face;
    --below[a];
    const std::size_t before = grid.tiles.find_cell(below);
    // In an open side there is half a cell of fluid.
    const int sides = (grid.distance[before] < 0 ? 1 : 0) + (grid.distance[index] < 0 ? 1 : 0);
    const double open = grid.open[a][index];
    if (!(open > 0) || sides == 0) return no_face;
    number[index] = static_cast<std::uint32_t>(weights.faces.size());
    weights.faces.push_back({index, before, index, open, 2 / (sides * open * mass_of_cell_),
                             2.0 / sides, false, false});
    return number[index];
  };
  for (std::size_t point = 0; point < points_.size(); ++point) {
    const SolidPoint& of = points_[point];
    std::array<DeltaWeights, D> along;
    for (int b = 0; b < D; ++b) {
      double x = 0;
      for (std::size_t k = 0; k < 4; ++k)
        x += of.weights[k] * positions_[of.vertices[k]][world_axis<D>(b)];
      const double cells = (x - static_cast<double>(frame_.origin[world_axis<D>(b)])) /
                           static_cast<double>(frame_.cell_size);
      along[static_cast<std::size_t>(b)] = delta_weights(cells - (b == axis ? 0 : 0.5));
    }
    double sum = 0;
    std::array<double, entry_count> found{};
    for (std::size_t k = 0; k < entry_count; ++k) {
      Cell<D> face;
      double weight = 1;
      for (std::size_t b = 0, rest = k; b < D; ++b, rest /= 3) {
        face[b] = along[b].first + static_cast<std::int32_t>(rest % 3);
        weight *= along[b].weight[rest % 3];
      }
      const std::uint32_t n = number_of(face);
      weights.face_of[point * entry_count + k] = n;
      if (n == no_face) continue;
      found[k] = weight / (weights.faces[n].inverse_mass * mass_of_cell_);
      sum += found[k];
    }
    for (std::size_t k = 0; k < entry_count && sum > least_sight; ++k)
      weights.weight[point * entry_count + k] = static_cast<float>(found[k] / sum);
  }
}

template <int D>
void ImmersedPoints<D>::transpose(Weights& weights) {
  weights.first_of.assign(weights.faces.size() + 1, 0);
  for (const std::uint32_t face : weights.face_of) {
    if (face != no_face) ++weights.first_of[face + 1];
  }
  for (std::size_t face = 0; face < weights.faces.size(); ++face)
    weights.first_of[face + 1] += weights.first_of[face];
  weights.by_face.resize(weights.first_of.back());
  std::vector<std::size_t> next(weights.first_of.begin(), weights.first_of.end() - 1);
  for (std::size_t entry = 0; entry < weights.face_of.size(); ++entry) {
    const std::uint32_t face = weights.face_of[entry];
    if (face != no_face) weights.by_face[next[face]++] = static_cast<std::uint32_t>(entry);
  }
}

// The sums of the rows of J M^-1 J^T are J of M^-1 J^T of 1 at all points.
template <int D>
void ImmersedPoints<D>::find_masses() {
  PerAxis one;
  one.fill(1);
  std::array<std::vector<double>, D> changes;
  for (std::size_t a = 0; a < D; ++a)
    changes[a].resize(weights_[a].faces.size());
  spread(std::vector<PerAxis>(points_.size(), one),
         [&](std::size_t a, std::size_t face, double change) { changes[a][face] = change; });
  interpolate([&](std::size_t a, std::size_t face) { return changes[a][face]; }, moving_);
  std::vector<PerAxis> moving_with;  // By body,
  std::vector<double> in_place_of;   // and what it displaces.
  for (std::size_t point = 0; point < points_.size(); ++point) {
    const std::size_t body = points_[point].body;
    if (body >= in_place_of.size()) {
      moving_with.resize(body + 1, PerAxis{});
      in_place_of.resize(body + 1, 0);
    }
    in_place_of[body] += density_ * points_[point].volume;
    for (std::size_t a = 0; a < D; ++a) {
      double& mass = moving_[point][a];
      mass = mass > 0 ? 1 / mass : 0;
      moving_with[body][a] += mass;
    }
  }
  displaced_.resize(points_.size());
  for (std::size_t point = 0; point < points_.size(); ++point) {
    const std::size_t body = points_[point].body;
    for (std::size_t a = 0; a < D; ++a) {
      const double part =
          moving_with[body][a] > in_place_of[body] ? in_place_of[body] / moving_with[body][a] : 1;
      displaced_[point][a] = part * moving_[point][a];
    }
  }
}

// value(axis, face): J of it.
template <int D>
template <typename Value>
void ImmersedPoints<D>::interpolate(const Value& value, std::vector<PerAxis>& at_points) const {
  at_points.resize(points_.size());
  for_each(points_.size(), [&](std::size_t point) {
    for (std::size_t a = 0; a < D; ++a) {
      const Weights& weights = weights_[a];
      double sum = 0;
      for (std::size_t k = point * entry_count; k < (point + 1) * entry_count; ++k) {
        if (weights.face_of[k] != no_face)
          sum += static_cast<double>(weights.weight[k]) * value(a, weights.face_of[k]);
      }
      at_points[point][a] = sum;
    }
  });
}

// give(axis, face, M^-1 J^T of the forces), each face once.
template <int D>
template <typename Give>
void ImmersedPoints<D>::spread(std::span<const PerAxis> forces, const Give& give) const {
  for (std::size_t a = 0; a < D; ++a) {
    const Weights& weights = weights_[a];
    for_each(weights.faces.size(), [&](std::size_t face) {
      double sum = 0;
      for (std::size_t n = weights.first_of[face]; n < weights.first_of[face + 1]; ++n) {
        const std::uint32_t entry = weights.by_face[n];
        sum += static_cast<double>(weights.weight[entry]) * forces[entry / entry_count][a];
      }
      give(a, face, weights.faces[face].inverse_mass * sum);
    });
  }
}

template <int D>
void ImmersedPoints<D>::push(double part,
                             typename MacGrid<D>::template Faces<float>& velocity) const {
  if (is_empty() || part == 0) return;
  spread(forces_, [&](std::size_t a, std::size_t face, double change) {
    velocity[a][weights_[a].faces[face].index] += static_cast<float>(part * change);
  });
}

// N V.
template <int D>
auto ImmersedPoints<D>::of_vertices(std::size_t point, std::span<const Vec3> velocities) const
    -> PerAxis {
  const SolidPoint& of = points_[point];
  PerAxis velocity{};
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t a = 0; a < D; ++a) {
      velocity[a] += of.weights[k] * velocities[of.vertices[k]][world_axis<D>(static_cast<int>(a))];
    }
  }
  return velocity;
}

// Adds `times` N^T of the forces.
template <int D>
void ImmersedPoints<D>::give_vertices(std::span<const PerAxis> forces, double times,
                                      std::span<Vec3> impulses) const {
  for (std::size_t point = 0; point < points_.size(); ++point) {
    const SolidPoint& of = points_[point];
    for (std::size_t k = 0; k < 4; ++k) {
      for (std::size_t a = 0; a < D; ++a) {
        impulses[of.vertices[k]][world_axis<D>(static_cast<int>(a))] +=
            times * of.weights[k] * forces[point][a];
      }
    }
  }
}

template <int D>
void ImmersedPoints<D>::lift(const Vec3& change) {
  for (const SolidPoint& point : points_) {
    for (std::size_t k = 0; k < 4; ++k)
      impulses_[point.vertices[k]] -= density_ * point.volume * point.weights[k] * change;
  }
}

// C has the masses of points at their vertices, a's and those displaced, where C V = (all that is
// known): linear momentum is the same as with N^T a N, and C keeps the pattern of the elasticity.
template <int D>
void ImmersedPoints<D>::meet(double of_last, MacGrid<D>& grid) {
  if (is_empty()) return;
  const std::size_t count = positions_.size();
  std::vector<Vec3> moving(count, Vec3::Zero()), displaced(count, Vec3::Zero());
  give_vertices(moving_, 1, moving);
  give_vertices(displaced_, 1, displaced);
  for (PerAxis& force : forces_) {
    for (double& along : force)
      along *= of_last;
  }
  give_vertices(forces_, -1, impulses_);
  // J u*, times a.
  std::vector<PerAxis> seen;
  interpolate(
      [&](std::size_t a, std::size_t face) {
        return static_cast<double>(grid.velocity[a][weights_[a].faces[face].index]);
      },
      seen);
  for (std::size_t point = 0; point < points_.size(); ++point) {
    for (std::size_t a = 0; a < D; ++a)
      seen[point][a] *= moving_[point][a];
  }
  give_vertices(seen, 1, impulses_);
  for (std::size_t i = 0; i < count; ++i) {
    impulses_[i] -= moving[i].cwiseProduct(velocities_[i]);
    impulses_[i] += displaced[i].cwiseProduct(velocities_[i] - start_velocities_[i]);
  }
  if (response_ != nullptr) {
    std::vector<Mat3> masses(count);
    for (std::size_t i = 0; i < count; ++i)
      masses[i] = (moving[i] - displaced[i]).asDiagonal();
    response_->attach(masses);
    response_->respond(impulses_, answer_);
    for (std::size_t i = 0; i < count; ++i) {
      velocities_[i] += answer_[i];
      impulses_[i] -= masses[i] * answer_[i];
    }
  }
  pulled_.resize(points_.size());
  for (std::size_t point = 0; point < points_.size(); ++point) {
    const PerAxis velocity = of_vertices(point, velocities_);
    for (std::size_t a = 0; a < D; ++a) {
      pulled_[point][a] = moving_[point][a] * velocity[a] - seen[point][a];
      forces_[point][a] += pulled_[point][a];
    }
  }
  spread(pulled_, [&](std::size_t a, std::size_t face, double change) {
    grid.velocity[a][weights_[a].faces[face].index] += static_cast<float>(change);
  });
}

template <int D>
void ImmersedPoints<D>::tie(const PoissonSystem<D>& system) {
  const std::size_t end = system.tiles().count() * tile_size<D>;
  const auto is_unknown = [&](std::size_t cell) {
    return cell < end && system.is_unknown(cell / tile_size<D>, cell % tile_size<D>);
  };
  for (Weights& weights : weights_) {
    for (Face& face : weights.faces) {
      face.has_before = is_unknown(face.before);
      face.has_after = is_unknown(face.after);
    }
  }
}

// From J grad p at points to the forces that answer it: a (J grad p - N C^-1 N^T a J grad p).
// Leaves C^-1 N^T a J grad p in answer_, and N^T a J grad p in given_.
template <int D>
void ImmersedPoints<D>::solve_points(std::vector<PerAxis>& pulled) const {
  for (std::size_t point = 0; point < points_.size(); ++point) {
    for (std::size_t a = 0; a < D; ++a)
      pulled[point][a] *= moving_[point][a];
  }
  std::ranges::fill(given_, Vec3::Zero());
  give_vertices(pulled, 1, given_);
  if (response_ == nullptr) {
    std::ranges::fill(answer_, Vec3::Zero());
    return;
  }
  response_->respond(given_, answer_);
  for_each(points_.size(), [&](std::size_t point) {
    const PerAxis velocity = of_vertices(point, answer_);
    for (std::size_t a = 0; a < D; ++a)
      pulled[point][a] -= moving_[point][a] * velocity[a];
  });
}

template <int D>
double ImmersedPoints<D>::apply(std::span<const float> x, std::span<double> image) const {
  const auto gradient = [&](const Face& face) {
    const double after = face.has_after ? static_cast<double>(x[face.after]) : 0;
    const double before = face.has_before ? static_cast<double>(x[face.before]) : 0;
    return face.gradient * (after - before);
  };
  interpolate([&](std::size_t a, std::size_t face) { return gradient(weights_[a].faces[face]); },
              pulled_);
  solve_points(pulled_);
  std::array<std::vector<double>, D> changes;
  for (std::size_t a = 0; a < D; ++a)
    changes[a].resize(weights_[a].faces.size());
  spread(pulled_,
         [&](std::size_t a, std::size_t face, double change) { changes[a][face] = change; });
  double energy = 0;
  for (std::size_t a = 0; a < D; ++a) {
    for (std::size_t n = 0; n < changes[a].size(); ++n) {
      const Face& face = weights_[a].faces[n];
      const double flow = face.open * changes[a][n];
      if (face.has_after) {
        image[face.after] -= flow;
        energy -= flow * static_cast<double>(x[face.after]);
      }
      if (face.has_before) {
        image[face.before] += flow;
        energy += flow * static_cast<double>(x[face.before]);
      }
    }
  }
  return energy;
}

template <int D>
void ImmersedPoints<D>::accelerate(std::span<const double> pressure, MacGrid<D>& grid) {
  interpolate(
      [&](std::size_t a, std::size_t n) {
        const Face& face = weights_[a].faces[n];
        const double after = face.has_after ? pressure[face.after] : 0;
        const double before = face.has_before ? pressure[face.before] : 0;
        return face.gradient * (after - before);
      },
      pulled_);
  solve_points(pulled_);
  std::vector<Vec3> attached(positions_.size(), Vec3::Zero());
  give_vertices(moving_, 1, attached);
  give_vertices(displaced_, -1, attached);
  for (std::size_t i = 0; i < velocities_.size(); ++i) {
    velocities_[i] -= answer_[i];
    impulses_[i] += attached[i].cwiseProduct(answer_[i]) - given_[i];
  }
  for (std::size_t point = 0; point < points_.size(); ++point) {
    for (std::size_t a = 0; a < D; ++a)
      forces_[point][a] += pulled_[point][a];
  }
  spread(pulled_, [&](std::size_t a, std::size_t face, double change) {
    grid.velocity[a][weights_[a].faces[face].index] += static_cast<float>(change);
  });
}

template <int D>
std::array<double, D> ImmersedPoints<D>::displaced(
    const typename MacGrid<D>::template Faces<float>& velocity, int exponent) const {
  std::vector<PerAxis> seen;
  interpolate(
      [&](std::size_t a, std::size_t face) {
        return static_cast<double>(velocity[a][weights_[a].faces[face].index]);
      },
      seen);
  std::array<double, D> sum{};
  for (std::size_t point = 0; point < points_.size(); ++point) {
    for (std::size_t a = 0; a < D; ++a)
      sum[a] += displaced_[point][a] * std::pow(seen[point][a], exponent);
  }
  return sum;
}

template <int D>
void ImmersedPoints<D>::save(ByteWriter& out) const {
  out.put_array(std::span<const Vec3>(positions_));
  out.put_array(std::span<const PerAxis>(forces_));
}

template <int D>
bool ImmersedPoints<D>::restore(ByteReader& in) {
  return in.get_array(std::span<Vec3>(positions_)) && in.get_array(std::span<PerAxis>(forces_));
}

template class ImmersedPoints<2>;
template class ImmersedPoints<3>;

}  // namespace sluice::fluid::grid
