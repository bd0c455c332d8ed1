// SPDX-License-Identifier: Apache-2.0
#include "server/api/server.h"

#include <fmt/format.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "server/api/assets_service.h"
#include "server/api/example_scenes.h"
#include "server/api/frames_service.h"
#include "server/api/listener.h"
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
    socket->path_ = (fs::absolute(data_directory, error) / "worker.sock").string();
    if (!parse_listen_address("unix:" + socket->path_)) {
      std::string directory = (fs::temp_directory_path(error) / "sluiced-XXXXXX").string();
      if (mkdtemp(directory.data()) == nullptr) {
        return internal_error(fmt::format("cannot make a directory for the workers' socket: {}",
                                          std::strerror(errno)));
      }
      socket->directory_ = directory;
      socket->path_ = directory + "/worker.sock";
    }
    unlink(socket->path_.c_str());  // Of a server that was killed; the directory's lock is ours.
    return socket;
  }
  ~WorkerSocket() {
    unlink(path_.c_str());
    if (!directory_.empty()) {
      rmdir(directory_.c_str());
    }
  }
  [[nodiscard]] std::string address() const { return "unix:" + path_; }

 private:
  std::string path_, directory_;
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
  void stop() override;

 private:
  session::Status open_store();
  session::Status open_workers();
  session::Status open_api(const ListenAddress& listen);

  const ServerSettings settings_;
  std::string address_;
  bool stopped_ = false;

  // In the order they are built on each other.
  std::unique_ptr<store::DataDirectory> directory_;
  std::unique_ptr<store::Database> database_;
  std::unique_ptr<store::AssetStore> assets_;
  session::WorkPool pool_{pool_threads};
  session::RunSlots slots_;
  std::unique_ptr<WorkerSocket> worker_socket_;
  std::unique_ptr<session::LocalExecutor> executor_;
  std::unique_ptr<session::Sessions> sessions_;
  std::unique_ptr<WorkerLinkService> worker_link_;
  std::unique_ptr<grpc::Server> worker_server_;
  std::unique_ptr<StreamPlaces> places_;
  std::unique_ptr<SessionsService> sessions_service_;
  std::unique_ptr<FramesService> frames_service_;
  std::unique_ptr<AssetsService> assets_service_;
  std::unique_ptr<ScenesService> scenes_service_;
  std::unique_ptr<ServerService> server_service_;
  std::unique_ptr<grpc::Server> api_server_;
};

session::Status ServerImpl::open_store() {
  auto directory = store::DataDirectory::open(settings_.data_directory);
  if (!directory) {
    return internal_error(directory.error().message);
  }
  directory_ = std::move(directory).value();
  auto database = store::Database::open(directory_->database_path());
  if (!database) {
    return internal_error(database.error().message);
  }
  database_ = std::move(database).value();
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
  options.attach_address = worker_socket_->address();
  options.nice = settings_.worker_nice;
  executor_ = std::make_unique<session::LocalExecutor>(options);
  auto sessions = session::Sessions::open(
      {settings_.session, pool_, *directory_, *database_, *assets_, *executor_, slots_});
  if (!sessions) {
    return sessions.error();
  }
  sessions_ = *std::move(sessions);
  worker_link_ = std::make_unique<WorkerLinkService>(*sessions_);
  grpc::ServerBuilder builder;
  builder.RegisterService(worker_link_.get());
  builder.SetMaxReceiveMessageSize(-1);
  builder.SetMaxSendMessageSize(-1);
  builder.AddListeningPort(worker_socket_->address(), grpc::InsecureServerCredentials());
  worker_server_ = builder.BuildAndStart();
  if (!worker_server_) {
    return internal_error("cannot open the workers' socket " + worker_socket_->address());
  }
  return session::ok();
}

session::Status ServerImpl::open_api(const ListenAddress& listen) {
  places_ = std::make_unique<StreamPlaces>(settings_.session.limits.streams);
  sessions_service_ = std::make_unique<SessionsService>(*sessions_, *places_);
  frames_service_ = std::make_unique<FramesService>(*sessions_, *places_);
  assets_service_ = std::make_unique<AssetsService>(sessions_->environment());
  scenes_service_ = std::make_unique<ScenesService>(sessions_->environment(),
                                                    settings_.scenes_directory.empty()
                                                        ? find_scenes_directory(own_path())
                                                        : settings_.scenes_directory);
  server_service_ = std::make_unique<ServerService>(settings_.session.limits, settings_.viewer_url);

  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  const auto message_bytes = static_cast<int>(settings_.session.limits.message_bytes);
  builder.SetMaxReceiveMessageSize(message_bytes);
  builder.SetMaxSendMessageSize(message_bytes);
  // Else a second server would share the port in silence.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
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
  int port = 0;
  builder.AddListeningPort(listen.in_words(listen.port), grpc::InsecureServerCredentials(), &port);
  api_server_ = builder.BuildAndStart();
  if (!api_server_ || (!listen.is_unix() && port == 0)) {
    return internal_error(
        fmt::format("cannot listen on {}: is another server there? Choose another "
                    "address with --listen",
                    listen.in_words(listen.port)));
  }
  address_ = listen.in_words(port);
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
  if (listen->is_unix() && unix_socket_in_use(listen->unix_path)) {
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
  if (sessions_) {
    sessions_->stop();
  }
  const auto deadline = std::chrono::system_clock::now() + call_patience;
  if (api_server_) {
    api_server_->Shutdown(deadline);
  }
  executor_.reset();  // Kills and reaps what is left.
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
