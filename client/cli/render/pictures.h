// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "client/cli/destinations.h"
#include "client/cli/export/whole_file.h"
#include "client/cli/render/contact_sheet.h"
#include "client/cli/render/renderer.h"
#include "client/cli/render/video.h"

namespace sluice::render {

/// Which pictures of a session are wanted, and where.
struct PictureOptions {
  std::string png_folder{};
  std::string video{};
  std::string contact_sheet{};
  std::int64_t every{1};
  std::string size{"1280x720"};
  std::vector<double> camera{};
  bool surfaces{false};
  cli::OtherContent other_content{
      cli::OtherContent::replace};  ///< For the pictures in `png_folder`.

  /// Adds all but the folder, which is called differently in each command.
  void add_to(CLI::App& command);

  /// Where pictures, film and sheet go.
  [[nodiscard]] cli::Destinations destinations() const {
    return {.pictures = png_folder, .video = video, .contact_sheet = contact_sheet};
  }

  /// Whether an option other than where pictures go was given.
  [[nodiscard]] bool says_how_to_draw() const {
    const PictureOptions usual;
    return every != usual.every || size != usual.size || !camera.empty() || surfaces;
  }

  [[nodiscard]] bool any() const {
    return !png_folder.empty() || !video.empty() || !contact_sheet.empty();
  }
};

/// Makes pictures of frames as they come: PNG files, a film, a contact sheet.
class Pictures {
 public:
  /// `last_index`: of the session when it is through. Throws `cli::CommandError` for a bad size or
  /// camera. Without ffmpeg no film is made, and a message says so.
  Pictures(PictureOptions options, const v1::Scene& scene, std::int64_t last_index,
           int thread_count);

  /// Draws a frame, if any output wants it.
  void add(const client::Frame& frame, const v1::Layout& layout);

  /// Completes film and contact sheet, with what there is. Returns the files and folders.
  std::vector<std::string> finish();

 private:
  PictureOptions options_;
  RenderOptions render_options_;
  Renderer renderer_;
  ContactSheet sheet_;
  std::optional<std::string> encoder_;
  std::unique_ptr<Video> video_;
  std::int64_t picture_count_{0};
};

}  // namespace sluice::render
