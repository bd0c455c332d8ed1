// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "server/session/error.h"
#include "sluice/v1/scene_check.pb.h"

namespace sluice::api {

/// Limits for the process of a check.
struct CheckBounds {
  std::chrono::seconds patience{300};
  std::int64_t memory_bytes = 0;                         ///< RLIMIT_DATA; 0: no limit of its own.
  int nice = 0;                                          ///< Added to the process's nice value.
  std::function<bool()> end_now = [] { return false; };  ///< Asked every 20 ms; true: give up.
};

/// Starts `program --check-scene` as a child of the calling thread, passes it `request`, a
/// serialised v1::SceneCheckRequest, and waits for its answer. Kills the process when `patience`
/// has passed or `end_now` returns true.
[[nodiscard]] session::Result<v1::SceneCheckResponse> run_scene_check_process(
    const std::filesystem::path& program, const std::string& request, const CheckBounds& bounds);

/// The command-line argument with which sluiced runs as a scene check.
inline constexpr std::string_view scene_check_argument = "--check-scene";

/// Runs in the child process: reads the request from descriptor 0, checks the scene and writes the
/// answer to descriptor 1. Returns the exit code.
[[nodiscard]] int run_scene_check();

}  // namespace sluice::api
