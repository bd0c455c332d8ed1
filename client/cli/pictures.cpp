// SPDX-License-Identifier: Apache-2.0
#include "client/cli/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "client/cli/command_error.h"
#include "client/cli/output.h"
#include "client/cli/visible_text.h"
#include "client/files/whole_file.h"

namespace sluice::cli {
namespace {

render::RenderOptions to_render_options(const PictureOptions& options, int thread_count) {
  render::RenderOptions made;
  made.thread_count = thread_count;
  made.has_surfaces = options.surfaces;
  made.has_cells = options.cells;
  const std::string& size = options.size;
  const char* end = size.data() + size.size();
  const auto width = std::from_chars(size.data(), end, made.width);
  const bool has_x = width.ec == std::errc() && width.ptr != end && *width.ptr == 'x';
  const auto height = has_x ? std::from_chars(width.ptr + 1, end, made.height) : width;
  const auto in_range = [](int pixels) { return pixels >= 64 && pixels <= 8192; };
  if (!has_x || height.ec != std::errc() || height.ptr != end || !in_range(made.width) ||
      !in_range(made.height)) {
    throw CommandError(ExitCode::usage,
                       "--size is WIDTHxHEIGHT, each in [64, 8192]; found '" + size + "'");
  }
  if (!options.camera.empty()) {
    const auto number = [&](std::size_t i) { return static_cast<float>(options.camera[i]); };
    render::Camera camera;
    camera.eye = {number(0), number(1), number(2)};
    camera.target = {number(3), number(4), number(5)};
    if (options.camera.size() > 6) {
      camera.vertical_field_of_view = number(6);
    }
    const bool good = length(camera.target - camera.eye) > 1e-6F &&
                      camera.vertical_field_of_view >= 1 && camera.vertical_field_of_view <= 150;
    if (!good) {
      throw CommandError(ExitCode::usage,
                         "--camera needs eye and target apart, and a field of view in [1, 150]");
    }
    made.camera = camera;
  }
  return made;
}

void make_parent(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (!folder.empty()) {
    files::make_folder(folder);
  }
}

// The only formats that are written: another name would promise another one. Some systems write the
// ends of names in capitals.
WordCheck ends_with(const std::string& extension) {
  return [extension](const std::string& file) {
    std::string found = std::filesystem::path(file).extension();
    std::transform(found.begin(), found.end(), found.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return found == extension ? std::string()
                              : fmt::format("'{}' does not end with {}", visible(file), extension);
  };
}

}  // namespace

void PictureOptions::add_to(Command command) {
  command.add_option("--mp4", video, "Film to write (.mp4), with the ffmpeg on the PATH")
      .check(ends_with(".mp4"));
  command
      .add_option("--contact-sheet", contact_sheet,
                  "Picture to write (.png) with 12 pictures of the run")
      .check(ends_with(".png"));
  command.add_option("--every", every, "Draw only every so many frames; if not given, 1")
      .range(1, 1'000'000);
  command.add_option("--size", size, "Of a picture, as 1280x720");
  command
      .add_option("--camera", camera,
                  "Eye, target and field of view: EX EY EZ TX TY TZ [DEGREES]; if not given, the "
                  "scene's or one that fits")
      .expected(6, 7);
  command.add_flag("--draw-surfaces", surfaces,
                   "Draw fluids as the surface around their particles, not as balls");
  command.add_flag("--draw-cells", cells,
                   "Draw the edges of a gas's cells of many sizes, in a plane through the middle; "
                   "its scene needs FIELD_CELL_LEVEL in output.fields");
}

void PictureOptions::check() const { static_cast<void>(to_render_options(*this, 1)); }

Pictures::Pictures(PictureOptions options, const v1::Scene& scene, std::int64_t last_index,
                   int thread_count)
    : options_(std::move(options)),
      render_options_(to_render_options(options_, thread_count)),
      renderer_(scene, render_options_),
      sheet_(last_index, options_.every, render_options_.width, render_options_.height) {
  const auto& fields = scene.output().fields();
  if (options_.cells && !scene.has_gas()) {
    throw CommandError(ExitCode::usage,
                       "--draw-cells is of a gas, and this scene has none: of a liquid, the cells "
                       "without particles are drawn in any case, but not with --draw-surfaces");
  }
  if (options_.cells &&
      std::find(fields.begin(), fields.end(), v1::FIELD_CELL_LEVEL) == fields.end()) {
    throw CommandError(ExitCode::usage,
                       "--draw-cells needs FIELD_CELL_LEVEL in the scene's output.fields: its "
                       "frames do not say where cells are");
  }
  if (!options_.png_folder.empty()) {
    files::make_folder(options_.png_folder);
  }
  if (!options_.contact_sheet.empty()) {
    make_parent(options_.contact_sheet);
  }
  if (!options_.video.empty()) {
    make_parent(options_.video);
    encoder_ = render::find_video_encoder();
    if (!encoder_) {
      print_message("no film is made: ffmpeg with an MP4 encoder is not on the PATH");
    }
  }
}

void Pictures::add(const client::Frame& frame, const v1::Layout& layout) {
  if (frame.index % options_.every != 0) {
    return;
  }
  const bool on_sheet = !options_.contact_sheet.empty() && sheet_.wants(frame.index);
  if (options_.png_folder.empty() && !encoder_ && !on_sheet) {
    return;
  }
  const render::Image image = renderer_.draw(frame, layout);
  ++picture_count_;
  if (!options_.png_folder.empty()) {
    render::write_png(
        std::filesystem::path(options_.png_folder) / fmt::format("{:06}.png", frame.index), image,
        options_.other_content);
  }
  if (encoder_) {
    if (!video_) {
      const double rate = layout.frames_per_second() / static_cast<double>(options_.every);
      video_ = std::make_unique<render::Video>(options_.video, image.width, image.height,
                                               std::clamp(rate, 1.0, 240.0), *encoder_);
    }
    video_->add(image);
  }
  if (on_sheet) {
    sheet_.add(frame.index, image);
  }
}

std::vector<std::string> Pictures::finish() {
  std::vector<std::string> made;
  if (picture_count_ == 0) {
    return made;
  }
  if (!options_.png_folder.empty()) {
    made.push_back(options_.png_folder);
  }
  if (video_) {
    video_->finish();
    made.push_back(options_.video);
  }
  if (!options_.contact_sheet.empty()) {
    render::write_png(options_.contact_sheet, sheet_.page());
    made.push_back(options_.contact_sheet);
  }
  return made;
}

}  // namespace sluice::cli
