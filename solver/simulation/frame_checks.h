// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solver/bytes.h"
#include "solver/fluid/emitter_debt.h"
#include "solver/scene/scene.h"
#include "solver/simulation.h"
#include "solver/types.h"

namespace sluice::simulation {

/// The largest distance of a scripted body from where its script has it.
struct ScriptLag {
  std::string body;
  double distance;  ///< [m] of the vertex that is furthest off.
};

/// The input of FrameChecks about a frame, besides its statistics.
struct CheckedFrame {
  /// Whether nothing outside acted in the frame: no drag, push, moving pin or moving obstacle, and
  /// gravity was the same as in the frame before.
  bool is_undisturbed = true;
  Vec3 gravity = Vec3::Zero();       ///< [m/s^2]
  double mass = 0;                   ///< [kg] of everything that moves freely
  double lost_volume_part = 0;       ///< ParticleFluid::lost_volume_part()
  std::span<const Vec3f> particles;  ///< [m]
  std::span<const fluid::EmitterReport> emitters;
  std::int64_t particle_count_before = 0;
  double detail_lost = 1;              ///< DividesCells::detail_lost()
  std::vector<ScriptLag> script_lags;  ///< One of each scripted body.
};

/// Finds the faults of a frame that do not end it, by conditions that must hold whatever the
/// solvers do. They are about the volume of liquids, the number of particles and where they are,
/// the volume that emitters let in, the mechanical energy of a scene on which nothing outside acts,
/// the residuals that iterations ended with, detail that cells do not suffice for, and where
/// scripted bodies are: no further from where they are told than twice the distance that contact
/// keeps.
///
/// Energy is judged only where all of it is in the statistics and nothing outside acts: not with a
/// gas, wind, scripts, moving pins, emitters, drains, or sides that fluid goes through. There it
/// may rise above its lowest value, so far or since the last warning of it, by no more than 1 % of
/// the larger of the largest kinetic energy and the range of the potential energy, plus the energy
/// that lifts the whole mass by a thousandth of the domain and moves it as far in a second.
class FrameChecks {
 public:
  explicit FrameChecks(const scene::Scene& scene);

  /// Takes the energies of frame 0, which those of the first frame are compared with.
  void begin(const FrameStatistics& at_start);

  /// Adds a warning of each fault to `statistics.warnings`. Deterministic.
  void check(const CheckedFrame& frame, FrameStatistics& statistics);

  void save(ByteWriter& out) const;
  [[nodiscard]] bool restore(ByteReader& in);

 private:
  void check_volume(const CheckedFrame& frame, FrameStatistics& statistics) const;
  void check_particles(const CheckedFrame& frame, FrameStatistics& statistics) const;
  void check_emitters(const CheckedFrame& frame, FrameStatistics& statistics) const;
  void check_energy(const CheckedFrame& frame, FrameStatistics& statistics);
  void check_residuals(FrameStatistics& statistics) const;
  void check_detail(const CheckedFrame& frame, FrameStatistics& statistics) const;
  void check_scripts(const CheckedFrame& frame, FrameStatistics& statistics) const;

  const scene::Scene& scene_;
  bool is_closed_;  ///< Whether nothing in the scene itself does work on bodies.
  /// [J] Extremes that check_energy() has seen since something outside acted in a frame.
  struct Energies {
    double lowest_total = 0;
    double largest_kinetic = 0;
    double lowest_potential = 0, highest_potential = 0;
  } energies_;
};

}  // namespace sluice::simulation
