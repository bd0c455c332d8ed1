// SPDX-License-Identifier: Apache-2.0
#include <exception>

#include "client/cli/interrupt.h"
#include "client/cli/output.h"
#include "client/cli/program.h"

int main(int argument_count, char** arguments) {
  sluice::cli::watch_for_interrupt();
  try {
    return static_cast<int>(sluice::cli::run_program(argument_count, arguments));
  } catch (const std::exception& error) {
    sluice::cli::print_message(error.what());
    return static_cast<int>(sluice::cli::ExitCode::failed);
  }
}
