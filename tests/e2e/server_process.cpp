// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/server_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

#include "proto/wire/crc32c.h"

namespace sluice::e2e {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

pid_t start(const std::vector<std::string>& command, const fs::path& output) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  const std::string out = output / "stdout";
  const std::string error = output / "stderr";
  const pid_t pid = fork();
  if (pid == 0) {
    redirect(STDOUT_FILENO, out);
    redirect(STDERR_FILENO, error);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  return pid;
}

int exit_code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::vector<std::string> command_line(const fs::path& data_directory,
                                      std::vector<std::string> flags) {
  std::vector<std::string> command = {(binary_directory() / "sluiced").string(),
                                      "--data-dir",
                                      data_directory.string(),
                                      "--listen",
                                      "127.0.0.1:0",
                                      "--web-listen",
                                      "127.0.0.1:0",
                                      "--worker",
                                      (binary_directory() / "e2e-scripted-worker").string(),
                                      "--reserved-disk-mb",
                                      "1"};
  command.insert(command.end(), flags.begin(), flags.end());
  return command;
}

}  // namespace

void redirect(int descriptor, const std::string& path) {
  const int file = open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
  if (file < 0 || dup2(file, descriptor) < 0) {
    _exit(127);
  }
}

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (fs::temp_directory_path() / "sluice-e2e-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("no temporary directory");
  }
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code error;
  fs::remove_all(path_, error);
}

fs::path binary_directory() {
  return fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "bin";
}

