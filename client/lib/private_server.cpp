// SPDX-License-Identifier: Apache-2.0
#include "sluice/private_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "sluice/error.h"

namespace sluice::client {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// How soon a stop is seen while a server starts.
constexpr std::chrono::milliseconds stop_interval{50};

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { reset(); }
  [[nodiscard]] int get() const { return fd_; }
  void reset() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
    fd_ = -1;
  }

 private:
  int fd_;
};

FileDescriptor open_file(const fs::path& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (fd < 0) {
    throw Error(ErrorKind::unavailable,
                fmt::format("cannot open {}: {}", path.string(), std::strerror(errno)));
  }
  return FileDescriptor(fd);
}

fs::path make_private_directory() {
  std::error_code failure;
  std::string pattern = (fs::temp_directory_path(failure) / "sluice-XXXXXX").string();
  if (failure) {
    throw Error(ErrorKind::unavailable, "no directory for temporary files: " + failure.message());
  }
  if (::mkdtemp(pattern.data()) == nullptr) {  // Mode 0700.
    throw Error(ErrorKind::unavailable,
                fmt::format("cannot make a directory as {}: {}", pattern, std::strerror(errno)));
  }
  return pattern;
}

void make_directory(const fs::path& path) {
  if (::mkdir(path.c_str(), 0700) != 0) {
    throw Error(ErrorKind::unavailable,
                fmt::format("cannot make {}: {}", path.string(), std::strerror(errno)));
  }
}

fs::path full_path(const fs::path& path) {
  std::error_code failure;
  fs::path found = fs::absolute(path, failure);
  if (failure) {
    throw Error(ErrorKind::unavailable,
                fmt::format("cannot tell where '{}' is: {}", path.string(), failure.message()));
  }
  return found;
}

fs::path find_program() {
  std::error_code failure;
  const fs::path self = fs::read_symlink("/proc/self/exe", failure);
  if (!failure && ::access((self.parent_path() / "sluiced").c_str(), X_OK) == 0) {
    return self.parent_path() / "sluiced";
  }
  const char* path = std::getenv("PATH");
  std::string rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const fs::path candidate = fs::path(rest.substr(0, colon)) / "sluiced";
    if (colon > 0 && ::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
    rest.erase(0, colon + 1);
  }
  throw Error(ErrorKind::not_found, "no program 'sluiced' beside this one or on the PATH");
}

std::string last_lines(const fs::path& file) {
  std::ifstream log(file);
  std::string line;
  std::string all;
  while (std::getline(log, line)) {
    all += "\n  " + line;
  }
  constexpr std::size_t most = 2000;
  if (all.size() > most) {
    // From the first line that begins there, or from the middle of one that is longer.
    const std::size_t begin = all.find('\n', all.size() - most);
    const bool found = begin != std::string::npos;
    all.replace(0, found ? begin : all.size() - most, found ? "" : "\n  ...");
  }
  return all;
}

}  // namespace

struct PrivateServer::Impl {
  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();

  void start(const PrivateServerOptions& options);
  void wait_until_it_serves(int output, const PrivateServerOptions& options);
  bool has_ended(int wait_options);

  fs::path directory;  // Socket and log; ours to remove.
  fs::path data_directory;
  bool data_is_temporary{false};
  std::string address;
  pid_t pid{-1};
  int exit_status{0};
};

PrivateServer::Impl::~Impl() {
  std::error_code ignored;
  if (!directory.empty()) {
    fs::remove_all(directory, ignored);
  }
  if (data_is_temporary) {
    fs::remove_all(data_directory, ignored);
  }
}

