// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "solver/fluid/abilities.h"
#include "solver/fluid/liquid/interior.h"
#include "solver/fluid/particle_fluid.h"

namespace sluice::fluid::grid {

/// Incompressible liquids in D dimensions as particles that meet on a MAC grid [Harlow1965]: PIC,
/// FLIP or APIC transfers, variational pressure, a free surface (liquid_step.h). They carry no
/// sound waves, so that only the flow limits the substep. An interior may have the liquid deep
/// below the surface, in larger cells and without particles (interior.h).
///
/// Contact moves particles, and its force does not act on the pressure. Rigid bodies given to the
/// fluid are part of the pressure's system (immersed_bodies.h), and so are solids that deform
/// (surfaces_in_fluid.h).
template <int D>
class GridFluid final : public ParticleFluid,
                        public MovesRigidBodies,
                        public MovesSolids,
                        public DividesCells,
                        public HasInterior {
 public:
  /// Builds the fluid of a scene of this solver: see make_fluid().
  explicit GridFluid(const scene::Scene& scene, Start start = Start::at_time_0,
                     std::unique_ptr<Interior<D>> interior = nullptr);
  /// Builds the state that save() wrote for the same scene; `invalid_snapshot` if the bytes do not
  /// fit it.
  static Result<GridFluid> restore(const scene::Scene& scene, std::span<const std::byte> snapshot);

  GridFluid(GridFluid&&) noexcept;
  GridFluid& operator=(GridFluid&&) noexcept;
  ~GridFluid() override;

  /// The fastest flow crosses at most grid.cfl cells, also if it falls from rest meanwhile.
  [[nodiscard]] double stable_substep(double obstacle_speed = 0) const noexcept override;
  void set_obstacles(std::span<const scene::Obstacle> obstacles) override;
  void set_bodies(std::span<const ImmersedBody> bodies) override;
  [[nodiscard]] std::span<const Wrench> impulses_on_bodies() const noexcept override;
  void set_solids(const ImmersedSolids& solids) override;
  [[nodiscard]] std::span<const Vec3> impulses_on_solids() const noexcept override;
  [[nodiscard]] std::span<const Vec3> velocities_of_solids() const noexcept override;
  void keep_contact(std::span<const KeptContact> of_bodies) override;
  [[nodiscard]] std::span<const KeptContact> kept_contact() const noexcept override;
  void advance_velocities(double h, const Vec3& gravity, std::span<const Push> pushes = {},
                          StageTimer* timer = nullptr) override;
  [[nodiscard]] Flow flow_at(const Vec3& x) const override;
  [[nodiscard]] std::int64_t first_not_finite() const noexcept override;
  void commit() override;
  [[nodiscard]] std::vector<float> pressures()
      const override;  ///< [Pa] of the last substep; 0 before it
  [[nodiscard]] std::vector<float> densities() const override;  ///< [kg/m^3] at rest, and always
  [[nodiscard]] double strain_energy() const override { return 0; }
  [[nodiscard]] PressureReport pressure_report() const noexcept override;
  [[nodiscard]] std::span<const std::int64_t> cell_counts() const noexcept override;
  [[nodiscard]] double detail_lost() const noexcept override { return 1; }
  [[nodiscard]] std::vector<InteriorCell> interior_cells() const override;
  [[nodiscard]] std::int64_t interior_count() const noexcept override;

 private:
  struct Grid;

  void keep_outside(std::size_t i);
  void count_cells();
  void settle(std::vector<std::uint32_t>& gone, std::vector<Birth>& births) override;
  [[nodiscard]] SumsWithoutParticles sums_without_particles() const override;
  void on_new_positions() override;
  [[nodiscard]] double affine_square(std::size_t i) const noexcept override;
  void save_rest(ByteWriter& out) const override;
  [[nodiscard]] bool restore_rest(ByteReader& in) override;

  std::unique_ptr<Grid> grid_;
};

extern template class GridFluid<2>;
extern template class GridFluid<3>;

}  // namespace sluice::fluid::grid
