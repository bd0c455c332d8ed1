// SPDX-License-Identifier: Apache-2.0
// `sluice run` with real processes: what it leaves, how it is interrupted and goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tests/e2e/cli_process.h"
#include "tests/e2e/web_client.h"

namespace sluice::e2e::cli_run_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

/// Names and contents of all files in a folder.
std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files[entry.path().filename().string()] = read_text(entry.path());
  }
  return files;
}

/// What stands between `opening` and the next white space; empty until both are there.
std::string word_after(std::string_view text, std::string_view opening) {
  const std::size_t at = text.find(opening);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = text.substr(at + opening.size());
  const std::size_t end = rest.find_first_of(" \n");
  return end == std::string_view::npos ? "" : std::string(rest.substr(0, end));
}

TEST(CliRun, writes_frames_and_pictures_and_leaves_nothing_else) {
  const TemporaryDirectory folder;
  CliProcess process({"run", write_scene(folder.path(), ""), "--frames", "4", "-o",
                      (folder.path() / "out").string(), "--contact-sheet",
                      (folder.path() / "s.PNG").string(), "--size", "160x90", "--json"});
  const CliEnd end = process.wait();
  EXPECT_EQ(end.exit_code, 0) << end.error;
  const json answer = json::parse(end.out);
  EXPECT_EQ(answer["session"]["state"], "SESSION_STATE_SUCCEEDED");
  EXPECT_EQ(answer["session"]["frame_count"], 5);
  EXPECT_EQ(answer["outputs"].size(), 2U);
  EXPECT_TRUE(fs::exists(folder.path() / "out" / "water_000004.vtp"));
  EXPECT_TRUE(fs::exists(folder.path() / "s.PNG"));
  EXPECT_TRUE(fs::is_empty(process.temporary_folder())) << "the private server's folders are gone";
  EXPECT_EQ(end.error.find('\x1b'), std::string::npos);  // Plain lines when piped.
  EXPECT_EQ(end.error.find('\r'), std::string::npos);
}

TEST(CliRun, says_where_to_watch_and_serves_there) {
  const TemporaryDirectory folder;
  const std::string scene = write_scene(folder.path(), "slow=50");
  CliProcess process({"run", scene, "--frames", "1000", "-o", (folder.path() / "out").string()});
  std::string where;  // Port, slash, session's name.
  process.wait_until([&] {
    where = word_after(process.error_so_far(), "watch it: http://127.0.0.1:");
    return !where.empty();
  });
  const std::size_t slash = where.find('/');
  v1::GetSessionRequest request;
  request.set_name(where.substr(slash + 1));
  v1::Session session;
  EXPECT_EQ(call(std::stoi(where.substr(0, slash)), "Sessions/Get", request, session).code, 0);
  EXPECT_EQ(session.total_frame_count(), 1001);
  process.send(SIGINT);
  EXPECT_EQ(process.wait().exit_code, 130);

  const CliEnd quiet = sluice_command(
      {"run", scene, "--frames", "1", "--web", "off", "-o", (folder.path() / "quiet").string()});
  EXPECT_EQ(quiet.exit_code, 0) << quiet.error;
  EXPECT_EQ(quiet.error.find("watch it"), std::string::npos);
}

TEST(CliRun, keeps_the_frames_before_a_failure) {
  const TemporaryDirectory folder;
  const fs::path out = folder.path() / "out";
  const CliEnd end = sluice_command({"run", write_scene(folder.path(), "diverge=3"), "--frames",
                                     "9", "-o", out.string(), "--format", "ply"});
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_THAT(end.error, HasSubstr("failed"));
  EXPECT_TRUE(fs::exists(out / "water_000002.ply"));
  EXPECT_FALSE(fs::exists(out / "water_000003.ply"));
}

// Symptom: an hour of frames was removed because the sheet at its end could not be written.
TEST(CliRun, keeps_the_session_when_what_is_made_at_the_end_cannot_be_written) {
  const TemporaryDirectory folder;
  const fs::path sheet = folder.path() / "sheet.png";
  CliProcess process({"run", write_scene(folder.path(), "slow=300"), "--frames", "3",
                      "--contact-sheet", sheet.string(), "--size", "160x90"});
  // In the way only once it runs: what is there before is found before anything is computed.
  process.wait_until([&] { return process.error_so_far().find("frame 0") != std::string::npos; });
  fs::create_directory(sheet);
  const CliEnd end = process.wait();
  EXPECT_EQ(end.exit_code, 1) << end.error;
  const std::string data = word_after(end.error, "sluice run --resume ");
  ASSERT_FALSE(data.empty()) << end.error;
  const fs::path out = folder.path() / "out";
  EXPECT_EQ(sluice_command({"run", "--resume", data, "-o", out.string()}).exit_code, 0);
  EXPECT_TRUE(fs::exists(out / "water_000003.vtp"));
}

