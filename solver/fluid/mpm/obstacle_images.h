// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "solver/fluid/mpm/boundary.h"
#include "solver/fluid/mpm/particle_blocks.h"
#include "solver/fluid/mpm/particles.h"
#include "solver/fluid/mpm/transfers.h"
#include "solver/parallel/collector.h"
#include "solver/scene/scene.h"
#include "solver/types.h"

namespace sluice::fluid {

/// Image particles behind the surfaces of obstacles, which do for these what mirrors do for walls
/// along the grid (boundary.h): the kernels of liquid beside a slope are complete, so that its
/// density and pressure are what they are elsewhere, and it comes to rest.
///
/// An image stands as far behind the surface as its particle stands before it, and has its velocity
/// reflected: the part across the surface (slip) or all of it (no_slip), relative to the obstacle.
/// Where the surface is curved it stands for less volume, by the ratio of the areas at both
/// distances. Obstacle by obstacle, each mirrors the images in those before it too, and takes away
/// those that it covers: then a corner between two of them is filled once, whatever its angle, and
/// so is one between an obstacle and a wall. What would stand beyond the middle of an obstacle has
/// no image.
///
/// An obstacle only pushes: a particle without pressure that moves away from it has no image.
/// Images are of liquids with a viscosity alone, and in obstacles without friction; others meet
/// obstacles on the grid (Boundary::solve_nodes).
class ObstacleImages {
 public:
  /// Appends the images of all particles, which `blocks` was made of, to `particles`; returns
  /// whether there are any. Velocities are such that forces of `step` act on images as reflected.
  bool append(const Substep& step, scene::Kernel kernel, const Boundary& boundary,
              const ParticleBlocks& blocks, Particles& particles);

  /// After a gather: takes them away again.
  void remove(Particles& particles);

 private:
  struct Image {
    std::uint32_t source;  ///< The particle.
    float weight;
    Vec3f position;  ///< [m]
    Vec3f velocity;  ///< [m/s]
    Mat3f affine;    ///< [1/s] C
  };
  static void find_images(const Substep& step, const Boundary& boundary,
                          const Boundary::ObstacleList& near, float reach, std::uint32_t i,
                          const Particles& particles, std::vector<Image>& images);

  std::vector<Image> images_;
  parallel::Collector<Image> collector_;
};

}  // namespace sluice::fluid
