// SPDX-License-Identifier: Apache-2.0
// How sluiced starts, refuses to, reports and meets a full disk.
#include <gmock/gmock.h>
#include <grpcpp/impl/codegen/client_unary_call.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "tests/e2e/server_process.h"
#include "tests/e2e/web_client.h"

namespace sluice::e2e::server_operation_test {
namespace {

using testing::HasSubstr;

TEST(ServerOperation, tells_its_address_version_and_limits) {
  const TemporaryDirectory data;
  ServerProcess server(data.path(), {"--max-particles", "12345"});
  EXPECT_THAT(server.address(), testing::StartsWith("127.0.0.1:"));
  grpc::ClientContext context;
  v1::ServerInfo info;
  ASSERT_TRUE(server.server->GetInfo(&context, {}, &info).ok());
  EXPECT_FALSE(info.version().empty());
  EXPECT_EQ(info.limits().particles_per_scene(), 12345);
  EXPECT_GT(info.limits().message_bytes(), 0);
  EXPECT_THAT(info.coupling_methods(),
              testing::ElementsAre(
                  "COUPLING_METHOD_ADMM_IPC", "COUPLING_METHOD_NEWTON_IPC", "COUPLING_METHOD_WEAK",
                  "COUPLING_METHOD_ONE_WAY", "COUPLING_METHOD_VARIATIONAL_RIGID",
                  "COUPLING_METHOD_BOUNDARY_MAP", "COUPLING_METHOD_IMMERSED_BOUNDARY"));
}

TEST(ServerOperation, serves_on_a_unix_socket_and_refuses_one_in_use) {
  const TemporaryDirectory data, other;
  const std::string address = "unix:" + (data.path() / "api.sock").string();
  ServerProcess server(data.path(), {"--listen", address});
  EXPECT_EQ(server.address(), address);
  const std::string name = create(server, "", 2).name();
  wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
  const ProgramEnd end = ServerProcess::run_to_end(other.path(), {"--listen", address});
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.error_output, HasSubstr("another server"));
}

TEST(ServerOperation, refuses_a_busy_port_and_a_second_server_on_the_directory) {
  const TemporaryDirectory data, other;
  ServerProcess server(data.path());
  ProgramEnd end = ServerProcess::run_to_end(other.path(), {"--listen", server.address()});
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.error_output,
              testing::AllOf(HasSubstr("cannot listen on"), HasSubstr(server.address())));
  end = ServerProcess::run_to_end(data.path(), {});
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.error_output, HasSubstr(std::to_string(server.pid())));
  const std::string name = create(server, "", 2).name();
  wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
}

// Paths of Unix sockets, by which workers come, have less than 108 bytes.
TEST(ServerOperation,
     serves_from_a_directory_with_a_long_path_if_there_is_a_shorter_one_for_sockets) {
  const TemporaryDirectory folder;
  const std::filesystem::path deep = folder.path() / std::string(120, 'd');
  std::filesystem::create_directory(deep);
  {
    ServerProcess server(deep / "data");
    const std::string name = create(server, "", 2).name();
    wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
  }
  ASSERT_EQ(::setenv("TMPDIR", deep.c_str(), 1), 0);
  const ProgramEnd end = ServerProcess::run_to_end(deep / "data", {});
  ASSERT_EQ(::unsetenv("TMPDIR"), 0);
  EXPECT_EQ(end.exit_code, 3) << end.error_output;
  EXPECT_THAT(end.error_output, HasSubstr("too long for the path of the workers' socket"));
}

TEST(ServerOperation, refuses_wrong_usage_with_two) {
  const TemporaryDirectory data;
  for (const std::vector<std::string>& flags : std::vector<std::vector<std::string>>{
           {"--durability", "perhaps"}, {"--max-running-sessions", "0"}, {"--nonsense"}}) {
    EXPECT_EQ(ServerProcess::run_to_end(data.path(), flags).exit_code, 2) << flags.front();
  }
  EXPECT_EQ(ServerProcess::run_to_end(data.path(), {"--listen", "nowhere"}).exit_code, 3);
}

