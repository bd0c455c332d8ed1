// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace sluice::scene {

/// Whether a problem keeps a scene from running.
enum class Severity {
  error,    ///< The scene cannot be run.
  warning,  ///< It can be run, but a number looks wrong, as by a factor of 1000.
};

/// Something wrong in a scene.
struct Problem {
  /// The field in sluice.v1.Scene, as `cloths[0].pins[1].vertices[3]`; empty for the whole scene.
  std::string path;
  /// What was found and what is allowed, in one sentence without the path.
  std::string message;
  Severity severity = Severity::error;
};

/// The most problems that are told of one scene: whoever has more has another kind of problem, and
/// a hostile scene could have millions.
inline constexpr std::size_t most_problems = 1000;

[[nodiscard]] inline bool has_error(std::span<const Problem> problems) {
  return std::any_of(problems.begin(), problems.end(),
                     [](const Problem& problem) { return problem.severity == Severity::error; });
}

}  // namespace sluice::scene
