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

/// An answer that is there as a whole.
struct Reply {
  boost::beast::http::status status;
  std::string_view content_type;            ///< Empty: none.
  std::shared_ptr<const std::string> body;  ///< Null: none.
  std::string lines{};                      ///< Further lines of the head, each with its CRLF.
};

/// A connection over HTTP/1.1 (or 1.0): requests one after the other, each read, answered and
/// forgotten. Every wait for the peer has an end, and so has every buffer.
///
/// All of it runs on the strand of its socket, one handler at a time, and it lives as long as a
/// handler or a call is under way. It begins with `start`; only `finish_soon` and `cut` are called
/// from elsewhere.
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
    waiting,    // For a request.
    busy,       // With one.
    between,    // Answered; a read that watched the peer is still to come back.
    lingering,  // Answered, and ended from our side; the peer is to see the answer.
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

  // connection_pages.cpp: what is asked for, and everything but calls.
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

  boost::beast::tcp_stream stream_;  // Handed on where it becomes a CallChannel.
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
  std::string lead_;  // What is written before `slices_` or the reply's body.
  std::vector<grpc::Slice> slices_;
  std::shared_ptr<const std::string> reply_body_;
  std::shared_ptr<Call> call_;
  bool head_sent_ = false;
  std::size_t body_share_ = 0;  // What Site::body_bytes holds for this one.
  std::chrono::steady_clock::time_point body_start_;
};

}  // namespace sluice::web
