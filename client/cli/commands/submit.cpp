// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "client/cli/commands/commands.h"
#include "client/cli/commands/submission.h"
#include "client/cli/message_json.h"
#include "client/cli/output.h"
#include "client/cli/warning_log.h"
#include "sluice/session.h"

namespace sluice::cli {
namespace {

struct SubmitOptions {
  SubmissionOptions submission;
  std::string id;
  std::string display_name;
  std::string request_id;
  bool paused{false};
};

ExitCode submit(const Program& program, const SubmitOptions& options) {
  const client::Connection connection = program.connect();
  const auto scene = prepare_scene(connection, options.submission.scene, program.json);
  if (!scene) {
    return ExitCode::usage;
  }
  client::CreateOptions create{options.display_name, options.id, options.request_id,
                               options.submission.run_options(),
                               options.submission.recorded_commands()};
  create.run.set_start_paused(options.paused);
  const v1::Session session = client::create_session(connection, *scene, create);
  // A new session has no warnings yet; one that was submitted before (--request-id) may have some.
  WarningLog warnings;
  for (const std::string& line : warnings.add(session)) {
    print_message(line);
  }
  if (program.json) {
    print_json(to_json(session));
  } else {
    print_data(session.name());
  }
  return ExitCode::done;
}

}  // namespace

void add_submit_command(Command root, Program& program) {
  const Command command =
      root.add_command("submit", "Hands a scene to a server and prints the new session's name.");
  command.examples(
      "  sluice submit scene.json\n"
      "  sluice --server host:7780 submit scene.json --frames 240 --id evening-run\n"
      "  sluice watch $(sluice submit scene.json)\n"
      "  sluice verify $(sluice submit scene.json --certify)\n"
      "  sluice submit scene.json --commands steered.json     a replay: the same frames again");
  const auto options = std::make_shared<SubmitOptions>();
  command.add_option("scene", options->submission.scene, "Scene file (.json, .textproto, .binpb)")
      .required();
  options->submission.add_to(command);
  command.add_option("--id", options->id, "Last part of the session's name; else chosen for you");
  command.add_option("--name", options->display_name, "Name for people; else the scene's");
  command.add_option("--request-id", options->request_id,
                     "Submitting again with the same id answers with the same session");
  command.add_flag("--paused", options->paused, "Hold it at frame 0, to be resumed or stepped");
  command.on_parsed([&program, options] {
    program.action = [&program, options] { return submit(program, *options); };
  });
}

}  // namespace sluice::cli
