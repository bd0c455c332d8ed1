// SPDX-License-Identifier: Apache-2.0
#include "server/session/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

// Sanitizers map terabytes of shadow memory, which any limit would refuse.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLUICE_LIMIT_CHILD_MEMORY 0
#else
#define SLUICE_LIMIT_CHILD_MEMORY 1
#endif

namespace sluice::session {
namespace {

struct Pipes {
  std::array<int, 2> error_output{-1, -1};
  std::array<int, 2> exec_result{-1, -1};
};

// Between fork and exec in a process with threads only async-signal-safe calls are allowed: system
// calls on what was prepared before, no allocation.
[[noreturn]] void become(const ChildCommand& command, char* const* arguments, pid_t parent,
                         const Pipes& pipes) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) {
    _exit(127);  // The parent died before the line above.
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  // The terminal's Ctrl-C is for the server, which then tells its workers.
  setpgid(0, 0);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) {
    _exit(127);  // It would have the server's own streams.
  }
  dup2(command.input >= 0 ? command.input : null, STDIN_FILENO);
  dup2(command.output >= 0 ? command.output : null, STDOUT_FILENO);
  dup2(pipes.error_output[1], STDERR_FILENO);
  // Descriptors that other threads opened without O_CLOEXEC are not the child's business.
  // Descriptor 3 is where the pipe for exec's failure is put, which exec itself closes.
  int result = pipes.exec_result[1];
  if (result != 3) {
    dup3(result, 3, O_CLOEXEC);
    result = 3;
  }
  syscall(SYS_close_range, 4U, ~0U, 0U);
#if SLUICE_LIMIT_CHILD_MEMORY
  if (command.memory_bytes > 0) {
    const rlimit limit{static_cast<rlim_t>(command.memory_bytes),
                       static_cast<rlim_t>(command.memory_bytes)};
    setrlimit(RLIMIT_DATA, &limit);
  }
#endif
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + command.nice);
  execv(arguments[0], arguments);
  const int error = errno;
  [[maybe_unused]] const auto written = write(result, &error, sizeof error);
  _exit(127);
}

Error cannot_start(const ChildCommand& command, int error) {
  return internal_error(fmt::format("cannot start a worker, {}: {}", command.arguments.front(),
                                    std::strerror(error)));
}

void close_all(const Pipes& pipes) {
  for (const int end :
       {pipes.error_output[0], pipes.error_output[1], pipes.exec_result[0], pipes.exec_result[1]}) {
    if (end >= 0) {
      close(end);
    }
  }
}

}  // namespace

Result<StartedChild> start_child(const ChildCommand& command) {
  Pipes pipes;
  if (pipe2(pipes.error_output.data(), O_CLOEXEC) != 0 ||
      pipe2(pipes.exec_result.data(), O_CLOEXEC) != 0) {
    const int error = errno;
    close_all(pipes);
    return cannot_start(command, error);
  }
  std::vector<char*> arguments;
  arguments.reserve(command.arguments.size() + 1);
  for (const std::string& argument : command.arguments) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    become(command, arguments.data(), parent, pipes);
  }
  const int fork_error = errno;
  close(std::exchange(pipes.error_output[1], -1));
  close(std::exchange(pipes.exec_result[1], -1));
  if (pid < 0) {
    close_all(pipes);
    return cannot_start(command, fork_error);
  }
  int exec_error = 0;
  ssize_t count = 0;
  do {
    count = read(pipes.exec_result[0], &exec_error, sizeof exec_error);
  } while (count < 0 && errno == EINTR);
  close(std::exchange(pipes.exec_result[0], -1));
  if (count == sizeof exec_error) {
    waitpid(pid, nullptr, 0);
    close_all(pipes);
    return cannot_start(command, exec_error);
  }
  fcntl(pipes.error_output[0], F_SETFL, O_NONBLOCK);
  return StartedChild{pid, pipes.error_output[0]};
}

}  // namespace sluice::session
