// SPDX-License-Identifier: Apache-2.0
#include "server/web/connection.h"

#include <netinet/tcp.h>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/http/read.hpp>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

namespace sluice::web {

namespace beast = boost::beast;
namespace http = beast::http;
namespace net = boost::asio;
using tcp = net::ip::tcp;

namespace {

// Errors are ignored: a broken socket already shows at the next read.
template <typename Option>
void set_option(tcp::socket& socket, const Option& option) {
  beast::error_code ignored;
  std::ignore = socket.set_option(option, ignored);
}
void shut_down(tcp::socket& socket, tcp::socket::shutdown_type what) {
  beast::error_code ignored;
  std::ignore = socket.shutdown(what, ignored);
}

// A peer that vanished without a word is found out within a minute, also on a silent stream.
void keep_alive(tcp::socket& socket) {
  using Idle = net::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPIDLE>;
  using Interval = net::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPINTVL>;
  using Count = net::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPCNT>;
  set_option(socket, net::socket_base::keep_alive(true));
  set_option(socket, Idle(30));
  set_option(socket, Interval(10));
  set_option(socket, Count(3));
}

}  // namespace

Connection::Connection(tcp::socket socket, Site& site)
    : stream_(std::move(socket)),
      executor_(stream_.get_executor()),
      site_(site),
      buffer_(max_buffer_bytes) {
  set_option(stream_.socket(), tcp::no_delay(true));
  keep_alive(stream_.socket());
  site_.metrics.open_connections().Increment();
}

Connection::~Connection() {
  give_body_share_back();
  site_.connections.remove(this);
  site_.metrics.open_connections().Decrement();
}

void Connection::start() {
  site_.connections.add(shared_from_this());
  net::dispatch(executor_, [self = shared_from_this()] { self->next_request(head_patience); });
}

void Connection::finish_soon() {
  net::post(executor_, [self = shared_from_this()] {
    self->keep_alive_ = false;
    if (self->phase_ == Phase::waiting) {
      self->close();
    }
  });
}

void Connection::cut() {
  net::post(executor_, [self = shared_from_this()] { self->close(); });
}

void Connection::next_request(std::chrono::seconds patience) {
  phase_ = Phase::waiting;
  if (site_.stopping) {
    close();
    return;
  }
  parser_ = std::make_unique<Parser>();
  parser_->header_limit(max_head_bytes);
  parser_->body_limit(std::numeric_limits<std::uint64_t>::max());  // Until the head is read.
  if (buffer_.size() > 0) {
    read_head();
    return;
  }
  stream_.expires_after(patience);
  stream_.async_read_some(buffer_.prepare(max_head_bytes),
                          [self = shared_from_this()](const Error& error, std::size_t bytes) {
                            if (error || self->phase_ == Phase::closed) {
                              self->close();
                              return;
                            }
                            self->buffer_.commit(bytes);
                            self->read_head();
                          });
}

void Connection::read_head() {
  phase_ = Phase::busy;
  stream_.expires_after(head_patience);
  http::async_read_header(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](const Error& error, std::size_t) { self->on_head(error); });
}

void Connection::on_head(const Error& error) {
  if (phase_ == Phase::closed) {
    return;
  }
  http_version_ = 11;
  keep_alive_ = false;
  head_sent_ = false;
  if (!error) {
    route();
  } else if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    refuse(http::status::request_header_fields_too_large, "the head of the request is too large");
  } else if (error.category() == make_error_code(http::error::bad_version).category() &&
             error != http::error::end_of_stream && error != http::error::partial_message) {
    refuse(http::status::bad_request, "not a request: " + error.message());
  } else {
    close();
  }
}

// While a call is answered nothing more is to come from the peer, but its end may.
void Connection::watch_peer() {
  if (buffer_.size() > max_bytes_ahead) {
    close();
    return;
  }
  watching_ = true;
  stream_.expires_never();
  stream_.async_read_some(buffer_.prepare(max_head_bytes),
                          [self = shared_from_this()](const Error& error, std::size_t bytes) {
                            self->on_watched(error, bytes);
                          });
}

void Connection::on_watched(const Error& error, std::size_t bytes) {
  watching_ = false;
  buffer_.commit(bytes);
  switch (phase_) {
    case Phase::between:
      if (error && error != net::error::operation_aborted) {
        close();
      } else {
        next_request(idle_patience);
      }
      return;
    case Phase::lingering:
      linger();
      return;
    case Phase::busy:
      if (error) {
        close();
      } else {
        watch_peer();
      }
      return;
    case Phase::waiting:
    case Phase::closed:
      return;
  }
}

void Connection::write(const std::vector<net::const_buffer>& buffers, std::function<void()> then) {
  site_.metrics.sent(beast::buffer_bytes(buffers));
  left_ = beast::buffers_suffix<std::vector<net::const_buffer>>(buffers);
  then_ = std::move(then);
  write_some();
}

void Connection::write_some() {
  stream_.expires_after(write_patience);
  stream_.async_write_some(left_,
                           [self = shared_from_this()](const Error& error, std::size_t bytes) {
                             if (error || self->phase_ == Phase::closed) {
                               self->close();
                               return;
                             }
                             self->left_.consume(bytes);
                             if (beast::buffer_bytes(self->left_) > 0) {
                               self->write_some();
                             } else {
                               std::exchange(self->then_, nullptr)();
                             }
                           });
}

void Connection::finish_exchange() {
  reply_body_.reset();
  slices_.clear();
  give_body_share_back();
  const bool goes_on = keep_alive_ && parser_->is_done() && !site_.stopping;
  phase_ = goes_on ? Phase::between : Phase::lingering;
  if (watching_) {
    stream_.cancel();  // on_watched goes on.
  } else if (goes_on) {
    next_request(idle_patience);
  } else {
    linger();
  }
}

// To close with bytes unread would reset the connection, and the peer might lose the answer.
void Connection::linger() {
  shut_down(stream_.socket(), tcp::socket::shutdown_send);
  stream_.expires_after(linger_patience);
  discard();
}

void Connection::discard() {
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(max_head_bytes),
                          [self = shared_from_this()](const Error& error, std::size_t) {
                            if (error || self->phase_ == Phase::closed) {
                              self->close();
                            } else {
                              self->discard();
                            }
                          });
}

void Connection::close() {
  if (std::exchange(phase_, Phase::closed) == Phase::closed) {
    return;
  }
  if (call_) {
    call_->cancel();
  }
  then_ = nullptr;
  shut_down(stream_.socket(), tcp::socket::shutdown_both);
  stream_.close();
}

}  // namespace sluice::web
