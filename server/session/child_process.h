// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "server/session/error.h"

namespace sluice::session {

struct ChildCommand {
  std::vector<std::string> arguments;  ///< The first is the program's path. Not empty.
  std::int64_t memory_bytes = 0;       ///< RLIMIT_DATA; 0: this process's own limit.
  int nice = 0;
  int input = -1;   ///< Descriptor that becomes stdin; -1: /dev/null.
  int output = -1;  ///< Descriptor that becomes stdout; -1: /dev/null.
};

struct StartedChild {
  pid_t pid;
  int error_output;  ///< Read end of a pipe from the child's stderr, non-blocking. The caller
                     ///< closes it.
};

/// Starts a child process that dies with the calling thread and has no open files except its
/// standard streams. A program that cannot be executed is an error here, not an exit of the child.
Result<StartedChild> start_child(const ChildCommand& command);

}  // namespace sluice::session
