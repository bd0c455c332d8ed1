// SPDX-License-Identifier: Apache-2.0
// One client asks for too much: everybody else goes on. By the field's cases H1 (descriptors), H2
// (compression), H3 (millions of small fields) and H7 (scenes that take long to check).
#include <gmock/gmock.h>
#include <grpcpp/impl/codegen/client_unary_call.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "tests/e2e/server_process.h"
#include "tests/e2e/web_client.h"

namespace sluice::e2e::server_overload_test {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::HasSubstr;

/// [bytes] The most memory that a process has had.
std::int64_t peak_memory(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;) {
    if (word == "VmHWM:") {
      std::int64_t kibibytes = 0;
      status >> kibibytes;
      return kibibytes << 10;
    }
  }
  return 0;
}

/// A method by its path, with a request that our client would not make.
grpc::Status call_raw(ServerProcess& server, const std::string& method, const std::string& request,
                      grpc_compression_algorithm compression = GRPC_COMPRESS_NONE) {
  const grpc::Slice slice(request);
  const grpc::ByteBuffer sent(&slice, 1);
  grpc::ClientContext context;
  context.set_compression_algorithm(compression);
  grpc::ByteBuffer received;
  return grpc::internal::BlockingUnaryCallImpl<grpc::ByteBuffer, grpc::ByteBuffer>(
             server.channel.get(),
             grpc::internal::RpcMethod(method.c_str(), grpc::internal::RpcMethod::NORMAL_RPC),
             &context, sent, &received)
      .status();
}

/// Whether a client that connects now is answered, or soon.
bool answers(ServerProcess& server) {
  for (const auto end = steady_clock::now() + seconds(20); steady_clock::now() < end;) {
    grpc::ChannelArguments arguments;
    arguments.SetInt("grpc.use_local_subchannel_pool", 1);
    const auto channel =
        grpc::CreateCustomChannel(server.address(), grpc::InsecureChannelCredentials(), arguments);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + seconds(5));
    v1::ServerInfo info;
    if (v1::Server::NewStub(channel)->GetInfo(&context, {}, &info).ok()) {
      return true;
    }
    wait_a_little();
  }
  return false;
}

class IdleConnections {
 public:
  IdleConnections(int port, int count) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i < count; ++i) {
      const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      descriptors_.push_back(descriptor);
      EXPECT_EQ(connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address),
                0);
    }
  }
  ~IdleConnections() {
    for (const int descriptor : descriptors_) {
      close(descriptor);
    }
  }
  IdleConnections(const IdleConnections&) = delete;
  IdleConnections& operator=(const IdleConnections&) = delete;

  /// Says what a client of HTTP/2 says first, so that the server has to keep them.
  void greet() const {
    constexpr std::string_view greeting{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33};
    for (const int descriptor : descriptors_) {
      (void)!send(descriptor, greeting.data(), greeting.size(), MSG_NOSIGNAL);
    }
  }

 private:
  std::vector<int> descriptors_;
};

/// This process may open as many as the system allows; the server 1024.
void allow_descriptors(const ServerProcess& server) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  const rlimit few{1024, 1024};
  ASSERT_EQ(prlimit(server.pid(), RLIMIT_NOFILE, &few, nullptr), 0);
}

int port_of(const ServerProcess& server) {
  return std::stoi(server.address().substr(server.address().rfind(':') + 1));
}

