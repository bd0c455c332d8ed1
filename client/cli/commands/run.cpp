// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "client/cli/certificate.h"
#include "client/cli/command_error.h"
#include "client/cli/commands/commands.h"
#include "client/cli/commands/submission.h"
#include "client/cli/destinations.h"
#include "client/cli/export/frame_export.h"
#include "client/cli/interrupt.h"
#include "client/cli/kept_sessions.h"
#include "client/cli/message_json.h"
#include "client/cli/output.h"
#include "client/cli/pictures.h"
#include "client/cli/session_follow.h"
#include "client/cli/visible_text.h"
#include "client/cli/warning_log.h"
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
  PictureOptions pictures;
  bool overwrite{false};
  bool strict{false};

  [[nodiscard]] Destinations destinations() const {
    Destinations places = pictures.destinations();
    places.frames = folder;
    return places;
  }
};

// The worker's part of the second that Ctrl-C may take. A worker that is in the middle of a frame,
// or has more to save than it can in this time, is ended, and goes on from its last checkpoint.
constexpr const char* stop_grace_ms = "400";

/// The newest session that is not through yet, else the newest.
v1::Session find_session(const client::Connection& connection, const std::string& directory) {
  const std::vector<v1::Session> sessions = client::list_sessions(connection);
  if (sessions.empty()) {
    throw CommandError(ExitCode::usage, "there is no session in '" + visible(directory) + "'");
  }
  for (const v1::Session& session : sessions) {
    if (!client::is_terminal(session.state())) {
      return session;
    }
  }
  return sessions.front();
}

/// Whether a folder is the data of a server; one that is not would be made one.
bool holds_sessions(const std::filesystem::path& folder) {
  return std::filesystem::exists(folder / "sluice.db") ||
         std::filesystem::is_directory(folder / "sessions");
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

/// Takes the frames of a run as they come, and writes the files and pictures that were asked for.
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
    last_index_ = frame.index;
    if (files_) {
      files_->write(frame, layout);
    }
    if (pictures_) {
      pictures_->add(frame, layout);
    }
  }

  [[nodiscard]] const CertificateSum& certificate() const { return certificate_; }
  /// The index of the last frame that was taken; -1 before the first.
  [[nodiscard]] std::int64_t last_index() const { return last_index_; }

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
  std::int64_t last_index_{-1};
  std::optional<FrameExport> files_;
  std::optional<Pictures> pictures_;
  std::vector<std::string> made_;
};

/// Takes a session's frames as they come and shows how far it is. Returns the session in the end.
v1::Session follow(const client::Connection& connection, const v1::Session& begun,
                   const std::stop_token& stop, Outputs& outputs, WarningLog& warnings) {
  Progress progress;
  progress.update(progress_of(begun));
  {
    const ProgressThread shown(connection, begun.name(), warnings, progress);
    for_each_frame(connection, {.session = begun.name()}, stop,
                   [&](const client::Frame& frame, const v1::Layout& layout) {
                     for (const std::string& line : warnings.add(frame)) {
                       progress.message(line);
                     }
                     outputs.add(frame, layout);
                   });
  }
  v1::Session session = client::get_session(connection, begun.name());
  progress.update(progress_of(session));
  progress.finish();
  (void)warnings.add(session);
  return session;
}

/// The command that goes on with an interrupted run, with all that this one was told to make.
std::string resume_command(const RunOptions& options, const std::filesystem::path& data) {
  std::string command = "sluice run --resume " + shell_word(data.string());
  const auto add = [&](std::string_view option, const std::string& value) {
    if (!value.empty()) {
      command += fmt::format(" {} {}", option, shell_word(value));
    }
  };
  add("-o", options.folder);
  add("--format", options.files.format == ExportFormat::ply ? "ply" : "");
  add("--surface", options.files.surface == SurfaceFiles::mesh   ? "mesh"
                   : options.files.surface == SurfaceFiles::vdb  ? "vdb"
                   : options.files.surface == SurfaceFiles::both ? "both"
                                                                 : "");
  add("--png", options.pictures.png_folder);
  add("--mp4", options.pictures.video);
  add("--contact-sheet", options.pictures.contact_sheet);
  if (options.pictures.any()) {
    const PictureOptions usual;
    add("--every",
        options.pictures.every == usual.every ? "" : fmt::format("{}", options.pictures.every));
    add("--size", options.pictures.size == usual.size ? "" : options.pictures.size);
    if (!options.pictures.camera.empty()) {
      command += fmt::format(" --camera {}", fmt::join(options.pictures.camera, " "));
    }
    command += options.pictures.surfaces ? " --draw-surfaces" : "";
    command += options.pictures.cells ? " --draw-cells" : "";
  }
  add("--web", options.web == RunOptions().web ? "" : options.web);
  command += options.strict ? " --strict" : "";
  return command;
}

