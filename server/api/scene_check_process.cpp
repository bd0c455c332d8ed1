// SPDX-License-Identifier: Apache-2.0
#include "server/api/scene_check_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <tuple>
#include <utility>

#include "server/api/scene_check.h"
#include "server/session/child_process.h"
#include "server/session/executor.h"

namespace sluice::api {
namespace {

using session::internal_error;
using session::Result;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds ask_interval{20};

/// A file in memory, without a name.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("scene", MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (descriptor_ >= 0) {
      close(descriptor_);
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
  return true;
}

/// A child that is killed and reaped with the object.
class Child {
 public:
  explicit Child(const session::StartedChild& started)
      : started_(started), handle_(static_cast<int>(syscall(SYS_pidfd_open, started.pid, 0))) {}
  ~Child() {
    if (!reaped_) {
      kill(started_.pid, SIGKILL);
      waitpid(started_.pid, nullptr, 0);
    }
    close(started_.error_output);
    if (handle_ >= 0) {
      close(handle_);
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Waits a moment for its end; whether it ended.
  bool wait(milliseconds patience) {
    std::array<pollfd, 2> polled{pollfd{handle_, POLLIN, 0},
                                 pollfd{is_silent_ ? -1 : started_.error_output, POLLIN, 0}};
    poll(polled.data(), polled.size(), static_cast<int>(patience.count()));
    std::array<char, 4096> buffer{};
    for (ssize_t count = 1; count > 0;) {  // Its last words tell why it ended.
      count = read(started_.error_output, buffer.data(), buffer.size());
      if (count > 0) {
        words_.append(buffer.data(), static_cast<std::size_t>(count));
        words_.erase(0, words_.size() - std::min<std::size_t>(words_.size(), 500));
      }
      is_silent_ = count == 0;
    }
    reaped_ = waitpid(started_.pid, &status_, WNOHANG) == started_.pid;
    return reaped_;
  }
  [[nodiscard]] bool succeeded() const { return WIFEXITED(status_) && WEXITSTATUS(status_) == 0; }
  [[nodiscard]] std::string end_in_words() const {
    const bool killed = WIFSIGNALED(status_);
    std::string words =
        session::WorkerExit{killed, killed ? WTERMSIG(status_) : WEXITSTATUS(status_)}.in_words();
    return words_.empty() ? words : fmt::format("{}: {}", words, words_);
  }

 private:
  session::StartedChild started_;
  int handle_;
  int status_ = 0;
  bool reaped_ = false;
  bool is_silent_ = false;  // It closed its stderr.
  std::string words_;
};

bool parse_all(int descriptor, google::protobuf::Message& message) {
  return lseek(descriptor, 0, SEEK_SET) == 0 && message.ParseFromFileDescriptor(descriptor);
}

}  // namespace

Result<v1::SceneCheckResponse> run_scene_check_process(const std::filesystem::path& program,
                                                       const std::string& request,
                                                       const CheckBounds& bounds) {
  const MemoryFile input, output;
  if (input.descriptor() < 0 || output.descriptor() < 0 ||
      !write_all(input.descriptor(), request) || lseek(input.descriptor(), 0, SEEK_SET) != 0) {
    return internal_error(
        fmt::format("cannot give a scene to its check: {}", std::strerror(errno)));
  }
  session::ChildCommand command;
  command.arguments = {program.string(), std::string(scene_check_argument)};
  command.memory_bytes = bounds.memory_bytes;
  command.nice = bounds.nice;
  command.input = input.descriptor();
  command.output = output.descriptor();
  const auto started = session::start_child(command);
  if (!started) {
    return started.error();
  }
  Child child(*started);
  const auto end = steady_clock::now() + bounds.patience;
  while (!child.wait(ask_interval)) {
    if (bounds.end_now()) {
      return internal_error("nobody waits for this check any more");
    }
    if (steady_clock::now() > end) {
      return session::check_too_long(bounds.patience.count());
    }
  }
  v1::SceneCheckResponse found;
  if (!child.succeeded() || !parse_all(output.descriptor(), found)) {
    return internal_error(
        fmt::format("the check of the scene broke off: {}", child.end_in_words()));
  }
  if (found.out_of_memory()) {
    return session::out_of_memory();
  }
  return found;
}

int run_scene_check() {
  v1::SceneCheckRequest request;
  v1::SceneCheckResponse found;
  try {
    if (!request.ParseFromFileDescriptor(STDIN_FILENO)) {
      return 2;
    }
    found = check_scene(request);
  } catch (const std::bad_alloc&) {
    found.Clear();
    found.set_out_of_memory(true);
  }
  return found.SerializeToFileDescriptor(STDOUT_FILENO) ? 0 : 3;
}

}  // namespace sluice::api
