// SPDX-License-Identifier: Apache-2.0
#include "server/sluiced/logging.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace sluice::sluiced {
namespace {

// The logger's name is the session's (session.cpp); the process's own logger has none.
std::string to_line(const spdlog::details::log_msg& entry, LogFormat format) {
  using std::chrono::duration_cast;
  const auto since_epoch = entry.time.time_since_epoch();
  const auto milliseconds = duration_cast<std::chrono::milliseconds>(since_epoch).count() % 1000;
  const auto time =
      fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                  fmt::gmtime(spdlog::log_clock::to_time_t(entry.time)), milliseconds);
  const std::string_view level(spdlog::level::to_string_view(entry.level).data(),
                               spdlog::level::to_string_view(entry.level).size());
  const std::string_view session(entry.logger_name.data(), entry.logger_name.size());
  const std::string_view message(entry.payload.data(), entry.payload.size());
  if (format == LogFormat::text) {
    return fmt::format("{} {} {}{}{}\n", time, level, session, session.empty() ? "" : ": ",
                       message);
  }
  std::string line = fmt::format(R"({{"time":"{}","level":"{}")", time, level);
  if (!session.empty()) {
    line += R"(,"session":)" + json_string(session);
  }
  return line + R"(,"message":)" + json_string(message) + "}\n";
}

class LineFormatter final : public spdlog::formatter {
 public:
  explicit LineFormatter(LogFormat format) : format_(format) {}
  void format(const spdlog::details::log_msg& entry, spdlog::memory_buf_t& out) override {
    const std::string line = to_line(entry, format_);
    out.append(line.data(), line.data() + line.size());
  }
  [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<LineFormatter>(format_);
  }

 private:
  LogFormat format_;
};

}  // namespace

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20U) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted += '"';
}

void set_up_logging(const std::string& level, LogFormat format) {
  auto logger =
      std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_formatter(std::make_unique<LineFormatter>(format));
  logger->set_level(spdlog::level::from_str(level));
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace sluice::sluiced