void say_how_to_go_on(const RunOptions& options, const std::filesystem::path& data,
                      const v1::Session& session, const Outputs& outputs) {
  // A frame may have come just before the session counts it.
  const std::int64_t last = std::max(session.frame_count() - 1, outputs.last_index());
  std::string kept =
      last < 0 ? "no frame was ready yet"
               : fmt::format("frames 0 to {} are kept in '{}'", last, visible(data.string()));
  if (outputs.last_index() >= 0 && !options.folder.empty()) {
    kept += fmt::format(", and 0 to {} are written to '{}'", outputs.last_index(),
                        visible(options.folder));
  }
  print_message(fmt::format("interrupted at frame {} of {}; nothing is lost: {}. To go on:\n  {}",
                            std::max<std::int64_t>(last, 0), session.total_frame_count() - 1, kept,
                            visible(resume_command(options, data))));
}

void print_end(const Program& program, const v1::Session& session,
               const std::vector<std::string>& made) {
  if (program.json) {
    print_json({{"session", to_json(session)}, {"outputs", made}});
    return;
  }
  for (const std::string& output : made) {
    print_data(visible(output));
  }
}

void say_where_to_watch(const client::Connection& connection, const v1::Session& session) {
  const std::string viewer = client::get_server_info(connection).viewer_url();
  if (!viewer.empty()) {
    print_message(fmt::format("watch it: {}/{}", viewer, session.name()));
  }
}

/// Whatever way it is left after Ctrl-C, the server is not waited for longer than people wait.
class QuickStop {
 public:
  explicit QuickStop(client::PrivateServer& server) : server_(server) {}
  QuickStop(const QuickStop&) = delete;
  QuickStop& operator=(const QuickStop&) = delete;
  ~QuickStop() {
    if (was_interrupted()) {
      server_.stop(interrupt_patience);
    }
  }

 private:
  client::PrivateServer& server_;
};

/// Removes what `--overwrite` is to remove. A session that goes on writes its own files again;
/// later ones in the same folder are of another run, and stay with a warning unless told to go.
void clear_places(const RunOptions& options, const v1::Session& session) {
  const bool goes_on = !options.resume.empty();
  const OldOutput old =
      find_old_output(options.destinations(), goes_on ? session.total_frame_count() : 0);
  if (options.overwrite) {
    remove(old);
  } else if (!old.empty() && goes_on) {
    print_message(
        fmt::format("warning: {}, beyond this session's last frame {}: --overwrite "
                    "removes them",
                    fmt::join(old.in_words, "; "), session.total_frame_count() - 1));
  }
}

/// Nobody else speaks of runs that were killed, and each may take gigabytes.
void say_what_is_kept() {
  const std::vector<std::filesystem::path> kept = find_kept_sessions();
  if (kept.empty()) return;
  std::string text =
      "runs that were killed or interrupted have left sessions. 'sluice run --resume FOLDER' goes "
      "on with one; remove the folders that nobody needs:";
  for (const std::filesystem::path& folder : kept)
    text += "\n  " + visible(folder.string());
  print_message(text);
}

