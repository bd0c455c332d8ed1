// SPDX-License-Identifier: Apache-2.0
#include "sluice/server.h"

#include <fmt/format.h>
#include <google/protobuf/util/time_util.h>

#include "client/cli/commands/commands.h"
#include "client/cli/message_json.h"
#include "client/cli/output.h"
#include "client/cli/visible_text.h"
#include "sluice/version.h"

namespace sluice::cli {
namespace {

ExitCode print_server(const Program& program) {
  const client::Connection connection = program.connect();
  const v1::ServerInfo info = client::get_server_info(connection);
  if (program.json) {
    print_json(to_json(info));
    return ExitCode::done;
  }
  std::string methods;
  for (const std::string& method : info.coupling_methods()) {
    methods += (methods.empty() ? "" : ", ") + method;
  }
  const v1::Limits& limits = info.limits();
  print_data(format_table({
      {"address", connection.address()},
      {"viewer", info.viewer_url().empty() ? "none" : info.viewer_url()},
      {"version", info.version()},
      {"build", info.build()},
      {"started", google::protobuf::util::TimeUtil::ToString(info.start_time())},
      {"coupling methods", methods},
      {"running sessions", fmt::format("at most {}", limits.running_sessions())},
      {"stored sessions", fmt::format("at most {}", limits.stored_sessions())},
      {"particles a scene", fmt::format("at most {}", limits.particles_per_scene())},
      {"vertices a scene", fmt::format("at most {}", limits.vertices_per_scene())},
      {"frames a session", fmt::format("at most {}", limits.frames_per_session())},
      {"frame", fmt::format("at most {}", format_bytes(limits.frame_bytes()))},
      {"asset", fmt::format("at most {}", format_bytes(limits.asset_bytes()))},
      {"message", fmt::format("at most {}", format_bytes(limits.message_bytes()))},
      {"disk kept free", format_bytes(limits.reserved_disk_bytes())},
      {"worker's memory", fmt::format("at most {}", format_bytes(limits.worker_memory_bytes()))},
      {"worker's threads", fmt::format("at most {}", limits.threads_per_session())},
      {"streams", fmt::format("at most {}", limits.streams())},
  }));
  for (const std::string& finding : info.findings()) {
    print_message(fmt::format("at its start: {}", visible(finding)));
  }
  return ExitCode::done;
}

}  // namespace

void print_version(bool json) {
  if (json) {
    print_json({{"version", client::version()}});
  } else {
    print_data(fmt::format("sluice {}", client::version()));
  }
}

void add_server_command(Command root, Program& program) {
  const Command command =
      root.add_command("server", "Prints a server's version and limits, if it can be reached.");
  command.examples("  sluice server\n  sluice --server host:7780 server --json");
  command.on_parsed([&program] { program.action = [&program] { return print_server(program); }; });
}

void add_version_command(Command root, Program& program) {
  const Command command = root.add_command("version", "Prints the version of this program.");
  command.examples("  sluice version\n  sluice --version");
  command.on_parsed([&program] {
    program.action = [&program] {
      print_version(program.json);
      return ExitCode::done;
    };
  });
}

}  // namespace sluice::cli
