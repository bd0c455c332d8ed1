// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/error.h"
#include "sluice/v1/scenes.pb.h"
#include "sluice/v1/sessions.pb.h"

// Data goes to stdout and is flushed line by line, messages go to stderr. Text from outside (names,
// messages, paths) is made visible (visible_text.h) where it goes into a line for people: messages,
// problems and tables here; `print_data` writes what it is given.
namespace sluice::cli {

/// Writes a line of data. Throws `CommandError` when stdout cannot be written.
void print_data(std::string_view line);

/// Writes a JSON value on a line of its own.
void print_json(const nlohmann::ordered_json& json);

/// Writes a message, after the program's name. Its line feeds stay: who puts text from outside into
/// it that could have some makes that visible.
void print_message(std::string_view message);

/// Writes an error of the server with every field it found wrong.
void print_error(const client::Error& error);

/// Writes each problem as `error: cloths[0].mesh: what was found`; one of the whole scene with the
/// name of its file instead.
void print_problems(const std::string& file, const v1::ValidateSceneResponse& report);

/// Prints to stderr what was chosen where the scene leaves it open, one line each.
void print_choices(const v1::ValidateSceneResponse& report);

/// Columns of text, made visible and padded to the widest cell but for the last one.
[[nodiscard]] std::string format_table(std::vector<std::vector<std::string>> rows);

/// `SESSION_STATE_RUNNING` as `running`.
[[nodiscard]] std::string short_name(v1::SessionState state);

/// `WARNING_KIND_VOLUME_LOST` as `volume lost`.
[[nodiscard]] std::string short_name(v1::WarningKind kind);

/// `SESSION_REASON_DISK_FULL` as `disk full`; empty for none.
[[nodiscard]] std::string short_name(v1::SessionReason reason);

/// Seconds as people say them: `0.4 s`, `12 s`, `3 min 05 s`, `2 h 07 min`.
[[nodiscard]] std::string format_duration(double seconds);

/// Bytes as people say them: `999 B`, `12.3 MB`.
[[nodiscard]] std::string format_bytes(std::int64_t bytes);

}  // namespace sluice::cli
