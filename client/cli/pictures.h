// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/cli/command.h"
#include "client/cli/destinations.h"
#include "client/files/whole_file.h"
#include "client/render/contact_sheet.h"
#include "client/render/renderer.h"
#include "client/render/video.h"

namespace sluice::cli {

/// Which pictures of a session are wanted, and where.
struct PictureOptions {
  std::string png_folder{};
  std::string video{};
  std::string contact_sheet{};
  std::int64_t every{1};
  std::string size{"1280x720"};
  std::vector<double> camera{};
  bool surfaces{false};
  bool cells{false};
  files::OtherContent other_content{
      files::OtherContent::replace};  ///< For the pictures in `png_folder`.

  /// Adds all but the folder, which is called differently in each command.
  void add_to(Command command);

  /// Where pictures, film and sheet go.
  [[nodiscard]] Destinations destinations() const {
    return {.pictures = png_folder, .video = video, .contact_sheet = contact_sheet};
  }

  /// Whether an option other than where pictures go was given.
  [[nodiscard]] bool says_how_to_draw() const {
    const PictureOptions usual;
    return every != usual.every || size != usual.size || !camera.empty() || surfaces || cells;
  }

  /// Throws `CommandError` for a bad size or camera: before a server is asked for anything.
  void check() const;

  [[nodiscard]] bool any() const {
    return !png_folder.empty() || !video.empty() || !contact_sheet.empty();
  }
};

/// Makes pictures of frames as they come: PNG files, a film, a contact sheet.
class Pictures {
 public:
  /// `options` must pass check(). `last_index`: of the session when it is through. Without ffmpeg
  /// no film is made, and a message says so.
  Pictures(PictureOptions options, const v1::Scene& scene, std::int64_t last_index,
           int thread_count);

  /// Draws a frame, if any output wants it.
  void add(const client::Frame& frame, const v1::Layout& layout);

  /// Completes film and contact sheet, with what there is. Returns the files and folders.
  std::vector<std::string> finish();

 private:
  PictureOptions options_;
  render::RenderOptions render_options_;
  render::Renderer renderer_;
  render::ContactSheet sheet_;
  std::optional<std::string> encoder_;
  std::unique_ptr<render::Video> video_;
  std::int64_t picture_count_{0};
};

}  // namespace sluice::cli
