// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sluice::cli {

/// What the command line answers with. Scripts rely on the numbers.
enum class ExitCode {
  done = 0,          ///< It was done.
  failed = 1,        ///< The session failed or was cancelled, or its output could not be written.
  usage = 2,         ///< The command line or the scene is wrong.
  refused = 3,       ///< The server was not reached, or refused.
  unverified = 4,    ///< `verify` found a crossing, or frames that are not what they were.
  interrupted = 130  ///< Ctrl-C or SIGTERM; nothing is lost.
};

}  // namespace sluice::cli
