// SPDX-License-Identifier: Apache-2.0
// `sluice verify` and `--certify` with real processes. Oracles: a script that says in which frame
// something crosses, or that no two runs are alike; the undisturbed run; the scene at rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/cli_process.h"

namespace sluice::e2e::cli_verify_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

class CliVerify : public testing::Test {
 protected:
  explicit CliVerify(std::vector<std::string> flags = {}) : server(data.path(), std::move(flags)) {}

  CliEnd run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--server", server.address()});
    return sluice_command(std::move(arguments));
  }
  std::string submit(const std::string& script, int frames, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"submit", write_scene(folder.path(), script), "--frames",
                               std::to_string(frames), "--threads", "1"});
    const CliEnd end = run(std::move(more));
    EXPECT_EQ(end.exit_code, 0) << end.error;
    return end.lines().empty() ? "" : end.lines()[0];
  }
  std::string submit_and_wait(const std::string& script, int frames,
                              std::vector<std::string> more = {}) {
    std::string name = submit(script, frames, std::move(more));
    wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
    return name;
  }
  std::size_t session_count() {
    return json::parse(run({"list", "--json"}).out)["sessions"].size();
  }

  TemporaryDirectory folder;
  TemporaryDirectory data;
  ServerProcess server;
};

TEST_F(CliVerify, sums_up_a_certified_session) {
  const std::string name = submit_and_wait("", 5, {"--certify"});
  const CliEnd end = run({"verify", name, "--json"});
  EXPECT_EQ(end.exit_code, 0) << end.error;
  const json verdict = json::parse(end.out);
  EXPECT_EQ(verdict["session"], name);
  EXPECT_EQ(verdict["clean"], true);
  EXPECT_EQ(verdict["replayed"], false);
  EXPECT_EQ(verdict["frame_count"], 5);
  EXPECT_EQ(verdict["compared_frame_count"], 0);
  EXPECT_EQ(verdict["substep_count"], 10);
  EXPECT_EQ(verdict["crossing_count"], 0);
  EXPECT_EQ(verdict["jump_count"], 0);
  EXPECT_EQ(run({"verify", name}).out,
            "certificate: 10 substeps, 0 close pairs (0 exact), 0 crossings\n");

  const CliEnd again = run({"verify", name, "--replay"});
  EXPECT_EQ(again.exit_code, 0) << again.error;
  EXPECT_THAT(again.out, HasSubstr("replay: 6 frames, each the same, bit for bit"));
}

TEST_F(CliVerify, computes_a_session_again_with_its_commands_and_leaves_nothing) {
  const std::string name = submit("slow=20", 20);
  wait_for_frames(server, name, 1);
  EXPECT_EQ(run({"steer", "gravity", name, "0", "0", "-1.62"}).exit_code, 0);
  wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
  const CliEnd end = run({"verify", name, "--json"});
  EXPECT_EQ(end.exit_code, 0) << end.error;
  const json verdict = json::parse(end.out);
  EXPECT_EQ(verdict["clean"], true);
  EXPECT_EQ(verdict["replayed"], true);
  EXPECT_EQ(verdict["compared_frame_count"], 21);
  EXPECT_EQ(verdict["substep_count"], 40);
  EXPECT_EQ(verdict["first_difference"], "");
  EXPECT_EQ(session_count(), 1U);
}

TEST_F(CliVerify, answers_with_four_for_a_crossing_that_ended_nothing) {
  const std::string name = submit_and_wait("cross=3", 5, {"--certify"});
  const CliEnd end = run({"verify", name, "--json"});
  EXPECT_EQ(end.exit_code, 4) << end.error;
  const json verdict = json::parse(end.out);
  EXPECT_EQ(verdict["clean"], false);
  EXPECT_EQ(verdict["crossing_count"], 1);
  EXPECT_EQ(verdict["jump_count"], 0);
  EXPECT_THAT(verdict["first_crossing"].get<std::string>(),
              testing::StartsWith(
                  "a particle of \"water\" met a triangle of \"sheet\" in substep 2 of frame 3"));
  // The same of a session that nobody watched, for the replay is watched.
  const CliEnd other = run({"verify", submit_and_wait("cross=3", 5), "--json"});
  EXPECT_EQ(other.exit_code, 4) << other.error;
  EXPECT_EQ(json::parse(other.out)["first_crossing"], verdict["first_crossing"]);
}

