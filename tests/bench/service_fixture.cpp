// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/service_fixture.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <thread>

#include "sluice/connection.h"
#include "sluice/scene_file.h"
#include "sluice/session.h"

namespace sluice::bench {

client::PrivateServer start_server() {
  return client::PrivateServer({.program = SLUICED_PROGRAM, .arguments = {"--log-level=warn"}});
}

TcpServer::TcpServer() {
  std::string pattern = (std::filesystem::temp_directory_path() / "sluice-bench-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  data_directory_ = pattern;
  int output[2];
  if (pipe(output) != 0) throw std::runtime_error("cannot make a pipe");
  pid_ = fork();
  if (pid_ == 0) {
    dup2(output[1], STDOUT_FILENO);
    close(output[0]);
    close(output[1]);
    execl(SLUICED_PROGRAM, "sluiced", "--data-dir", pattern.c_str(), "--listen", "127.0.0.1:0",
          "--web-listen=127.0.0.1:0", "--log-level=warn", nullptr);
    _exit(127);
  }
  close(output[1]);
  std::FILE* stream = fdopen(output[0], "r");
  if (stream == nullptr) throw std::runtime_error("cannot read a pipe");
  char line[256] = "";
  const std::string prefix = "listening on ";
  const bool serves =
      std::fgets(line, sizeof line, stream) != nullptr && std::string(line).starts_with(prefix);
  std::fclose(stream);
  if (!serves) throw std::runtime_error("sluiced does not serve: " + std::string(line));
  address_ = std::string(line).substr(prefix.size());
  address_.erase(address_.find_last_not_of('\n') + 1);
}

TcpServer::~TcpServer() {
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
  std::filesystem::remove_all(data_directory_);
}

v1::Scene example_scene(const client::Connection& connection, const std::string& name) {
  const client::SceneFile file = client::read_scene_file(SLUICE_SCENES "/" + name + ".json");
  const client::CheckedScene checked = client::check_scene(connection, file);
  if (!checked.valid) throw std::runtime_error("the scene " + name + " is not valid");
  return checked.scene;
}

v1::Scene main_scene(const client::Connection& connection) {
  return example_scene(connection, "water_on_sloped_cloth");
}

v1::Scene block_scene(std::int64_t particle_count, double frames_per_second) {
  constexpr double cell_size = 0.01;
  constexpr double particles_per_cell = 8;
  const double edge =
      cell_size * std::cbrt(static_cast<double>(particle_count) / particles_per_cell);
  v1::Scene scene;
  scene.set_name("block");
  for (const double lower : {0.0, 0.0, 0.0})
    scene.mutable_domain()->add_lower(lower);
  for (int axis = 0; axis < 3; ++axis)
    scene.mutable_domain()->add_upper(edge + 0.1);
  scene.mutable_timing()->set_frames_per_second(frames_per_second);
  scene.mutable_fluid_grid()->set_cell_size(cell_size);
  v1::Fluid* fluid = scene.add_fluids();
  fluid->set_name("water");
  v1::Shape* region = fluid->add_regions();
  for (int axis = 0; axis < 3; ++axis) {
    region->mutable_box()->add_size(edge);
    region->mutable_transform()->add_translation(edge / 2);
  }
  return scene;
}

std::string create(const client::Connection& connection, const v1::Scene& scene,
                   std::int64_t frame_count, int thread_count) {
  client::CreateOptions options;
  options.run.set_frame_count(frame_count);
  options.run.set_thread_count(thread_count);
  return client::create_session(connection, scene, options).name();
}

void wait_for_frames(const client::Connection& connection, const std::string& session,
                     std::int64_t frame_count) {
  for (;;) {
    const v1::Session now = client::get_session(connection, session);
    if (now.frame_count() >= frame_count) return;
    if (client::is_terminal(now.state()))
      throw std::runtime_error(session + " ended early: " + now.message());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace sluice::bench