TEST(ServerOperation, flags_count_before_environment_before_file) {
  const TemporaryDirectory data;
  const auto file = data.path() / "sluice.toml";
  std::ofstream(file) << "max-streams = 11\nmax-particles = 11\nmax-vertices = 11\n";
  setenv("SLUICE_MAX_PARTICLES", "22", 1);
  setenv("SLUICE_MAX_VERTICES", "22", 1);
  ServerProcess server(data.path() / "data", {"--config", file.string(), "--max-vertices", "33"});
  unsetenv("SLUICE_MAX_PARTICLES");
  unsetenv("SLUICE_MAX_VERTICES");
  grpc::ClientContext context;
  v1::ServerInfo info;
  ASSERT_TRUE(server.server->GetInfo(&context, {}, &info).ok());
  EXPECT_EQ(info.limits().streams(), 11);
  EXPECT_EQ(info.limits().particles_per_scene(), 22);
  EXPECT_EQ(info.limits().vertices_per_scene(), 33);
  std::ofstream(file) << "max-dreams = 11\n";
  EXPECT_EQ(ServerProcess::run_to_end(data.path() / "other", {"--config", file.string()}).exit_code,
            2);
}

// A method by its path, with messages as bytes: what a tool without our protos would call.
grpc::Status call_raw(ServerProcess& server, const std::string& method, const std::string& request,
                      std::string* response) {
  grpc::ByteBuffer sent;
  const grpc::Slice slice(request);
  sent = grpc::ByteBuffer(&slice, 1);
  grpc::ClientContext context;
  grpc::ByteBuffer received;
  const grpc::Status status =
      grpc::internal::BlockingUnaryCallImpl<grpc::ByteBuffer, grpc::ByteBuffer>(
          server.channel.get(),
          grpc::internal::RpcMethod(method.c_str(), grpc::internal::RpcMethod::NORMAL_RPC),
          &context, sent, &received)
          .status();
  std::vector<grpc::Slice> slices;
  received.Dump(&slices);
  for (const grpc::Slice& part : slices) {
    response->append(reinterpret_cast<const char*>(part.begin()), part.size());
  }
  return status;
}

TEST(ServerOperation, says_that_it_serves) {
  const TemporaryDirectory data;
  ServerProcess server(data.path());
  for (const std::string service : {"", "sluice.v1.Sessions"}) {
    std::string response;
    std::string request;  // HealthCheckRequest{service}
    if (!service.empty()) {
      request.append("\x0a").append(1, static_cast<char>(service.size())).append(service);
    }
    const grpc::Status status =
        call_raw(server, "/grpc.health.v1.Health/Check", request, &response);
    ASSERT_TRUE(status.ok()) << service << ": " << status.error_message();
    EXPECT_EQ(response, "\x08\x01") << "SERVING";
  }
}

TEST(ServerOperation, reflection_lists_the_services) {
  const TemporaryDirectory data;
  ServerProcess server(data.path());
  grpc::ClientContext context;
  // ServerReflectionRequest{list_services: "*"}
  const std::string request = "\x3a\x01*";
  const grpc::Slice slice(request);
  const grpc::ByteBuffer sent(&slice, 1);
  const std::unique_ptr<grpc::ClientReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>> stream(
      grpc::internal::ClientReaderWriterFactory<grpc::ByteBuffer, grpc::ByteBuffer>::Create(
          server.channel.get(),
          grpc::internal::RpcMethod(
              "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
              grpc::internal::RpcMethod::BIDI_STREAMING),
          &context));
  ASSERT_TRUE(stream->Write(sent));
  grpc::ByteBuffer received;
  ASSERT_TRUE(stream->Read(&received));
  std::vector<grpc::Slice> slices;
  received.Dump(&slices);
  std::string text;
  for (const grpc::Slice& part : slices) {
    text.append(reinterpret_cast<const char*>(part.begin()), part.size());
  }
  stream->WritesDone();
  for (const char* const service :
       {"sluice.v1.Sessions", "sluice.v1.Frames", "sluice.v1.Assets", "sluice.v1.Scenes",
        "sluice.v1.Server", "grpc.health.v1.Health"}) {
    EXPECT_THAT(text, HasSubstr(service));
  }
  EXPECT_THAT(text, testing::Not(HasSubstr("WorkerLink"))) << "never to clients";
}

