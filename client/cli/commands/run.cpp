// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <thread>

#include "client/cli/certificate.h"
#include "client/cli/command_error.h"
#include "client/cli/commands/commands.h"
#include "client/cli/commands/submission.h"
#include "client/cli/export/frame_export.h"
#include "client/cli/interrupt.h"
#include "client/cli/message_json.h"
#include "client/cli/output.h"
#include "client/cli/render/pictures.h"
#include "client/cli/session_follow.h"
#include "sluice/private_server.h"
#include "sluice/server.h"
#include "sluice/session.h"

namespace sluice::cli {
namespace {

struct RunOptions {
  SubmissionOptions submission;
  std::string folder;
  ExportOptions files;
  std::string data_directory;
  std::string resume;
  std::string web{"127.0.0.1:0"};
  render::PictureOptions pictures;
};

/// The newest session that is not through yet, else the newest.
v1::Session find_session(const client::Connection& connection, const std::string& directory) {
  const std::vector<v1::Session> sessions = client::list_sessions(connection);
  if (sessions.empty()) {
    throw CommandError(ExitCode::usage, "there is no session in '" + directory + "'");
  }
  for (const v1::Session& session : sessions) {
    if (!client::is_terminal(session.state())) {
      return session;
    }
  }
  return sessions.front();
}

/// Creates the session, or finds the one to go on with; nothing for an invalid scene.
std::optional<v1::Session> begin(const Program& program, const RunOptions& options,
                                 const client::Connection& connection) {
  if (!options.resume.empty()) {
    v1::Session session = find_session(connection, options.resume);
    if (session.state() == v1::SESSION_STATE_PAUSED) {
      session = client::resume_session(connection, session.name());
    }
    return session;
  }
  const auto scene = prepare_scene(connection, options.submission.scene, program.json);
  if (!scene) {
    return {};
  }
  return client::create_session(connection, *scene,
                                {.run = options.submission.run_options(),
                                 .recorded_commands = options.submission.recorded_commands()});
}

/// What is done with the frames of a run while they come.
class Outputs {
 public:
  Outputs(const RunOptions& options, const client::Connection& connection,
          const v1::Session& session) {
    const v1::Scene scene = client::get_session_scene(connection, session.name());
    if (!options.folder.empty()) {
      files_.emplace(options.folder, options.files, scene);
      made_.push_back(options.folder);
    }
    if (options.pictures.any()) {
      const auto cores = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
      pictures_.emplace(options.pictures, scene,
                        std::max<std::int64_t>(session.total_frame_count() - 1, 0), cores);
    }
  }

  void add(const client::Frame& frame, const v1::Layout& layout) {
    certificate_.add(frame);
    if (files_) {
      files_->write(frame, layout);
    }
    if (pictures_) {
      pictures_->add(frame, layout);
    }
  }

  [[nodiscard]] const CertificateSum& certificate() const { return certificate_; }

  std::vector<std::string> finish() {
    if (files_) {
      files_->finish();
    }
    if (pictures_) {
      const std::vector<std::string> pictures = pictures_->finish();
      made_.insert(made_.end(), pictures.begin(), pictures.end());
    }
    return made_;
  }

