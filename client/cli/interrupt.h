// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

namespace sluice::cli {

/// Turns SIGINT and SIGTERM into a stop token. To be called first thing in `main`, before any other
/// thread is there: threads inherit which signals are blocked.
///
/// Until a command has asked for the token, the program ends at once with exit code 130; so it does
/// on a signal that comes more than a second after the first one.
void watch_for_interrupt();

/// The token; from now on it is the caller's part to stop.
[[nodiscard]] std::stop_token stop_on_interrupt();

/// Whether a signal has come.
[[nodiscard]] bool was_interrupted() noexcept;

}  // namespace sluice::cli
