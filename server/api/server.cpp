// SPDX-License-Identifier: Apache-2.0
#include "server/api/server.h"

#include <fmt/format.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "server/api/accept_loop.h"
#include "server/api/assets_service.h"
#include "server/api/example_scenes.h"
#include "server/api/frames_service.h"
#include "server/api/listener.h"
#include "server/api/listener_probe.h"
#include "server/api/readiness.h"
#include "server/api/scene_checker.h"
#include "server/api/scenes_service.h"
#include "server/api/server_service.h"
#include "server/api/sessions_service.h"
#include "server/api/worker_link_service.h"
#include "server/session/local_executor.h"

namespace sluice::api {
namespace {

namespace fs = std::filesystem;
using session::internal_error;
using session::Result;

// Session logic, disk writes, scene checks. Enough that one long check holds nobody up.
constexpr int pool_threads = 6;
// Calls that hang when the server stops are cut off after this. A connection without calls costs
// all of it where its client is not listening: gRPC's blocking calls do so only while they last.
constexpr std::chrono::milliseconds call_patience{250};

// A message of 1.8 MiB can expand to 2 GB before any limit is looked at. Nothing that clients send
// gains from compression: they are told that it is off, and bytes that come compressed all the same
// are not expanded.
void refuse_compression(grpc::ServerBuilder& builder) {
  builder.AddChannelArgument(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET,
                             1 << GRPC_COMPRESS_NONE);
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
}

fs::path own_path() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);
}

// The workers' socket: in the data directory, which nobody else may enter, or, where that path is
// too long for a socket, in a private one of its own.
class WorkerSocket {
 public:
  static Result<std::unique_ptr<WorkerSocket>> create(const fs::path& data_directory) {
    auto socket = std::make_unique<WorkerSocket>();
    std::error_code error;
    std::string path = (fs::absolute(data_directory, error) / "worker.sock").string();
    if (!parse_listen_address("unix:" + path)) {
      std::string directory = (fs::temp_directory_path(error) / "sluiced-XXXXXX").string();
      if (mkdtemp(directory.data()) == nullptr) {
        return internal_error(fmt::format("cannot make a directory for the workers' socket: {}",
                                          std::strerror(errno)));
      }
      socket->directory_ = directory;
      path = directory + "/worker.sock";
    }
    const auto address = parse_listen_address("unix:" + path);
    if (!address) {
      return internal_error(
          fmt::format("{} is too long for the path of the workers' socket: let TMPDIR name a "
                      "folder with a shorter one",
                      path));
    }
    socket->address_ = *address;
    unlink(path.c_str());  // A killed server may leave it; the directory's lock is ours.
    return socket;
  }
  ~WorkerSocket() {
    if (!address_.unix_path.empty()) {
      unlink(address_.unix_path.c_str());
    }
    if (!directory_.empty()) {
      rmdir(directory_.c_str());
    }
  }
  [[nodiscard]] const ListenAddress& address() const { return address_; }

 private:
  ListenAddress address_;
  std::string directory_;  // That it has made; empty without one.
};

class ServerImpl final : public Server {
 public:
  explicit ServerImpl(const ServerSettings& settings)
      : settings_(settings), slots_(settings.session.limits.running_sessions) {}

  ~ServerImpl() override { stop(); }

  session::Status start();
  [[nodiscard]] const std::string& address() const override { return address_; }
  [[nodiscard]] std::shared_ptr<grpc::Channel> channel() override;
  [[nodiscard]] session::Census census() const override;
  [[nodiscard]] bool hears() const override { return !probe_ || !probe_->is_deaf(); }
  void check_readiness(std::function<void(std::vector<std::string>)> tell) override {
    readiness_.ask(std::move(tell));
  }
  void stop() override;

 private:
  [[nodiscard]] std::vector<std::string> reasons_against_work();  // Waits for the disk.
  session::Status open_store();
  session::Status open_database();
  session::Status open_workers();
  session::Status open_api(const ListenAddress& listen);

  const ServerSettings settings_;
  std::string address_;
  std::vector<std::string> findings_;  // Problems that were found when the server was started.
  bool stopped_ = false;

  // In the order they are built on each other.
  std::unique_ptr<store::DataDirectory> directory_;
  std::unique_ptr<store::Database> database_;
  std::unique_ptr<store::AssetStore> assets_;
  session::WorkPool pool_{pool_threads};
  Readiness readiness_{pool_, [this] { return reasons_against_work(); }};
  session::RunSlots slots_;
  std::unique_ptr<WorkerSocket> worker_socket_;
  std::unique_ptr<session::LocalExecutor> executor_;
  std::unique_ptr<session::Sessions> sessions_;
  std::unique_ptr<WorkerLinkService> worker_link_;
  std::unique_ptr<grpc::Server> worker_server_;
  std::unique_ptr<AcceptLoop> worker_loop_;
  std::unique_ptr<StreamPlaces> places_;
  std::unique_ptr<SceneChecker> checker_;
  std::unique_ptr<SessionsService> sessions_service_;
  std::unique_ptr<FramesService> frames_service_;
  std::unique_ptr<AssetsService> assets_service_;
  std::unique_ptr<ScenesService> scenes_service_;
  std::unique_ptr<ServerService> server_service_;
  std::unique_ptr<grpc::Server> api_server_;
  std::unique_ptr<AcceptLoop> api_loop_;
  std::unique_ptr<ListenerProbe> probe_;
};

