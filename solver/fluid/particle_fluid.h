// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "solver/bytes.h"
#include "solver/fluid/emitter_debt.h"
#include "solver/fluid/fluid.h"
#include "solver/fluid/push.h"
#include "solver/result.h"
#include "solver/scene/scene.h"
#include "solver/stages.h"
#include "solver/types.h"

namespace sluice::fluid {

struct Birth;                 // particles/emitters.h
struct SumsWithoutParticles;  // particles/particles.h

/// The motion and the density of fluid at a place, by its grid.
struct Flow {
  Vec3 velocity = Vec3::Zero();  ///< [m/s] 0 where there is no fluid
  double density = 0;            ///< [kg/m^3] smeared by a cell or two
};

/// The particles that have come in and gone out.
struct Exchange {
  std::int64_t emitted_count = 0, removed_count = 0;  ///< Numbers of particles.
  /// The number of particles that have come out of cells without particles, less those gone in.
  std::int64_t settled_count = 0;
  /// By row now: the row before, or no_row. Empty if nothing has come in or gone out.
  std::vector<std::uint32_t> former_rows;
};

/// All liquids of a scene, as particles. The solver that derives from this says how they flow.
///
/// Between advance() and commit(), targets() says where particles go, with walls and obstacles
/// respected: whoever couples the liquid to solids has the last word on that.
///
///     fluid.advance({.duration = h, ...});
///     ... move_by_contact(), or change targets() and velocities() where contact says so ...
///     fluid.commit();                         // positions() = targets()
///     fluid.exchange(time, ...);              // what emitters let in, and what goes out
///
/// Particles stand in an internal order, sorted in space for speed. All spans below share it. It
/// changes only in commit() and exchange(), which also end the life of every span taken before.
/// rows()[i] is the particle's row in a caller's arrays of all particles: fluid after fluid, each
/// fluid's in the order in which they came in; seeds come first, in the seeds' own order. Rows
/// change in exchange() alone.
class ParticleFluid : public Fluid {
 public:
  ~ParticleFluid() override;

  [[nodiscard]] std::int64_t particle_count() const noexcept;
  /// Particles of the scene's fluid `fluid`: their rows follow those of the fluids before it.
  [[nodiscard]] std::int64_t particle_count(std::size_t fluid) const noexcept;
  /// By row of the scene's fluid `fluid`, the id of its particle: 0, 1, ... in the order in which
  /// they came in, none twice. Empty where the ids are 0, 1, ... up to the count.
  [[nodiscard]] std::span<const std::uint32_t> ids(std::size_t fluid) const noexcept;

  [[nodiscard]] std::string what_shortens_substeps() const final;
  void set_obstacles(std::span<const scene::Obstacle> obstacles) override;
  Result<std::monostate> advance(const FluidActions& actions, StageTimer* timer = nullptr) final;

  /// The core of advance(), for callers that look for numbers that are not finite by themselves:
  /// computes the new velocities, and the targets they lead to, after `h` seconds (0 < h <=
  /// stable_substep()). Targets lie inside lower()..upper() and not inside an obstacle (unless
  /// obstacles close in on a particle from all sides). `timer`, where given, is told of the stages.
  /// Positions stay as they are.
  virtual void advance_velocities(double h, const Vec3& gravity, std::span<const Push> pushes = {},
                                  StageTimer* timer = nullptr) = 0;

  /// Returns the new flow at `x` [m], between advance_velocities and commit.
  [[nodiscard]] virtual Flow flow_at(const Vec3& x) const = 0;

  /// The first particle for which the last advance_velocities found a number that is not finite; -1
  /// if there is none. Walls turn such numbers into finite ones, so that targets() and velocities()
  /// need not show them; the state is then useless.
  [[nodiscard]] virtual std::int64_t first_not_finite() const noexcept = 0;

  /// Moves particle `i` to `target` [m] by contact, between advance_velocities and commit, and
  /// changes its velocity by `change` [m/s]; at most once for each particle.
  virtual void move_by_contact(std::size_t i, const Vec3f& target, const Vec3f& change);

  /// Makes targets() the positions. They must be finite and inside lower()..upper().
  void commit() override;

  /// After commit(), where the scene lets fluid in or out: removes particles in drains and beyond
  /// open sides at `time` [s], puts those beyond a periodic side in at the opposite one, and adds
  /// those of emitters, at places [m] that `is_free` accepts. Particles go into cells that have
  /// none, and come out of them. Does nothing elsewhere.
  Exchange exchange(double time, const std::function<bool(const Vec3&)>& is_free);

  /// Reports what each emitter let in since the last call, in the order of the scene's fluids.
  [[nodiscard]] std::vector<EmitterReport> take_emitter_reports();

  /// Opens or shuts an emitter from now on, whatever its times, and gives it `velocity` [m/s]
  /// unless that is null. Returns false if the scene's fluid `fluid` has no emitter of that name.
  [[nodiscard]] bool set_emitter(std::size_t fluid, std::string_view emitter, bool is_open,
                                 const Vec3* velocity);

