// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>

#include "server/api/server.h"
#include "server/web/settings.h"

namespace sluice::sluiced {

enum class LogFormat { text, json };

/// All settings of the program, with their defaults.
struct Settings {
  api::ServerSettings server;
  bool serves_web = true;
  web::WebSettings web;
  std::string log_level = "info";
  LogFormat log_format = LogFormat::text;
  bool probes = false;  ///< Probe the server at `server.listen` instead of serving.
};

/// The process exits with `code`: the command line asks for help or version, or it is wrong.
struct ExitNow {
  int code;
};

/// Reads flags, SLUICE_* environment variables and the file of --config. If a setting has several
/// values, the first in this order counts. Prints help, version and errors itself.
[[nodiscard]] std::variant<Settings, ExitNow> read_settings(int argc, char** argv);

}  // namespace sluice::sluiced
