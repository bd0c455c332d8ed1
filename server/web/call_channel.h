// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "server/web/channel_message.h"
#include "server/web/open_connection.h"
#include "server/web/site.h"

namespace sluice::web {

/// Many calls over one WebSocket (channel_message.h). A browser opens at most six connections to a
/// server over HTTP/1.1, all tabs together, and a stream uses one for as long as it lasts: three
/// tabs with two streams each leave none for anything else. WebSockets do not count among the six,
/// so a page that makes its calls over a CallChannel never blocks another page.
///
/// A call's next message is asked for when the socket has taken the one before, so that at most one
/// message of each call waits here; messages go out in the order in which they came. All functions
/// run on the socket's strand; the channel lives as long as a handler or a call is under way.
class CallChannel final : public OpenConnection, public std::enable_shared_from_this<CallChannel> {
 public:
  using Request = boost::beast::http::request<boost::beast::http::string_body>;

  /// Takes over a socket on which the request for a channel was read, and no byte after it.
  CallChannel(boost::beast::tcp_stream stream, Site& site);
  ~CallChannel() override;

  /// Accepts the WebSocket handshake in `request` and begins to read calls.
  void start(Request request);
  void finish_soon() override;
  void cut() override;

 private:
  using Error = boost::beast::error_code;

  /// A message or a status that waits to be written, or is being written.
  struct Answer {
    std::string lead;  ///< The bytes before the slices; a call's status is all in here.
    std::vector<grpc::Slice> slices;
    /// The call that is asked for its next message once this one is written; null for a status.
    /// A pointer, not the call's id: by then another call may have that id.
    std::shared_ptr<Call> call;

    [[nodiscard]] std::size_t byte_count() const;
  };

  void read_if_room();
  void on_read(const Error& error);
  void begin_call(const ChannelRequest& request);
  void on_message(ChannelId id, std::vector<grpc::Slice> slices);
  void end_call(ChannelId id, const grpc::Status& status);
  void answer(Answer answer);
  void write_next();
  void on_written(const Error& error);
  void finish_if_done();
  void close(boost::beast::websocket::close_code code);
  void drop();

  boost::beast::websocket::stream<boost::beast::tcp_stream> socket_;
  Site& site_;
  boost::beast::flat_buffer buffer_;
  std::map<ChannelId, std::shared_ptr<Call>> calls_;
  std::deque<Answer> answers_;       // The first one is being written.
  std::size_t waiting_bytes_ = 0;    // Total bytes of `answers_`.
  boost::asio::steady_timer taken_;  // Runs while an answer is being written.
  bool reading_ = false;
  bool finishing_ = false;
  bool closing_ = false;
  bool dropped_ = false;
};

}  // namespace sluice::web
