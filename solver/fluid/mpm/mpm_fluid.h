// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "solver/fluid/abilities.h"
#include "solver/fluid/particle_fluid.h"

namespace sluice::fluid {

/// Particles that meet on one APIC grid: weakly compressible liquids, and solids that flow or part
/// (material.h).
///
/// Method: [Jiang2015] APIC transfers with quadratic or cubic B-splines; [Hu2018] (MLS-MPM) stress,
/// put into the affine momentum; Tait's equation of state on the volume ratio J. See method.md for
/// what is ours.
class MpmFluid final : public ParticleFluid, public PartsAtSurfaces {
 public:
  /// Builds the fluid of a scene of this solver: see make_fluid().
  explicit MpmFluid(const scene::Scene& scene, Start start = Start::at_time_0);
  /// Builds the state that save() wrote for the same scene; `invalid_snapshot` if the bytes do not
  /// fit it.
  static Result<MpmFluid> restore(const scene::Scene& scene, std::span<const std::byte> snapshot);

  MpmFluid(MpmFluid&&) noexcept;
  MpmFluid& operator=(MpmFluid&&) noexcept;
  ~MpmFluid() override;

  /// Sound and flow cross at most grid.cfl cells, and explicit viscosity is stable.
  [[nodiscard]] double stable_substep(double obstacle_speed = 0) const noexcept override;
  void set_surfaces(const Surfaces& surfaces) override;
  void advance_velocities(double h, const Vec3& gravity, std::span<const Push> pushes = {},
                          StageTimer* timer = nullptr) override;
  [[nodiscard]] Flow flow_at(const Vec3& x) const override;
  [[nodiscard]] std::int64_t first_not_finite() const noexcept override;
  /// The grid balances the pressure with the force of contact in the next substep, which is then
  /// taken off the particle's own velocity again.
  void move_by_contact(std::size_t i, const Vec3f& target, const Vec3f& change) override;
  void commit() override;
  [[nodiscard]] PressureReport pressure_report() const noexcept override { return {}; }

  [[nodiscard]] std::vector<float> volume_ratios() const;       ///< J: volume over rest volume.
  [[nodiscard]] std::vector<float> pressures() const override;  ///< [Pa]
  [[nodiscard]] std::vector<float> densities() const override;  ///< [kg/m^3] rest density over J
  [[nodiscard]] double strain_energy() const override;
  /// Counts liquids only: snow packs, and sand and jelly have numbers of their own.
  [[nodiscard]] double lost_volume_part() const override;

 private:
  struct Mpm;

  void on_new_positions() override;
  void follow(std::span<const std::uint32_t> places) override;
  [[nodiscard]] double affine_square(std::size_t i) const noexcept override;
  void save_rest(ByteWriter& out) const override;
  [[nodiscard]] bool restore_rest(ByteReader& in) override;

  std::unique_ptr<Mpm> mpm_;
};

}  // namespace sluice::fluid
