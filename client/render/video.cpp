// SPDX-License-Identifier: Apache-2.0
#include "client/render/video.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include "client/files/file_error.h"

namespace sluice::render {
namespace {

using files::FileError;

/// A program that was started with one end of a socket as its standard input and output. A socket,
/// not a pipe: writing to one whose reader has ended can be told to raise no signal.
struct Child {
  pid_t pid{-1};
  int socket{-1};
};

Child start(std::vector<std::string> words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw FileError(fmt::format("no socket: {}", std::strerror(errno)));
  }
  const pid_t pid = ::fork();
  if (pid == 0) {
    // A process group of its own, so that Ctrl-C does not end it behind our back.
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(ends[1], STDIN_FILENO);
    ::dup2(ends[1], STDOUT_FILENO);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  if (pid < 0) {
    ::close(ends[0]);
    throw FileError(fmt::format("cannot fork: {}", std::strerror(errno)));
  }
  return {pid, ends[0]};
}

int wait_for_end(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string read_all(int socket) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t count = ::read(socket, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return text;
    }
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

std::optional<std::string> find_video_encoder() {
  const Child child =
      start({"ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "quiet", "-encoders"});
  const std::string list = read_all(child.socket);
  ::close(child.socket);
  if (wait_for_end(child.pid) != 0) {
    return {};
  }
  for (const char* const encoder : {"libx264", "libopenh264", "mpeg4"}) {
    if (list.find(fmt::format(" {} ", encoder)) != std::string::npos) {
      return encoder;
    }
  }
  return {};
}

struct Video::Process : Child {};

Video::Video(std::filesystem::path path, int width, int height, double frames_per_second,
             const std::string& encoder)
    : path_(std::move(path)),
      part_(path_.parent_path() /
            fmt::format(".{}.{}.part", path_.filename().string(), ::getpid())),
      process_(std::make_unique<Process>()) {
  std::vector<std::string> words{
      "ffmpeg", "-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo", "-pixel_format",
      "rgb24", "-video_size", fmt::format("{}x{}", width, height), "-framerate",
      fmt::format("{}", frames_per_second), "-i", "pipe:0", "-an",
      // Chroma is halved, so both sides must be even.
      "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-c:v", encoder};
  if (encoder == "libx264") {
    words.insert(words.end(), {"-preset", "veryfast", "-crf", "18"});
  } else if (encoder == "libopenh264") {
    words.insert(words.end(), {"-b:v", "12M"});
  } else {
    words.insert(words.end(), {"-q:v", "3"});
  }
  words.insert(words.end(), {"-movflags", "+faststart", "-f", "mp4", part_.string()});
  static_cast<Child&>(*process_) = start(words);
}

Video::~Video() {
  if (process_->pid > 0) {
    ::close(process_->socket);
    ::kill(process_->pid, SIGKILL);
    wait_for_end(process_->pid);
    ::unlink(part_.c_str());
  }
}

void Video::add(const Image& image) {
  const auto* data = image.rgb.data();
  std::size_t left = image.rgb.size();
  while (left > 0) {
    const ssize_t count = ::send(process_->socket, data, left, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      throw FileError(fmt::format("ffmpeg ended while it wrote '{}'", path_.string()));
    }
    data += count;
    left -= static_cast<std::size_t>(count);
  }
}

void Video::finish() {
  ::shutdown(process_->socket, SHUT_WR);
  read_all(process_->socket);
  ::close(process_->socket);
  const int status = wait_for_end(process_->pid);
  process_->pid = -1;
  if (status != 0 || ::rename(part_.c_str(), path_.c_str()) != 0) {
    ::unlink(part_.c_str());
    throw FileError(fmt::format("ffmpeg could not write '{}'", path_.string()));
  }
}

}  // namespace sluice::render