TEST(CliRun, refuses_an_invalid_scene_without_a_folder) {
  const TemporaryDirectory folder;
  const fs::path scene = folder.path() / "bad.json";
  std::ofstream(scene) << "{\"domain\": ";
  const CliEnd end =
      sluice_command({"run", scene.string(), "-o", (folder.path() / "out").string()});
  EXPECT_EQ(end.exit_code, 2) << end.error;
  EXPECT_THAT(end.error, HasSubstr("error: "));
  EXPECT_FALSE(fs::exists(folder.path() / "out"));
}

// Oracle: the files of a run that nobody disturbed.
TEST(CliRun, goes_on_after_ctrl_c_with_the_same_frames) {
  const TemporaryDirectory folder;
  const std::string scene = write_scene(folder.path(), "slow=40");
  const fs::path undisturbed = folder.path() / "undisturbed";
  EXPECT_EQ(sluice_command(
                {"run", scene, "--frames", "40", "-o", undisturbed.string(), "--format", "ply"})
                .exit_code,
            0);

  const fs::path out = folder.path() / "out";
  CliProcess process({"run", scene, "--frames", "40", "-o", out.string(), "--format", "ply"});
  process.wait_until([&] { return fs::exists(out / "water_000005.ply"); });
  process.send(SIGINT);
  const CliEnd end = process.wait();
  EXPECT_EQ(end.exit_code, 130) << end.error;
  const fs::path data = word_after(end.error, "sluice run --resume ");
  EXPECT_THAT(end.error, HasSubstr("--resume " + data.string() + " -o"));
  EXPECT_TRUE(fs::is_directory(data));
  EXPECT_FALSE(fs::exists(out / "water_000040.ply"));

  const CliEnd resumed =
      sluice_command({"run", "--resume", data.string(), "-o", out.string(), "--format", "ply"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.error;
  EXPECT_EQ(contents(out), contents(undisturbed));
}

TEST(CliRun, keeps_the_session_in_the_folder_that_was_given) {
  const TemporaryDirectory folder;
  const std::string data = (folder.path() / "data").string();
  EXPECT_EQ(
      sluice_command({"run", write_scene(folder.path(), ""), "--frames", "3", "--data-dir", data})
          .exit_code,
      0);
  // Through already: going on reads its frames.
  const fs::path out = folder.path() / "out";
  EXPECT_EQ(sluice_command({"run", "--resume", data, "-o", out.string()}).exit_code, 0);
  EXPECT_TRUE(fs::exists(out / "sheet_000003.vtp"));
}

TEST(CliRun, ends_its_server_when_it_is_killed) {
  const TemporaryDirectory folder;
  const fs::path data = folder.path() / "data";
  CliProcess process({"run", write_scene(folder.path(), "slow=20"), "--frames", "100000",
                      "--data-dir", data.string()});
  process.wait_until([&] { return process.error_so_far().find("frame 0") != std::string::npos; });
  process.send(SIGKILL);
  (void)process.wait();
  // The folder can only be served again when the server has let go of it.
  for (int i = 0; i < 500; ++i) {
    try {
      const ServerProcess server(data);
      return;
    } catch (const std::runtime_error&) {
      wait_a_little();
    }
  }
  FAIL() << "the private server goes on";
}

// A light cube in water, in which WEAK throws it about; BOUNDARY_MAP does not.
std::string write_light_cube(const fs::path& folder, const std::string& method) {
  const fs::path path = folder / (method + ".json");
  std::ofstream(path) << R"({"domain": {"lower": [0, 0, 0], "upper": [0.2, 0.2, 0.2]},
    "fluid_grid": {"cell_size": 0.02, "solver": "FLUID_SOLVER_INCOMPRESSIBLE"},
    "fluids": [{"name": "water", "regions": [{"box": {"size": [0.2, 0.2, 0.12]},
      "transform": {"translation": [0.1, 0.1, 0.06]}}]}],
    "soft_bodies": [{"name": "cube", "shape": {"box": {"size": [0.06, 0.06, 0.06]}},
      "element_size": 0.03, "density": 20, "material": {"young_modulus": 1e4},
      "transform": {"translation": [0.1, 0.1, 0.06]}}],
    "solid_solver": {"integrator": "INTEGRATOR_NEWTON"},
    "coupling": {"method": "COUPLING_METHOD_)"
                      << method << "\"}}";
  return path.string();
}

TEST(CliRun, says_what_weak_coupling_cannot_do) {
  const TemporaryDirectory folder;
  const auto run = [&](const std::string& method) {
    return sluice_command({"run", write_light_cube(folder.path(), method), "--frames", "6", "-o",
                           (folder.path() / method).string(), "--threads", "1", "--web", "off"},
                          "sluice-worker");
  };
  const CliEnd weak = run("WEAK");
  EXPECT_EQ(weak.exit_code, 1) << weak.error;
  EXPECT_THAT(weak.error, HasSubstr("COUPLING_METHOD_WEAK is unstable where fluid weighs much"));
  EXPECT_THAT(weak.error, HasSubstr("the solver added it; another coupling.method,"));
  const CliEnd together = run("BOUNDARY_MAP");
  EXPECT_EQ(together.exit_code, 0) << together.error;
  EXPECT_EQ(together.error.find("warning"), std::string::npos) << together.error;
}

}  // namespace
}  // namespace sluice::e2e::cli_run_test
