// SPDX-License-Identifier: Apache-2.0
#include "server/web/web_server.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "server/session/descriptors.h"
#include "server/web/connection.h"

namespace sluice::web {

namespace net = boost::asio;
using boost::system::error_code;
using tcp = net::ip::tcp;

namespace {

// Handlers only move bytes; the work is done on gRPC's and the sessions' threads.
constexpr int thread_count = 2;
constexpr std::chrono::milliseconds accept_pause{100};  // After running out of file descriptors.
constexpr std::chrono::seconds last_words{1};
constexpr std::string_view too_many =
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\n"
    "Connection: close\r\n\r\n";

std::string without_brackets(std::string_view host) {
  return std::string(host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2)
                                                                  : host);
}

// Where a browser on this machine finds what listens on `endpoint`.
std::string url_of(const tcp::endpoint& endpoint) {
  const net::ip::address address = endpoint.address();
  const std::string host = address.is_unspecified() ? "localhost"
                           : address.is_v6()        ? fmt::format("[{}]", address.to_string())
                                                    : address.to_string();
  return fmt::format("http://{}:{}", host, endpoint.port());
}

class WebServerImpl final : public WebServer {
 public:
  WebServerImpl(const WebSettings& settings, const tcp::endpoint& endpoint)
      : settings_(settings),
        site_(Origins(settings.origins, endpoint.address().is_loopback()),
              StaticFiles(settings.root)),
        acceptor_(net::make_strand(context_)),
        pause_(acceptor_.get_executor()) {
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(net::socket_base::reuse_address(true));
    acceptor_.bind(endpoint);
    acceptor_.listen();
    url_ = url_of(acceptor_.local_endpoint());
    if (!endpoint.address().is_loopback()) {
      spdlog::warn(
          "the viewer on {}:{} is served without encryption or authentication: whoever reaches it "
          "can read and change everything",
          settings.host, acceptor_.local_endpoint().port());
    }
  }
  ~WebServerImpl() override { stop(); }

  [[nodiscard]] const std::string& url() const override { return url_; }
  void serve(Backend backend) override;
  void begin_stop() override;
  void stop() override;

 private:
  void run();
  void accept();
  void on_accept(error_code error, tcp::socket socket);

  const WebSettings settings_;
  net::io_context context_{thread_count};
  Site site_;
  tcp::acceptor acceptor_;
  net::steady_timer pause_;
  std::string url_;
  std::vector<std::thread> threads_;
};

void WebServerImpl::serve(Backend backend) {
  site_.message_bytes = static_cast<std::size_t>(backend.message_bytes);
  site_.stub = std::make_unique<RawStub>(std::move(backend.channel));
  site_.census = std::move(backend.census);
  site_.hears = std::move(backend.hears);
  site_.check_readiness = std::move(backend.check_readiness);
  net::post(acceptor_.get_executor(), [this] { accept(); });
  for (int i = 0; i < thread_count; ++i) {
    threads_.emplace_back([this] { run(); });
  }
}

void WebServerImpl::run() {
  for (;;) {
    try {
      context_.run();
      return;
    } catch (const std::exception& error) {  // One connection failed, as when memory is short.
      spdlog::error("web: {}", error.what());
    }
  }
}

void WebServerImpl::accept() {
  acceptor_.async_accept(net::make_strand(context_), [this](error_code error, tcp::socket socket) {
    on_accept(error, std::move(socket));
  });
}

void WebServerImpl::on_accept(error_code error, tcp::socket socket) {
  if (!acceptor_.is_open()) {
    return;
  }
  if (error) {
    spdlog::warn("web: cannot take a connection: {}", error.message());
    pause_.expires_after(accept_pause);
    pause_.async_wait([this](error_code cancelled) {
      if (!cancelled) {
        accept();
      }
    });
    return;
  }
  if (site_.connections.size() >= static_cast<std::size_t>(settings_.max_connections) ||
      !session::leaves_reserve(socket.native_handle())) {
    site_.metrics.connection_refused();
    std::ignore = socket.non_blocking(true, error);
    socket.write_some(net::buffer(too_many), error);
  } else {
    std::make_shared<Connection>(std::move(socket), site_)->start();
  }
  accept();
}

void WebServerImpl::begin_stop() {
  if (site_.stopping.exchange(true)) {
    return;
  }
  for (const auto& connection : site_.connections.all()) {
    connection->finish_soon();
  }
}

void WebServerImpl::stop() {
  begin_stop();
  if (threads_.empty()) {
    return;
  }
  net::post(acceptor_.get_executor(), [this] {
    error_code ignored;
    std::ignore = acceptor_.close(ignored);
    pause_.cancel();
  });
  const auto end = std::chrono::steady_clock::now() + last_words;
  while (site_.connections.size() > 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  for (const auto& connection : site_.connections.all()) {
    connection->cut();
  }
  for (std::thread& thread : threads_) {
    thread.join();
  }
  threads_.clear();
}

}  // namespace

session::Result<std::unique_ptr<WebServer>> WebServer::open(const WebSettings& settings) {
  const std::string address = fmt::format("{}:{}", settings.host, settings.port);
  try {
    net::io_context context;
    const auto found = tcp::resolver(context).resolve(
        without_brackets(settings.host), std::to_string(settings.port), tcp::resolver::passive);
    return std::unique_ptr<WebServer>(
        std::make_unique<WebServerImpl>(settings, found.begin()->endpoint()));
  } catch (const boost::system::system_error& error) {
    return session::internal_error(
        fmt::format("cannot serve the viewer on {}: {}. Choose another address with --web-listen, "
                    "or 'off'",
                    address, error.code().message()));
  } catch (const std::exception& error) {
    return session::internal_error(fmt::format("cannot read the viewer's files: {}", error.what()));
  }
}

}  // namespace sluice::web
