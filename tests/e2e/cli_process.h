// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/server_process.h"

namespace sluice::e2e {

/// How a `sluice` ended and what it said.
struct CliEnd {
  int exit_code = -1;  ///< 128 + signal if killed by one.
  std::string out;
  std::string error;

  /// Lines of `out`.
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> all;
    std::istringstream stream(out);
    for (std::string line; std::getline(stream, line);) {
      all.push_back(line);
    }
    return all;
  }
};

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A running `sluice`. Private servers that it starts have the scripted worker unless another is
/// named, and make their folders in `temporary_folder()`: one of its own unless it is given.
class CliProcess {
 public:
  explicit CliProcess(std::vector<std::string> arguments,
                      const std::string& worker_name = "e2e-scripted-worker",
                      const std::filesystem::path& temporary_folder = {})
      : temporary_(temporary_folder.empty() ? output_.path() / "t" : temporary_folder) {
    arguments.insert(arguments.begin(), (binary_directory() / "sluice").string());
    std::vector<char*> words;
    words.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) {
      words.push_back(argument.data());
    }
    words.push_back(nullptr);
    const std::string out = (output_.path() / "out").string();
    const std::string error = (output_.path() / "error").string();
    const std::string worker = (binary_directory() / worker_name).string();
    const std::string temporary = temporary_.string();
    std::filesystem::create_directory(temporary);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setenv("SLUICE_WORKER", worker.c_str(), 1);
      ::setenv("TMPDIR", temporary.c_str(), 1);
      ::unsetenv("SLUICE_SERVER");
      redirect(STDOUT_FILENO, out);
      redirect(STDERR_FILENO, error);
      ::execv(words[0], words.data());
      ::_exit(127);
    }
  }
  CliProcess(const CliProcess&) = delete;
  CliProcess& operator=(const CliProcess&) = delete;
  ~CliProcess() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }

  void send(int signal) const { ::kill(pid_, signal); }

  [[nodiscard]] std::string error_so_far() const { return read_text(output_.path() / "error"); }
  [[nodiscard]] std::filesystem::path temporary_folder() const { return temporary_; }

  /// Waits until `holds` does; throws with what `sluice` said if it ends before, or in 60 s.
  template <typename Condition>
  void wait_until(Condition holds) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    siginfo_t ended{};
    while (!holds()) {
      ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
      if (ended.si_pid == pid_ || std::chrono::steady_clock::now() > end) {
        throw std::runtime_error("waited in vain for sluice, which said: " + error_so_far());
      }
      wait_a_little();
    }
  }

  CliEnd wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
            read_text(output_.path() / "out"), read_text(output_.path() / "error")};
  }

 private:
  TemporaryDirectory output_;
  std::filesystem::path temporary_;
  pid_t pid_ = -1;
};

inline CliEnd sluice_command(std::vector<std::string> arguments,
                             const std::string& worker_name = "e2e-scripted-worker") {
  return CliProcess(std::move(arguments), worker_name).wait();
}

/// Writes a small scene whose name is the script of the worker (scripted_worker.cpp).
inline std::string write_scene(const std::filesystem::path& folder, const std::string& script) {
  const std::filesystem::path path = folder / "scene.textproto";
  std::ofstream(path) << small_scene(script).DebugString();
  return path.string();
}

}  // namespace sluice::e2e
