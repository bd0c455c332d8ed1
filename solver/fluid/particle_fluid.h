// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solver/bytes.h"
#include "solver/fluid/emitter_debt.h"
#include "solver/fluid/immersed_body.h"
#include "solver/fluid/immersed_solids.h"
#include "solver/fluid/mpm/push.h"
#include "solver/fluid/mpm/surfaces.h"
#include "solver/result.h"
#include "solver/scene/scene.h"
#include "solver/stages.h"
#include "solver/types.h"
#include "solver/wrench.h"

namespace sluice::fluid {

/// How fluid moves at a place, as its grid has it.
struct Flow {
  Vec3 velocity = Vec3::Zero();  ///< [m/s] 0 where there is none
  double density = 0;            ///< [kg/m^3] smeared by a cell or two
};

/// What has come in and gone out.
struct Exchange {
  std::int64_t emitted_count = 0, removed_count = 0;  ///< Particles.
  /// By row now, the row before, or no_row. Empty if nothing has come in or gone out.
  std::vector<std::uint32_t> former_rows;
};

/// How the pressure of a substep was solved for.
struct PressureReport {
  std::int64_t iterations = 0;
  double residual = 0;  ///< Over the divergence before.
};

/// All fluids of a scene, as particles; how they flow is the solver's that derives from this.
///
/// A substep in two halves, so that whoever couples it to solids has the last word on where
/// particles go:
///
///     const double h = std::min(fluid.stable_substep(), ...);
///     fluid.advance_velocities(h, gravity);   // targets(): where particles go, walls respected
///     ... change targets() and velocities() where contact says so ...
///     fluid.commit();                         // positions() = targets()
///     fluid.exchange(time, ...);              // what emitters let in, and what goes out
///
/// Particles stand in an internal order, sorted in space for speed. All spans below share it. It
/// changes only in commit() and exchange(), which also end the life of every span taken before.
/// rows()[i] is where the particle at i is for those outside: its row in arrays of all particles,
/// fluid after fluid, in each in the order in which they came in; seeds first, in theirs. Rows
/// change in exchange() alone.
///
/// Not thread-safe; loops inside run on the threads of the caller's parallel::ThreadLimit. Same
/// calls, same binary: same bits, for any number of threads, and for a fluid that was saved and
/// restored on the way.
class ParticleFluid {
 public:
  virtual ~ParticleFluid();

  [[nodiscard]] std::int64_t particle_count() const noexcept;
  /// Particles of the scene's fluid `fluid`: their rows follow those of the fluids before it.
  [[nodiscard]] std::int64_t particle_count(std::size_t fluid) const noexcept;
  /// By row of the scene's fluid `fluid`, which particle it is: 0, 1, ... in the order in which
  /// they came in, none twice. Empty where they are 0, 1, ... up to the count.
  [[nodiscard]] std::span<const std::uint32_t> ids(std::size_t fluid) const noexcept;

  /// [s] The longest substep that advance_velocities may be given now. Infinity where there is and
  /// comes nothing; NaN once a velocity is not finite. `obstacle_speed` [m/s] counts as flow: what
  /// an obstacle pushes is as fast as it.
  [[nodiscard]] virtual double stable_substep(double obstacle_speed = 0) const noexcept = 0;

  /// Where the scene's obstacles are at the end of the next substep, and their velocities in it.
  /// Until the first call they are where the scene has them, and still.
  virtual void set_obstacles(std::span<const scene::Obstacle> obstacles);

  /// Surfaces that the grid carries nothing through in the next substep, where the solver parts its
  /// grid (hidden_nodes.h). What they refer to must live until commit(), which forgets them.
  virtual void set_surfaces(const Surfaces& surfaces) { static_cast<void>(surfaces); }

  /// Rigid bodies that pressure moves in the next advance_velocities(), where the solver can
  /// (GridFluid): each time anew. What they refer to must live until then.
  virtual void set_bodies(std::span<const ImmersedBody> bodies) { static_cast<void>(bodies); }
  /// After advance_velocities(): the impulses that pressure gives to these, one each.
  [[nodiscard]] virtual std::span<const Wrench> impulses_on_bodies() const noexcept { return {}; }

  /// Solids that deform and that pressure moves in the next advance_velocities(), where the solver
  /// can (GridFluid, in three dimensions; not with bodies of set_bodies()): each time anew. What
  /// they refer to must live until then.
  virtual void set_solids(const ImmersedSolids& solids) { static_cast<void>(solids); }
  /// After advance_velocities(): [N s] by vertex of these, and [m/s] the velocities that they get
  /// by that, as their response has it.
  [[nodiscard]] virtual std::span<const Vec3> impulses_on_solids() const noexcept { return {}; }
  [[nodiscard]] virtual std::span<const Vec3> velocities_of_solids() const noexcept { return {}; }

  /// What else bodies met, for whoever couples them: kept from substep to substep, and in save().
  /// Empty before the first time.
  virtual void keep_contact(std::span<const KeptContact> of_bodies) {
    static_cast<void>(of_bodies);
  }
  [[nodiscard]] virtual std::span<const KeptContact> kept_contact() const noexcept { return {}; }

  /// Computes the new velocities, and the targets they lead to, after `h` seconds (0 < h <=
  /// stable_substep()). Targets lie inside lower()..upper() and not inside an obstacle (unless
  /// obstacles close in on a particle from all sides). `timer`, where given, is told of the stages.
  /// Positions stay as they are.
  virtual void advance_velocities(double h, const Vec3& gravity, std::span<const Push> pushes = {},
                                  StageTimer* timer = nullptr) = 0;

