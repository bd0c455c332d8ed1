// SPDX-License-Identifier: Apache-2.0
// Real processes: /bin/sh stands for a worker.
#include "server/session/local_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <future>
#include <mutex>

#include "tests/unit/server/store/temporary_directory.h"

namespace sluice::session {
namespace {

class LocalExecutorTest : public testing::Test {
 protected:
  LocalExecutorOptions script(const std::string& body) {
    const auto path = directory_.path() / "worker";
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    chmod(path.c_str(), 0755);
    return {path, "unix:/nowhere", 0};
  }
  WorkerCallbacks callbacks() {
    return {[this](WorkerExit exit) { exit_.set_value(exit); },
            [this](std::string line) {
              const std::lock_guard lock(mutex_);
              lines_.push_back(std::move(line));
            }};
  }
  WorkerExit wait() { return exit_.get_future().get(); }

  test::TemporaryDirectory directory_;
  std::promise<WorkerExit> exit_;
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

TEST_F(LocalExecutorTest, passes_identity_and_tells_lines_and_exit) {
  LocalExecutor executor(script("echo \"$@\" >&2; echo no newline >&2 | printf end >&2; exit 7"));
  const auto process = executor.start({"sessions/one", "secret", 1, 0}, callbacks());
  ASSERT_TRUE(process);
  const WorkerExit exit = wait();
  EXPECT_EQ(exit.in_words(), "exit code 7");
  const std::lock_guard lock(mutex_);
  EXPECT_THAT(lines_,
              testing::Contains("--attach unix:/nowhere --session sessions/one --token secret"));
}

TEST_F(LocalExecutorTest, kill_ends_it_and_the_exit_says_so) {
  LocalExecutor executor(script("exec sleep 1000"));
  const auto process = executor.start({"sessions/one", "t", 1, 0}, callbacks());
  ASSERT_TRUE(process);
  EXPECT_EQ(kill(static_cast<pid_t>((*process)->pid()), 0), 0);
  (*process)->kill();
  EXPECT_EQ(wait().in_words(), "killed by SIGKILL");
  (*process)->kill();  // Long gone: nobody else is hit.
}

TEST_F(LocalExecutorTest, a_program_that_cannot_run_is_an_error) {
  LocalExecutor executor({directory_.path() / "missing", "unix:/nowhere", 0});
  const auto process = executor.start({"sessions/one", "t", 1, 0}, callbacks());
  ASSERT_FALSE(process);
  EXPECT_THAT(process.error().message, testing::HasSubstr("No such file"));
}

TEST_F(LocalExecutorTest, inherits_no_descriptors) {
  const int leaked = dup(STDERR_FILENO);  // Without O_CLOEXEC.
  LocalExecutor executor(script("ls /proc/self/fd | wc -l >&2"));
  const auto process = executor.start({"sessions/one", "t", 1, 0}, callbacks());
  ASSERT_TRUE(process);
  wait();
  close(leaked);
  const std::lock_guard lock(mutex_);
  // 0, 1, 2 and the one that ls reads the folder by.
  EXPECT_THAT(lines_, testing::ElementsAre("4"));
}

TEST_F(LocalExecutorTest, children_end_with_the_executor) {
  std::unique_ptr<WorkerProcess> process;  // Outlives the executor, and so does not kill its own.
  {
    LocalExecutor executor(script("exec sleep 1000"));
    auto started = executor.start({"sessions/one", "t", 1, 0}, callbacks());
    ASSERT_TRUE(started);
    process = *std::move(started);
  }
  EXPECT_NE(kill(static_cast<pid_t>(process->pid()), 0), 0);
}

}  // namespace
}  // namespace sluice::session