 private:
  CertificateSum certificate_;
  std::optional<FrameExport> files_;
  std::optional<render::Pictures> pictures_;
  std::vector<std::string> made_;
};

/// Takes a session's frames as they come and shows how far it is. Returns the session in the end.
v1::Session follow(const client::Connection& connection, const v1::Session& begun,
                   const std::stop_token& stop, Outputs& outputs) {
  Progress progress;
  progress.update(progress_of(begun));
  {
    const ProgressThread shown(connection, begun.name(), progress);
    for_each_frame(
        connection, {.session = begun.name()}, stop,
        [&](const client::Frame& frame, const v1::Layout& layout) { outputs.add(frame, layout); });
  }
  v1::Session session = client::get_session(connection, begun.name());
  progress.update(progress_of(session));
  progress.finish();
  return session;
}

void say_how_to_go_on(const RunOptions& options, const std::filesystem::path& data,
                      const v1::Session& session) {
  std::string command = "sluice run --resume " + data.string();
  if (!options.folder.empty()) {
    command += " -o " + options.folder;
  }
  print_message(fmt::format("interrupted at frame {} of {}; nothing is lost. To go on:\n  {}",
                            std::max<std::int64_t>(session.frame_count() - 1, 0),
                            session.total_frame_count() - 1, command));
}

void print_end(const Program& program, const v1::Session& session,
               const std::vector<std::string>& made) {
  if (program.json) {
    print_json({{"session", to_json(session)}, {"outputs", made}});
    return;
  }
  for (const std::string& output : made) {
    print_data(output);
  }
}

void say_where_to_watch(const client::Connection& connection, const v1::Session& session) {
  const std::string viewer = client::get_server_info(connection).viewer_url();
  if (!viewer.empty()) {
    print_message(fmt::format("watch it: {}/{}", viewer, session.name()));
  }
}

ExitCode run(const Program& program, RunOptions options) {
  if (options.submission.scene.empty() == options.resume.empty()) {
    throw CommandError(ExitCode::usage, "say either a scene or --resume DIR");
  }
  if (!options.resume.empty() &&
      (!options.submission.commands.empty() || options.submission.certify)) {
    throw CommandError(ExitCode::usage,
                       "--commands and --certify are for a new session, not for --resume");
  }
  if (!program.server.empty()) {
    throw CommandError(ExitCode::usage,
                       "'run' has a server of its own; 'submit' hands a scene to another");
  }
  if (options.resume.empty()) {
    const client::SceneFile scene = read_scene(options.submission.scene);
    // Frames that nobody keeps would be computed for nothing.
    if (options.folder.empty() && options.data_directory.empty() && !options.pictures.any()) {
      options.folder = scene.name + "_frames";
    }
  } else if (!std::filesystem::is_directory(options.resume)) {
    throw CommandError(ExitCode::usage, "there is no folder '" + options.resume + "'");
  }
  client::PrivateServerOptions server_options;
  server_options.data_directory = options.resume.empty() ? options.data_directory : options.resume;
  server_options.web_listen = options.web;
  client::PrivateServer server(server_options);
  const client::Connection connection(server.address());
  const std::stop_token stop = stop_on_interrupt();
  const std::optional<v1::Session> begun = begin(program, options, connection);
  if (!begun) {
    return ExitCode::usage;
  }
  v1::Session session = *begun;
  say_where_to_watch(connection, session);
  Outputs outputs(options, connection, session);
  std::vector<std::string> made;
  try {
    session = follow(connection, session, stop, outputs);
    made = outputs.finish();
  } catch (const std::exception&) {
    // A file that cannot be written, or a server that ended, is no reason to lose what was
    // computed.
    server.keep();
    print_message("the session is kept: sluice run --resume " + server.data_directory().string());
    throw;
  }
  if (was_interrupted() && !client::is_terminal(session.state())) {
    server.keep();
    server.stop();
    say_how_to_go_on(options, server.data_directory(), session);
    return ExitCode::interrupted;
  }
  if (outputs.certificate().certified_count() > 0) {
    print_message(in_words(outputs.certificate()));
  }
  print_end(program, session, made);
  return report_end(session);
}

}  // namespace

void add_run_command(CLI::App& app, Program& program) {
  CLI::App* command = app.add_subcommand(
      "run", "Simulates a scene here, with a server of its own that ends with it.");
  command->footer(
      "  sluice run scene.json -o frames                  VTK files and .pvd for ParaView\n"
      "  sluice run scene.json --mp4 film.mp4 --contact-sheet sheet.png\n"
      "  sluice run scene.json -o frames --frames 10 --threads 2\n"
      "  sluice run scene.json -o frames --certify        check every substep for crossings\n"
      "  sluice run scene.json --data-dir keep            sessions stay in keep/\n"
      "  sluice run --resume keep -o frames               after Ctrl-C: go on");
  const auto options = std::make_shared<RunOptions>();
  command->add_option("scene", options->submission.scene, "Scene file (.json, .textproto, .binpb)");
  options->submission.add_to(*command);
  command->add_option("-o,--out", options->folder,
                      "Folder for the frames' files; if nothing else is asked for, <scene>_frames");
  add_export_options(*command, options->files);
  CLI::Option* data =
      command->add_option("--data-dir", options->data_directory,
                          "Folder for the session; kept. If not given, a temporary one");
  command
      ->add_option("--web", options->web,
                   "Where to serve the viewer meanwhile: ADDRESS:PORT (port 0: any free one), "
                   "or off")
      ->capture_default_str();
  command->add_option("--resume", options->resume, "Go on with the session in this folder")
      ->excludes(data);
  command->add_option("--png", options->pictures.png_folder, "Folder for pictures, a frame each");
  options->pictures.add_to(*command);
  command->callback([&program, options] {
    program.action = [&program, options] { return run(program, *options); };
  });
}

}  // namespace sluice::cli
