// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "server/api/listener.h"
#include "server/api/listener_probe.h"
#include "server/api/scene_check_process.h"
#include "server/api/server.h"
#include "server/sluiced/logging.h"
#include "server/sluiced/settings.h"
#include "server/web/static_files.h"
#include "server/web/web_server.h"

namespace {

using namespace sluice;

constexpr int exit_cannot_serve = 3;

std::filesystem::path own_path() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

// Sockets, frames and the database each need descriptors; the usual soft limit of 1024 is an old
// habit.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

// The web server, with its port taken; null if there is to be none.
session::Result<std::unique_ptr<web::WebServer>> open_web(sluiced::Settings& settings) {
  if (!settings.serves_web) {
    return std::unique_ptr<web::WebServer>();
  }
  if (settings.web.root.empty()) {
    settings.web.root = web::find_web_root(own_path());
  }
  auto server = web::WebServer::open(settings.web);
  if (server) {
    settings.server.viewer_url = (*server)->url();
  }
  return server;
}

// The answer of --probe: an exit code.
int probe(const std::string& listen) {
  const auto address = api::parse_listen_address(listen);
  if (!address || (!address->is_unix() && address->port == 0)) {
    fmt::print(stderr, "--probe: '{}' is no address that can be asked\n", listen);
    return 2;
  }
  return api::probe(*address) == api::Hearing::answers ? 0 : 1;
}

int run(int argc, char** argv) {
  auto read = sluiced::read_settings(argc, argv);
  if (const auto* exit = std::get_if<sluiced::ExitNow>(&read)) {
    return exit->code;
  }
  auto& settings = std::get<sluiced::Settings>(read);
  if (settings.probes) {
    return probe(settings.server.listen);
  }
  sluiced::set_up_logging(settings.log_level, settings.log_format);
  raise_file_limit();

  // Blocked before the first thread, so that all have it so and only sigwait sees them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  // Its port is taken first: the API tells it, and no worker starts in vain where it is busy.
  auto opened = open_web(settings);
  if (!opened) {
    spdlog::error("{}", opened.error().message);
    return exit_cannot_serve;
  }
  auto server = api::Server::start(settings.server);
  if (!server) {
    spdlog::error("{}", server.error().message);
    return exit_cannot_serve;
  }
  const std::unique_ptr<web::WebServer> web = *std::move(opened);  // Goes before the server.
  fmt::print("listening on {}\n", (*server)->address());
  if (web) {
    web->serve({(*server)->channel(), settings.server.session.limits.message_bytes,
                [&server] { return (*server)->census(); }, [&server] { return (*server)->hears(); },
                [&server](auto tell) { (*server)->check_readiness(std::move(tell)); }});
    fmt::print("viewer at {}\n", web->url());
  }
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
  if (web) {
    web->begin_stop();
  }
  (*server)->stop();
  if (web) {
    web->stop();
  }
  spdlog::info("stopped");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 2 && argv[1] == api::scene_check_argument) {
      return api::run_scene_check();  // Started by another sluiced.
    }
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "sluiced: {}\n", error.what());
    return exit_cannot_serve;
  }
}
