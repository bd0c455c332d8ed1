// SPDX-License-Identifier: Apache-2.0
// Payload that Frames.Stream delivers over gRPC-Web on loopback, against a bare socket that sends
// as many bytes out of memory, in pieces of the same size. One reader for both; runs alternate.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "sluice/connection.h"
#include "sluice/server.h"
#include "sluice/v1/frames.pb.h"
#include "tests/bench/service_fixture.h"

namespace sluice::bench {
namespace {

namespace net = boost::asio;
using tcp = net::ip::tcp;

constexpr std::size_t piece_bytes = 1 << 20;

/// Sends `request` and reads until the server closes; bytes that came.
std::int64_t read_all(unsigned short port, const std::string& request) {
  net::io_context context;
  tcp::socket socket(context);
  socket.connect({net::ip::make_address("127.0.0.1"), port});
  net::write(socket, net::buffer(request));
  static std::array<char, 256 << 10> buffer;
  std::int64_t bytes = 0;
  boost::system::error_code error;
  while (!error) {
    bytes += static_cast<std::int64_t>(socket.read_some(net::buffer(buffer), error));
  }
  return bytes;
}

/// Sends so many bytes to whoever connects, `rounds` times.
class BareServer {
 public:
  BareServer(std::int64_t bytes, int rounds)
      : port_(acceptor_.local_endpoint().port()), thread_([this, bytes, rounds] {
          const std::string piece(piece_bytes, 'x');
          for (int round = 0; round < rounds; ++round) {
            tcp::socket socket = acceptor_.accept();
            char request = 0;
            socket.read_some(net::buffer(&request, 1));
            for (std::int64_t left = bytes; left > 0;) {
              const auto count = std::min<std::int64_t>(left, piece_bytes);
              left -= static_cast<std::int64_t>(
                  net::write(socket, net::buffer(piece, static_cast<std::size_t>(count))));
            }
          }
        }) {}
  [[nodiscard]] unsigned short port() const { return port_; }

 private:
  net::io_context context_;
  tcp::acceptor acceptor_{context_, {net::ip::make_address("127.0.0.1"), 0}};
  unsigned short port_;
  std::jthread thread_;
};

std::string stream_request(const std::string& session) {
  v1::StreamFramesRequest request;
  request.set_session(session);
  request.mutable_cursor()->set_index(0);
  request.set_existing_only(true);
  const std::string message = request.SerializeAsString();
  std::string body(5, '\0');
  body[4] = static_cast<char>(message.size());
  body += message;
  return "POST /sluice.v1.Frames/Stream HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
         "Content-Type: application/grpc-web+proto\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void web_payload(benchmark::State& state) {
  // 500 k particles: 12 MB a frame of positions and velocities, 20 frames.
  constexpr int rounds = 9;
  const TcpServer server;
  const client::Connection connection(server.address());
  const std::string session = create(connection, block_scene(500'000, 20'000), 20, 2);
  wait_for_frames(connection, session, 21);
  const std::string url = client::get_server_info(connection).viewer_url();
  const auto port = static_cast<unsigned short>(std::stoi(url.substr(url.rfind(':') + 1)));
  const std::string request = stream_request(session);

  const std::int64_t bytes = read_all(port, request);
  if (bytes < 100'000'000) throw std::runtime_error("the stream was refused");
  const BareServer bare(bytes, rounds);
  std::vector<double> web_rates;
  std::vector<double> bare_rates;
  for ([[maybe_unused]] auto _ : state) {
    for (int round = 0; round < rounds; ++round) {
      auto start = Clock::now();
      bare_rates.push_back(static_cast<double>(read_all(bare.port(), "x")) / seconds_since(start));
      start = Clock::now();
      web_rates.push_back(static_cast<double>(read_all(port, request)) / seconds_since(start));
    }
  }
  const double web = median(web_rates);
  const double socket = median(bare_rates);
  state.counters["web_bytes_per_second"] = web;
  state.counters["bare_bytes_per_second"] = socket;
  state.counters["ratio"] = web / socket;
}
BENCHMARK(web_payload)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace sluice::bench