session::Status ServerImpl::open_store() {
  auto directory = store::DataDirectory::open(settings_.data_directory);
  if (!directory) {
    return internal_error(directory.error().message);
  }
  directory_ = std::move(directory).value();
  if (auto opened = open_database(); !opened) {
    return opened;
  }
  store::AssetStore::Options options;
  const session::Limits& limits = settings_.session.limits;
  options.max_asset_bytes = static_cast<std::uint64_t>(limits.asset_bytes);
  options.reserve_bytes = static_cast<std::uint64_t>(limits.reserved_disk_bytes);
  auto assets = store::AssetStore::open(directory_->assets_path(), options);
  if (!assets) {
    return internal_error(assets.error().message);
  }
  assets_ = std::move(assets).value();
  return session::ok();
}

// A database that is no database any more is set aside: every row that matters stands in the
// folder of its session too.
session::Status ServerImpl::open_database() {
  const fs::path path = directory_->database_path();
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  auto log = path, shared = path;
  log += "-wal";
  shared += "-shm";
  std::string why;
  std::error_code no_log;
  if ((error || bytes == 0) && fs::file_size(log, no_log) > 0 && !no_log) {
    // SQLite would remove the log unread.
    why = fmt::format("the database {} is {}", path.string(), error ? "gone" : "empty");
  } else {
    auto database = store::Database::open(path);
    if (!database && database.error().code != store::ErrorCode::corrupt) {
      return internal_error(database.error().message);
    }
    if (database) {
      database_ = std::move(database).value();
      return session::ok();
    }
    why = database.error().message;
  }
  const std::array<fs::path, 3> files{path, log, shared};
  const auto kept = directory_->set_aside("database", files);
  if (!kept) {
    return internal_error(fmt::format("{}; and {}", why, kept.error().message));
  }
  findings_.push_back(
      fmt::format("{}: its files are kept in {}, and a new one is made from the "
                  "sessions' folders",
                  why, kept->string()));
  spdlog::error("{}", findings_.back());
  auto database = store::Database::open(path);
  if (!database) {
    return internal_error(database.error().message);
  }
  database_ = std::move(database).value();
  return session::ok();
}

session::Status ServerImpl::open_workers() {
  auto socket = WorkerSocket::create(directory_->root());
  if (!socket) {
    return socket.error();
  }
  worker_socket_ = *std::move(socket);
  session::LocalExecutorOptions options;
  options.worker_binary = settings_.worker_binary.empty()
                              ? own_path().parent_path() / "sluice-worker"
                              : settings_.worker_binary;
  if (access(options.worker_binary.c_str(), X_OK) != 0) {
    return internal_error(fmt::format("cannot run workers: {}: {}", options.worker_binary.string(),
                                      std::strerror(errno)));
  }
  options.attach_address = worker_socket_->address().in_words(0);
  options.nice = settings_.worker_nice;
  executor_ = std::make_unique<session::LocalExecutor>(options);
  auto sessions = session::Sessions::open(
      {settings_.session, pool_, *directory_, *database_, *assets_, *executor_, slots_});
  if (!sessions) {
    return sessions.error();
  }
  sessions_ = *std::move(sessions);
  findings_.insert(findings_.end(), sessions_->findings().begin(), sessions_->findings().end());
  worker_link_ = std::make_unique<WorkerLinkService>(*sessions_);
  grpc::ServerBuilder builder;
  builder.RegisterService(worker_link_.get());
  builder.SetMaxReceiveMessageSize(-1);
  builder.SetMaxSendMessageSize(-1);
  auto sockets = ListeningSockets::open(worker_socket_->address());
  if (!sockets) {
    return sockets.error();
  }
  worker_server_ = builder.BuildAndStart();
  if (!worker_server_) {
    return internal_error("cannot serve workers");
  }
  worker_loop_ =
      std::make_unique<AcceptLoop>(*std::move(sockets), *worker_server_, Admission::workers);
  return session::ok();
}

