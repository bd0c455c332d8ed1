// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/buffers_suffix.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/web/open_connection.h"
#include "server/web/response_head.h"
#include "server/web/settings.h"
#include "server/web/site.h"

namespace sluice::web {

/// A complete answer, as opposed to the messages of a call.
struct Reply {
  boost::beast::http::status status;
  std::string_view content_type;            ///< Empty: the answer has no Content-Type.
  std::shared_ptr<const std::string> body;  ///< Null: the answer has no body.
  std::string lines{};                      ///< Further header lines, each with its CRLF.
};

/// A connection over HTTP/1.1 (or 1.0). It reads and answers one request after the other and keeps
/// nothing of them. Every wait for the peer has a time limit, and every buffer a size limit.
///
/// All functions run on the socket's strand, one handler at a time; only `start`, `finish_soon` and
/// `cut` may be called from elsewhere. The connection lives as long as a handler or a call is under
/// way.
class Connection final : public OpenConnection, public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::ip::tcp::socket socket, Site& site);
  ~Connection() override;

  void start();
  void finish_soon() override;
  void cut() override;

 private:
  using Error = boost::beast::error_code;
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

  enum class Phase {
    waiting,    // Waits for a request.
    busy,       // Reads or answers a request.
    between,    // The request is answered; the read that watched the peer has not returned yet.
    lingering,  // Answered and shut down for sending; we wait for the peer to read the answer.
    closed,
  };

  // connection.cpp: reading and writing.
  void next_request(std::chrono::seconds patience);
  void read_head();
  void on_head(const Error& error);
  void watch_peer();
  void on_watched(const Error& error, std::size_t bytes);
  void write(const std::vector<boost::asio::const_buffer>& buffers, std::function<void()> then);
  void write_some();
  void finish_exchange();
  void linger();
  void discard();
  void close();

  // connection_pages.cpp: routing of requests, and the answers to all but calls.
  void route();
  [[nodiscard]] std::string_view field(boost::beast::http::field name) const;
  [[nodiscard]] std::string_view path() const;
  void serve_health();
  void serve_readiness();
  void serve_metrics();
  void serve_file();
  void serve_preflight();
  void open_channel();
  void refuse(boost::beast::http::status status, std::string_view why, std::string lines = {});
  void answer(const Reply& reply);
  [[nodiscard]] ResponseHead head_of(boost::beast::http::status status);
  [[nodiscard]] std::string cors_lines() const;

  // connection_call.cpp: gRPC-Web.
  void begin_call();
  void read_body();
  void on_body(const Error& error);
  [[nodiscard]] bool take_body_share();
  void give_body_share_back();
  void start_call();
  void on_message(std::vector<grpc::Slice> slices);
  void on_call_end(const grpc::Status& status);
  void refuse_call(const grpc::Status& status);
  void answer_status(const grpc::Status& status);
  [[nodiscard]] std::string call_head();
  [[nodiscard]] bool chunked() const { return http_version_ >= 11; }

  boost::beast::tcp_stream stream_;  // A CallChannel takes it over after an upgrade.
  const boost::asio::any_io_executor executor_;
  Site& site_;
  boost::beast::flat_buffer buffer_;
  Phase phase_ = Phase::waiting;
  bool watching_ = false;

  // The request at hand, and its answer.
  std::unique_ptr<Parser> parser_;
  unsigned http_version_ = 11;
  bool keep_alive_ = false;
  boost::beast::buffers_suffix<std::vector<boost::asio::const_buffer>> left_;
  std::function<void()> then_;
  std::string lead_;  // The bytes that are written before `slices_` or the reply's body.
  std::vector<grpc::Slice> slices_;
  std::shared_ptr<const std::string> reply_body_;
  std::shared_ptr<Call> call_;
  bool head_sent_ = false;
  std::size_t body_share_ = 0;  // This connection's part of Site::body_bytes.
  std::chrono::steady_clock::time_point body_start_;
};

}  // namespace sluice::web