  /// Between advance_velocities and commit: the new flow at `x`.
  [[nodiscard]] virtual Flow flow_at(const Vec3& x) const = 0;

  /// The first particle for which the last advance_velocities found a number that is not finite; -1
  /// without one. Walls turn such numbers into finite ones, so that targets() and velocities() need
  /// not show them; the state is then good for nothing.
  [[nodiscard]] virtual std::int64_t first_not_finite() const noexcept = 0;

  /// Between advance_velocities and commit: contact takes particle `i` to `target` [m] and changes
  /// its velocity by `change` [m/s]; once a particle.
  virtual void move_by_contact(std::size_t i, const Vec3f& target, const Vec3f& change);

  /// Makes targets() the positions. They must be finite and inside lower()..upper().
  virtual void commit();

  /// After commit(), where the scene lets fluid in or out: takes away what is in drains and beyond
  /// open sides at `time` [s], puts in on the other side what is beyond a periodic one, and lets in
  /// what came in by emitters in that substep, where `is_free` [m]. Does nothing elsewhere.
  Exchange exchange(double time, const std::function<bool(const Vec3&)>& is_free);

  /// What each emitter let in since the last call, in the order of the scene's fluids.
  [[nodiscard]] std::vector<EmitterReport> take_emitter_reports();

  /// Opens or shuts an emitter from now on, whatever its times, and gives it a velocity [m/s] where
  /// there is one. False if the scene's fluid `fluid` has none of that name.
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
  /// Name of the scene's fluid that the particle at `i` is of.
  [[nodiscard]] const std::string& name_of(std::int64_t i) const noexcept;
  [[nodiscard]] virtual std::vector<float> pressures() const = 0;  ///< [Pa]
  [[nodiscard]] virtual std::vector<float> densities() const = 0;  ///< [kg/m^3]

  /// out[rows()[i]] = values[i]; both of size particle_count().
  void gather_rows(std::span<const Vec3f> values, std::span<Vec3f> out) const;
  void gather_rows(std::span<const float> values, std::span<float> out) const;

  /// [m] The box that holds the particles: domain_lower, and the last grid plane at or below
  /// domain_upper. The fluid's walls are there; a side of the domain that is no multiple of
  /// cell_size loses the rest. A cell beyond sides that fluid goes through, until exchange();
  /// targets of incompressible liquids as far beyond periodic ones as they go.
  [[nodiscard]] const Vec3f& lower() const noexcept;
  [[nodiscard]] const Vec3f& upper() const noexcept;

  /// [J] including the particles' affine motion
  [[nodiscard]] double kinetic_energy() const;
  [[nodiscard]] Vec3 momentum() const;     ///< [kg m/s]
  [[nodiscard]] Vec3 mass_moment() const;  ///< [kg m] sum of mass times position
  /// [J] What pressure and elastic stress have stored: the work of bringing all particles from rest
  /// to the strain they have.
  [[nodiscard]] virtual double strain_energy() const = 0;

  /// Of the volume that the particles stand for, the part that has no room where they are, in
  /// [0, 1): 0 for liquid that rests, flows or flies; more once it has been pressed together by
  /// more than a liquid can be (crowding.h). Looks at each particle: for once a frame.
  [[nodiscard]] virtual double lost_volume_part() const;

  /// Of the last advance_velocities; nothing where pressure needs no solving.
  [[nodiscard]] virtual PressureReport pressure_report() const noexcept { return {}; }

  /// The exact state between commit() and advance_velocities(), for restore_fluid().
  [[nodiscard]] std::vector<std::byte> save() const;
  /// The same, appended to `out`.
  void save(ByteWriter& out) const;

 protected:
  struct State;  // particle_state.h

  /// Where nothing is yet: seed() or restore() comes next.
  explicit ParticleFluid(std::unique_ptr<State> state) noexcept;
  ParticleFluid(ParticleFluid&&) noexcept;
  ParticleFluid& operator=(ParticleFluid&&) noexcept;

  /// Puts the particles where scene/seeding.h says.
  void seed(const scene::Scene& scene);
  /// Reads what save() wrote. Returns what is wrong, in words; empty if nothing is.
  [[nodiscard]] std::string restore_from(std::span<const std::byte> snapshot);

  /// After positions were changed, or particles.
  virtual void on_new_positions() = 0;
  /// Particles come to stand elsewhere: places[i] is where particle i will be, or no_row for one
  /// that goes out.
  virtual void follow(std::span<const std::uint32_t> places) { static_cast<void>(places); }
  /// [m^2/s^2] A half of this times its mass is the energy that the affine motion of particle `i`
  /// has on the grid.
  [[nodiscard]] virtual double affine_square(std::size_t i) const noexcept = 0;
  // What a solver keeps besides the particles.
  virtual void save_rest(ByteWriter& out) const { static_cast<void>(out); }
  [[nodiscard]] virtual bool restore_rest(ByteReader& in) {
    static_cast<void>(in);
    return true;
  }

  [[nodiscard]] State& state() noexcept { return *state_; }
  [[nodiscard]] const State& state() const noexcept { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// The fluids of a scene, by the solver that it asks for. `scene` has passed validation
/// (scene/validate.h; asserted where cheap) and has at most 255 fluids and fewer than 2^31 seeds.
[[nodiscard]] std::unique_ptr<ParticleFluid> make_fluid(const scene::Scene& scene);

/// Builds the state that save() wrote, for the same scene; `invalid_snapshot` if the bytes do not
/// fit it.
[[nodiscard]] Result<std::unique_ptr<ParticleFluid>> restore_fluid(
    const scene::Scene& scene, std::span<const std::byte> snapshot);

}  // namespace sluice::fluid
