// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "client/render/image.h"

namespace sluice::render {

/// Finds an encoder for MP4 files: the first of libx264, libopenh264 and mpeg4 that the `ffmpeg` on
/// the PATH has. Nothing without ffmpeg or without any of them.
[[nodiscard]] std::optional<std::string> find_video_encoder();

/// Writes an MP4 file with the `ffmpeg` on the PATH, which runs as a process and gets raw pictures.
/// The file appears when it is complete.
class Video {
 public:
  /// `frames_per_second` in [1, 240]. Throws `files::FileError` when ffmpeg cannot be started.
  Video(std::filesystem::path path, int width, int height, double frames_per_second,
        const std::string& encoder);
  Video(const Video&) = delete;
  Video& operator=(const Video&) = delete;

  /// Ends ffmpeg and removes the partial file, unless `finish` was called.
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
