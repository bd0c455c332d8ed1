// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Geometry>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "solver/coupling/method.h"
#include "solver/fluid/fluid.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/parallel/thread_limit.h"
#include "solver/simulation.h"
#include "solver/simulation/frame.h"
#include "solver/simulation/frame_checks.h"
#include "solver/simulation/free_places.h"
#include "solver/simulation/obstacles.h"
#include "solver/simulation/steering.h"
#include "solver/solid/deformable_system.h"

namespace sluice::simulation {

/// The implementation behind Simulation: owns the bodies and marches them from frame to frame.
class Runner final : public Simulation {
 public:
  /// `scene` is valid. The state is that of frame 0.
  Runner(const scene::Scene& scene, const SimulationOptions& options);

  /// Replaces the state by a saved one; false, and the state is of no use, if the bytes do not fit.
  [[nodiscard]] bool load(std::span<const std::byte> snapshot);

  Result<FrameStatistics> advance_frame() override;
  [[nodiscard]] std::int64_t frame_index() const override { return frame_index_; }
  [[nodiscard]] double time() const override;
  [[nodiscard]] const std::vector<BodyLayout>& layout() const override { return frame_.layout(); }
  [[nodiscard]] std::int64_t epoch() const override { return epoch_; }
  [[nodiscard]] std::vector<FieldView> fields() const override { return frame_.fields(); }
  [[nodiscard]] std::vector<ObstacleOffset> obstacle_offsets() const override {
    return obstacles_.offsets();
  }
  Result<std::monostate> steer(const SteerCommand& command) override;
  [[nodiscard]] std::vector<std::byte> save() const override;

 private:
  Result<FrameStatistics> march();
  void begin_march();
  [[nodiscard]] double longest_substep() const;
  [[nodiscard]] std::string what_shortens_substeps() const;
  Result<coupling::SubstepReport> substep(double h, double time_t1, bool is_last);
  void exchange(double time, FrameStatistics& statistics);
  void add_totals(FrameStatistics& statistics) const;
  void add_warnings(std::int64_t particle_count_before, FrameStatistics& statistics);
  [[nodiscard]] bool is_undisturbed() const;
  [[nodiscard]] double free_mass() const;
  [[nodiscard]] std::vector<ScriptLag> script_lags() const;
  /// The fluid's particles; null without fluid, and for one that has none.
  [[nodiscard]] fluid::ParticleFluid* particles() {
    return fluid::as<fluid::ParticleFluid>(fluid_.get());
  }
  [[nodiscard]] const fluid::ParticleFluid* particles() const {
    return fluid::as<fluid::ParticleFluid>(fluid_.get());
  }

  // A snapshot's parts: snapshot.cpp.
  void save_state(ByteWriter& out) const;
  [[nodiscard]] bool load_state(std::span<const std::byte> state);
  /// Saves the state into `kept`, whose memory is used again.
  void keep_state(std::vector<std::byte>& kept) const;
  /// Goes back to a state that was kept.
  void take_back(std::span<const std::byte> kept);

  scene::Scene scene_;
  SubstepObserver* observer_;
  mutable parallel::ThreadLimit threads_;
  StageTimer timer_;
  std::uint64_t fingerprint_;
  solid::DeformableSystem solids_;
  std::unique_ptr<fluid::Fluid> fluid_;  ///< Null without fluids and gas.
  std::unique_ptr<coupling::Method> coupling_;
  Steering steering_;
  Obstacles obstacles_;
  coupling::ContactForces contact_forces_;  ///< Empty unless frames hold contact forces.
  FreePlaces free_places_;
  Vec3 period_;                     ///< [m] SubstepStates::period
  Eigen::AlignedBox3d closed_box_;  ///< [m] SubstepStates::lower, upper
  std::int64_t frame_index_ = 0;
  std::int64_t epoch_ = 0;
  bool have_rows_changed_ = false;  // In this frame.
  Frame frame_;
  FrameChecks checks_;
  Vec3 gravity_before_;                     ///< [m/s^2] of the frame before
  std::vector<std::uint32_t> former_rows_;  ///< By row, as of the last exchange; for the observer.
  std::vector<Vec3f> observed_particles_t0_, observed_particles_t1_;
  std::vector<Vec3> observed_vertices_t0_;
  // The states that a frame, or a substep that may be halved, goes back to when it fails.
  std::vector<std::byte> frame_start_, substep_start_;
};

}  // namespace sluice::simulation
