// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solver/bytes.h"
#include "solver/fluid/emitter_debt.h"
#include "solver/fluid/inlet.h"
#include "solver/fluid/particles/boundary.h"
#include "solver/fluid/particles/crowd.h"
#include "solver/fluid/particles/particle_search.h"
#include "solver/fluid/particles/particles.h"
#include "solver/scene/scene.h"
#include "solver/types.h"

namespace sluice::fluid {

/// A particle that comes in.
struct Birth {
  std::uint8_t fluid;
  Vec3f position;  ///< [m]
  Vec3f velocity;  ///< [m/s]
  Affine affine{};
};

/// The scene's emitters, where fluid comes in.
///
/// Each drags an endless lattice along: that of the seeds (scene/seeding.h), shifted by the way
/// that its velocity has gone so far. Points that come into its shape become particles, so that
/// fluid comes in as fast as the shape carries it, whatever the substeps are; and as particles in
/// the shape move with the lattice until they leave it, they stay as far apart as they came in.
///
/// An emitter under fluid has its flux too: a point whose place is taken is owed, and comes in
/// where the shape has the most room. How the fluid makes room is its solver's to say.
class Emitters {
 public:
  explicit Emitters(const scene::Scene& scene);

  [[nodiscard]] bool empty() const noexcept { return emitters_.empty(); }

  /// [m/s] The speed of the fastest emitter that is open.
  [[nodiscard]] double largest_speed() const noexcept;

  /// Opens or shuts an emitter from now on, whatever its times, and gives it `velocity` [m/s]
  /// unless that is null. Returns false if `fluid` has none of that name.
  [[nodiscard]] bool set(std::size_t fluid, std::string_view name, bool is_open,
                         const Vec3* velocity);

  /// Sends the particles in open emitters, after a gather, to where these want them in `h` [s],
  /// unless walls and obstacles are in the way.
  void carry(float h, const Boundary& boundary, Particles& particles) const;

  /// A particle that an open emitter carries.
  struct Held {
    std::uint32_t particle, emitter;
  };
  /// The particles that the last hold() found.
  [[nodiscard]] std::span<const Held> held() const noexcept { return held_; }
  [[nodiscard]] std::size_t count() const noexcept { return emitters_.size(); }
  [[nodiscard]] double speed(std::size_t emitter) const noexcept {  ///< [m/s]
    return emitters_[emitter].velocity.norm();
  }

  /// All emitters, always in the same order, for a grid that makes room for their flux.
  [[nodiscard]] std::vector<Inlet> inlets() const;
  /// [m] The places of the particles that open emitters hold.
  [[nodiscard]] std::vector<Vec3f> held_places(const Particles& particles) const;
  /// Takes the flux that such a grid grants in this substep, by emitter: emitters carry and let in
  /// that much until the next call.
  void take(std::span<const Inflow> inflows);

  /// Says whether the particles that an emitter owes may come in, until the next call: not where
  /// fluid that cannot yield would be pressed ever more.
  void set_room(std::size_t emitter, bool has_room) { emitters_[emitter].has_room = has_room; }

  /// Ends a substep of `h` seconds: lattices move on. Appends the particles that came in, at places
  /// [m] that `is_free` accepts, until `births` has `most`.
  void emit(double h, const Particles& particles, const Boundary& boundary,
            const std::function<bool(const Vec3&)>& is_free, std::int64_t most,
            std::vector<Birth>& births);

  /// Reports what each emitter let in since the last call.
  [[nodiscard]] std::vector<EmitterReport> take_reports();

  /// Opens or shuts each emitter as its times say for `time` [s], unless set() rules it.
  void open_and_shut(double time);

  /// Finds the particles that open emitters carry; valid until the particles' order changes.
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
    double area = 0;            ///< [m^2] of the shape, seen along `velocity`
    Vec3 shift = Vec3::Zero();  ///< [m] of the lattice
    double brought = 0;         ///< Particles by the flux since lattice points last came in.
    bool is_open = false;
    bool is_steered = false;  ///< Whether set() rules: times count for nothing.
    EmitterDebt debt;
    bool has_room = true;               ///< Whether owed particles may come in: set_room().
    std::optional<Inflow> inflow = {};  ///< In this substep, where a grid makes room: take().
  };

  /// A point of a lattice that has come into a shape.
  struct Place {
    Vec3 position;       ///< [m]
    std::uint64_t draw;  ///< Puts places in an order without a pattern.
  };

  /// A place where an owed particle may come in.
  struct Gap {
    Vec3 position;  ///< [m]
    double room;    ///< [m] to the nearest particle
    std::uint64_t draw;
  };

  [[nodiscard]] double most_owed(const Emitter& emitter) const;
  [[nodiscard]] std::vector<Gap> find_gaps(const Emitter& emitter, const Crowd& crowd) const;
  [[nodiscard]] std::vector<Place> find_places(const Emitter& emitter, const Vec3& way) const;
  [[nodiscard]] double area_of(const geometry::Shape& shape, const Vec3& velocity) const;
  [[nodiscard]] std::vector<Vec3> near_open_ones(const Particles& particles);

  std::vector<Emitter> emitters_;
  Vec3 origin_, steps_;  ///< [m] of the lattice
  Vec3 lower_, upper_;   ///< [m] where particles may come in
  double spacing_;       ///< [m] in the flow
  bool is_flat_;
  std::vector<Held> held_;
  ParticleSearch search_;
};

}  // namespace sluice::fluid
