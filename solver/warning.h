// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sluice {

/// The faults of a frame that do not end the simulation. The words for users are in
/// sluice.v1.WarningKind, which also has the kinds that others than the solver find.
enum class WarningKind {
  volume_lost,      ///< A fluid takes less room than its particles stand for.
  not_converged,    ///< The coupled solve or the pressure ended above its tolerance.
  energy_grew,      ///< The mechanical energy grew without work.
  particles_lost,   ///< Particles are gone, not finite, or outside of the domain.
  emitter_blocked,  ///< An emitter let in less than its flux.
  stopped_short,    ///< A scripted body is not where its script has it: something is in its way.
  detail_lost,      ///< A gas may not have the cells that all detail needs.
};

/// A fault found in a frame that did not end the simulation.
struct Warning {
  WarningKind kind;
  std::string body;     ///< Name of the body in the scene; empty for the scene as a whole.
  std::string message;  ///< One plain sentence: what was found, what is allowed, what may help.
  double value = 0;     ///< The value found, in the unit that `message` names.
  double limit = 0;     ///< The furthest value without a warning, in the same unit.
};

}  // namespace sluice
