// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "client/cli/commands/commands.h"
#include "client/cli/interrupt.h"
#include "client/cli/message_json.h"
#include "client/cli/output.h"
#include "client/cli/session_follow.h"
#include "sluice/session_watch.h"

namespace sluice::cli {
namespace {

ExitCode watch(const Program& program, const std::string& session) {
  client::SessionWatch events(program.connect(), session, stop_on_interrupt());
  std::optional<Progress> progress;
  if (!program.json) {
    progress.emplace();
  }
  v1::Session last;
  v1::SessionState last_state = v1::SESSION_STATE_UNSPECIFIED;
  while (const auto event = events.next()) {
    last = event->session();
    if (progress) {
      show_event(*event, last_state, *progress);
    } else {
      print_json(to_json(*event));
    }
  }
  if (progress) {
    progress->finish();
    if (!was_interrupted()) {
      print_data(last.name() + " " + short_name(last.state()));
    }
  }
  return report_end(last);
}

}  // namespace

void add_watch_command(CLI::App& app, Program& program) {
  CLI::App* command =
      app.add_subcommand("watch", "Shows a session's progress until it ends; Ctrl-C leaves it be.");
  command->footer("  sluice watch sessions/4f2a9c01\n  sluice watch 4f2a9c01 --json");
  const auto session = std::make_shared<std::string>();
  command->add_option("session", *session, "Name of the session")->required();
  command->callback([&program, session] {
    program.action = [&program, session] { return watch(program, full_name(*session)); };
  });
}

}  // namespace sluice::cli