// Symptom: descriptors ran out once, and no client of gRPC got in ever again; /healthz said that
// all was well.
TEST(ServerOverload, descriptors_that_ran_out_come_back) {
  const TemporaryDirectory data;
  ServerProcess server(data.path());
  allow_descriptors(server);
  wait_for_state(server, create(server, "", 2).name(), v1::SESSION_STATE_SUCCEEDED);
  {
    const IdleConnections idle(port_of(server), 1100);
    EXPECT_TRUE(answers(server)) << "who says nothing keeps nobody out";
    EXPECT_EQ(fetch(server.web_port(), "/healthz").body(), "serving\n");
  }
  {
    const IdleConnections busy(port_of(server), 1100);
    busy.greet();
    const IdleConnections web(server.web_port(), 600);
    // Its own work has what it needs.
    const std::string name = create(server, "", 5).name();
    wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
  }
  EXPECT_TRUE(answers(server));
  const auto end = steady_clock::now() + seconds(20);
  while (fetch(server.web_port(), "/readyz").body() != "ready\n" && steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_EQ(fetch(server.web_port(), "/readyz").body(), "ready\n");
}

// Symptom: 1.8 MiB became 2 GB before anybody looked at them.
TEST(ServerOverload, compressed_messages_are_not_expanded) {
  const TemporaryDirectory data;
  ServerProcess server(data.path(), {"--max-message-mb", "256"});
  ASSERT_TRUE(answers(server));
  const std::int64_t before = peak_memory(server.pid());
  for (const auto algorithm : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    for (const char* const method : {"/sluice.v1.Sessions/Create", "/sluice.v1.Frames/Get",
                                     "/sluice.v1.Server/GetInfo", "/grpc.health.v1.Health/Check"}) {
      const grpc::Status status =
          call_raw(server, method, std::string(std::size_t{200} << 20, '\0'), algorithm);
      EXPECT_FALSE(status.ok()) << method;
    }
  }
  EXPECT_LT(peak_memory(server.pid()) - before, std::int64_t{100} << 20);
  EXPECT_TRUE(answers(server));
}

void append_varint(std::uint64_t value, std::string& bytes) {
  for (; value >= 0x80; value >>= 7U) {
    bytes += static_cast<char>(0x80U | (value & 0x7FU));
  }
  bytes += static_cast<char>(value);
}

/// A length-delimited field.
std::string delimited(int field, std::string_view content) {
  std::string bytes;
  append_varint(static_cast<std::uint64_t>(field) << 3U | 2U, bytes);
  append_varint(content.size(), bytes);
  return bytes.append(content);
}

std::string repeated(std::string_view piece, std::size_t bytes) {
  std::string all;
  all.reserve(bytes + piece.size());
  while (all.size() < bytes) {
    all += piece;
  }
  return all;
}

// Symptom: 28 MiB of states became 6.3 GB and 37 s; scenes of empty bodies became gigabytes.
TEST(ServerOverload, millions_of_fields_cost_little) {
  const TemporaryDirectory data;
  ServerProcess server(data.path());
  ASSERT_TRUE(answers(server));
  const std::int64_t before = peak_memory(server.pid());
  constexpr std::size_t most = std::size_t{31} << 20;
  const std::string bad_states = delimited(3, std::string(most, '\x63'));
  const std::string unknown = repeated("\xf8\x07\x01", most);  // Field 127, a number.
  const std::string empty_commands = repeated(delimited(5, ""), most);
  const std::string scene_of_fluids = delimited(1, repeated(delimited(7, ""), most - 16));
  const std::pair<const char*, std::string> requests[] = {
      {"/sluice.v1.Sessions/List", bad_states},
      {"/sluice.v1.Sessions/List", unknown},
      {"/sluice.v1.Sessions/Get", unknown},
      {"/sluice.v1.Frames/Get", delimited(3, delimited(2, std::string(most - 16, '\x63')))},
      {"/sluice.v1.Frames/Get", unknown},
      {"/sluice.v1.Sessions/Create", unknown},
      {"/sluice.v1.Sessions/Create", empty_commands},
      {"/sluice.v1.Sessions/Create", scene_of_fluids},
      {"/sluice.v1.Scenes/Validate", scene_of_fluids},
      {"/sluice.v1.Server/GetInfo", unknown},
  };
  const auto begin = steady_clock::now();
  for (const auto& [method, request] : requests) {
    const grpc::Status status = call_raw(server, method, request);
    EXPECT_TRUE(status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED ||
                status.error_code() == grpc::StatusCode::INVALID_ARGUMENT)
        << method << ": " << status.error_code() << " " << status.error_message();
  }
  EXPECT_LT(steady_clock::now() - begin, seconds(60));
  EXPECT_LT(peak_memory(server.pid()) - before, (300 + sanitizer_mib) << 20);
  // Many faults within the limits of a request: some are told, the rest is counted.
  v1::CreateSessionRequest many = create_request(small_scene(), 5);
  many.set_session_id("A");
  for (int i = 0; i < 5000; ++i) {
    many.add_recorded_commands();
  }
  grpc::ClientContext context;
  v1::Session session;
  const grpc::Status status = server.sessions->Create(&context, many, &session);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

v1::Scene slow_scene() {
  v1::Scene scene = small_scene();
  scene.clear_fluids();
  scene.clear_fluid_grid();
  scene.mutable_cloths(0)->mutable_grid()->clear_vertices();
  for (int axis = 0; axis < 2; ++axis) {
    scene.mutable_cloths(0)->mutable_grid()->add_vertices(1000);
  }
  scene.mutable_cloths(0)->clear_pins();
  return scene;
}

// Symptom: eight clients that had a scene of 164 bytes checked stopped everybody for 84 s, and
// SIGTERM did not end the server.
TEST(ServerOverload, slow_scenes_are_checked_beside_everything_else) {
  const TemporaryDirectory data;
  ServerProcess server(data.path());
  v1::ValidateSceneRequest slow;
  *slow.mutable_scene() = slow_scene();
  std::vector<std::thread> clients;
  std::atomic<int> unavailable = 0;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&] {
      grpc::ClientContext context;
      v1::ValidateSceneResponse response;
      const grpc::Status status = server.scenes->Validate(&context, slow, &response);
      unavailable += status.error_code() == grpc::StatusCode::UNAVAILABLE ? 1 : 0;
    });
  }
  std::this_thread::sleep_for(seconds(1));
  // Everybody else is served meanwhile: other calls, a scene to check, a session.
  const auto begin = steady_clock::now();
  for (int i = 0; i < 20; ++i) {
    grpc::ClientContext context;
    v1::ListSessionsResponse page;
    EXPECT_TRUE(server.sessions->List(&context, {}, &page).ok());
  }
  EXPECT_LT(steady_clock::now() - begin, seconds(5));
  const std::string name = create(server, "", 5).name();
  wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
  EXPECT_LT(steady_clock::now() - begin, seconds(20));
  // And it stops when it is told to.
  const auto told = steady_clock::now();
  EXPECT_EQ(server.terminate().exit_code, 0);
  EXPECT_LT(steady_clock::now() - told, seconds(10));
  for (std::thread& client : clients) {
    client.join();
  }
  EXPECT_GT(unavailable, 0) << "who still waited was told so";
}

