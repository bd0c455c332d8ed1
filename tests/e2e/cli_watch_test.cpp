// SPDX-License-Identifier: Apache-2.0
// What is said of a session that runs or has ended: its history, and what it warns of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/cli_process.h"
#include "tests/unit/client/lib/fake_server.h"

namespace sluice::e2e::cli_watch_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class CliWatch : public testing::Test {
 protected:
  CliEnd run(std::vector<std::string> words) {
    words.insert(words.begin(), {"--server", server.address()});
    return sluice_command(std::move(words));
  }

  TemporaryDirectory folder;
  TemporaryDirectory data;
  ServerProcess server{data.path()};
};

/// Checks that each frame has a line, in order, once, and that the last line is how it ended.
void expect_history(const CliEnd& end, std::int64_t frame_count, const std::string& state) {
  std::int64_t next = 0;
  json last;
  for (const std::string& line : end.lines()) {
    last = json::parse(line);
    if (!last.contains("frame")) {
      EXPECT_TRUE(last.contains("session")) << line;
      continue;
    }
    const json& frame = last["frame"];
    EXPECT_EQ(frame["index"], next);
    if (next == 0) {
      EXPECT_TRUE(frame["statistics"].is_null());
    } else {
      EXPECT_EQ(frame["statistics"]["substep_count"], 2);
      EXPECT_GT(frame["time_seconds"], 0);
    }
    ++next;
  }
  EXPECT_EQ(next, frame_count);
  ASSERT_TRUE(last.contains("session"));
  EXPECT_EQ(last["session"]["state"], state);
}

TEST_F(CliWatch, gives_the_history_of_a_session_that_has_ended) {
  const std::string name = create(server, "", 9).name();
  wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
  const CliEnd end = run({"watch", name, "--json"});
  EXPECT_EQ(end.exit_code, 0) << end.error;
  expect_history(end, 10, "SESSION_STATE_SUCCEEDED");

  const CliEnd told = run({"watch", name});
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_EQ(told.out, name + " succeeded\n");
  EXPECT_THAT(told.error, HasSubstr("ended at 20"));
  EXPECT_THAT(told.error, HasSubstr("with 10 of 10 frames"));

  const std::string failed = create(server, "diverge=3", 9).name();
  wait_for_state(server, failed, v1::SESSION_STATE_FAILED);
  const CliEnd history = run({"watch", failed, "--json"});
  EXPECT_EQ(history.exit_code, 1);
  expect_history(history, 3, "SESSION_STATE_FAILED");
  const CliEnd why = run({"watch", failed});
  EXPECT_EQ(why.exit_code, 1);
  EXPECT_THAT(why.error, HasSubstr("failed (solver diverged): frame 3: cloth 'sheet'"));
  EXPECT_THAT(why.error, HasSubstr("with 3 of 10 frames"));
}

TEST_F(CliWatch, gives_each_frame_of_a_running_session_once) {
  const std::string name = create(server, "slow=5", 40).name();
  wait_for_frames(server, name, 3);
  const CliEnd end = run({"watch", name, "--json"});
  EXPECT_EQ(end.exit_code, 0) << end.error;
  expect_history(end, 41, "SESSION_STATE_SUCCEEDED");
}

TEST(CliWarnings, are_told_once_when_they_appear_and_summed_at_the_end) {
  const TemporaryDirectory folder;
  const std::string scene = write_scene(folder.path(), "warn=3");
  const std::vector<std::string> words{
      "run", scene, "--frames", "8", "--web", "off", "-o", (folder.path() / "out").string()};
  const CliEnd end = sluice_command(words);
  EXPECT_EQ(end.exit_code, 0) << end.error;
  const std::string first = "warning: frame 3: water: 20 % of the volume is lost";
  EXPECT_THAT(end.error, HasSubstr(first));
  EXPECT_EQ(end.error.find(first), end.error.rfind(first));
  EXPECT_THAT(end.error, HasSubstr(" succeeded with 1 warning:\n  frames 3 to 8: water: 20 %"));

  std::vector<std::string> strict = words;
  strict.insert(strict.end(), {"--strict", "--overwrite"});
  EXPECT_EQ(sluice_command(strict).exit_code, 1);
  const CliEnd clean =
      sluice_command({"run", write_scene(folder.path(), ""), "--frames", "3", "--web", "off", "-o",
                      (folder.path() / "clean").string(), "--strict"});
  EXPECT_EQ(clean.exit_code, 0) << clean.error;
  EXPECT_THAT(clean.error, Not(HasSubstr("warning")));
}

/// A server that stands in for one that says anything.
class StandIn : public testing::Test {
 protected:
  StandIn() {
    session.set_name("sessions/abcd");
    session.set_display_name(
        "a\x1b]0;owned\x07\rb\xc2\x9b"
        "31mc");
    session.set_state(v1::SESSION_STATE_SUCCEEDED);
    session.set_frame_count(9);
    session.set_total_frame_count(9);
    v1::SessionWarning& warning = *session.add_warnings();
    warning.mutable_warning()->set_kind(v1::WARNING_KIND_VOLUME_LOST);
    warning.mutable_warning()->set_body("water");
    warning.mutable_warning()->set_message("lost\nsluice: all is well\x1b[2K");
    warning.set_first_frame_index(2);
    warning.set_last_frame_index(8);
    warning.set_frame_count(4);
    fake.get = [this](const v1::GetSessionRequest& request, v1::Session& answer) {
      if (request.name() != session.name()) {
        return grpc::Status(grpc::StatusCode::NOT_FOUND, "no '" + request.name() + "'\x1b[31m");
      }
      answer = session;
      return grpc::Status::OK;
    };
    fake.list = [this](const v1::ListSessionsRequest&, v1::ListSessionsResponse& answer) {
      *answer.add_sessions() = session;
      return grpc::Status::OK;
    };
    fake.watch = [this](grpc::ServerContext&, client::WatchWriter& out) {
      v1::WatchSessionResponse event;
      *event.mutable_session() = session;
      out.Write(event);
      return grpc::Status::OK;
    };
  }
  CliEnd run(std::vector<std::string> words) {
    words.insert(words.begin(), {"--server", fake.address()});
    return sluice_command(std::move(words));
  }

