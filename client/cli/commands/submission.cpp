// SPDX-License-Identifier: Apache-2.0
#include "client/cli/commands/submission.h"

#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <utility>

#include "client/cli/choice.h"
#include "client/cli/command_error.h"
#include "client/cli/message_json.h"
#include "client/cli/output.h"
#include "client/cli/visible_text.h"
#include "sluice/error.h"

namespace sluice::cli {

namespace {

struct ParsedLimit {
  v1::FailureLimit limit;
  std::string problem;  ///< What is wrong with the text, in words; empty if nothing.
};

/// `crossing`, `volume-lost`: the kinds of warning as --fail-on has them.
std::vector<std::pair<std::string, v1::WarningKind>> warning_words() {
  std::vector<std::pair<std::string, v1::WarningKind>> words;
  for (int i = v1::WARNING_KIND_UNSPECIFIED + 1; i < v1::WarningKind_ARRAYSIZE; ++i) {
    const auto kind = static_cast<v1::WarningKind>(i);
    if (!v1::WarningKind_IsValid(i)) {
      continue;
    }
    std::string word = short_name(kind);
    std::replace(word.begin(), word.end(), ' ', '-');
    words.emplace_back(std::move(word), kind);
  }
  return words;
}

/// Sets the number of a limit: VALUE, Nframes or never. Empty, or what is wrong with it.
std::string parse_bound(const std::string& bound, v1::FailureLimit& limit) {
  if (bound == "never") {
    return {};  // A limit without numbers: see sessions.proto.
  }
  const char* const end = bound.data() + bound.size();
  double number = 0;
  const auto [rest, failure] = std::from_chars(bound.data(), end, number);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  const bool counts_frames = unit == "frames";
  const bool is_number = failure == std::errc() && std::isfinite(number) && number >= 0;
  const bool is_count = number >= 1 && number <= 1e6 && number == std::floor(number);
  if (!is_number || (counts_frames ? !is_count : !unit.empty())) {
    return fmt::format(
        "'{}' is no limit: say a number that is not negative, 1frames to 1000000frames, or never",
        bound);
  }
  if (counts_frames) {
    limit.set_frame_count(static_cast<std::int64_t>(number));
  } else {
    limit.set_value(number);
  }
  return {};
}

/// Reads one value of --fail-on: KIND or KIND=LIMIT.
ParsedLimit parse_failure_limit(const std::string& given) {
  ParsedLimit parsed;
  const std::size_t equals = given.find('=');
  std::string word = given.substr(0, equals);
  std::vector<std::string> words;
  for (const auto& [name, kind] : warning_words()) {
    if (name == word) {
      parsed.limit.set_kind(kind);
    }
    words.push_back(name);
  }
  parsed.problem = one_of(words)(word);
  if (!parsed.problem.empty()) {
    return parsed;
  }
  if (equals == std::string::npos) {
    parsed.limit.set_frame_count(1);  // The first frame that has it.
  } else {
    parsed.problem = parse_bound(given.substr(equals + 1), parsed.limit);
  }
  return parsed;
}

}  // namespace

void SubmissionOptions::add_to(Command command) {
  command.add_option("--frames", frame_count, "Frames to compute; if not given, the scene's")
      .range(1, 1'000'000);
  command
      .add_option("--threads", thread_count,
                  "Threads of the solver; if not given, the server's setting")
      .range(1, 4096);
  command
      .add_option("--checkpoint-every", checkpoint_interval,
                  "Frames between checkpoints; if not given, 10")
      .range(1, 1'000'000);
  command.add_flag("--certify", certify,
                   "Check every substep for crossings, and say so in each frame's statistics "
                   "('sluice verify'). Frames take longer, with many particles of "
                   "FLUID_SOLVER_MPM several times as long");
  command
      .add_option("--fail-on", fail_on,
                  "End the session at the first frame that warns of this, at a value in the "
                  "warning's unit, at the N-th such frame, or never: crossing, volume-lost=0.1, "
                  "not-converged=30frames, energy-grew=never. May be said once for each kind. If "
                  "not given, volume-lost=0.25 and energy-grew=60frames")
      .expected(1)
      .take_all()
      .type_name("KIND[=LIMIT]")
      .check([](const std::string& given) { return parse_failure_limit(given).problem; });
  command.add_option("--commands", commands,
                     "File of commands to repeat, as 'sluice get NAME --commands' prints them");
}

std::vector<v1::RecordedCommand> SubmissionOptions::recorded_commands() const {
  if (commands.empty()) {
    return {};
  }
  std::ifstream file(commands, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    throw CommandError(ExitCode::usage, "cannot read '" + visible(commands) + "'");
  }
  v1::ListCommandsResponse list;
  const auto status = google::protobuf::util::JsonStringToMessage(text.str(), &list);
  if (!status.ok()) {
    throw CommandError(ExitCode::usage, "'" + visible(commands) +
                                            "' is not what 'sluice get NAME --commands' prints: " +
                                            visible(std::string(status.message())));
  }
  return {list.commands().begin(), list.commands().end()};
}

v1::RunOptions SubmissionOptions::run_options() const {
  v1::RunOptions run;
  if (frame_count) {
    run.set_frame_count(*frame_count);
  }
  if (thread_count) {
    run.set_thread_count(*thread_count);
  }
  if (checkpoint_interval) {
    run.set_checkpoint_interval_frames(*checkpoint_interval);
  }
  if (certify) {
    run.set_certify(true);
  }
  for (const std::string& given : fail_on) {
    *run.add_failure_limits() = parse_failure_limit(given).limit;
  }
  return run;
}

client::SceneFile read_scene(const std::filesystem::path& path) {
  try {
    return client::read_scene_file(path);
  } catch (const client::Error& error) {
    throw CommandError(ExitCode::usage, error.what());
  }
}

std::optional<v1::Scene> prepare_scene(const client::Connection& connection,
                                       const std::string& path, bool json) {
  const client::CheckedScene checked = client::check_scene(connection, read_scene(path));
  print_problems(path, checked.report);
  if (!checked.valid) {
    if (json) {
      print_json(to_json(checked.report));
    }
    print_message("the scene '" + visible(path) + "' is invalid");
    return {};
  }
  return checked.scene;
}

}  // namespace sluice::cli
