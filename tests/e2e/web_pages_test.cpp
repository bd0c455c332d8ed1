// SPDX-License-Identifier: Apache-2.0
// Pages, health, metrics, and who may call, on a real server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/e2e/server_process.h"
#include "tests/e2e/web_client.h"

namespace sluice::e2e::web_pages_test {
namespace {

namespace fs = std::filesystem;
namespace http = boost::beast::http;
using testing::HasSubstr;

class WebPages : public testing::Test {
 protected:
  static fs::path viewer(const fs::path& folder) {
    fs::create_directories(folder / "assets");
    std::ofstream(folder / "index.html") << "<!doctype html><title>viewer</title>";
    std::ofstream(folder / "assets/app-1a2b.js") << std::string(5000, ';');
    std::ofstream(folder.parent_path() / "secret.txt") << "secret";
    return folder;
  }
  [[nodiscard]] int port() const { return server_.web_port(); }

  TemporaryDirectory data_;
  ServerProcess server_{data_.path() / "data",
                        {"--web-root", viewer(data_.path() / "web").string(), "--web-origins",
                         "https://sim.example.org,http://localhost:5173"}};
};

TEST_F(WebPages, the_viewer_is_served_at_every_path_of_its_own) {
  for (const char* path : {"/", "/sessions/abc", "/?frame=3", "/sessions/abc?camera=1,2"}) {
    const HttpResponse page = fetch(port(), path);
    EXPECT_EQ(page.result_int(), 200U) << path;
    EXPECT_EQ(page[http::field::content_type], "text/html; charset=utf-8");
    EXPECT_EQ(page[http::field::cache_control], "no-cache");
    EXPECT_THAT(page.body(), HasSubstr("<title>viewer</title>")) << path;
    EXPECT_THAT(std::string(page["Content-Security-Policy"]), HasSubstr("default-src 'self'"));
    EXPECT_EQ(page["X-Content-Type-Options"], "nosniff");
  }
}

TEST_F(WebPages, files_come_compressed_and_once) {
  const HttpResponse plain = fetch(port(), "/assets/app-1a2b.js");
  EXPECT_EQ(plain.body(), std::string(5000, ';'));
  EXPECT_THAT(std::string(plain[http::field::cache_control]), HasSubstr("immutable"));
  const HttpResponse gzipped = fetch(port(), "/assets/app-1a2b.js", "Accept-Encoding: gzip\r\n");
  EXPECT_EQ(gzipped[http::field::content_encoding], "gzip");
  EXPECT_LT(gzipped.body().size(), 200U);
  const std::string tag(gzipped[http::field::etag]);
  const HttpResponse again = fetch(port(), "/assets/app-1a2b.js",
                                   "Accept-Encoding: gzip\r\nIf-None-Match: " + tag + "\r\n");
  EXPECT_EQ(again.result_int(), 304U);
  EXPECT_EQ(again.body(), "");
  const HttpResponse head = fetch(port(), "/assets/app-1a2b.js", "", "HEAD");
  EXPECT_EQ(head.result_int(), 200U);
  EXPECT_EQ(head[http::field::content_length], "5000");
}

TEST_F(WebPages, no_path_leads_out_of_the_folder) {
  for (const char* path : {"/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt",
                           "/assets/../../secret.txt", "//secret.txt", "/%00.txt", "/missing.js"}) {
    const HttpResponse page = fetch(port(), path);
    EXPECT_EQ(page.result_int(), 404U) << path;
    EXPECT_THAT(page.body(), testing::Not(HasSubstr("secret"))) << path;
  }
}

TEST_F(WebPages, health_and_metrics_say_what_goes_on) {
  EXPECT_EQ(fetch(port(), "/healthz").body(), "serving\n");
  const std::string name = create(server_, "", 10).name();
  wait_for_state(server_, name, v1::SESSION_STATE_SUCCEEDED);
  v1::Session session;
  v1::GetSessionRequest request;
  request.set_name("sessions/missing");
  call(port(), "Sessions/Get", request, session);
  const HttpResponse metrics = fetch(port(), "/metrics");
  EXPECT_EQ(metrics[http::field::content_type], "text/plain; version=0.0.4; charset=utf-8");
  for (const char* line :
       {"sluice_sessions{state=\"SUCCEEDED\"} 1\n", "sluice_sessions{state=\"RUNNING\"} 0\n",
        "sluice_frames_total 11\n", "sluice_stored_frames 11\n", "sluice_worker_starts_total 1\n",
        "sluice_worker_deaths_total 0\n", "sluice_streams 0\n",
        "sluice_grpc_web_calls_total{code=\"NOT_FOUND\"} 1\n", "sluice_grpc_web_calls_open 0\n",
        "sluice_http_requests_total{code=\"200\"} 2\n"}) {
    EXPECT_THAT(metrics.body(), HasSubstr(line));
  }
}

TEST_F(WebPages, pages_on_the_list_may_call_and_others_may_not) {
  const auto preflight = [&](const std::string& origin) {
    return fetch(port(), "/sluice.v1.Server/GetInfo",
                 "Origin: " + origin + "\r\nAccess-Control-Request-Method: POST\r\n", "OPTIONS");
  };
  const HttpResponse allowed = preflight("https://sim.example.org");
  EXPECT_EQ(allowed.result_int(), 204U);
  EXPECT_EQ(allowed["Access-Control-Allow-Origin"], "https://sim.example.org");
  EXPECT_THAT(std::string(allowed["Access-Control-Allow-Headers"]), HasSubstr("content-type"));
  const HttpResponse refused = preflight("http://evil.example");
  EXPECT_EQ(refused.result_int(), 403U);
  EXPECT_EQ(refused.count("Access-Control-Allow-Origin"), 0U);

  const auto call_from = [&](const std::string& origin) {
    WebConnection connection(port());
    connection.send(
        call_request("Server/GetInfo", v1::GetServerInfoRequest(), "Origin: " + origin + "\r\n"));
    return connection.read_response();
  };
  const HttpResponse answered = call_from("http://localhost:5173");
  EXPECT_EQ(answered.result_int(), 200U);
  EXPECT_EQ(answered["Access-Control-Allow-Origin"], "http://localhost:5173");
  EXPECT_THAT(std::string(answered["Access-Control-Expose-Headers"]), HasSubstr("grpc-status"));
  EXPECT_EQ(call_from("http://127.0.0.1").result_int(), 200U) << "the server's own page";
  EXPECT_EQ(call_from("http://evil.example").result_int(), 403U)
      << "a call that changes something does so even if its answer is not read";
}

TEST_F(WebPages, a_name_that_somebody_pointed_here_is_not_answered) {
  EXPECT_EQ(fetch(port(), "/", "Host: evil.example:7781\r\n").result_int(), 421U);
  EXPECT_EQ(fetch(port(), "/metrics", "Host: evil.example\r\n").result_int(), 421U);
  EXPECT_EQ(fetch(port(), "/", "Host: sim.example.org\r\n").result_int(), 200U) << "the proxy's";
  EXPECT_EQ(fetch(port(), "/", "Host: localhost:1\r\n").result_int(), 200U);
  EXPECT_EQ(fetch(port(), "/healthz", "Host: whoever\r\n").result_int(), 200U);
}

TEST_F(WebPages, other_methods_are_refused) {
  const HttpResponse refused = fetch(port(), "/", "", "DELETE");
  EXPECT_EQ(refused.result_int(), 405U);
  EXPECT_EQ(refused[http::field::allow], "GET, HEAD, OPTIONS, POST");
}

TEST(WebServer, says_so_where_the_viewer_is_not_built) {
  const TemporaryDirectory data;
  const ServerProcess server(data.path() / "data", {"--web-root", data.path().string()});
  const HttpResponse page = fetch(server.web_port(), "/");
  EXPECT_EQ(page.result_int(), 200U);
  EXPECT_THAT(page.body(), HasSubstr("--web-root"));
  EXPECT_EQ(fetch(server.web_port(), "/sessions/x").result_int(), 404U);
}

TEST(WebServer, a_busy_port_is_a_clear_error) {
  const TemporaryDirectory data;
  const ServerProcess server(data.path() / "one");
  const std::string address = "127.0.0.1:" + std::to_string(server.web_port());
  const ProgramEnd end = ServerProcess::run_to_end(data.path() / "two", {"--web-listen", address});
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.error_output, HasSubstr("cannot serve the viewer on " + address));
  EXPECT_THAT(end.error_output, HasSubstr("--web-listen"));
}

TEST(WebServer, can_be_turned_off) {
  const TemporaryDirectory data;
  ServerProcess server(data.path(), {"--web-listen", "off"});
  EXPECT_EQ(server.web_port(), 0);
  grpc::ClientContext context;
  v1::ServerInfo info;
  ASSERT_TRUE(server.server->GetInfo(&context, {}, &info).ok());
  EXPECT_EQ(info.viewer_url(), "");
}

TEST(WebServer, settings_that_make_no_sense_are_refused) {
  const TemporaryDirectory data;
  for (const auto& [flag, value] : {std::pair("--web-listen", "nowhere"),
                                    {"--web-listen", "unix:web.sock"},
                                    {"--web-origins", "sim.example.org"},
                                    {"--max-web-connections", "0"}}) {
    const ProgramEnd end = ServerProcess::run_to_end(data.path(), {flag, value});
    EXPECT_EQ(end.exit_code, 2) << value;
    EXPECT_THAT(end.error_output, HasSubstr(flag));
  }
}

}  // namespace
}  // namespace sluice::e2e::web_pages_test
