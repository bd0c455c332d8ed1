// SPDX-License-Identifier: Apache-2.0
#include "server/api/command_checks.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "server/convert/steer_convert.h"

namespace sluice::api {
namespace {

constexpr int most_bad_commands = 20;

// Two hexadecimal numbers with a dot between them.
std::optional<store::CommandCursor> read_token(const std::string& token) {
  const char* const end = token.data() + token.size();
  store::CommandCursor cursor;
  const auto frame = std::from_chars(token.data(), end, cursor.frame_index, 16);
  if (frame.ec != std::errc() || frame.ptr == end || *frame.ptr != '.') {
    return std::nullopt;
  }
  const auto sequence = std::from_chars(frame.ptr + 1, end, cursor.sequence, 16);
  return sequence.ec == std::errc() && sequence.ptr == end ? std::optional(cursor) : std::nullopt;
}

}  // namespace

void check_recorded_commands(const v1::CreateSessionRequest& request, std::int64_t last_frame,
                             Violations& violations) {
  if (request.recorded_commands_size() > session::max_recorded_commands) {
    violations.add("recorded_commands",
                   fmt::format("has {} elements; at most {} are allowed",
                               request.recorded_commands_size(), session::max_recorded_commands));
    return;
  }
  std::int64_t least = 1;
  int bad = 0;
  for (int i = 0; i < request.recorded_commands_size() && bad < most_bad_commands; ++i) {
    const v1::RecordedCommand& recorded = request.recorded_commands(i);
    const std::string path = fmt::format("recorded_commands[{}]", i);
    const bool in_order = recorded.frame_index() >= least && recorded.frame_index() <= last_frame;
    const convert::ConvertedSteer converted = convert::convert_steer(recorded.command());
    if (!in_order) {
      violations.check_range(path + ".frame_index", recorded.frame_index(), least, last_frame);
    }
    for (const scene::Problem& problem : converted.problems) {
      violations.add(path + (problem.path.empty() ? ".command" : ".command." + problem.path),
                     problem.message);
    }
    bad += in_order && converted.problems.empty() ? 0 : 1;
    least = std::max(least, recorded.frame_index());
  }
}

session::Result<CommandListOrder> check_list_commands(const v1::ListCommandsRequest& request) {
  Violations violations;
  CommandListOrder order;
  const auto id = check_session_name("name", request.name());
  if (!id) {
    violations.add("name", id.error().violations.front().description);
  } else {
    order.session_id = *id;
  }
  violations.check_range("page_size", request.page_size(), 0, session::max_command_page_size);
  order.page_size =
      request.page_size() == 0 ? session::default_command_page_size : request.page_size();
  if (!request.page_token().empty()) {
    const auto cursor = read_token(request.page_token());
    if (!cursor) {
      violations.add("page_token", "is not one that ListCommands gave");
    }
    order.after = cursor.value_or(store::CommandCursor());
  }
  if (!violations.empty()) {
    return std::move(violations).error();
  }
  return order;
}

std::string command_page_token(const store::CommandCursor& cursor) {
  return fmt::format("{:x}.{:x}", cursor.frame_index, cursor.sequence);
}

}  // namespace sluice::api
