// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "client/cli/command_error.h"
#include "client/cli/commands/commands.h"
#include "client/cli/destinations.h"
#include "client/cli/interrupt.h"
#include "client/cli/output.h"
#include "client/cli/pictures.h"
#include "client/cli/session_follow.h"
#include "client/cli/visible_text.h"
#include "sluice/session.h"

namespace sluice::cli {
namespace {

struct SessionPictures {
  std::string session;
  bool existing{false};
  bool overwrite{false};
  PictureOptions pictures;
};

ExitCode draw(const Program& program, const SessionPictures& options) {
  if (!options.pictures.any()) {
    throw CommandError(ExitCode::usage, "say what to make: -o DIR, --mp4 or --contact-sheet");
  }
  options.pictures.check();
  const Destinations destinations = options.pictures.destinations();
  require_writable(destinations);
  const OldOutput old = find_old_output(destinations);
  if (!options.overwrite) {
    refuse(old);
  }
  const std::stop_token stop = stop_on_interrupt();
  const client::Connection connection = program.connect({.stop = stop});
  const std::string name = session_resource_name(options.session);
  const v1::Session session = client::get_session(connection, name);
  const bool goes_on = !client::is_terminal(session.state()) && !options.existing;
  const std::int64_t count = goes_on ? session.total_frame_count() : session.frame_count();
  const auto cores = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
  Pictures pictures(options.pictures, client::get_session_scene(connection, name),
                    std::max<std::int64_t>(count - 1, 0), cores);
  remove(old);
  client::FrameQuery query{.session = name};
  query.stride = static_cast<std::int32_t>(options.pictures.every);
  query.first_index = 0;
  query.existing_only = options.existing;
  Progress progress;
  const std::int64_t drawn = for_each_frame(
      connection, query, stop, [&](const client::Frame& frame, const v1::Layout& layout) {
        pictures.add(frame, layout);
        progress.update({frame.index, std::max<std::int64_t>(count - 1, 0), 0});
      });
  progress.finish();
  const std::vector<std::string> made = pictures.finish();
  if (program.json) {
    print_json({{"session", name}, {"frame_count", drawn}, {"outputs", made}});
  } else {
    for (const std::string& output : made) {
      print_data(visible(output));
    }
  }
  if (!goes_on || was_interrupted()) {
    return ExitCode::done;
  }
  return report_end(client::get_session(connection, name));
}

}  // namespace

void add_render_command(Command root, Program& program) {
  const Command command =
      root.add_command("render", "Draws a session's frames, those to come included.");
  command.examples(
      "  sluice render 4f2a9c01 -o pictures --mp4 film.mp4 --contact-sheet sheet.png\n"
      "  sluice render 4f2a9c01 -o pictures --every 10 --size 1920x1080\n"
      "  sluice render 4f2a9c01 -o pictures --camera 2 -3 1.5 0 0 0.5");
  const auto options = std::make_shared<SessionPictures>();
  command.add_option("session", options->session, "Name of the session").required();
  command.add_option("-o,--out", options->pictures.png_folder, "Folder for 000000.png and so on");
  command.add_flag("--existing", options->existing, "Only frames that are there now; no waiting");
  options->pictures.add_to(command);
  add_overwrite_option(command, options->overwrite);
  command.on_parsed([&program, options] {
    program.action = [&program, options] { return draw(program, *options); };
  });
}

}  // namespace sluice::cli
