// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/message_lite.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::e2e {

using HttpResponse = boost::beast::http::response<boost::beast::http::string_body>;

/// A connection to the HTTP port, on real sockets; a read that takes more than a minute throws.
class WebConnection {
 public:
  explicit WebConnection(int port);

  /// Sends bytes as they are.
  void send(std::string_view bytes);
  /// Reads one answer; without a body for HEAD.
  HttpResponse read_response(bool to_head = false);
  /// Everything until the server closes.
  std::string read_to_end();
  /// How long the server leaves the connection open from now on, sending `drip` every 200 ms.
  std::chrono::milliseconds time_until_closed(std::string_view drip = {});
  void close() { socket_.close(); }
  boost::asio::ip::tcp::socket& socket() { return socket_; }
  boost::beast::flat_buffer& buffer() { return buffer_; }

 private:
  boost::asio::io_context context_;
  boost::asio::ip::tcp::socket socket_{context_};
  boost::beast::flat_buffer buffer_;
};

/// A request for a page, with further lines of the head, each with CRLF.
[[nodiscard]] std::string get_request(std::string_view path, std::string_view lines = {},
                                      std::string_view method = "GET");
/// Fetches a page on a connection of its own.
[[nodiscard]] HttpResponse fetch(int port, std::string_view path, std::string_view lines = {},
                                 std::string_view method = "GET");

/// The head and body of a call over gRPC-Web.
[[nodiscard]] std::string call_request(std::string_view method,
                                       const google::protobuf::MessageLite& message,
                                       std::string_view lines = {},
                                       std::string_view version = "1.1");

/// How a call ended.
struct WebStatus {
  int code = -1;
  std::string message, details;  ///< Their texts before they were encoded.
};

/// A call over gRPC-Web; its messages as they come.
class WebCall {
 public:
  /// Sends the request; on a connection of its own unless one is given.
  WebCall(int port, std::string_view method, const google::protobuf::MessageLite& request,
          std::string_view lines = {}, std::string_view version = "1.1");
  WebCall(WebConnection& connection, std::string_view method,
          const google::protobuf::MessageLite& request, std::string_view lines = {},
          std::string_view version = "1.1");

  /// The bytes of the next message; nothing at the end.
  std::optional<std::string> read_bytes();
  bool read(google::protobuf::MessageLite& message);
  /// Reads what is left.
  const WebStatus& finish();

  [[nodiscard]] const WebStatus& status() const { return status_; }
  [[nodiscard]] const HttpResponse& response() const { return parser_.get(); }
  /// Whether the status was in the head.
  [[nodiscard]] bool trailers_only() const { return trailers_only_; }
  WebConnection& connection() { return connection_; }

 private:
  void read_head();
  void take_status(std::string_view lines);

  std::optional<WebConnection> own_;
  WebConnection& connection_;
  boost::beast::http::response_parser<boost::beast::http::string_body> parser_;
  WebStatus status_;
  bool trailers_only_ = false;
};

/// Calls a unary method; the status of the call.
WebStatus call(int port, std::string_view method, const google::protobuf::MessageLite& request,
               google::protobuf::MessageLite& response, std::string_view lines = {});

}  // namespace sluice::e2e