ExitCode run(const Program& program, RunOptions options) {
  if (options.submission.scene.empty() == options.resume.empty()) {
    throw CommandError(ExitCode::usage, "say either a scene or --resume DIR");
  }
  if (!options.resume.empty() && options.submission.says_how_to_run()) {
    throw CommandError(
        ExitCode::usage,
        "--resume goes on as the session was begun: --frames, --threads, --checkpoint-every, "
        "--commands, --certify and --fail-on are for a new one, leave them out");
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
    throw CommandError(ExitCode::usage, "there is no folder '" + visible(options.resume) + "'");
  } else if (!holds_sessions(options.resume)) {
    throw CommandError(ExitCode::usage,
                       "there is no session in '" + visible(options.resume) +
                           "': --resume takes the folder of --data-dir, or the one that an "
                           "interrupted run has named");
  }
  if (options.folder.empty() &&
      (options.files.format != ExportFormat::vtk || options.files.surface != SurfaceFiles::none)) {
    throw CommandError(ExitCode::usage, "--format and --surface are of frames' files: say -o DIR");
  }
  if (!options.pictures.any() && options.pictures.says_how_to_draw()) {
    throw CommandError(
        ExitCode::usage,
        "--every, --size, --camera, --draw-surfaces and --draw-cells are of pictures: say "
        "--png, --mp4 or --contact-sheet");
  }
  options.pictures.check();
  // A session that goes on writes the same bits again. Others are another run's work.
  if (!options.resume.empty() && !options.overwrite) {
    options.files.other_content = options.pictures.other_content = files::OtherContent::refuse;
  }
  const Destinations destinations = options.destinations();
  require_writable(destinations);
  if (!options.data_directory.empty()) {
    require_writable_folder(options.data_directory);
  }
  if (options.resume.empty() && !options.overwrite) {
    const OldOutput old = find_old_output(destinations);
    if (!old.empty()) say_what_is_kept();  // It may be of a run that can go on.
    refuse(old);
  }
  const std::stop_token stop = stop_on_interrupt();
  client::PrivateServerOptions server_options;
  server_options.data_directory = options.resume.empty() ? options.data_directory : options.resume;
  server_options.web_listen = options.web;
  server_options.arguments = {"--stop-grace-ms", stop_grace_ms};
  server_options.stop = stop;
  client::PrivateServer server(server_options);
  const QuickStop stopping(server);
  const client::Connection connection(server.address());
  const std::optional<v1::Session> begun =
      begin(program, options, client::Connection(server.address(), {.stop = stop}));
  if (!begun) {
    return ExitCode::usage;
  }
  v1::Session session = *begun;
  if (options.resume.empty()) say_what_is_kept();
  say_where_to_watch(connection, session);
  Outputs outputs(options, connection, session);
  clear_places(options, session);
  WarningLog warnings;
  std::vector<std::string> made;
  try {
    session = follow(connection, session, stop, outputs, warnings);
    made = outputs.finish();
  } catch (const std::exception&) {
    // A file that cannot be written, or a server that ended, is no reason to lose what was
    // computed.
    server.keep();
    print_message("the session is kept. To go on:\n  " +
                  visible(resume_command(options, server.data_directory())));
    throw;
  }
  const bool has_all_frames = outputs.last_index() + 1 >= session.frame_count();
  if (was_interrupted() && !(client::is_terminal(session.state()) && has_all_frames)) {
    server.keep();
    server.stop(interrupt_patience);
    say_how_to_go_on(options, server.data_directory(), session, outputs);
    return ExitCode::interrupted;
  }
  if (outputs.certificate().certified_count() > 0) {
    print_message(in_words(outputs.certificate()));
  }
  print_end(program, session, made);
  const ExitCode code = report_end(session, warnings.warnings());
  if (was_interrupted() && session.state() == v1::SESSION_STATE_SUCCEEDED) {
    print_message("interrupted after the last frame: all that was asked for is written");
  }
  return options.strict && !warnings.warnings().empty() ? ExitCode::failed : code;
}

}  // namespace

void add_run_command(Command root, Program& program) {
  const Command command = root.add_command(
      "run", "Simulates a scene here, with a server of its own that ends with it.");
  command.examples(
      "  sluice run scene.json -o frames                  VTK files and .pvd for ParaView\n"
      "  sluice run scene.json --mp4 film.mp4 --contact-sheet sheet.png\n"
      "  sluice run scene.json -o frames --frames 10 --threads 2\n"
      "  sluice run scene.json -o frames --certify        check every substep for crossings\n"
      "  sluice run scene.json --data-dir keep            sessions stay in keep/\n"
      "  sluice run --resume keep -o frames               after Ctrl-C: go on\n"
      "\n"
      "Ctrl-C ends it within a second, with exit code 130: the frames so far are kept, and the "
      "command\n"
      "that goes on is printed. A folder, film or sheet that a former run has filled is refused "
      "(exit\n"
      "code 2) unless --overwrite is given; with --resume so are another session's frames.");
  const auto options = std::make_shared<RunOptions>();
  command.add_option("scene", options->submission.scene, "Scene file (.json, .textproto, .binpb)");
  options->submission.add_to(command);
  command.add_option("-o,--out", options->folder,
                     "Folder for the frames' files; if nothing else is asked for, <scene>_frames");
  add_export_options(command, options->files);
  const CommandOption data =
      command.add_option("--data-dir", options->data_directory,
                         "Folder for the session; kept. If not given, a temporary one");
  command
      .add_option("--web", options->web,
                  "Where to serve the viewer meanwhile: ADDRESS:PORT (port 0: any free one), "
                  "or off")
      .show_default();
  command.add_option("--resume", options->resume, "Go on with the session in this folder")
      .excludes(data);
  command.add_option("--png", options->pictures.png_folder, "Folder for pictures, a frame each");
  options->pictures.add_to(command);
  add_overwrite_option(command, options->overwrite);
  command.add_flag("--strict", options->strict,
                   "Exit code 1 also for a session that succeeded with warnings");
  command.on_parsed([&program, options] {
    program.action = [&program, options] { return run(program, *options); };
  });
}

}  // namespace sluice::cli
