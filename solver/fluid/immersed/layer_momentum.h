// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/pressure/immersed.h"
#include "solver/types.h"

namespace sluice::fluid::grid {

/// The layers of liquid around rigid bodies, which are to get the momentum that pressure gives to
/// them.
///
/// Pressure changes the velocities of the open parts of faces, and so acts on body and liquid alike
/// and oppositely. Particles get what their own weights make of those velocities: next to a body
/// these add up to other masses than the open parts have, and they reach faces that it covers. In
/// each substep some of what the two exchange was lost, or came from nowhere: of a common momentum
/// 3 % within two diameters of a ball of ten cells across, 7 % of one of six. The missing momentum
/// is spread over the layer as velocities of a rigid motion, so that momentum and angular momentum
/// are exact there.
template <int D>
class LayerMomentum {
 public:
  /// A rigid body, as add() has to know it.
  struct Body {
    Motion moves;  ///< Its velocity [m/s] and turn rate [rad/s].
    Motion owed;   ///< [N s], [N m s] Momentum that its layer is to get besides.
  };

  /// Before gravity and pressure: adds a face across `axis`, on the lower side of a cell, to the
  /// layer of a body about `centre` [m], if it is between cells of liquid, and keeps its velocity.
  void take(std::size_t body, const CellFrame<D>& frame, const Cell<D>& cell, std::size_t axis,
            const Vec3& centre, const MacGrid<D>& grid);
  /// After the last take(): a face that was taken more than once is kept for the first body alone.
  void share_out();
  void clear() { layer_.clear(); }

  /// Before particles get velocities: adds the layers' motions to `grid`. `weights` [kg] is the
  /// mass on each face as scattered, `mass_of_face` [kg] that of one that is full of liquid. A
  /// motion is at most a tenth as fast as its layer goes by its body, whatever is missing.
  void add(std::span<const Body> bodies, const typename MacGrid<D>::template Faces<float>& weights,
           double mass_of_face, MacGrid<D>& grid);
  /// Takes the motions off again.
  void remove(MacGrid<D>& grid) const;

 private:
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  struct Face {
    std::size_t axis, index, body;
    Vec6 row;        // Times a velocity and a turn rate: the velocity along the axis.
    float velocity;  // [m/s] Before gravity and pressure; while a motion is added, without it.
  };
  std::vector<Face> layer_;
};

extern template class LayerMomentum<2>;
extern template class LayerMomentum<3>;

}  // namespace sluice::fluid::grid
