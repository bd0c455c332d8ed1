// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/octree/faces.h"
#include "solver/fluid/octree/tree.h"
#include "solver/fluid/pressure/conjugate_gradients.h"
#include "solver/fluid/pressure/poisson.h"

namespace sluice::fluid::octree {

/// The gradient of pressure at the faces between a leaf and smaller ones on one of its sides.
enum class Gradient : std::uint8_t {
  /// At each face the difference of its own two cells over the distance of their middles along the
  /// axis across it: first order [Losasso2004].
  own,
  /// At all of these faces the same: the difference to the mean of the smaller cells, by their
  /// open areas, over the mean distance: second order [Losasso2006].
  shared,
};

/// What a system over the leaves of a tree is made of.
template <int D>
struct TreeWeights {
  Faces<D, float> open;  ///< The open part of each face; 0 at the ends of the domain.
  Array<float> fixed;    ///< By leaf: the weight, >= 0, of the difference to a given value, 0.
};

/// A symmetric, positive (semi)definite system over the leaves of a tree,
///
///     (A x)_i = sum over the faces of leaf i of  (open area) (x_i - x_j) / distance  + d_i x_i,
///
/// lengths in edges of the finest cells, and between leaves of different size as Gradient says:
/// A = G^T W G with W diagonal. Vectors are arrays of the tree, 0 at all that is no leaf.
template <int D>
class TreePoisson {
 public:
  /// For ConjugateGradients: what it asks of the tiles of all levels together.
  struct AllTiles {
    std::size_t size = 0;
    [[nodiscard]] std::size_t array_size() const noexcept { return size; }
  };
  static constexpr std::size_t components = 1;

  /// `tree` must outlive this.
  TreePoisson(const Tree<D>& tree, const UnevenFaces& uneven, const TreeWeights<D>& weights,
              Gradient gradient);

  [[nodiscard]] const AllTiles& tiles() const noexcept { return all_tiles_; }
  /// The tiles with leaves, by their places in arrays of the tree.
  [[nodiscard]] std::span<const std::uint32_t> solved_tiles() const noexcept { return solved_; }

  /// Sets `image` to A x; only in solved_tiles(). Returns x . A x. Not from two threads at once.
  double apply(std::span<const float> x, std::span<double> image) const;

  /// Sets `gradients` to G x at the faces between two leaves, along their axes, and leaves others:
  /// its flow out of each leaf is A x, without d x. Between leaves of different size only where the
  /// face is open.
  void find_gradients(std::span<const double> x, Faces<D, float>& gradients) const;

 private:
  // Faces of one side of a leaf, which have the same gradient.
  struct Group {
    std::uint32_t coarse, first;  // The leaf; and the first of its Parts.
    double conductance;           // Their open area over the distance.
    float distance;
    std::uint8_t side;  // Of the smaller cells, that the leaf is on.
  };
  struct Part {
    std::uint32_t fine, face;
    float share;  // Of the open area.
  };
  // A leaf's part of a group: -1 for the larger leaf.
  struct Flow {
    std::uint32_t cell, group;
    float share;
  };

  void add_groups(const UnevenFaces& uneven, const TreeWeights<D>& weights, Gradient gradient);
  template <typename T>
  [[nodiscard]] double difference(std::size_t group, std::span<const T> x) const;

  const Tree<D>* tree_;
  AllTiles all_tiles_;
  std::vector<std::uint32_t> solved_;
  std::vector<grid::PoissonSystem<D>> levels_;  // The faces between leaves of one size.
  std::vector<Group> groups_;                   // And one that ends the last.
  std::vector<Part> parts_;
  std::vector<Flow> flows_;                // By cell, ascending.
  std::vector<std::uint32_t> first_flow_;  // Of each cell that has some; and the end.
  mutable std::vector<double> gradients_;  // By group, times the conductance.
};

extern template class TreePoisson<2>;
extern template class TreePoisson<3>;

}  // namespace sluice::fluid::octree

namespace sluice::fluid::grid {
extern template class ConjugateGradients<2, octree::TreePoisson<2>>;
extern template class ConjugateGradients<3, octree::TreePoisson<3>>;
}  // namespace sluice::fluid::grid
