// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "solver/bytes.h"
#include "solver/fluid/mpm/boundary.h"
#include "solver/fluid/mpm/particle_search.h"
#include "solver/fluid/mpm/particles.h"
#include "solver/scene/scene.h"
#include "solver/types.h"

namespace sluice::fluid {

/// A particle that comes in.
struct Birth {
  std::uint8_t fluid;
  Vec3f position;  ///< [m]
  Vec3f velocity;  ///< [m/s]
};

/// Where fluid comes in: the scene's emitters.
///
/// Each drags an endless lattice along, the seeds' (scene/seeding.h) shifted by the way that its
/// velocity has gone so far. Points that come into its shape become particles, so that fluid comes
/// in by what the shape carries whatever the substeps are; and as particles in the shape move with
/// the lattice until they leave it, they stay as far apart as they came in.
class Emitters {
 public:
  explicit Emitters(const scene::Scene& scene);

  [[nodiscard]] bool empty() const noexcept { return emitters_.empty(); }

  /// [m/s] Of those that are open, the fastest.
  [[nodiscard]] double largest_speed() const noexcept;

  /// Opens or shuts one from now on, whatever its times; and gives it a velocity [m/s], if there is
  /// one. False if `fluid` has none of that name.
  [[nodiscard]] bool set(std::size_t fluid, std::string_view name, bool is_open,
                         const Vec3* velocity);

  /// After a gather: particles in open emitters go where those want them in `h` [s], unless walls
  /// and obstacles are in the way.
  void carry(float h, const Boundary& boundary, Particles& particles) const;

  /// Ends a substep of `h` seconds: lattices move on. Appends what came in, where no particle is
  /// near and `is_free` [m]; no more than `most`.
  void emit(double h, const Particles& particles, const Boundary& boundary,
            const std::function<bool(const Vec3&)>& is_free, std::int64_t most,
            std::vector<Birth>& births);

  /// Opens and shuts what does so at `time` [s].
  void open_and_shut(double time);

  /// Finds the particles that open ones carry, until the particles' order changes.
  void hold(const Particles& particles);

  void save(ByteWriter& out) const;
  [[nodiscard]] bool restore(ByteReader& in);

 private:
  struct Emitter {
    std::uint8_t fluid;
    std::string name;
    geometry::Shape shape;
    geometry::Bounds bounds;
    scene::TimeSpan times;
    double rate;  ///< [m^3/s]
    // Changes:
    Vec3 velocity;              ///< [m/s]
    Vec3 shift = Vec3::Zero();  ///< [m] of the lattice
    double allowance = 0;       ///< Particles that `rate` has left over.
    bool is_open = false;
    bool is_steered = false;  ///< Times count for nothing.
  };
  struct Held {
    std::uint32_t particle, emitter;
  };

  /// A point of a lattice that has come into a shape.
  struct Place {
    Vec3 position;       ///< [m]
    std::uint64_t draw;  ///< Puts places in an order without a pattern.
  };

  [[nodiscard]] std::vector<Place> find_places(const Emitter& emitter, const Vec3& way) const;
  void add_allowance(Emitter& emitter, double h) const;
  [[nodiscard]] std::vector<Vec3> near_open_ones(const Particles& particles);

  std::vector<Emitter> emitters_;
  Vec3 origin_, steps_;  ///< [m] of the lattice
  Vec3 lower_, upper_;   ///< [m] where particles may come in
  double spacing_;       ///< [m] in the flow
  std::vector<Held> held_;
  ParticleSearch search_;
};

}  // namespace sluice::fluid
