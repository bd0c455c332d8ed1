// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sluice {

/// What can go wrong in a frame without ending the simulation. The words for users are in
/// sluice.v1.WarningKind, which has the same values in the same order.
enum class WarningKind {
  volume_lost,      ///< A fluid takes less room than its particles stand for.
  not_converged,    ///< The coupled solve or the pressure ended above its tolerance.
  energy_grew,      ///< The mechanical energy grew without work.
  emitter_blocked,  ///< An open emitter let in less than its rate.
  slow_frame,       ///< A frame took more than 100 times as long as expected.
  crossing,         ///< Something passed through something.
  particles_lost,   ///< Particles were not finite or outside, and were taken out.
  stopped_short,    ///< Something was told to go where nothing can yield.
};

/// Something that went wrong in a frame and did not end the simulation.
struct Warning {
  WarningKind kind;
  std::string body;     ///< Its name in the scene; empty for the scene as a whole.
  std::string message;  ///< One plain sentence: what was found, what is allowed, what may help.
  double value = 0;     ///< What was found, in the unit that `message` names.
  double limit = 0;     ///< The furthest value without a warning, in the same unit.
};

}  // namespace sluice
