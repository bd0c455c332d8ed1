// SPDX-License-Identifier: Apache-2.0
#include "server/web/call_channel.h"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "server/web/grpc_web.h"
#include "server/web/settings.h"

namespace sluice::web {

namespace beast = boost::beast;
namespace net = boost::asio;
namespace websocket = beast::websocket;

CallChannel::CallChannel(beast::tcp_stream stream, Site& site)
    : socket_(std::move(stream)),
      site_(site),
      buffer_(max_channel_request_bytes),
      taken_(socket_.get_executor()) {
  site_.metrics.open_connections().Increment();
}

CallChannel::~CallChannel() {
  site_.connections.remove(this);
  site_.metrics.open_connections().Decrement();
}

void CallChannel::start(Request request) {
  site_.connections.add(shared_from_this());
  beast::get_lowest_layer(socket_).expires_never();  // The WebSocket has timeouts of its own.
  socket_.set_option(websocket::stream_base::timeout{head_patience, channel_patience, true});
  socket_.set_option(websocket::stream_base::decorator([](websocket::response_type& response) {
    response.set(beast::http::field::sec_websocket_protocol,
                 beast::string_view(channel_protocol.data(), channel_protocol.size()));
  }));
  socket_.read_message_max(max_channel_request_bytes);
  socket_.auto_fragment(false);
  socket_.binary(true);
  const auto held = std::make_shared<Request>(std::move(request));
  socket_.async_accept(*held, [self = shared_from_this(), held](const Error& error) {
    if (error) {
      self->drop();
      return;
    }
    self->finishing_ = self->site_.stopping;
    self->read_if_room();
    self->finish_if_done();
  });
}

void CallChannel::finish_soon() {
  net::post(socket_.get_executor(), [self = shared_from_this()] {
    self->finishing_ = true;
    self->finish_if_done();
  });
}

void CallChannel::cut() {
  net::post(socket_.get_executor(), [self = shared_from_this()] { self->drop(); });
}

std::size_t CallChannel::Answer::byte_count() const {
  std::size_t count = lead.size();
  for (const grpc::Slice& slice : slices) {
    count += slice.size();
  }
  return count;
}

// No more is read from a peer that asks and does not take its answers.
void CallChannel::read_if_room() {
  if (reading_ || answers_.size() > max_channel_calls ||
      waiting_bytes_ > max_channel_waiting_bytes) {
    return;
  }
  reading_ = true;
  socket_.async_read(buffer_, [self = shared_from_this()](const Error& error, std::size_t) {
    self->on_read(error);
  });
}

void CallChannel::on_read(const Error& error) {
  reading_ = false;
  if (error || dropped_) {
    drop();
    return;
  }
  const auto data = buffer_.cdata();
  const std::string_view bytes(static_cast<const char*>(data.data()), data.size());
  site_.metrics.received(bytes.size());
  const auto request = read_channel_request(bytes);
  if (!request || !socket_.got_binary()) {
    close(websocket::close_code::protocol_error);
    return;
  }
  const auto call = calls_.find(request->id);
  if (request->path.empty()) {
    if (call != calls_.end()) {  // It may have ended a moment ago.
      call->second->cancel();
    }
  } else if (call != calls_.end()) {
    close(websocket::close_code::protocol_error);
    return;
  } else {
    begin_call(*request);
  }
  buffer_.clear();
  read_if_room();
}

void CallChannel::begin_call(const ChannelRequest& request) {
  const ChannelId id = request.id;
  if (closing_ || finishing_) {
    end_call(id, {grpc::StatusCode::UNAVAILABLE, "the server is stopping"});
    return;
  }
  if (calls_.size() >= max_channel_calls) {
    end_call(id, {grpc::StatusCode::RESOURCE_EXHAUSTED,
                  fmt::format("{} calls are under way over this channel: let some end",
                              max_channel_calls)});
    return;
  }
  const grpc::Slice slice(request.message.data(), request.message.size());
  site_.metrics.open_calls().Increment();
  calls_[id] = Call::start(
      *site_.stub, {std::string(request.path), {&slice, 1}, {}, {}}, socket_.get_executor(),
      [self = shared_from_this(), id](std::vector<grpc::Slice> slices) {
        self->on_message(id, std::move(slices));
      },
      [self = shared_from_this(), id](const grpc::Status& status) {
        self->site_.metrics.open_calls().Decrement();
        self->calls_.erase(id);
        self->end_call(id, status);
      });
}

void CallChannel::on_message(ChannelId id, std::vector<grpc::Slice> slices) {
  std::size_t bytes = 0;
  for (const grpc::Slice& slice : slices) {
    bytes += slice.size();
  }
  const auto place = channel_prefix(id);
  const FramePrefix prefix = message_prefix(bytes);
  std::string lead(place.data(), place.size());
  lead.append(prefix.data(), prefix.size());
  answer({std::move(lead), std::move(slices), calls_.at(id)});
}

void CallChannel::end_call(ChannelId id, const grpc::Status& status) {
  site_.metrics.call_ended(status.error_code());
  const auto place = channel_prefix(id);
  answer({std::string(place.data(), place.size()) + trailer_frame(status), {}, nullptr});
}

void CallChannel::answer(Answer answer) {
  if (closing_ || dropped_) {
    return;
  }
  waiting_bytes_ += answer.byte_count();
  answers_.push_back(std::move(answer));
  if (answers_.size() == 1) {
    write_next();
  }
}

void CallChannel::write_next() {
  const Answer& next = answers_.front();
  std::vector<net::const_buffer> buffers{net::buffer(next.lead)};
  for (const grpc::Slice& slice : next.slices) {
    buffers.emplace_back(slice.begin(), slice.size());
  }
  site_.metrics.sent(beast::buffer_bytes(buffers));
  // The WebSocket's own timeout counts what the peer sends; this one, whether it takes.
  taken_.expires_after(channel_patience);
  taken_.async_wait([weak = weak_from_this()](const Error& stopped) {
    const auto self = weak.lock();
    // It may have expired just as the answer was taken, and another one is on its way.
    if (self && !stopped && self->taken_.expiry() <= std::chrono::steady_clock::now()) {
      self->drop();
    }
  });
  socket_.async_write(buffers, [self = shared_from_this()](const Error& error, std::size_t) {
    self->on_written(error);
  });
}

void CallChannel::on_written(const Error& error) {
  taken_.cancel();
  if (error || dropped_) {
    drop();
    return;
  }
  const Answer written = std::move(answers_.front());
  answers_.pop_front();
  waiting_bytes_ -= written.byte_count();
  if (written.call) {
    written.call->read_next();
  }
  if (!answers_.empty() && !closing_) {
    write_next();
  }
  read_if_room();
  finish_if_done();
}

void CallChannel::finish_if_done() {
  if (finishing_ && calls_.empty() && answers_.empty()) {
    close(websocket::close_code::going_away);
  }
}

void CallChannel::close(websocket::close_code code) {
  if (dropped_ || std::exchange(closing_, true)) {
    return;
  }
  for (const auto& [id, call] : calls_) {
    call->cancel();
  }
  socket_.async_close(code, [self = shared_from_this()](const Error&) { self->drop(); });
}

void CallChannel::drop() {
  if (std::exchange(dropped_, true)) {
    return;
  }
  for (const auto& [id, call] : calls_) {
    call->cancel();
  }
  beast::get_lowest_layer(socket_).close();
}

}  // namespace sluice::web
