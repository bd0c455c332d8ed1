// SPDX-License-Identifier: Apache-2.0
// Calls over gRPC-Web: a request in, messages out, each as soon as it is there and the peer has
// taken the one before (connection.h).
#include <fmt/format.h>

#include <array>
#include <boost/beast/http/read.hpp>
#include <utility>
#include <variant>

#include "server/web/connection.h"
#include "server/web/grpc_web.h"

namespace sluice::web {

namespace beast = boost::beast;
namespace http = beast::http;
namespace net = boost::asio;

namespace {

// Headers of a request that services may read.
constexpr std::array<const char*, 4> metadata_names = {"authorization", "traceparent", "tracestate",
                                                       "x-request-id"};
constexpr std::string_view last_chunk = "0\r\n\r\n";

// A slice that owns `body` and shows what stands behind the prefix of its message.
grpc::ByteBuffer message_of(std::string body) {
  auto* const owner = new std::string(std::move(body));
  const grpc::Slice slice(
      owner->data() + frame_prefix_bytes, owner->size() - frame_prefix_bytes,
      [](void* string) { delete static_cast<std::string*>(string); }, owner);
  return {&slice, 1};
}

}  // namespace

void Connection::begin_call() {
  if (!site_.origins.may_call(field(http::field::origin), field(http::field::host))) {
    refuse(http::status::forbidden, "pages of this origin may not call; --web-origins adds some");
    return;
  }
  if (!is_method(path())) {
    refuse(http::status::not_found, "there is no method at this path");
    return;
  }
  if (!is_grpc_web(field(http::field::content_type))) {
    refuse(http::status::unsupported_media_type, "calls are application/grpc-web+proto");
    return;
  }
  const std::size_t most = site_.message_bytes + frame_prefix_bytes;
  if (parser_->content_length().value_or(0) > most) {
    refuse_call({grpc::StatusCode::RESOURCE_EXHAUSTED,
                 fmt::format("a message has at most {} bytes", site_.message_bytes)});
    return;
  }
  parser_->body_limit(most);
  body_start_ = std::chrono::steady_clock::now();
  if (http_version_ >= 11 && beast::iequals(parser_->get()[http::field::expect], "100-continue")) {
    lead_ = "HTTP/1.1 100 Continue\r\n\r\n";
    write({net::buffer(lead_)}, [this] { read_body(); });
  } else {
    read_body();
  }
}

void Connection::read_body() {
  if (parser_->is_done()) {
    start_call();
    return;
  }
  const std::chrono::seconds earned(parser_->get().body().size() / slowest_body_rate);
  stream_.expires_at(body_start_ + body_patience + earned);
  http::async_read_some(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](const Error& error, std::size_t) { self->on_body(error); });
}

void Connection::on_body(const Error& error) {
  if (phase_ == Phase::closed) {
    return;
  }
  if (error == http::error::body_limit) {
    refuse_call({grpc::StatusCode::RESOURCE_EXHAUSTED,
                 fmt::format("a message has at most {} bytes", site_.message_bytes)});
  } else if (error.category() == make_error_code(http::error::bad_chunk).category() &&
             error != http::error::end_of_stream && error != http::error::partial_message) {
    refuse(http::status::bad_request, "not a body: " + error.message());
  } else if (error) {
    close();
  } else if (!take_body_share()) {
    refuse_call({grpc::StatusCode::RESOURCE_EXHAUSTED, "too many large requests at once"});
  } else {
    read_body();
  }
}

bool Connection::take_body_share() {
  const std::size_t more = parser_->get().body().size() - body_share_;
  body_share_ += more;
  site_.metrics.received(more);
  return (site_.body_bytes += more) <= max_bodies * site_.message_bytes;
}

void Connection::give_body_share_back() { site_.body_bytes -= std::exchange(body_share_, 0); }