session::Status ServerImpl::open_api(const ListenAddress& listen) {
  places_ = std::make_unique<StreamPlaces>(settings_.session.limits.streams);
  // Not by its path, where there may be another version by then.
  checker_ = std::make_unique<SceneChecker>(sessions_->environment(), "/proc/self/exe");
  sessions_service_ = std::make_unique<SessionsService>(*sessions_, *places_, *checker_);
  frames_service_ = std::make_unique<FramesService>(*sessions_, *places_);
  assets_service_ = std::make_unique<AssetsService>(sessions_->environment());
  scenes_service_ = std::make_unique<ScenesService>(sessions_->environment(), *checker_,
                                                    settings_.scenes_directory.empty()
                                                        ? find_scenes_directory(own_path())
                                                        : settings_.scenes_directory);
  server_service_ =
      std::make_unique<ServerService>(settings_.session.limits, settings_.viewer_url, findings_);

  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  const auto message_bytes = static_cast<int>(settings_.session.limits.message_bytes);
  builder.SetMaxReceiveMessageSize(message_bytes);
  builder.SetMaxSendMessageSize(message_bytes);
  refuse_compression(builder);
  // Finds clients that vanished without a word, and lets theirs ping as often.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10'000);
  builder.RegisterService(sessions_service_.get());
  builder.RegisterService(frames_service_.get());
  builder.RegisterService(assets_service_.get());
  builder.RegisterService(scenes_service_.get());
  builder.RegisterService(server_service_.get());
  auto sockets = ListeningSockets::open(listen);
  if (!sockets) {
    return sockets.error();
  }
  api_server_ = builder.BuildAndStart();
  if (!api_server_) {
    return internal_error("cannot serve the API");
  }
  api_loop_ = std::make_unique<AcceptLoop>(*std::move(sockets), *api_server_, Admission::clients);
  address_ = api_loop_->address().in_words(api_loop_->address().port);
  probe_ = std::make_unique<ListenerProbe>(api_loop_->address());
  if (auto* health = api_server_->GetHealthCheckService()) {
    for (const char* const service :
         {v1::Sessions::service_full_name(), v1::Frames::service_full_name(),
          v1::Assets::service_full_name(), v1::Scenes::service_full_name(),
          v1::Server::service_full_name()}) {
      health->SetServingStatus(service, true);
    }
    health->SetServingStatus(true);
  }
  return session::ok();
}

session::Status ServerImpl::start() {
  const auto listen = parse_listen_address(settings_.listen);
  if (!listen) {
    return internal_error(
        fmt::format("'{}' is no address to listen on: ADDRESS:PORT, or unix:PATH "
                    "with at most 107 characters",
                    settings_.listen));
  }
  if (listen->is_unix() && unix_socket_in_use(listen->unix_path)) {  // Before any worker starts.
    return internal_error(fmt::format("another server listens on {}", settings_.listen));
  }
  for (auto step : {&ServerImpl::open_store, &ServerImpl::open_workers}) {
    if (auto done = (this->*step)(); !done) {
      return done;
    }
  }
  if (auto done = open_api(*listen); !done) {
    return done;
  }
  if (!listen->is_local()) {
    spdlog::warn(
        "listening on {} without encryption or authentication: whoever reaches it can "
        "read and change everything",
        address_);
  }
  sessions_->start();
  return session::ok();
}

std::shared_ptr<grpc::Channel> ServerImpl::channel() {
  // Limits are the server's to keep.
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  return api_server_->InProcessChannel(arguments);
}

session::Census ServerImpl::census() const {
  session::Census census = sessions_->census();
  census.stream_count = places_->open_count();
  std::error_code error;
  const fs::space_info space = fs::space(directory_->root(), error);
  census.free_disk_byte_count = error ? 0 : static_cast<std::int64_t>(space.available);
  return census;
}

std::vector<std::string> ServerImpl::reasons_against_work() {
  std::vector<std::string> reasons;
  if (places_->stopping()) {
    reasons.emplace_back("the server is stopping");
  }
  if (probe_->last() != Hearing::answers) {
    reasons.push_back(probe_->last() == Hearing::full
                          ? "too many connections are open: new ones are refused"
                          : "the gRPC port does not answer");
  }
  const auto reserve = static_cast<std::uint64_t>(settings_.session.limits.reserved_disk_bytes);
  const auto free = directory_->free_bytes();
  if (!free) {
    reasons.push_back(free.error().message);
  } else if (*free < reserve) {
    reasons.push_back(
        fmt::format("the disk is full: {} bytes are free in {}, and {} are kept in reserve", *free,
                    directory_->root().string(), reserve));
  }
  if (const auto writable = database_->check_writable(); !writable) {
    reasons.push_back(fmt::format("the database cannot be written: {}", writable.error().message));
  }
  return reasons;
}

void ServerImpl::stop() {
  if (std::exchange(stopped_, true)) {
    return;
  }
  if (api_server_) {
    if (auto* health = api_server_->GetHealthCheckService()) {
      health->SetServingStatus(false);
    }
  }
  if (places_) {
    places_->stop();
  }
  if (checker_) {
    checker_->stop();
  }
  if (sessions_) {
    sessions_->stop();
  }
  const auto deadline = std::chrono::system_clock::now() + call_patience;
  if (probe_) {
    probe_->stop();
  }
  api_loop_.reset();
  if (api_server_) {
    api_server_->Shutdown(deadline);
  }
  executor_.reset();  // Kills and reaps what is left.
  worker_loop_.reset();
  if (worker_server_) {
    worker_server_->Shutdown(deadline);
  }
  pool_.stop();
}

}  // namespace

Result<std::unique_ptr<Server>> Server::start(const ServerSettings& settings) {
  auto server = std::make_unique<ServerImpl>(settings);
  if (auto started = server->start(); !started) {
    return started.error();
  }
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace sluice::api
