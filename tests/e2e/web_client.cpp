// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/web_client.h"

#include <sys/socket.h>

#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <limits>
#include <stdexcept>
#include <thread>

namespace sluice::e2e {

namespace http = boost::beast::http;
namespace net = boost::asio;
using net::ip::tcp;

namespace {

constexpr auto no_limit = std::numeric_limits<std::uint64_t>::max();

int digit_of(char c) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto found = digits.find(c);
  if (found == std::string_view::npos) {
    throw std::runtime_error("no base64");
  }
  return static_cast<int>(found);
}

std::string from_base64(std::string_view text) {
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    bits = bits << 6 | static_cast<unsigned>(digit_of(c));
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xff);
    }
  }
  return bytes;
}

std::string from_percent(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      bytes += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      bytes += text[i];
    }
  }
  return bytes;
}

}  // namespace

WebConnection::WebConnection(int port) {
  socket_.connect({net::ip::make_address("127.0.0.1"), static_cast<unsigned short>(port)});
  const timeval minute{60, 0};
  setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &minute, sizeof minute);
}

void WebConnection::send(std::string_view bytes) { net::write(socket_, net::buffer(bytes)); }

HttpResponse WebConnection::read_response(bool to_head) {
  http::response_parser<http::string_body> parser;
  parser.body_limit(no_limit);
  parser.skip(to_head);
  http::read(socket_, buffer_, parser);
  return parser.release();
}

std::string WebConnection::read_to_end() {
  std::string all(static_cast<const char*>(buffer_.data().data()), buffer_.size());
  std::array<char, 4096> piece{};
  boost::system::error_code error;
  while (!error) {
    const std::size_t count = socket_.read_some(net::buffer(piece), error);
    all.append(piece.data(), count);
  }
  if (error == net::error::would_block || error == net::error::try_again) {
    throw std::runtime_error("the server leaves the connection open");
  }
  return all;
}

std::chrono::milliseconds WebConnection::time_until_closed(std::string_view drip) {
  using namespace std::chrono;
  const auto start = steady_clock::now();
  const timeval interval{0, 200'000};
  setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &interval, sizeof interval);
  for (std::size_t next = 0;; ++next) {
    std::array<char, 4096> piece{};
    boost::system::error_code error;
    socket_.read_some(net::buffer(piece), error);
    if (error && error != net::error::would_block && error != net::error::try_again) {
      return duration_cast<milliseconds>(steady_clock::now() - start);
    }
    if (steady_clock::now() - start > minutes(2)) {
      throw std::runtime_error("the server leaves the connection open");
    }
    if (!drip.empty()) {
      socket_.write_some(net::buffer(&drip[next % drip.size()], 1), error);
    }
  }
}

std::string get_request(std::string_view path, std::string_view lines, std::string_view method) {
  std::string request(method);
  request.append(" ").append(path).append(" HTTP/1.1\r\n");
  if (lines.find("Host:") == std::string_view::npos) {
    request += "Host: 127.0.0.1\r\n";
  }
  return request.append(lines).append("\r\n");
}

HttpResponse fetch(int port, std::string_view path, std::string_view lines,
                   std::string_view method) {
  WebConnection connection(port);
  connection.send(get_request(path, lines, method));
  return connection.read_response(method == "HEAD");
}

std::string call_request(std::string_view method, const google::protobuf::MessageLite& message,
                         std::string_view lines, std::string_view version) {
  const std::string bytes = message.SerializeAsString();
  std::string body(1, '\0');
  for (const int shift : {24, 16, 8, 0}) {
    body += static_cast<char>(bytes.size() >> shift & 0xff);
  }
  body += bytes;
  std::string request = "POST /sluice.v1.";
  request.append(method).append(" HTTP/").append(version).append(
      "\r\nHost: 127.0.0.1\r\nContent-Type: application/grpc-web+proto\r\nContent-Length: ");
  return request.append(std::to_string(body.size()))
      .append("\r\n")
      .append(lines)
      .append("\r\n")
      .append(body);
}

WebCall::WebCall(int port, std::string_view method, const google::protobuf::MessageLite& request,
                 std::string_view lines, std::string_view version)
    : own_(std::in_place, port), connection_(*own_) {
  parser_.body_limit(no_limit);
  connection_.send(call_request(method, request, lines, version));
}

WebCall::WebCall(WebConnection& connection, std::string_view method,
                 const google::protobuf::MessageLite& request, std::string_view lines,
                 std::string_view version)
    : connection_(connection) {
  parser_.body_limit(no_limit);
  connection_.send(call_request(method, request, lines, version));
}

void WebCall::read_head() {
  if (parser_.is_header_done()) {
    return;
  }
  http::read_header(connection_.socket(), connection_.buffer(), parser_);
  const auto& head = parser_.get();
  if (head.result() != http::status::ok) {
    throw std::runtime_error("status " + std::to_string(head.result_int()));
  }
  if (head.count("grpc-status") > 0) {
    trailers_only_ = true;
    for (const char* name : {"grpc-status", "grpc-message", "grpc-status-details-bin"}) {
      if (head.count(name) > 0) {
        take_status(std::string(name) + ": " + std::string(head[name]) + "\r\n");
      }
    }
  }
}

std::optional<std::string> WebCall::read_bytes() {
  read_head();
  std::string& body = parser_.get().body();
  constexpr std::size_t prefix = 5;
  for (;;) {
    if (body.size() >= prefix) {
      std::size_t length = 0;
      for (std::size_t i = 1; i < prefix; ++i) {
        length = length << 8 | static_cast<unsigned char>(body[i]);
      }
      if (body.size() >= prefix + length) {
        const bool is_status = (static_cast<unsigned char>(body[0]) & 0x80U) != 0;
        std::string payload = body.substr(prefix, length);
        body.erase(0, prefix + length);
        if (!is_status) {
          return payload;
        }
        take_status(payload);
        continue;
      }
    }
    if (parser_.is_done()) {
      if (!body.empty() || status_.code < 0) {
        throw std::runtime_error("the answer ends without a status");
      }
      return std::nullopt;
    }
    boost::system::error_code error;
    http::read_some(connection_.socket(), connection_.buffer(), parser_, error);
    if (error == http::error::end_of_stream) {
      parser_.put_eof(error);
    }
    if (error) {
      throw std::runtime_error("reading an answer: " + error.message());
    }
  }
}

bool WebCall::read(google::protobuf::MessageLite& message) {
  const auto bytes = read_bytes();
  if (bytes && !message.ParseFromString(*bytes)) {
    throw std::runtime_error("not the message that was expected");
  }
  return bytes.has_value();
}

const WebStatus& WebCall::finish() {
  while (read_bytes()) {
  }
  return status_;
}

void WebCall::take_status(std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = lines.find("\r\n");
    const std::size_t colon = lines.find(": ");
    if (end == std::string_view::npos || colon > end) {
      throw std::runtime_error("not a status");
    }
    const std::string_view name = lines.substr(0, colon);
    const std::string_view value = lines.substr(colon + 2, end - colon - 2);
    if (name == "grpc-status") {
      status_.code = std::stoi(std::string(value));
    } else if (name == "grpc-message") {
      status_.message = from_percent(value);
    } else if (name == "grpc-status-details-bin") {
      status_.details = from_base64(value);
    }
    lines.remove_prefix(end + 2);
  }
}

WebStatus call(int port, std::string_view method, const google::protobuf::MessageLite& request,
               google::protobuf::MessageLite& response, std::string_view lines) {
  WebCall call(port, method, request, lines);
  call.read(response);
  return call.finish();
}

}  // namespace sluice::e2e
