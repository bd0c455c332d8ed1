// SPDX-License-Identifier: Apache-2.0
// Ctrl-C in the middle of what takes minutes: it ends at once, and nothing is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/e2e/cli_process.h"

namespace sluice::e2e::cli_interrupt_test {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;
using testing::HasSubstr;
using testing::Not;

// Not the promise of a second, which a loaded machine cannot keep. The worker's frame takes five
// minutes, and the server's usual patience with it is 8 s: this shows that neither is waited for.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::chrono::seconds at_once{30};
#else
constexpr std::chrono::seconds at_once{6};
#endif

std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files[entry.path().filename().string()] = read_text(entry.path());
  }
  return files;
}

// Oracle: the files of a run that nobody disturbed.
TEST(CliInterrupt, ends_in_a_frame_that_takes_minutes_and_goes_on_later) {
  const TemporaryDirectory folder;
  const fs::path undisturbed = folder.path() / "undisturbed";
  const std::string quick = write_scene(folder.path(), "");
  ASSERT_EQ(sluice_command({"run", quick, "--frames", "6", "-o", undisturbed.string(), "--format",
                            "ply", "--web", "off"})
                .exit_code,
            0);

  const fs::path out = folder.path() / "out of it";
  const fs::path data = folder.path() / "data";
  CliProcess process({"run", write_scene(folder.path(), "stall=4"), "--frames", "6",
                      "--checkpoint-every", "2", "-o", out.string(), "--format", "ply",
                      "--data-dir", data.string()});
  process.wait_until([&] { return fs::exists(out / "water_000003.ply"); });
  const auto begin = steady_clock::now();
  process.send(SIGINT);
  const CliEnd end = process.wait();
  EXPECT_LT(steady_clock::now() - begin, at_once);
  EXPECT_EQ(end.exit_code, 130) << end.error;
  EXPECT_THAT(end.error, HasSubstr("interrupted at frame 3 of 6"));
  EXPECT_THAT(end.error, HasSubstr("frames 0 to 3 are kept in '" + data.string() + "'"));
  EXPECT_THAT(end.error, HasSubstr("0 to 3 are written to '" + out.string() + "'"));
  // The whole command, as a shell takes it.
  EXPECT_THAT(end.error, HasSubstr("sluice run --resume " + data.string() + " -o '" + out.string() +
                                   "' --format ply"));
  EXPECT_TRUE(fs::is_empty(process.temporary_folder())) << "the private server's folder is gone";

  const CliEnd resumed =
      sluice_command({"run", "--resume", data.string(), "-o", out.string(), "--format", "ply"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.error;
  EXPECT_EQ(contents(out), contents(undisturbed));
}

TEST(CliInterrupt, keeps_the_session_when_only_the_first_frame_is_ready) {
  const TemporaryDirectory folder;
  CliProcess process({"run", write_scene(folder.path(), "stall=1"), "--frames", "6", "-o",
                      (folder.path() / "out").string()});
  process.wait_until([&] { return fs::exists(folder.path() / "out" / "water_000000.vtp"); });
  process.send(SIGTERM);
  const CliEnd end = process.wait();
  EXPECT_EQ(end.exit_code, 130) << end.error;
  EXPECT_THAT(end.error, HasSubstr("interrupted at frame 0 of 6"));
  EXPECT_THAT(end.error, HasSubstr("frames 0 to 0 are kept in"));
  ASSERT_FALSE(fs::is_empty(process.temporary_folder()));

  // The next run tells of it, but not in the way of what a scene needs.
  const std::string kept = fs::directory_iterator(process.temporary_folder())->path().string();
  const auto run = [&](const std::string& scene, const char* out) {
    return CliProcess({"run", scene, "--frames", "1", "-o", (folder.path() / out).string()},
                      "e2e-scripted-worker", process.temporary_folder())
        .wait();
  };
  const CliEnd next = run(write_scene(folder.path(), ""), "next");
  EXPECT_EQ(next.exit_code, 0) << next.error;
  EXPECT_THAT(next.error, HasSubstr("have left sessions"));
  EXPECT_THAT(next.error, HasSubstr(kept));
  const fs::path faulty = folder.path() / "faulty.json";
  std::ofstream(faulty) << R"({"gravity": [0, 0]})";
  const CliEnd refused = run(faulty.string(), "other");
  EXPECT_EQ(refused.exit_code, 2) << refused.error;
  EXPECT_THAT(refused.error, Not(HasSubstr("have left sessions")));
}

// Symptom: nothing spoke of the session of a run that was killed; its frames lay in /tmp for ever.
TEST(CliInterrupt, a_run_that_was_killed_is_told_of_by_the_next_and_goes_on) {
  const TemporaryDirectory folder;
  const fs::path temporary = folder.path() / "tmp", out = folder.path() / "out";
  const std::string scene = write_scene(folder.path(), "stall=4");
  const std::vector<std::string> command = {"run", scene,        "--frames",           "6",
                                            "-o",  out.string(), "--checkpoint-every", "2"};
  CliProcess killed(command, "e2e-scripted-worker", temporary);
  killed.wait_until([&] { return fs::exists(out / "water_000003.vtp"); });
  killed.send(SIGKILL);
  killed.wait();

  // The server ends by itself when its client is gone.
  const auto is_kept = [&](const fs::path& data) {
    const CliEnd again = CliProcess(command, "e2e-scripted-worker", temporary).wait();
    EXPECT_EQ(again.exit_code, 2) << "the folder has frames of the run that was killed";
    return again.error.find(data.string()) != std::string::npos &&
           again.error.find("--resume") != std::string::npos;
  };
  fs::path data;
  for (const auto& entry : fs::directory_iterator(temporary)) {
    if (fs::exists(entry.path() / "sluice.db")) data = entry.path();
  }
  ASSERT_FALSE(data.empty());
  EXPECT_EQ(std::distance(fs::directory_iterator(temporary), {}), 1) << "one folder is to go on";
  const auto end = steady_clock::now() + std::chrono::seconds(60);
  while (!is_kept(data)) {
    ASSERT_LT(steady_clock::now(), end);
    wait_a_little();
  }
  const CliEnd resumed = CliProcess({"run", "--resume", data.string(), "-o", out.string()},
                                    "e2e-scripted-worker", temporary)
                             .wait();
  EXPECT_EQ(resumed.exit_code, 0) << resumed.error;
  EXPECT_TRUE(fs::exists(out / "water_000006.vtp"));
}

// Symptom: a session that went on replaced another run's frames in the same folder, untold.
TEST(CliInterrupt, a_session_that_goes_on_leaves_another_runs_frames_alone) {
  const TemporaryDirectory folder;
  const fs::path data = folder.path() / "data", out = folder.path() / "out";
  CliProcess process({"run", write_scene(folder.path(), "stall=4"), "--frames", "6",
                      "--checkpoint-every", "2", "-o", (folder.path() / "first").string(),
                      "--data-dir", data.string()});
  process.wait_until([&] { return fs::exists(folder.path() / "first" / "water_000003.vtp"); });
  process.send(SIGINT);
  process.send(SIGINT);  // The keys that people hit twice: the first one's words are not lost.
  const CliEnd interrupted = process.wait();
  ASSERT_EQ(interrupted.exit_code, 130);
  EXPECT_THAT(interrupted.error, HasSubstr("sluice run --resume " + data.string()));

  fs::create_directory(out);
  std::ofstream(out / "water_000002.vtp") << "of another run";
  const std::vector<std::string> resume = {"run", "--resume", data.string(), "-o", out.string()};
  const CliEnd refused = sluice_command(resume);
  EXPECT_EQ(refused.exit_code, 2) << refused.error;
  EXPECT_THAT(refused.error, HasSubstr("'" + (out / "water_000002.vtp").string() +
                                       "' is there and is of another run"));
  EXPECT_EQ(read_text(out / "water_000002.vtp"), "of another run");

  std::vector<std::string> overwriting = resume;
  overwriting.emplace_back("--overwrite");
  const CliEnd replaced = sluice_command(overwriting);
  EXPECT_EQ(replaced.exit_code, 0) << replaced.error;
  EXPECT_NE(read_text(out / "water_000002.vtp"), "of another run");
  EXPECT_TRUE(fs::exists(out / "water_000006.vtp"));
}

// Symptom: Ctrl-C before a command was ready for it left the private server's folders in /tmp.
TEST(CliInterrupt, takes_its_servers_folder_along_when_an_example_is_looked_for) {
  const TemporaryDirectory folder;
  CliProcess process({"scenes"});
  bool is_interrupted = true;
  try {
    process.wait_until([&] { return !fs::is_empty(process.temporary_folder()); });
    process.send(SIGINT);
  } catch (const std::runtime_error&) {
    is_interrupted = false;  // It was done before this test had a look.
  }
  const CliEnd end = process.wait();
  EXPECT_TRUE(end.exit_code == 0 || (is_interrupted && end.exit_code == 130)) << end.error;
  EXPECT_TRUE(fs::is_empty(process.temporary_folder()));
}

}  // namespace
}  // namespace sluice::e2e::cli_interrupt_test
