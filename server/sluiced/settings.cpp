// SPDX-License-Identifier: Apache-2.0
#include "server/sluiced/settings.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <map>
#include <thread>
#include <vector>

#include "server/api/listener.h"
#include "server/web/origins.h"

namespace sluice::sluiced {
namespace {

constexpr std::string_view examples = R"(Examples:
  sluiced --data-dir /var/lib/sluice
  sluiced --data-dir data --listen 127.0.0.1:0 --log-format json
  sluiced --data-dir data --listen unix:/run/sluice/api.sock --web-listen off
  sluiced --data-dir data --web-listen 0.0.0.0:80 --web-origins https://sim.example.org
  SLUICE_DATA_DIR=data SLUICE_MAX_RUNNING_SESSIONS=2 sluiced
  sluiced --config /etc/sluice.toml        # data-dir = "/var/lib/sluice"

Every flag except --config and --probe can also be given as an environment variable (--data-dir:
SLUICE_DATA_DIR) and by its name in the file of --config. Flags count before the environment, the
environment before the file.

Exit codes: 0 stopped by SIGTERM or SIGINT, 2 wrong usage, 3 cannot serve.
)";

constexpr std::int64_t mebi = std::int64_t{1} << 20;

// --data-dir becomes SLUICE_DATA_DIR.
std::string environment_name(std::string flag) {
  std::ranges::transform(flag, flag.begin(), [](char c) {
    return c == '-' ? '_' : (c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
  });
  return "SLUICE_" + flag;
}

// Sizes are given in MiB and kept in bytes.
struct Mebibytes {
  std::int64_t* bytes;
  std::int64_t value;
};

class Flags {
 public:
  explicit Flags(Settings& settings);

  std::variant<Settings, ExitNow> parse(int argc, char** argv);

 private:
  template <typename T>
  CLI::Option* add(const std::string& name, T& value, const std::string& description) {
    return app_
        .add_option("--" + name, value, fmt::format("{} [{}]", description, environment_name(name)))
        ->capture_default_str()
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
  CLI::Option* add_mebibytes(const std::string& name, std::int64_t& bytes,
                             const std::string& description) {
    sizes_.push_back(std::make_unique<Mebibytes>(Mebibytes{&bytes, bytes / mebi}));
    return add(name, sizes_.back()->value, description + ", in MiB");
  }

  Settings& settings_;
  CLI::App app_;
  std::vector<std::unique_ptr<Mebibytes>> sizes_;
  bool read_web_settings();

  std::string durability_ = "fsync";
  std::string web_listen_;
  std::string web_origins_;
  std::string log_format_ = "text";
  std::int64_t stop_grace_ms_ = 0;
};

Flags::Flags(Settings& settings)
    : settings_(settings),
      app_("Serves simulations of fluids and deformable solids over gRPC.", "sluiced") {
  api::ServerSettings& server = settings.server;
  session::Limits& limits = server.session.limits;
  app_.footer(std::string(examples));
  app_.set_version_flag("--version", std::string("sluiced " SLUICE_VERSION));
  app_.set_config("--config", "", "File of settings, TOML");
  app_.allow_config_extras(false);
  const auto positive = CLI::Range(1, 1'000'000);
  const auto any_size = CLI::Range(std::int64_t{1}, std::int64_t{1} << 40);
  add("data-dir", server.data_directory, "Directory of sessions, frames and assets");
  add("listen", server.listen,
      "Where to serve: ADDRESS:PORT (port 0: any free one) or unix:PATH. There is no encryption: "
      "anything but loopback is for trusted networks");
  web_listen_ = fmt::format("{}:{}", settings.web.host, settings.web.port);
  add("web-listen", web_listen_,
      "Where to serve the viewer, gRPC-Web, /healthz, /readyz and /metrics over HTTP: ADDRESS:PORT "
      "(port 0: "
      "any free one), or off. There is no encryption here either");
  add("web-origins", web_origins_,
      "Origins of pages elsewhere that may call over gRPC-Web, separated by commas, as "
      "https://sim.example.org; * for all. Behind a proxy: the origin that people see");
  add("web-root", settings.web.root,
      "Directory of the viewer's files; if omitted, those that come with sluiced")
      ->default_str("");
  add("max-web-connections", settings.web.max_connections, "Connections over HTTP at once")
      ->check(CLI::Range(1, 100'000));
  add("durability", durability_,
      "What a frame survives once it is announced: fsync a power cut, os a crash of the server")
      ->check(CLI::IsMember({"fsync", "os"}));
  add("max-running-sessions", limits.running_sessions, "Sessions that run at once; more wait")
      ->check(CLI::Range(1, 10'000));
  add("threads-per-session", limits.threads_per_session,
      "Threads of a worker unless its session asks for fewer")
      ->check(CLI::Range(1, 1'024));
  // Less does not hold the stacks of its threads.
  add_mebibytes("worker-memory-mb", limits.worker_memory_bytes, "Memory that a worker may use")
      ->check(CLI::Range(std::int64_t{128}, std::int64_t{1} << 40));
  add("worker-nice", server.worker_nice, "Added to the priority number of workers")
      ->check(CLI::Range(0, 19));
  add("max-stored-sessions", limits.stored_sessions, "Sessions that are kept, ended ones included")
      ->check(positive);
  add("max-particles", limits.particles_per_scene, "Particles of a scene")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}));
  add("max-vertices", limits.vertices_per_scene, "Vertices of all solids of a scene")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{10'000'000}));
  add("max-frames", limits.frames_per_session, "Frames of a session, the initial one included")
      ->check(CLI::Range(std::int64_t{2}, std::int64_t{1'000'001}));
  add_mebibytes("max-frame-mb", limits.frame_bytes, "Size of a frame")->check(any_size);
  add_mebibytes("max-asset-mb", limits.asset_bytes, "Size of an asset")->check(any_size);
  add_mebibytes("reserved-disk-mb", limits.reserved_disk_bytes,
                "Space on the disk that frames leave free")
      ->check(any_size);
  // A piece of an asset with what is around it must fit; and protobuf ends at 2 GiB.
  add_mebibytes("max-message-mb", limits.message_bytes, "Size of a message, either way")
      ->check(CLI::Range(std::int64_t{2}, std::int64_t{2'047}));
  add("max-streams", limits.streams, "Streams open at once, over all clients")->check(positive);
  stop_grace_ms_ = server.session.stop_grace.count();
  add("stop-grace-ms", stop_grace_ms_,
      "How long workers may take to save their state when the server stops")
      ->check(CLI::Range(0, 3'600'000));
  add("worker", server.worker_binary,
      "The program of a worker; if omitted, sluice-worker next "
      "to sluiced")
      ->default_str("");
  add("scenes-dir", server.scenes_directory,
      "Directory of example scenes; if omitted, those that come with sluiced")
      ->default_str("");
  add("log-level", settings.log_level, "Least severe line that is logged")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}));
  app_.add_flag("--probe", settings.probes,
                "Instead of serving, ask the server at --listen whether it answers: exit code 0, "
                "or 1 if not. For health checks");
  add("log-format", log_format_, "Form of a line of log")->check(CLI::IsMember({"text", "json"}));
}

bool Flags::read_web_settings() {
  settings_.serves_web = web_listen_ != "off";
  if (settings_.serves_web) {
    const auto listen = api::parse_listen_address(web_listen_);
    if (!listen || listen->is_unix()) {
      fmt::print(stderr, "--web-listen: '{}' is neither ADDRESS:PORT nor off\n", web_listen_);
      return false;
    }
    settings_.web.host = listen->host;
    settings_.web.port = listen->port;
  }
  for (std::string_view rest = web_origins_; !rest.empty();) {
    const std::string_view origin = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(origin.size() + 1, rest.size()));
    if (!web::Origins::is_origin(origin)) {
      fmt::print(stderr, "--web-origins: '{}' is neither SCHEME://HOST[:PORT] nor *\n", origin);
      return false;
    }
    settings_.web.origins.emplace_back(origin);
  }
  return true;
}

std::variant<Settings, ExitNow> Flags::parse(int argc, char** argv) {
  // CLI11 would let the file count before the environment. Put in front of the flags, which are
  // taken last, a variable gives way to a flag and wins over the file.
  std::vector<std::string> arguments;
  for (const CLI::Option* option : app_.get_options()) {
    const std::string& name = option->get_lnames().empty() ? "" : option->get_lnames().front();
    if (name.empty() || name == "help" || name == "version" || name == "probe") {
      continue;
    }
    if (const char* value = std::getenv(environment_name(name).c_str());
        value != nullptr && *value != 0) {
      arguments.push_back("--" + name + "=" + value);
    }
  }
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  std::ranges::reverse(arguments);  // CLI11 takes them from the back.
  try {
    app_.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return ExitNow{app_.exit(error) == 0 ? 0 : 2};
  }
  if (!read_web_settings()) {
    return ExitNow{2};
  }
  for (const auto& size : sizes_) {
    *size->bytes = size->value * mebi;
  }
  settings_.server.session.durability =
      durability_ == "os" ? store::Durability::os : store::Durability::fsync;
  settings_.server.session.stop_grace = std::chrono::milliseconds(stop_grace_ms_);
  settings_.log_format = log_format_ == "json" ? LogFormat::json : LogFormat::text;
  return settings_;
}

}  // namespace

std::variant<Settings, ExitNow> read_settings(int argc, char** argv) {
  Settings settings;
  settings.server.session.limits.threads_per_session =
      std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return Flags(settings).parse(argc, argv);
}

}  // namespace sluice::sluiced
