// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/cli/choice.h"
#include "client/cli/command_error.h"
#include "client/cli/commands/commands.h"
#include "client/cli/destinations.h"
#include "client/cli/export/frame_export.h"
#include "client/cli/interrupt.h"
#include "client/cli/output.h"
#include "client/cli/session_follow.h"
#include "client/cli/visible_text.h"
#include "sluice/session.h"

namespace sluice::cli {
namespace {

struct FramesOptions {
  std::string session;
  std::string folder;
  ExportOptions files;
  bool digest{false};
  bool existing{false};
  bool overwrite{false};
  bool latest{false};
  std::optional<std::int64_t> first;
  std::int32_t stride{1};
  std::vector<std::string> bodies;
  v1::Codec codec{v1::CODEC_F32};
};

client::FrameQuery to_query(const FramesOptions& options) {
  client::FrameQuery query{.session = session_resource_name(options.session)};
  query.first_index = options.first;
  query.stride = options.stride;
  query.bodies = options.bodies;
  query.codec = options.codec;
  query.existing_only = options.existing;
  query.latest = options.latest;
  query.max_in_flight = options.latest ? 1 : 0;
  return query;
}

void print_digest(const Program& program, const client::Frame& frame) {
  const std::string sha = client::digest(frame);
  if (program.json) {
    print_json({{"index", frame.index}, {"sha256", sha}});
  } else {
    print_data(fmt::format("{} {}", frame.index, sha));
  }
}

ExitCode download(const Program& program, const FramesOptions& options) {
  if (options.digest == !options.folder.empty()) {
    throw CommandError(ExitCode::usage, "say either -o DIR or --digest");
  }
  if (options.digest && options.codec != v1::CODEC_F32) {
    throw CommandError(ExitCode::usage, "--digest is of the exact numbers: leave --codec out");
  }
  if (options.digest && (options.overwrite || options.files.format != ExportFormat::vtk ||
                         options.files.surface != SurfaceFiles::none)) {
    throw CommandError(ExitCode::usage,
                       "--digest writes no files: leave --format, --surface and --overwrite out");
  }
  const Destinations destinations{.frames = options.folder};
  require_writable(destinations);
  const OldOutput old = find_old_output(destinations, options.first.value_or(0));
  if (!options.overwrite) {
    refuse(old);
  }
  const std::stop_token stop = stop_on_interrupt();
  const client::Connection connection = program.connect({.stop = stop});
  const client::FrameQuery query = to_query(options);
  if (options.digest) {
    for_each_frame(connection, query, stop, [&](const client::Frame& frame, const v1::Layout&) {
      print_digest(program, frame);
    });
  } else {
    const v1::Session session = client::get_session(connection, query.session);
    FrameExport files(options.folder, options.files,
                      client::get_session_scene(connection, query.session));
    remove(old);
    files.continue_series(options.first.value_or(0));
    Progress progress;
    const ProgressState total = progress_of(session);
    for_each_frame(connection, query, stop,
                   [&](const client::Frame& frame, const v1::Layout& layout) {
                     files.write(frame, layout);
                     progress.update({frame.index, total.frame_total, 0});
                   });
    files.finish();
    progress.finish();
    if (program.json) {
      print_json({{"session", query.session},
                  {"directory", options.folder},
                  {"frame_count", files.frame_count()},
                  {"file_count", files.file_count()}});
    } else {
      print_data(visible(options.folder));
      print_message(fmt::format("{} frames in {} files", files.frame_count(), files.file_count()));
    }
  }
  if (options.existing || was_interrupted()) {
    return ExitCode::done;
  }
  return report_end(client::get_session(connection, query.session));
}

}  // namespace

void add_export_options(Command command, ExportOptions& options) {
  add_choice<ExportFormat>(command, "--format", options.format,
                           {{"vtk", ExportFormat::vtk}, {"ply", ExportFormat::ply}},
                           "vtk (.vtp, .vtu and .vti with .pvd series) or ply; if not given, vtk");
  add_choice<SurfaceFiles>(
      command, "--surface", options.surface,
      {{"mesh", SurfaceFiles::mesh}, {"vdb", SurfaceFiles::vdb}, {"both", SurfaceFiles::both}},
      "Also the surface around the particles of each fluid: as a mesh, as an OpenVDB level set, or "
      "both; it takes about a second a frame for 10,000 particles. "
      "With OpenVDB also a gas: density, temperature, dye, vel");
}

void add_frames_command(Command root, Program& program) {
  const Command command = root.add_command(
      "frames", "Downloads a session's frames, those to come included, or prints their digests.");
  command.examples(
      "  sluice frames sessions/4f2a9c01 -o frames             VTK files and .pvd for ParaView\n"
      "  sluice frames 4f2a9c01 -o frames --format ply --stride 10\n"
      "  sluice frames 4f2a9c01 -o frames --surface vdb        level sets and gases for Houdini\n"
      "  sluice frames 4f2a9c01 --digest --existing            a line a frame: index sha256");
  const auto options = std::make_shared<FramesOptions>();
  command.add_option("session", options->session, "Name of the session").required();
  command.add_option("-o,--out", options->folder, "Folder for the files");
  add_export_options(command, options->files);
  add_overwrite_option(command, options->overwrite);
  command.add_flag("--digest", options->digest,
                   "Print index and SHA-256 of each frame's exact float32 content");
  command.add_flag("--existing", options->existing, "Only frames that are there now; no waiting");
  command.add_flag("--latest", options->latest,
                   "Skip frames rather than fall behind a running session");
  command
      .add_option("--from", options->first,
                  "First frame; if not given, 0. Files of earlier frames in the folder stay")
      .range(0, 1'000'000);
  command.add_option("--stride", options->stride, "Only every so many frames").range(1, 1'000'000);
  command.add_option("--body", options->bodies, "Only this body; may be said several times")
      .expected(1)
      .take_all();
  add_choice<v1::Codec>(
      command, "--codec", options->codec,
      {{"f32", v1::CODEC_F32}, {"q16", v1::CODEC_Q16_PLANES_ZSTD}},
      "f32: the exact numbers; q16: 16 bits a number, a fifth of the bytes on the way; if not "
      "given, f32");
  command.on_parsed([&program, options] {
    program.action = [&program, options] { return download(program, *options); };
  });
}

}  // namespace sluice::cli
