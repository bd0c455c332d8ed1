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

/// What a check may use.
struct CheckBounds {
  std::chrono::seconds patience{300};
  std::int64_t memory_bytes = 0;                         ///< RLIMIT_DATA of the process; 0: none.
  int nice = 0;                                          ///< Added to its priority number.
  std::function<bool()> end_now = [] { return false; };  ///< Asked every 20 ms.
};

/// Starts `program --check-scene` as a child of the calling thread, gives it `request`, a
/// serialised v1::SceneCheckRequest, and waits for its answer. A process that runs too long, or
/// whose answer nobody wants any more, is killed.
[[nodiscard]] session::Result<v1::SceneCheckResponse> run_scene_check_process(
    const std::filesystem::path& program, const std::string& request, const CheckBounds& bounds);

/// The argument that makes a program a check.
inline constexpr std::string_view scene_check_argument = "--check-scene";

/// The check itself: reads a request from descriptor 0, writes the answer to descriptor 1; the exit
/// code of the process.
[[nodiscard]] int run_scene_check();

}  // namespace sluice::api
