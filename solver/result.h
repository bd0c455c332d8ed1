// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "proto/wire/expected.h"

namespace sluice {

enum class ErrorCode {
  invalid_scene,     ///< The scene breaks a documented limit; fix the scene and create again.
  invalid_mesh,      ///< A mesh file cannot be read; the message names file, line or byte.
  invalid_snapshot,  ///< A saved state is damaged or belongs to another scene or build.
  solver_diverged,   ///< No finite, intersection-free state was reached; the state before stays.
};

/// A failure, in words for the person who can fix it: what was given, what is allowed.
struct Error {
  ErrorCode code;
  std::string message;
};

template <typename T>
using Result = Expected<T, Error>;

}  // namespace sluice
