// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sluice {

/// What can go wrong in a frame without ending the simulation. The words for users are in
/// sluice.v1.WarningKind, which also has what others than the solver find.
enum class WarningKind {
  volume_lost,      ///< A fluid takes less room than its particles stand for.
  not_converged,    ///< The coupled solve or the pressure ended above its tolerance.
  energy_grew,      ///< The mechanical energy grew without work.
  particles_lost,   ///< Particles are gone, not finite, or outside of the domain.
  emitter_blocked,  ///< An emitter let in less than its flux.
  stopped_short,    ///< A scripted body is not where its script has it: something is in its way.
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