  v1::Session session;
  client::FakeServer fake;
};

TEST_F(StandIn, shows_warnings_of_a_session) {
  EXPECT_THAT(run({"get", "abcd"}).out,
              HasSubstr("warning       frames 2 to 8 (4 of them): water: lost"));
  EXPECT_THAT(run({"list"}).out, HasSubstr("succeeded, 1 warning"));
  const CliEnd watched = run({"watch", "abcd"});
  EXPECT_EQ(watched.exit_code, 0) << watched.error;
  EXPECT_THAT(watched.error, HasSubstr("succeeded with 1 warning:\n  frames 2 to 8 (4 of them)"));
  EXPECT_EQ(run({"watch", "abcd", "--strict"}).exit_code, 1);
  const json get = json::parse(run({"get", "abcd", "--json"}).out);
  EXPECT_EQ(get["warnings"][0]["frame_count"], 4);
  EXPECT_EQ(get["display_name"], session.display_name()) << "JSON has the name itself";
}

// Symptom (M8): ESC, CR and the like in names moved a terminal's cursor and forged lines.
TEST_F(StandIn, writes_nothing_that_a_terminal_acts_on) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"get", "abcd"},
                                                {"list"},
                                                {"watch", "abcd"},
                                                {"get", "x\x1b[31my"},
                                                {"get", "abcd", "--json"},
                                                {"list", "--json"},
                                                {"nosuch\x1b[31m"},
                                                {"validate", "no\rfile\x1b[1m.json"},
                                                {"get", "a", "--format\x1b[1m"}}) {
    const CliEnd end = run(words);
    for (const std::string& text : {end.out, end.error}) {
      for (const std::string acts : {"\x1b", "\r", "\x07", "\xc2\x9b"}) {
        EXPECT_EQ(text.find(acts), std::string::npos) << words[0] << ": " << text;
      }
      EXPECT_EQ(text.find("\nsluice: all is well"), std::string::npos) << text;
    }
  }
  EXPECT_THAT(run({"get", "abcd"}).out, HasSubstr("a\\x1b]0;owned\\x07\\x0db\\x9b31mc"));
}

// Oracle: sessions.proto, RunOptions.failure_limits; what the scripted worker warns of.
TEST(CliWarnings, end_a_session_where_the_command_line_says_so) {
  const TemporaryDirectory folder;
  int count = 0;
  const auto run = [&](const std::string& script, const std::vector<std::string>& more) {
    std::vector<std::string> words{"run",
                                   write_scene(folder.path(), script),
                                   "--frames",
                                   "6",
                                   "--web",
                                   "off",
                                   "--json",
                                   "-o",
                                   (folder.path() / ("out" + std::to_string(++count))).string()};
    words.insert(words.end(), more.begin(), more.end());
    return sluice_command(words);
  };
  const auto frames_of = [](const CliEnd& end) {
    return nlohmann::json::parse(end.out)["session"]["frame_count"].get<int>();
  };
  const CliEnd usual = run("unconverged=2", {});
  EXPECT_EQ(usual.exit_code, 0) << usual.error;
  const CliEnd first = run("unconverged=2", {"--fail-on", "not-converged"});
  EXPECT_EQ(first.exit_code, 1) << first.error;
  EXPECT_EQ(frames_of(first), 3) << "frame 2 is the first that warns, and stays";
  const CliEnd third = run("unconverged=2", {"--fail-on", "not-converged=3frames"});
  EXPECT_EQ(third.exit_code, 1) << third.error;
  EXPECT_EQ(frames_of(third), 5);
  EXPECT_EQ(run("lost=3", {}).exit_code, 1) << "30 % is more than the default of 25 %";
  EXPECT_EQ(run("lost=3", {"--fail-on", "volume-lost=never"}).exit_code, 0);
  EXPECT_EQ(run("lost=3", {"--fail-on", "volume-lost=0.4"}).exit_code, 0);
  EXPECT_EQ(run("lost=3", {"--fail-on", "volume-lost=0.2"}).exit_code, 1);
  EXPECT_EQ(run("cross=3", {"--certify", "--fail-on", "crossing"}).exit_code, 1);
  const CliEnd blind = run("", {"--fail-on", "crossing"});
  EXPECT_EQ(blind.exit_code, 2) << blind.error;
  EXPECT_THAT(blind.error, HasSubstr("needs session.options.certify"));
}

TEST(CliWarnings, refuses_limits_that_make_no_sense) {
  const auto error_of = [](const std::string& limit) {
    const CliEnd end = sluice_command({"run", "a.json", "--fail-on", limit});
    EXPECT_EQ(end.exit_code, 2) << limit;
    return end.error;
  };
  EXPECT_THAT(error_of("crosing"), HasSubstr("did you mean 'crossing'?"));
  for (const std::string limit : {"crossing=", "crossing=-1", "crossing=nan", "crossing=0frames",
                                  "crossing=1.5frames", "crossing=3apples"}) {
    EXPECT_THAT(error_of(limit), HasSubstr("is no limit")) << limit;
  }
}

}  // namespace
}  // namespace sluice::e2e::cli_watch_test
