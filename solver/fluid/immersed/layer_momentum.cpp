// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/immersed/layer_momentum.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <tuple>

namespace sluice::fluid::grid {
namespace {

using Mat6 = Eigen::Matrix<double, 6, 6>;

// A motion is at most this part of how fast the layer goes by its body. In resolved flows a
// hundredth of that speed is missing.
constexpr double most_part = 0.1;

}  // namespace

template <int D>
void LayerMomentum<D>::take(std::size_t body, const CellFrame<D>& frame, const Cell<D>& cell,
                            std::size_t axis, const Vec3& centre, const MacGrid<D>& grid) {
  const std::size_t index = grid.tiles.find_cell(cell);
  Cell<D> other = cell;
  --other[axis];
  // At the liquid's surface pressure ends on the way, and a face has not a whole cell to move.
  if (!(grid.distance[index] < 0 && grid.distance[grid.tiles.find_cell(other)] < 0)) return;
  Vec<D> within = Vec<D>::Constant(0.5F);
  within[static_cast<int>(axis)] = 0;
  const Vec3 along = Vec3::Unit(world_axis<D>(static_cast<int>(axis)));
  const Vec3 turn = (frame.place(cell, within, centre[1]) - centre).cross(along);
  Vec6 row;
  for (int i = 0; i < 3; ++i) {
    row[i] = along[i];
    row[i + 3] = turn[i];
  }
  layer_.push_back({axis, index, body, row, grid.velocity[axis][index]});
}

template <int D>
void LayerMomentum<D>::share_out() {
  std::ranges::sort(layer_, [](const Face& a, const Face& b) {
    return std::tie(a.axis, a.index, a.body) < std::tie(b.axis, b.index, b.body);
  });
  const auto rest = std::ranges::unique(
      layer_, [](const Face& a, const Face& b) { return a.axis == b.axis && a.index == b.index; });
  layer_.erase(rest.begin(), rest.end());
}

template <int D>
void LayerMomentum<D>::add(std::span<const Body> bodies,
                           const typename MacGrid<D>::template Faces<float>& weights,
                           double mass_of_face, MacGrid<D>& grid) {
  struct Sums {
    Mat6 inertia = Mat6::Zero();
    Vec6 missing = Vec6::Zero();
    double mass = 0, squares = 0;  // Mass, and mass times squared velocity by the body.
    double fastest = 0;            // [m/s] The most by which the motion moves a face.
    Vec6 motion = Vec6::Zero();
  };
  std::vector<Sums> sums(bodies.size());
  const auto vector_of = [](const Motion& motion) { return Eigen::Map<const Vec6>(motion.data()); };
  for (const Face& face : layer_) {
    Sums& of_body = sums[face.body];
    const auto now = static_cast<double>(grid.velocity[face.axis][face.index]);
    const auto mass = static_cast<double>(weights[face.axis][face.index]);
    const Array<float>& lightness = grid.lightness[face.axis];
    const double density = lightness.empty() ? 1 : 1 / static_cast<double>(lightness[face.index]);
    const double full =
        static_cast<double>(grid.open[face.axis][face.index]) * mass_of_face * density;
    of_body.missing += (full - mass) * (now - static_cast<double>(face.velocity)) * face.row;
    of_body.inertia += mass * face.row * face.row.transpose();
    const double by = now - face.row.dot(vector_of(bodies[face.body].moves));
    of_body.mass += mass;
    of_body.squares += mass * by * by;
  }
  for (std::size_t b = 0; b < sums.size(); ++b) {
    // Some motions move nothing of a layer: in two dimensions, or where it is small.
    sums[b].motion = sums[b].inertia.completeOrthogonalDecomposition().solve(
        sums[b].missing + vector_of(bodies[b].owed));
  }
  for (const Face& face : layer_) {
    Sums& of_body = sums[face.body];
    of_body.fastest = std::max(of_body.fastest, std::abs(face.row.dot(of_body.motion)));
  }
  for (Sums& of_body : sums) {
    const double most =
        of_body.mass > 0 ? most_part * std::sqrt(of_body.squares / of_body.mass) : 0;
    if (of_body.fastest > most) of_body.motion *= most / of_body.fastest;
  }
  for (Face& face : layer_) {
    float& velocity = grid.velocity[face.axis][face.index];
    face.velocity = velocity;
    velocity += static_cast<float>(face.row.dot(sums[face.body].motion));
  }
}

template <int D>
void LayerMomentum<D>::remove(MacGrid<D>& grid) const {
  for (const Face& face : layer_)
    grid.velocity[face.axis][face.index] = face.velocity;
}

template class LayerMomentum<2>;
template class LayerMomentum<3>;

}  // namespace sluice::fluid::grid