ServerProcess::ServerProcess(const fs::path& data_directory, std::vector<std::string> flags) {
  pid_ = start(command_line(data_directory, std::move(flags)), output_.path());
  const auto end = steady_clock::now() + usual_patience;
  for (;;) {
    const std::string out = read_file(output_.path() / "stdout");
    constexpr std::string_view greeting = "listening on ";
    if (out.starts_with(greeting) && out.ends_with('\n')) {  // All of it is written at once.
      address_ = out.substr(greeting.size(), out.find('\n') - greeting.size());
      if (const std::size_t colon = out.rfind(':'); out.find("viewer at ") < colon) {
        web_port_ = std::stoi(out.substr(colon + 1));
      }
      break;
    }
    int status = 0;
    const bool has_ended = waitpid(pid_, &status, WNOHANG) == pid_;
    if (has_ended || steady_clock::now() > end) {
      if (has_ended) {
        pid_ = -1;
      }
      kill();
      throw std::runtime_error("sluiced does not serve: " + log());
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt("grpc.initial_reconnect_backoff_ms", 50);
  arguments.SetInt("grpc.use_local_subchannel_pool", 1);
  channel = grpc::CreateCustomChannel(address_, grpc::InsecureChannelCredentials(), arguments);
  sessions = v1::Sessions::NewStub(channel);
  frames = v1::Frames::NewStub(channel);
  assets = v1::Assets::NewStub(channel);
  scenes = v1::Scenes::NewStub(channel);
  server = v1::Server::NewStub(channel);
}

ServerProcess::~ServerProcess() { kill(); }

std::string ServerProcess::log() const { return read_file(output_.path() / "stderr"); }

void ServerProcess::kill() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
}

ProgramEnd ServerProcess::terminate() {
  ::kill(pid_, SIGTERM);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return {exit_code_of(status), log()};
}

ProgramEnd ServerProcess::run_to_end(const fs::path& data_directory,
                                     std::vector<std::string> flags) {
  const TemporaryDirectory output;
  const pid_t pid = start(command_line(data_directory, std::move(flags)), output.path());
  const auto end = steady_clock::now() + std::chrono::seconds(30);
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (steady_clock::now() > end) {
      ::kill(pid, SIGKILL);
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
  return {exit_code_of(status), read_file(output.path() / "stderr")};
}

v1::Scene small_scene(const std::string& script) {
  v1::Scene scene;
  scene.set_name(script);
  for (const double x : {0.0, 0.0, 0.0})
    scene.mutable_domain()->add_lower(x);
  for (const double x : {1.0, 1.0, 1.0})
    scene.mutable_domain()->add_upper(x);
  scene.mutable_timing()->set_frames_per_second(60);
  scene.mutable_fluid_grid()->set_cell_size(0.05);
  v1::Fluid& water = *scene.add_fluids();
  water.set_name("water");
  v1::Shape& box = *water.add_regions();
  for (const double x : {0.3, 0.3, 0.2})
    box.mutable_box()->add_size(x);
  for (const double x : {0.5, 0.5, 0.7})
    box.mutable_transform()->add_translation(x);
  v1::Cloth& sheet = *scene.add_cloths();
  sheet.set_name("sheet");
  for (const double x : {0.6, 0.6})
    sheet.mutable_grid()->add_size(x);
  for (const int count : {8, 8})
    sheet.mutable_grid()->add_vertices(count);
  for (const double x : {0.5, 0.5, 0.4})
    sheet.mutable_transform()->add_translation(x);
  v1::Pin& pin = *sheet.add_pins();
  for (const int corner : {0, 7, 56, 63})
    pin.add_vertices(corner);
  return scene;
}

v1::CreateSessionRequest create_request(const v1::Scene& scene, std::int64_t frame_count) {
  v1::CreateSessionRequest request;
  *request.mutable_scene() = scene;
  request.mutable_session()->mutable_options()->set_frame_count(frame_count);
  request.mutable_session()->mutable_options()->set_thread_count(1);
  return request;
}

namespace {
void check(const grpc::Status& status) {
  if (!status.ok()) {
    throw std::runtime_error("status " + std::to_string(status.error_code()) + ": " +
                             status.error_message());
  }
}
}  // namespace

v1::Session create(ServerProcess& server, const v1::CreateSessionRequest& request) {
  grpc::ClientContext context;
  v1::Session session;
  check(server.sessions->Create(&context, request, &session));
  return session;
}

v1::Session create(ServerProcess& server, const std::string& script, std::int64_t frame_count) {
  return create(server, create_request(small_scene(script), frame_count));
}

v1::Session get(ServerProcess& server, const std::string& name) {
  grpc::ClientContext context;
  v1::GetSessionRequest request;
  request.set_name(name);
  v1::Session session;
  check(server.sessions->Get(&context, request, &session));
  return session;
}

void wait_a_little() { std::this_thread::sleep_for(milliseconds(5)); }

void gave_up(const v1::Session& session) {
  throw std::runtime_error("waited in vain; the session is " + session.ShortDebugString());
}

v1::Session wait_for_state(ServerProcess& server, const std::string& name, v1::SessionState state) {
  return wait_until(server, name,
                    [&](const v1::Session& session) { return session.state() == state; });
}

v1::Session wait_for_frames(ServerProcess& server, const std::string& name, std::int64_t count) {
  return wait_until(server, name,
                    [&](const v1::Session& session) { return session.frame_count() >= count; });
}

FrameContents read_frames(ServerProcess& server, const v1::StreamFramesRequest& request,
                          grpc::Status* status) {
  grpc::ClientContext context;
  const auto stream = server.frames->Stream(&context, request);
  FrameContents contents;
  v1::StreamFramesResponse message;
  std::string* current = nullptr;
  std::int64_t missing = 0;
  while (stream->Read(&message)) {
    if (message.has_header()) {
      if (missing != 0) {
        throw std::runtime_error("a frame begins before the last one is whole");
      }
      v1::FrameHeader header = message.header();
      header.clear_statistics();
      current = &contents[header.cursor().index()];
      *current = header.SerializeAsString();
      for (const auto& array : header.arrays()) {
        missing += array.byte_count();
      }
    } else if (message.has_chunk()) {
      const std::string& data = message.chunk().data();
      if (wire::crc32c(std::as_bytes(std::span(data))) != message.chunk().crc32c()) {
        throw std::runtime_error("a chunk with a wrong checksum");
      }
      *current += data;
      missing -= static_cast<std::int64_t>(data.size());
    }
  }
  const grpc::Status end = stream->Finish();
  if (status != nullptr) {
    *status = end;
  } else {
    check(end);
  }
  return contents;
}

FrameContents read_existing(ServerProcess& server, const std::string& session) {
  v1::StreamFramesRequest request;
  request.set_session(session);
  request.set_existing_only(true);
  return read_frames(server, request);
}

}  // namespace sluice::e2e