TEST_F(CliVerify, answers_with_four_for_frames_that_come_out_differently) {
  const std::string name = submit_and_wait("drift", 4);
  const CliEnd end = run({"verify", name, "--json"});
  EXPECT_EQ(end.exit_code, 4) << end.error;
  const json verdict = json::parse(end.out);
  EXPECT_EQ(verdict["clean"], false);
  EXPECT_EQ(verdict["compared_frame_count"], 2);
  EXPECT_THAT(verdict["first_difference"].get<std::string>(),
              testing::StartsWith("frame 1: position of \"water\" differs first in row 0: "));
  EXPECT_THAT(run({"verify", name}).out, HasSubstr("not the same: frame 1: "));
  EXPECT_EQ(session_count(), 1U);
}

// Oracle: the certificate of a run that nobody disturbed.
TEST_F(CliVerify, says_the_same_after_a_worker_died) {
  const auto verdict_of = [&](const std::string& name) {
    json verdict = json::parse(run({"verify", name, "--json"}).out);
    verdict.erase("session");
    return verdict;
  };
  const std::string script = "slow=30 cross=8";
  const std::string name = submit(script, 16, {"--certify", "--checkpoint-every", "4"});
  const v1::Session running = wait_until(server, name, [](const v1::Session& s) {
    return s.checkpoint_frame() >= 4 && s.frame_count() > 6 && s.worker_pid() != 0;
  });
  ASSERT_EQ(::kill(static_cast<pid_t>(running.worker_pid()), SIGKILL), 0);
  wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
  EXPECT_EQ(get(server, name).restart_count(), 1);
  const json expected = verdict_of(submit_and_wait(script, 16, {"--certify"}));
  EXPECT_EQ(expected["crossing_count"], 1);
  EXPECT_EQ(expected["frame_count"], 16);
  EXPECT_EQ(verdict_of(name), expected);
}

TEST_F(CliVerify, goes_on_certifying_after_the_server_died) {
  const std::string name = submit("slow=30", 16, {"--certify", "--checkpoint-every", "4"});
  wait_until(server, name, [](const v1::Session& s) { return s.checkpoint_frame() >= 4; });
  server.kill();
  ServerProcess next(data.path());
  wait_for_state(next, name, v1::SESSION_STATE_SUCCEEDED);
  const CliEnd end = sluice_command({"--server", next.address(), "verify", name, "--json"});
  EXPECT_EQ(end.exit_code, 0) << end.error;
  EXPECT_EQ(json::parse(end.out)["replayed"], false);
  EXPECT_EQ(json::parse(end.out)["substep_count"], 32);
}

TEST_F(CliVerify, says_which_stored_frame_is_damaged) {
  const std::string name = submit_and_wait("", 6);
  server.terminate();
  const fs::path file = data.path() / name / "frames" / "00000000.seg";
  const auto middle = static_cast<std::streamoff>(fs::file_size(file) / 2);
  {
    std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekg(middle);
    const int byte = stream.get();
    stream.seekp(middle);
    stream.put(static_cast<char>(byte ^ 1));
    ASSERT_TRUE(stream);
  }
  ServerProcess next(data.path());
  const CliEnd end = sluice_command({"--server", next.address(), "verify", name});
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.error, HasSubstr("frame 3 is damaged on disk"));
  EXPECT_EQ(end.out, "");
  // Without its index, the server takes what is damaged for the end.
  next.terminate();
  fs::remove(file.parent_path() / "index");
  ServerProcess last(data.path());
  const CliEnd short_of = sluice_command({"--server", last.address(), "verify", name});
  EXPECT_EQ(short_of.exit_code, 3);
  EXPECT_THAT(short_of.error, HasSubstr("frame 3 was lost to damage on disk"));
  const json list = json::parse(sluice_command({"--server", last.address(), "list", "--json"}).out);
  EXPECT_EQ(list["sessions"].size(), 1U) << "the replays are gone";
}

