// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "client/render/image.h"

namespace sluice::render {

/// The encoder that the `ffmpeg` on the PATH would write an MP4 with: libx264, libopenh264 or
/// mpeg4, whichever it has first; nothing without ffmpeg or without any of them.
[[nodiscard]] std::optional<std::string> find_video_encoder();

/// Writes an MP4 file with the `ffmpeg` on the PATH, a program of its own that is fed raw pictures.
/// The file appears when it is whole.
class Video {
 public:
  /// `frames_per_second` in [1, 240]. Throws `files::FileError` when ffmpeg cannot be started.
  Video(std::filesystem::path path, int width, int height, double frames_per_second,
        const std::string& encoder);
  Video(const Video&) = delete;
  Video& operator=(const Video&) = delete;

  /// Ends ffmpeg and removes what it wrote, unless `finish` was called.
  ~Video();

  /// Adds a picture of the video's size. Throws `files::FileError` when ffmpeg has ended.
  void add(const Image& image);

  /// Completes the file. Throws `files::FileError` when ffmpeg failed.
  void finish();

 private:
  struct Process;
  std::filesystem::path path_;
  std::filesystem::path part_;
  std::unique_ptr<Process> process_;
};

}  // namespace sluice::render