TEST(ServerOperation, logs_as_json_with_the_session) {
  const TemporaryDirectory data;
  ServerProcess server(data.path(), {"--log-format", "json"});
  const std::string name = create(server, "", 1).name();
  wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
  EXPECT_THAT(server.terminate().error_output,
              HasSubstr(std::string("\"session\":\"").append(name)));
}

TEST(ServerOperation, uploads_assets_in_pieces_and_knows_them_again) {
  const TemporaryDirectory data;
  ServerProcess server(data.path());
  // The hash of "abc": FIPS 180-2, appendix B.1.
  v1::WriteAssetRequest request;
  request.set_name("assets/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  request.set_byte_count(3);
  request.set_file_name("abc.obj");
  const auto write = [&](std::int64_t offset, const std::string& bytes, v1::Asset* asset) {
    grpc::ClientContext context;
    request.set_offset(offset);
    request.set_data(bytes);
    return server.assets->Write(&context, request, asset);
  };
  v1::Asset asset;
  ASSERT_TRUE(write(0, "a", &asset).ok());
  EXPECT_EQ(asset.committed_byte_count(), 1);
  EXPECT_EQ(write(2, "c", &asset).error_code(), grpc::StatusCode::OUT_OF_RANGE);
  ASSERT_TRUE(write(0, "ab", &asset).ok()) << "what is there is skipped";
  EXPECT_EQ(asset.committed_byte_count(), 2);
  ASSERT_TRUE(write(2, "c", &asset).ok());
  EXPECT_TRUE(asset.complete());
  ASSERT_TRUE(write(0, "", &asset).ok());
  EXPECT_TRUE(asset.complete()) << "a second upload ends before it begins";
  request.set_name("assets/" + std::string(64, '0'));
  EXPECT_EQ(write(0, "abc", &asset).error_code(), grpc::StatusCode::DATA_LOSS);
  request.set_name("assets/../../etc");
  EXPECT_EQ(write(0, "abc", &asset).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

// A file system of a few MiB, where this process may mount one.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& options) {
    mounted_ = mount("tmpfs", directory_.path().c_str(), "tmpfs", 0, options.c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) {
      umount2(directory_.path().c_str(), MNT_DETACH);
    }
  }
  [[nodiscard]] bool mounted() const { return mounted_; }
  [[nodiscard]] const std::filesystem::path& path() const { return directory_.path(); }
  void make_read_only() const {
    mount(nullptr, path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr);
  }
  void grow(const std::string& options) const {
    mount(nullptr, path().c_str(), nullptr, MS_REMOUNT, options.c_str());
  }

 private:
  TemporaryDirectory directory_;
  bool mounted_ = false;
};

TEST(ServerOperation, refuses_a_read_only_directory) {
  const SmallDisk disk("size=16m");
  if (!disk.mounted()) GTEST_SKIP() << "needs the right to mount";
  disk.make_read_only();
  const ProgramEnd end = ServerProcess::run_to_end(disk.path() / "data", {});
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.error_output, HasSubstr("Read-only"));
}

TEST(ServerOperation, a_full_disk_pauses_the_session_and_room_lets_it_go_on) {
  const SmallDisk disk("size=16m");
  if (!disk.mounted()) GTEST_SKIP() << "needs the right to mount";
  FrameContents expected;
  {
    const TemporaryDirectory data;
    ServerProcess server(data.path());
    const std::string name = create(server, "", 300).name();
    wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
    expected = read_existing(server, name);
  }
  ServerProcess server(disk.path());
  const std::string name = create(server, "", 300).name();
  const v1::Session full = wait_for_state(server, name, v1::SESSION_STATE_PAUSED);
  EXPECT_EQ(full.reason(), v1::SESSION_REASON_DISK_FULL);
  EXPECT_THAT(full.message(), HasSubstr("resume"));
  EXPECT_GT(full.frame_count(), 10);
  const FrameContents kept = read_existing(server, name);
  EXPECT_EQ(static_cast<std::int64_t>(kept.size()), full.frame_count());
  disk.grow("size=64m");
  grpc::ClientContext context;
  v1::ResumeSessionRequest request;
  request.set_name(name);
  v1::Session resumed;
  ASSERT_TRUE(server.sessions->Resume(&context, request, &resumed).ok());
  wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
  EXPECT_EQ(read_existing(server, name), expected);
}

