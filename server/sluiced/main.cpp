// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdio>
#include <exception>

#include "server/api/server.h"
#include "server/sluiced/logging.h"
#include "server/sluiced/settings.h"

namespace {

constexpr int exit_cannot_serve = 3;

int run(int argc, char** argv) {
  using namespace sluice;
  auto read = sluiced::read_settings(argc, argv);
  if (const auto* exit = std::get_if<sluiced::ExitNow>(&read)) {
    return exit->code;
  }
  const auto& settings = std::get<sluiced::Settings>(read);
  sluiced::set_up_logging(settings.log_level, settings.log_format);

  // Blocked before the first thread, so that all have it so and only sigwait sees them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  auto server = api::Server::start(settings.server);
  if (!server) {
    spdlog::error("{}", server.error().message);
    return exit_cannot_serve;
  }
  fmt::print("listening on {}\n", (*server)->address());
  std::fflush(stdout);
  spdlog::info("sluiced " SLUICE_VERSION " serves {} from {}", (*server)->address(),
               settings.server.data_directory.string());
  int signal = 0;
  sigwait(&signals, &signal);
  spdlog::info("stopping: SIG{}", sigabbrev_np(signal));
  // A second one ends the process at once; everything that was announced is on disk.
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  (*server)->stop();
  spdlog::info("stopped");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "sluiced: {}\n", error.what());
    return exit_cannot_serve;
  }
}