// A check whose client has gone makes way.
TEST(ServerOverload, checks_end_with_their_clients) {
  const TemporaryDirectory data;
  ServerProcess server(data.path());
  v1::ValidateSceneRequest slow;
  *slow.mutable_scene() = slow_scene();
  std::vector<std::thread> clients;
  for (int i = 0; i < 40; ++i) {
    clients.emplace_back([&] {
      grpc::ClientContext context;
      context.set_deadline(std::chrono::system_clock::now() + seconds(1));
      v1::ValidateSceneResponse response;
      EXPECT_FALSE(server.scenes->Validate(&context, slow, &response).ok());
    });
  }
  for (std::thread& client : clients) {
    client.join();
  }
  // The next one is not behind forty that nobody waits for.
  v1::Scene medium = slow_scene();
  for (int axis = 0; axis < 2; ++axis) {
    medium.mutable_cloths(0)->mutable_grid()->set_vertices(axis, 150);
  }
  v1::ValidateSceneRequest request;
  *request.mutable_scene() = medium;
  grpc::ClientContext context;
  v1::ValidateSceneResponse response;
  const auto begin = steady_clock::now();
  const grpc::Status status = server.scenes->Validate(&context, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.vertex_count(), 150 * 150) << response.ShortDebugString();
  EXPECT_LT(steady_clock::now() - begin, seconds(40));
}

}  // namespace
}  // namespace sluice::e2e::server_overload_test