void Connection::start_call() {
  const auto& request = parser_->get();
  auto read = read_message(request.body());
  if (const auto* error = std::get_if<grpc::Status>(&read)) {
    refuse_call(*error);
    return;
  }
  CallRequest call;
  call.method = path();
  for (const char* const name : metadata_names) {
    const auto [first, last] = request.equal_range(name);
    for (auto entry = first; entry != last; ++entry) {
      const std::string_view value(entry->value().data(), entry->value().size());
      if (!is_metadata_value(value)) {
        refuse_call({grpc::StatusCode::INVALID_ARGUMENT,
                     fmt::format("{} may hold printable ASCII alone", name)});
        return;
      }
      call.metadata.emplace_back(name, value);
    }
  }
  if (const auto entry = request.find("grpc-timeout"); entry != request.end()) {
    call.timeout = parse_timeout({entry->value().data(), entry->value().size()});
    if (!call.timeout) {
      refuse_call({grpc::StatusCode::INVALID_ARGUMENT, "grpc-timeout is no timeout"});
      return;
    }
  }
  call.bytes = message_of(std::move(parser_->get().body()));
  watch_peer();
  if (phase_ == Phase::closed) {
    return;
  }
  site_.metrics.open_calls().Increment();
  call_ = Call::start(
      *site_.stub, std::move(call), stream_.get_executor(),
      [self = shared_from_this()](std::vector<grpc::Slice> slices) {
        self->on_message(std::move(slices));
      },
      [self = shared_from_this()](const grpc::Status& status) { self->on_call_end(status); });
}

std::string Connection::call_head() {
  head_sent_ = true;
  keep_alive_ = keep_alive_ && chunked();  // Else the end of the answer is that of the connection.
  ResponseHead head = head_of(http::status::ok);
  head.add("Content-Type", "application/grpc-web+proto");
  head.add("Cache-Control", "no-store");
  head.add("X-Accel-Buffering", "no");  // nginx would hold messages back.
  if (chunked()) {
    head.add("Transfer-Encoding", "chunked");
  }
  return head.add_lines(cors_lines()).text();
}

void Connection::on_message(std::vector<grpc::Slice> slices) {
  slices_ = std::move(slices);
  std::size_t bytes = 0;
  for (const grpc::Slice& slice : slices_) {
    bytes += slice.size();
  }
  lead_ = head_sent_ ? "" : call_head();
  if (chunked()) {
    lead_ += fmt::format("{:x}\r\n", frame_prefix_bytes + bytes);
  }
  const FramePrefix prefix = message_prefix(bytes);
  lead_.append(prefix.data(), prefix.size());
  std::vector<net::const_buffer> buffers{net::buffer(lead_)};
  for (const grpc::Slice& slice : slices_) {
    buffers.emplace_back(slice.begin(), slice.size());
  }
  if (chunked()) {
    buffers.push_back(net::buffer("\r\n", 2));
  }
  write(buffers, [this] {
    slices_.clear();
    call_->read_next();
  });
}

void Connection::on_call_end(const grpc::Status& status) {
  call_.reset();
  site_.metrics.open_calls().Decrement();
  site_.metrics.call_ended(status.error_code());
  if (phase_ == Phase::closed) {
    return;
  }
  if (!head_sent_) {
    answer_status(status);
    return;
  }
  const std::string frame = trailer_frame(status);
  lead_ = chunked() ? fmt::format("{:x}\r\n{}\r\n{}", frame.size(), frame, last_chunk) : frame;
  write({net::buffer(lead_)}, [this] { finish_exchange(); });
}

// Before the call could be made.
void Connection::refuse_call(const grpc::Status& status) {
  site_.metrics.call_ended(status.error_code());
  answer_status(status);
}

// An answer without a message: the status is in the head, if it is small.
void Connection::answer_status(const grpc::Status& status) {
  std::string lines = status_lines(status);
  std::shared_ptr<const std::string> body;
  if (lines.size() > max_status_in_head) {
    lines.clear();
    body = std::make_shared<const std::string>(trailer_frame(status));
  }
  answer({http::status::ok, "application/grpc-web+proto", body,
          lines + "Cache-Control: no-store\r\n" + cors_lines()});
}

}  // namespace sluice::web
