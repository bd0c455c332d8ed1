// SPDX-License-Identifier: Apache-2.0
#include "server/session/local_executor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "server/session/child_process.h"

namespace sluice::session {
namespace {

// A worker that writes without end must not fill the server's memory.
constexpr std::size_t longest_line = 4096;

}  // namespace

std::string WorkerExit::in_words() const {
  if (killed) {
    const char* name = sigabbrev_np(code);
    return fmt::format("killed by SIG{}", name != nullptr ? name : std::to_string(code));
  }
  return fmt::format("exit code {}", code);
}

/// The thread that forks, reads error output and reaps. Shared with the processes it made, so that
/// a kill after the executor's end is harmless.
class LocalExecutor::Loop : public std::enable_shared_from_this<LocalExecutor::Loop> {
 public:
  Loop() : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Loop() { close(wake_); }

  void start_thread() {
    thread_ = std::thread([this] { run(); });
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      for (auto& [pid, child] : children_) {
        ::kill(pid, SIGKILL);
      }
    }
    wake();
    thread_.join();
  }

  Result<std::unique_ptr<WorkerProcess>> start(ChildCommand command, WorkerCallbacks callbacks);

  void kill(pid_t pid) {
    // A pid is in the map until it is reaped, so it cannot be another process's yet.
    const std::lock_guard lock(mutex_);
    if (children_.contains(pid)) {
      ::kill(pid, SIGKILL);
    }
  }

 private:
  struct Child {
    int error_output;  // -1 when closed
    std::string line;  // Begun.
    WorkerCallbacks callbacks;
  };
  struct Order {
    ChildCommand command;
    WorkerCallbacks callbacks;
    std::promise<Result<pid_t>> pid;
  };

  void wake() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(wake_, &one, sizeof one);
  }
  void run();
  void take_orders();
  static void read_lines(Child& child);
  bool reap();  // Whether children are left.

  int wake_;
  std::mutex mutex_;
  std::deque<Order> orders_;
  std::map<pid_t, Child> children_;
  bool stopping_ = false;
  std::thread thread_;
};

void LocalExecutor::Loop::take_orders() {
  for (;;) {
    std::unique_lock lock(mutex_);
    if (orders_.empty()) {
      return;
    }
    Order order = std::move(orders_.front());
    orders_.pop_front();
    if (stopping_) {
      order.pid.set_value(server_stopping());
      continue;
    }
    const Result<StartedChild> started = start_child(order.command);
    if (!started) {
      order.pid.set_value(started.error());
      continue;
    }
    children_.emplace(started->pid, Child{started->error_output, {}, std::move(order.callbacks)});
    order.pid.set_value(started->pid);
  }
}

void LocalExecutor::Loop::read_lines(Child& child) {
  char buffer[4096];
  for (;;) {
    const ssize_t count = read(child.error_output, buffer, sizeof buffer);
    if (count < 0 && (errno == EINTR)) {
      continue;
    }
    if (count < 0 && errno == EAGAIN) {
      return;
    }
    if (count <= 0) {
      close(child.error_output);
      child.error_output = -1;
      break;
    }
    for (const char c : std::string_view(buffer, static_cast<std::size_t>(count))) {
      if (c != '\n' && child.line.size() < longest_line) {
        child.line += c;
      }
      if (c == '\n' && !child.line.empty()) {
        child.callbacks.on_error_output(std::exchange(child.line, {}));
      }
    }
  }
  if (!child.line.empty()) {
    child.callbacks.on_error_output(std::exchange(child.line, {}));
  }
}

bool LocalExecutor::Loop::reap() {
  std::vector<std::pair<WorkerExit, Child>> ended;
  bool left = false;
  {
    const std::lock_guard lock(mutex_);
    for (auto it = children_.begin(); it != children_.end();) {
      int status = 0;
      if (waitpid(it->first, &status, WNOHANG) != it->first) {
        ++it;
        continue;
      }
      const bool killed = WIFSIGNALED(status);
      const WorkerExit exit{killed, killed ? WTERMSIG(status) : WEXITSTATUS(status)};
      ended.emplace_back(exit, std::move(it->second));
      it = children_.erase(it);
    }
    left = !children_.empty();
  }
  for (auto& [exit, child] : ended) {
    if (child.error_output >= 0) {
      read_lines(child);
    }
    if (child.error_output >= 0) {
      close(child.error_output);
    }
    child.callbacks.on_exit(exit);
  }
  return left;
}

void LocalExecutor::Loop::run() {
  for (;;) {
    take_orders();
    std::vector<pollfd> polled{{wake_, POLLIN, 0}};
    {
      const std::lock_guard lock(mutex_);
      for (auto& [pid, child] : children_) {
        if (child.error_output >= 0) {
          polled.push_back({child.error_output, POLLIN, 0});
        }
      }
    }
    // The end of a child closes its error output; the timeout catches one that closed it before.
    poll(polled.data(), polled.size(), children_.empty() ? -1 : 200);
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = read(wake_, &count, sizeof count);
    {
      // Only this thread changes the map's children; the lock is for kill().
      for (auto& [pid, child] : children_) {
        if (child.error_output >= 0) {
          read_lines(child);
        }
      }
    }
    const bool left = reap();
    const std::lock_guard lock(mutex_);
    if (stopping_ && !left && orders_.empty()) {
      return;
    }
  }
}

namespace {

class LocalProcess final : public WorkerProcess {
 public:
  LocalProcess(std::int64_t pid, std::function<void()> kill) : pid_(pid), kill_(std::move(kill)) {}
  ~LocalProcess() override { kill_(); }
  [[nodiscard]] std::int64_t pid() const override { return pid_; }
  void kill() override { kill_(); }

 private:
  std::int64_t pid_;
  std::function<void()> kill_;
};

}  // namespace

Result<std::unique_ptr<WorkerProcess>> LocalExecutor::Loop::start(ChildCommand command,
                                                                  WorkerCallbacks callbacks) {
  std::future<Result<pid_t>> future;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) {
      return server_stopping();
    }
    Order order{std::move(command), std::move(callbacks), {}};
    future = order.pid.get_future();
    orders_.push_back(std::move(order));
  }
  wake();
  const Result<pid_t> pid = future.get();
  if (!pid) {
    return pid.error();
  }
  return std::unique_ptr<WorkerProcess>(std::make_unique<LocalProcess>(
      *pid, [self = shared_from_this(), pid = *pid] { self->kill(pid); }));
}

LocalExecutor::LocalExecutor(LocalExecutorOptions options)
    : options_(std::move(options)), loop_(std::make_shared<Loop>()) {
  loop_->start_thread();
}

LocalExecutor::~LocalExecutor() { loop_->stop(); }

Result<std::unique_ptr<WorkerProcess>> LocalExecutor::start(const WorkerLaunch& launch,
                                                            WorkerCallbacks callbacks) {
  ChildCommand command;
  command.arguments = {options_.worker_binary.string(),
                       "--attach",
                       options_.attach_address,
                       "--session",
                       launch.session,
                       "--token",
                       launch.token};
  command.memory_bytes = launch.memory_bytes;
  command.nice = options_.nice;
  return loop_->start(std::move(command), std::move(callbacks));
}

}  // namespace sluice::session