  [[nodiscard]] std::span<const Vec3f> positions() const noexcept;  ///< [m]
  [[nodiscard]] std::span<Vec3f> targets() noexcept;     ///< [m] after advance_velocities
  [[nodiscard]] std::span<Vec3f> velocities() noexcept;  ///< [m/s]
  [[nodiscard]] std::span<const Vec3f> velocities() const noexcept;
  [[nodiscard]] std::span<const std::uint32_t> rows() const noexcept;
  [[nodiscard]] std::span<const std::uint8_t> materials()
      const noexcept;                                             ///< Index of the scene's fluid.
  [[nodiscard]] float mass(std::size_t material) const noexcept;  ///< [kg] of one particle
  /// The name of the scene's fluid that the particle at `i` belongs to.
  [[nodiscard]] const std::string& name_of(std::int64_t i) const noexcept;
  [[nodiscard]] virtual std::vector<float> pressures() const = 0;  ///< [Pa]
  [[nodiscard]] virtual std::vector<float> densities() const = 0;  ///< [kg/m^3]

  /// Sets out[rows()[i]] = values[i]; both of size particle_count().
  void gather_rows(std::span<const Vec3f> values, std::span<Vec3f> out) const;
  void gather_rows(std::span<const float> values, std::span<float> out) const;

  /// [m] The box that holds the particles: domain_lower, and the last grid plane at or below
  /// domain_upper. The fluid's walls are there; a side of the domain that is no multiple of
  /// cell_size loses the rest. It has a cell more at sides that fluid goes through, until
  /// exchange(); targets of incompressible liquids may be further beyond periodic ones.
  [[nodiscard]] const Vec3f& lower() const noexcept;
  [[nodiscard]] const Vec3f& upper() const noexcept;

  /// [J] including the particles' affine motion
  [[nodiscard]] double kinetic_energy() const final;
  [[nodiscard]] Vec3 momentum() const final;  ///< [kg m/s]
  [[nodiscard]] double potential_energy(const Vec3& gravity) const final;
  [[nodiscard]] Vec3 mass_moment() const;  ///< [kg m] sum of mass times position
  /// [J] The energy that pressure and elastic stress have stored: the work of bringing all
  /// particles from rest to the strain they have.
  [[nodiscard]] virtual double strain_energy() const = 0;

  /// The part of the volume of all particles that has no room where they are, in [0, 1): 0 for
  /// liquid that rests, flows or flies; more once it has been pressed together by more than a
  /// liquid can be (crowding.h). Looks at each particle: for once a frame.
  [[nodiscard]] virtual double lost_volume_part() const;

  /// Returns the exact state between commit() and advance(), for the solver's own restore().
  [[nodiscard]] std::vector<std::byte> save() const;
  void save(ByteWriter& out) const final;
  [[nodiscard]] bool restore(ByteReader& in) final;

 protected:
  struct State;  // particle_state.h

  /// Makes a fluid without particles: seed() or restore() comes next.
  explicit ParticleFluid(std::unique_ptr<State> state) noexcept;
  ParticleFluid(ParticleFluid&&) noexcept;
  ParticleFluid& operator=(ParticleFluid&&) noexcept;

  /// Puts the particles where scene/seeding.h says, but for places [m] that are left out.
  void seed(const scene::Scene& scene, const std::function<bool(const Vec3&)>& is_left_out = {});
  /// Reads what save() wrote, to the end of `snapshot`. Returns the error in words; empty if there
  /// is none.
  [[nodiscard]] std::string restore_from(std::span<const std::byte> snapshot);

  /// Called after positions, or the particles themselves, were changed.
  virtual void on_new_positions() = 0;
  /// Called when particles get other indices: places[i] is the new index of particle i, or no_row
  /// if it goes out.
  virtual void follow(std::span<const std::uint32_t> places) { static_cast<void>(places); }
  /// For a fluid with cells that have liquid and no particles, after commit(): sets `gone`,
  /// ascending, to the particles that go into them, and `births` to those that come out.
  virtual void settle(std::vector<std::uint32_t>& gone, std::vector<Birth>& births);
  /// What those cells have.
  [[nodiscard]] virtual SumsWithoutParticles sums_without_particles() const;
  /// [m^2/s^2] Twice the energy, over its mass, that the affine motion of particle `i` has on the
  /// grid.
  [[nodiscard]] virtual double affine_square(std::size_t i) const noexcept = 0;
  // Save and restore the state that a solver has besides the particles.
  virtual void save_rest(ByteWriter& out) const { static_cast<void>(out); }
  [[nodiscard]] virtual bool restore_rest(ByteReader& in) {
    static_cast<void>(in);
    return true;
  }

  [[nodiscard]] State& state() noexcept { return *state_; }
  [[nodiscard]] const State& state() const noexcept { return *state_; }

 private:
  [[nodiscard]] std::string read(ByteReader& in);

  std::unique_ptr<State> state_;
};

/// The liquids of a scene that has some, by the solver that it asks for: see make_fluid().
[[nodiscard]] std::unique_ptr<ParticleFluid> make_particle_fluid(const scene::Scene& scene,
                                                                 Start start = Start::at_time_0);

}  // namespace sluice::fluid