// Symptoms: a session said CANCELLED on a full disk and was PAUSED again after a crash; and a full
// disk could not be emptied, for deleting needed room.
TEST(ServerOperation, on_a_full_disk_nothing_is_promised_and_deleting_makes_room) {
  const SmallDisk disk("size=24m");
  if (!disk.mounted()) GTEST_SKIP() << "needs the right to mount";
  ServerProcess server(disk.path());
  EXPECT_EQ(fetch(server.web_port(), "/readyz").body(), "ready\n");
  const std::string name = create(server, "slow=5", 100'000).name();
  wait_for_frames(server, name, 12);
  {
    grpc::ClientContext context;
    v1::PauseSessionRequest request;
    request.set_name(name);
    v1::Session paused;
    ASSERT_TRUE(server.sessions->Pause(&context, request, &paused).ok());
  }
  {
    std::ofstream ballast(disk.path() / "ballast", std::ios::binary);
    const std::string block(4096, 'b');
    while (ballast.write(block.data(), 4096).flush()) {
    }
  }
  // A result of the check is told for a second.
  const auto readiness_after = [&](const std::string& before) {
    HttpResponse now = fetch(server.web_port(), "/readyz");
    for (int i = 0; i < 1000 && now.body() == before; ++i) {
      wait_a_little();
      now = fetch(server.web_port(), "/readyz");
    }
    return now;
  };
  const HttpResponse unready = readiness_after("ready\n");
  EXPECT_EQ(unready.result_int(), 503U);
  EXPECT_THAT(unready.body(), HasSubstr("disk is full"));
  EXPECT_EQ(fetch(server.web_port(), "/healthz").body(), "serving\n") << "it is alive";
  {
    grpc::ClientContext context;
    v1::CancelSessionRequest request;
    request.set_name(name);
    v1::Session cancelled;
    const grpc::Status status = server.sessions->Cancel(&context, request, &cancelled);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << status.error_message();
    EXPECT_EQ(get(server, name).state(), v1::SESSION_STATE_PAUSED);
  }
  {
    grpc::ClientContext context;
    v1::DeleteSessionRequest request;
    request.set_name(name);
    google::protobuf::Empty nothing;
    const grpc::Status status = server.sessions->Delete(&context, request, &nothing);
    EXPECT_TRUE(status.ok()) << status.error_message();
  }
  EXPECT_EQ(readiness_after(unready.body()).body(), "ready\n");
  EXPECT_EQ(server.terminate().exit_code, 0);
  ServerProcess again(disk.path());
  grpc::ClientContext context;
  v1::ListSessionsResponse page;
  ASSERT_TRUE(again.sessions->List(&context, {}, &page).ok());
  EXPECT_EQ(page.sessions_size(), 0);
}

// Symptom: the row went, the folder stayed, and the next session of that name had its frames.
TEST(ServerOperation, a_deletion_that_fails_changes_nothing) {
  const TemporaryDirectory data;
  ServerProcess server(data.path());
  v1::CreateSessionRequest request = create_request(small_scene(""), 5);
  request.set_session_id("mine");
  wait_for_state(server, create(server, request).name(), v1::SESSION_STATE_SUCCEEDED);
  const FrameContents frames = read_existing(server, "sessions/mine");
  const std::string folder = data.path() / "sessions" / "mine";
  if (mount(folder.c_str(), folder.c_str(), nullptr, MS_BIND, nullptr) != 0) {
    GTEST_SKIP() << "needs the right to mount";
  }
  const auto erase = [&] {
    grpc::ClientContext context;
    v1::DeleteSessionRequest erased;
    erased.set_name("sessions/mine");
    google::protobuf::Empty nothing;
    return server.sessions->Delete(&context, erased, &nothing);
  };
  EXPECT_FALSE(erase().ok()) << "what is mounted cannot be renamed";
  EXPECT_EQ(read_existing(server, "sessions/mine"), frames);
  umount2(folder.c_str(), MNT_DETACH);
  EXPECT_TRUE(erase().ok());
  wait_for_state(server, create(server, request).name(), v1::SESSION_STATE_SUCCEEDED);
  EXPECT_EQ(read_existing(server, "sessions/mine"), frames);
}

}  // namespace
}  // namespace sluice::e2e::server_operation_test
