// SPDX-License-Identifier: Apache-2.0
#include "client/cli/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "client/cli/command_error.h"
#include "client/cli/visible_text.h"

namespace sluice::cli {
namespace {

std::string to_lower_words(std::string name, std::string_view prefix) {
  if (name.starts_with(prefix)) {
    name.erase(0, prefix.size());
  }
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return name;
}

}  // namespace

void print_data(std::string_view line) {
  if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size() ||
      std::fputc('\n', stdout) == EOF || std::fflush(stdout) != 0) {
    throw CommandError(ExitCode::failed,
                       fmt::format("cannot write to stdout: {}", std::strerror(errno)));
  }
}

void print_json(const nlohmann::ordered_json& json) {
  // ASCII alone: a terminal acts on no character of it, and JSON may have any as an escape.
  print_data(json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace));
}

void print_message(std::string_view message) {
  fmt::print(stderr, "sluice: {}\n", visible_lines(message));
  std::fflush(stderr);
}

void print_error(const client::Error& error) {
  print_message(visible_lines(error.what()));
  const std::string_view said = error.what();
  for (std::size_t i = 0; i < error.violations().size(); ++i) {
    const client::FieldViolation& violation = error.violations()[i];
    // The server's message ends with the first violation, which alone would be said twice.
    if (i == 0 && !violation.description.empty() && said.ends_with(violation.description)) {
      continue;
    }
    fmt::print(stderr, "  {}: {}\n", visible(violation.field), visible(violation.description));
  }
}

void print_problems(const std::string& file, const v1::ValidateSceneResponse& report) {
  for (const v1::SceneProblem& problem : report.problems()) {
    const bool is_warning = problem.severity() == v1::SceneProblem::SEVERITY_WARNING;
    const std::string& place = problem.field().empty() ? file : problem.field();
    fmt::print(stderr, "{}: {}: {}\n", is_warning ? "warning" : "error", visible(place),
               visible(problem.message()));
  }
}

void print_choices(const v1::ValidateSceneResponse& report) {
  for (const v1::SceneChoice& choice : report.choices()) {
    fmt::print(stderr, "chosen: {}: {} ({})\n", visible(choice.field()), visible(choice.value()),
               visible(choice.reason()));
  }
}

std::string format_table(std::vector<std::vector<std::string>> rows) {
  for (auto& row : rows) {
    for (std::string& cell : row) {
      cell = visible(cell);
    }
  }
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += i + 1 < row.size() ? fmt::format("{:<{}}  ", row[i], widths[i]) : row[i];
    }
    if (&row != &rows.back()) {
      text += '\n';
    }
  }
  return text;
}

std::string short_name(v1::SessionState state) {
  return to_lower_words(v1::SessionState_Name(state), "SESSION_STATE_");
}

std::string short_name(v1::WarningKind kind) {
  return to_lower_words(v1::WarningKind_Name(kind), "WARNING_KIND_");
}

std::string short_name(v1::SessionReason reason) {
  return reason == v1::SESSION_REASON_UNSPECIFIED
             ? ""
             : to_lower_words(v1::SessionReason_Name(reason), "SESSION_REASON_");
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) {
    return "?";
  }
  if (seconds < 9.95) {
    return fmt::format("{:.1f} s", seconds);
  }
  const auto whole = std::llround(seconds);
  if (whole < 60) {
    return fmt::format("{} s", whole);
  }
  if (whole < 3600) {
    return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  }
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string format_bytes(std::int64_t bytes) {
  constexpr std::array units{"kB", "MB", "GB", "TB", "PB"};
  if (bytes < 1000) {
    return fmt::format("{} B", bytes);
  }
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (value /= 1000; value >= 999.95 && unit + 1 < units.size(); value /= 1000) {
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace sluice::cli
