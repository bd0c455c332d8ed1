// SPDX-License-Identifier: Apache-2.0
#include "server/worker/worker_main.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "server/worker/link.h"
#include "server/worker/log_sink.h"

namespace sluice::worker {

int worker_main(int argc, char** argv, const SimulationFactory& make) {
  CLI::App app("Runs one simulation for sluiced, which starts it. Not to be started by hand.",
               "sluice-worker");
  app.set_version_flag("--version", std::string("sluice-worker " SLUICE_VERSION));
  Identity identity;
  app.add_option("--attach", identity.address, "Address of the server's worker socket")->required();
  app.add_option("--session", identity.session, "Name of the session")->required();
  app.add_option("--token", identity.token, "What the server knows this worker by")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  Orders orders;
  Outbox outbox;
  // Without a server nobody can use a result: the solver is not waited for.
  Link link(identity, orders, outbox, [] { _exit(3); });
  std::optional<Job> job = link.receive_job();
  if (!job) {
    fmt::print(stderr, "the server at {} gave no job\n", identity.address);
    return 3;
  }
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("worker", std::make_shared<LogSink>(outbox)));
  link.start();
  link.finish(simulate(*std::move(job), make, orders, outbox));
  return 0;
}

}  // namespace sluice::worker