TEST_F(CliVerify, takes_a_running_session_as_far_as_it_is) {
  const std::string name = submit("slow=100", 1000, {"--certify"});
  wait_for_frames(server, name, 3);
  const CliEnd end = run({"verify", name, "--json"});
  EXPECT_EQ(end.exit_code, 0) << end.error;
  EXPECT_THAT(end.error, HasSubstr("goes on; "));
  EXPECT_GE(json::parse(end.out)["frame_count"], 2);
  EXPECT_LT(json::parse(end.out)["frame_count"], 900);
}

TEST_F(CliVerify, takes_the_frames_before_a_failure) {
  const std::string name = submit("diverge=3", 9);
  wait_for_state(server, name, v1::SESSION_STATE_FAILED);
  const CliEnd end = run({"verify", name, "--json"});
  EXPECT_EQ(end.exit_code, 0) << end.error;
  EXPECT_EQ(json::parse(end.out)["compared_frame_count"], 3);
}

TEST_F(CliVerify, refuses_what_cannot_be_verified) {
  const CliEnd unknown = run({"verify", "nobody"});
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_THAT(unknown.error, HasSubstr("sessions/nobody"));
  const std::string name = submit("", 5, {"--paused"});
  wait_for_frames(server, name, 1);
  const CliEnd early = run({"verify", name});
  EXPECT_EQ(early.exit_code, 1);
  EXPECT_THAT(early.error, HasSubstr("no frame after the initial one"));
}

TEST_F(CliVerify, run_tells_the_certificate_at_the_end) {
  const CliEnd end = sluice_command({"run", write_scene(folder.path(), "cross=2"), "--frames", "4",
                                     "-o", (folder.path() / "out").string(), "--certify"});
  EXPECT_EQ(end.exit_code, 0) << "a crossing ends nothing; " << end.error;
  EXPECT_THAT(
      end.error,
      HasSubstr("certificate: 8 substeps, 1 close pairs (1 exact), 1 crossings; first a particle"));
  const CliEnd without = sluice_command({"run", write_scene(folder.path(), ""), "--frames", "1",
                                         "-o", (folder.path() / "without").string()});
  EXPECT_EQ(without.exit_code, 0) << without.error;
  EXPECT_EQ(without.error.find("certificate"), std::string::npos);
}

class CliVerifyPhysics : public CliVerify {
 protected:
  CliVerifyPhysics()
      : CliVerify({"--worker", (binary_directory() / "sluice-worker").string(),
                   "--threads-per-session", "2"}) {}
};

TEST_F(CliVerifyPhysics, finds_nothing_in_water_on_a_sheet_and_the_same_bits_when_steered) {
  const std::string name = submit("physics", 24, {"--certify"});
  wait_for_frames(server, name, 3);
  EXPECT_EQ(run({"steer", "gravity", name, "2", "0", "-9.81"}).exit_code, 0);
  wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
  const CliEnd end = run({"verify", name, "--json"});
  EXPECT_EQ(end.exit_code, 0) << end.error;
  json verdict = json::parse(end.out);
  EXPECT_EQ(verdict["clean"], true);
  EXPECT_GE(verdict["substep_count"], 24);
  EXPECT_GT(verdict["pair_count"], 0) << "nothing came near the sheet: the test says nothing";
  EXPECT_EQ(verdict["crossing_count"], 0);
  EXPECT_EQ(verdict["jump_count"], 0);

  const CliEnd again = run({"verify", name, "--json", "--replay"});
  EXPECT_EQ(again.exit_code, 0) << again.error;
  json replayed = json::parse(again.out);
  EXPECT_EQ(replayed["compared_frame_count"], 25);
  for (const char* differs : {"replayed", "compared_frame_count"}) {
    verdict.erase(differs);
    replayed.erase(differs);
  }
  EXPECT_EQ(replayed, verdict) << "two threads, and not the one of before";
}

}  // namespace
}  // namespace sluice::e2e::cli_verify_test
