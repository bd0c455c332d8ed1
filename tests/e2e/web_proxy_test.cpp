// SPDX-License-Identifier: Apache-2.0
// The web server behind nginx, with the few lines that the README names and with none at all
// (HTTP/1.0 to the server, then). tests/setup fetches nginx.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "tests/e2e/server_process.h"
#include "tests/e2e/web_client.h"

namespace sluice::e2e::web_proxy_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

std::string nginx_program() {
  const auto fetched = binary_directory().parent_path().parent_path() / "tools/usr/sbin/nginx";
  return access(fetched.c_str(), X_OK) == 0 ? fetched.string() : "/usr/sbin/nginx";
}

int free_port() {
  boost::asio::io_context context;
  const boost::asio::ip::tcp::acceptor acceptor(context,
                                                {boost::asio::ip::make_address("127.0.0.1"), 0});
  return acceptor.local_endpoint().port();
}

/// An nginx in front of a port, with further lines for its location.
class Proxy {
 public:
  Proxy(int server_port, const std::string& lines) : port_(free_port()) {
    const std::string folder = folder_.path();
    std::ofstream(folder_.path() / "nginx.conf")
        << "daemon off; master_process off; pid " << folder << "/pid; error_log " << folder
        << "/error.log;\nevents {}\nhttp { access_log off; client_body_temp_path " << folder
        << "/a; proxy_temp_path " << folder << "/b; fastcgi_temp_path " << folder
        << "/c; uwsgi_temp_path " << folder << "/d; scgi_temp_path " << folder
        << "/e;\nserver { listen 127.0.0.1:" << port_
        << "; location / { proxy_pass http://127.0.0.1:" << server_port << "; " << lines
        << " } } }\n";
    const std::string nginx = nginx_program();
    pid_ = fork();
    if (pid_ == 0) {
      const std::string config = folder + "/nginx.conf";
      execl(nginx.c_str(), nginx.c_str(), "-c", config.c_str(), "-p", folder.c_str(), "-e",
            "stderr", nullptr);
      _exit(127);
    }
    for (const auto end = steady_clock::now() + seconds(10); steady_clock::now() < end;) {
      try {
        WebConnection probe(port_);
        return;
      } catch (const boost::system::system_error&) {
        wait_a_little();
      }
    }
    throw std::runtime_error("nginx does not listen");
  }
  ~Proxy() {
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;
  [[nodiscard]] int port() const { return port_; }

 private:
  TemporaryDirectory folder_;
  int port_;
  pid_t pid_ = -1;
};

class WebProxy : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_EQ(access(nginx_program().c_str(), X_OK), 0) << "there is no nginx: run tests/setup";
    server_.emplace(data_.path(), std::vector<std::string>{"--max-streams", "1"});
    proxy_.emplace(server_->web_port(), GetParam());
  }
  [[nodiscard]] int port() const { return proxy_->port(); }

  TemporaryDirectory data_;
  std::optional<ServerProcess> server_;
  std::optional<Proxy> proxy_;
};

INSTANTIATE_TEST_SUITE_P(Nginx, WebProxy,
                         testing::Values("",
                                         "proxy_http_version 1.1; proxy_set_header Host $host; "
                                         "proxy_set_header Upgrade $http_upgrade; "
                                         "proxy_set_header Connection $http_connection; "
                                         "client_max_body_size 33m; proxy_read_timeout 1h;"),
                         [](const auto& tested) {
                           return tested.index == 0 ? "AsItIs" : "AsTheReadmeSays";
                         });

TEST_P(WebProxy, calls_and_errors_come_through) {
  v1::ServerInfo info;
  EXPECT_EQ(call(port(), "Server/GetInfo", v1::GetServerInfoRequest(), info).code, 0);
  EXPECT_FALSE(info.version().empty());
  v1::CreateSessionRequest request = create_request(small_scene(), 10);
  for (int i = 0; i < 60; ++i) {
    *request.mutable_scene()->add_fluids() = v1::Fluid();
  }
  const WebStatus status = WebCall(port(), "Sessions/Create", request).finish();
  EXPECT_EQ(status.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_GT(status.details.size(), 4096U) << "more than nginx takes in a head";
  EXPECT_EQ(fetch(port(), "/healthz").body(), "serving\n");
}

TEST_P(WebProxy, messages_are_not_held_back_and_a_closed_tab_is_seen) {
  const std::string name = create(*server_, "slow=50", 100'000).name();
  v1::StreamFramesRequest request;
  request.set_session(name);
  for (int round = 0; round < 3; ++round) {  // There is one place for a stream.
    const auto end = steady_clock::now() + seconds(10);
    for (;;) {
      WebCall stream(port(), "Frames/Stream", request);
      v1::StreamFramesResponse message;
      int frames = 0;
      while (frames < 5 && stream.read(message)) {
        frames += message.has_header() ? 1 : 0;
      }
      if (frames == 5) {
        EXPECT_TRUE(round > 0 || get(*server_, name).frame_count() < 40) << "held back";
        break;
      }
      ASSERT_EQ(stream.status().code, grpc::StatusCode::RESOURCE_EXHAUSTED);
      ASSERT_LT(steady_clock::now(), end) << "a place was not given back";
      std::this_thread::sleep_for(milliseconds(20));
    }
  }
}

}  // namespace
}  // namespace sluice::e2e::web_proxy_test