void PrivateServer::Impl::start(const PrivateServerOptions& options) {
  const fs::path program = options.program.empty() ? find_program() : options.program;
  data_is_temporary = options.data_directory.empty();
  if (data_is_temporary) {
    // One directory for all, so that a program that is killed leaves no second one. Short names: a
    // path of a socket has at most 107 bytes.
    data_directory = make_private_directory();
    directory = data_directory / "run";
    make_directory(directory);
  } else {
    // The data directory's path may be longer than a socket's.
    data_directory = full_path(options.data_directory);
    directory = make_private_directory();
  }
  address = "unix:" + (directory / "socket").string();

  std::vector<std::string> words{program.string(),  "--data-dir", data_directory.string(),
                                 "--listen",        address,      "--web-listen",
                                 options.web_listen};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    throw Error(ErrorKind::unavailable, fmt::format("no pipe: {}", std::strerror(errno)));
  }
  const FileDescriptor output(ends[0]);
  FileDescriptor input(ends[1]);
  const FileDescriptor log = open_file(directory / "sluiced.log", O_WRONLY | O_CREAT | O_APPEND);
  const FileDescriptor nothing = open_file("/dev/null", O_RDONLY);
  const pid_t parent = ::getpid();
  pid = ::fork();
  if (pid < 0) {
    throw Error(ErrorKind::unavailable, fmt::format("cannot fork: {}", std::strerror(errno)));
  }
  if (pid == 0) {
    // Only async-signal-safe calls from here on. A process group of its own: Ctrl-C on the terminal
    // is for us to act on.
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) {
      ::_exit(127);
    }
    ::dup2(nothing.get(), STDIN_FILENO);
    ::dup2(input.get(), STDOUT_FILENO);
    ::dup2(log.get(), STDERR_FILENO);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  input.reset();
  wait_until_it_serves(output.get(), options);
}

void PrivateServer::Impl::wait_until_it_serves(int output, const PrivateServerOptions& options) {
  const std::chrono::milliseconds timeout = options.start_timeout;
  const auto deadline = Clock::now() + timeout;
  std::string said;
  while (said.find('\n') == std::string::npos) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (options.stop.stop_requested()) {
      throw Error(ErrorKind::cancelled, "told to stop before sluiced served");
    }
    pollfd waiting{output, POLLIN, 0};
    const int slice = static_cast<int>(std::min(left, stop_interval).count());
    const int ready = slice > 0 ? ::poll(&waiting, 1, slice) : 0;
    if (ready == 0 && left > stop_interval) {
      continue;
    }
    if (ready == 0) {
      throw Error(ErrorKind::unavailable, "sluiced does not serve after " +
                                              std::to_string(timeout.count()) + " ms" +
                                              last_lines(directory / "sluiced.log"));
    }
    char buffer[256];
    const ssize_t count = ready < 0 ? -1 : ::read(output, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      has_ended(0);
      throw Error(ErrorKind::unavailable,
                  "sluiced ended before it served" + last_lines(directory / "sluiced.log"));
    }
    said.append(buffer, static_cast<std::size_t>(count));
  }
  if (!said.starts_with("listening on ")) {
    throw Error(ErrorKind::unavailable, "sluiced said '" + said.substr(0, said.find('\n')) +
                                            "' instead of where it listens");
  }
}

bool PrivateServer::Impl::has_ended(int wait_options) {
  if (pid <= 0) {
    return true;
  }
  const pid_t answer = ::waitpid(pid, &exit_status, wait_options);
  if (answer == pid || (answer < 0 && errno != EINTR)) {
    pid = -1;
    return true;
  }
  return false;
}

PrivateServer::PrivateServer(const PrivateServerOptions& options)
    : impl_(std::make_unique<Impl>()) {
  try {
    impl_->start(options);
  } catch (...) {
    stop();
    throw;
  }
}

PrivateServer::PrivateServer(PrivateServer&&) noexcept = default;

PrivateServer& PrivateServer::operator=(PrivateServer&& other) noexcept {
  if (this != &other) {
    stop();
    impl_ = std::move(other.impl_);
  }
  return *this;
}

PrivateServer::~PrivateServer() { stop(); }

const std::string& PrivateServer::address() const noexcept { return impl_->address; }

const fs::path& PrivateServer::data_directory() const noexcept { return impl_->data_directory; }

fs::path PrivateServer::log_file() const { return impl_->directory / "sluiced.log"; }

void PrivateServer::keep() noexcept { impl_->data_is_temporary = false; }

void PrivateServer::stop(std::chrono::milliseconds patience) noexcept {
  if (!impl_ || impl_->has_ended(WNOHANG)) {
    return;
  }
  ::kill(impl_->pid, SIGTERM);
  const auto deadline = Clock::now() + patience;
  while (!impl_->has_ended(WNOHANG)) {
    if (Clock::now() >= deadline) {
      ::kill(impl_->pid, SIGKILL);
      while (!impl_->has_ended(0)) {
      }
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace sluice::client
