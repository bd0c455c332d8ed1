// SPDX-License-Identifier: Apache-2.0
#include "sluice/frame_stream.h"

#include "client/lib/ack_sender.h"
#include "client/lib/backoff.h"
#include "client/lib/cancellable_stream.h"
#include "client/lib/channel.h"
#include "client/lib/frame_assembler.h"
#include "sluice/session.h"

namespace sluice::client {
namespace {

/// A stream of frames, and who acknowledges them.
struct FramesOpen : OpenStream<v1::StreamFramesResponse> {
  std::unique_ptr<AckSender> acks;  // Made when the stream's id is known. Last: uses the context.
};

}  // namespace

struct FrameStream::Impl {
  Impl(const Connection& c, FrameQuery q, std::stop_token s)
      : connection(c),
        query(std::move(q)),
        stop(std::move(s)),
        backoff(c.options().retry_for, stop),
        open(stop) {}

  void start();
  std::optional<Frame> read();
  bool is_past_the_end(const v1::Cursor& last_read);

  Connection connection;
  FrameQuery query;
  std::stop_token stop;
  Backoff backoff;
  FrameAssembler assembler;
  CancellableStream<FramesOpen> open;
  std::optional<v1::Cursor> last;  // The last whole frame that was given.
  std::optional<v1::Cursor> unacknowledged;
  bool was_open{false};  // A server was there; so one may come back.
  bool done{false};
  int reconnect_count{0};
};

void FrameStream::Impl::start() {
  v1::StreamFramesRequest request;
  request.set_session(query.session);
  request.set_stride(query.stride);
  request.set_codec(query.codec);
  request.set_quantization_bits(query.quantization_bits);
  request.set_delivery(query.latest ? v1::DELIVERY_LATEST : v1::DELIVERY_EVERY);
  request.set_max_in_flight(query.max_in_flight);
  request.set_existing_only(query.existing_only);
  for (const std::string& body : query.bodies) {
    request.mutable_selection()->add_bodies(body);
  }
  for (const v1::Field field : query.fields) {
    request.mutable_selection()->add_fields(field);
  }
  if (query.codec != v1::CODEC_F32 && query.codec != v1::CODEC_UNSPECIFIED) {
    // Besides what was asked for, or all that is stored: what puts rows back to their places.
    if (query.fields.empty()) {
      request.mutable_selection()->add_fields(v1::FIELD_UNSPECIFIED);
    }
    request.mutable_selection()->add_fields(v1::FIELD_ORDER);
  }
  if (last) {
    request.mutable_cursor()->set_index(last->index() + query.stride);
  } else if (query.first_index) {
    request.mutable_cursor()->set_index(*query.first_index);
  }
  assembler = {};
  unacknowledged.reset();
  open.open([&](FramesOpen& stream) {
    stream.reader = connection.impl().frames->Stream(&stream.context, request);
  });
}

std::optional<Frame> FrameStream::Impl::read() {
  v1::StreamFramesResponse response;
  while (open->reader->Read(&response)) {
    std::optional<Frame> frame;
    if (response.has_start()) {
      if (query.max_in_flight > 0) {
        open->acks = std::make_unique<AckSender>(connection, response.start().stream_id(),
                                                 [&stream = *open] { stream.context.TryCancel(); });
      }
      was_open = true;
    } else if (response.has_header()) {
      const auto& cursor = response.header().cursor();
      if (last && cursor.index() <= last->index()) {
        throw Error(ErrorKind::data_loss, "frame " + std::to_string(cursor.index()) + " after " +
                                              std::to_string(last->index()));
      }
      frame = assembler.add(response.header());
    } else if (response.has_chunk()) {
      frame = assembler.add(response.chunk());
    }
    if (frame) {
      return frame;
    }
  }
  return {};
}

// After the last frame of a session was read, a reconnection asks for one that never comes.
bool FrameStream::Impl::is_past_the_end(const v1::Cursor& last_read) {
  const v1::Session session = get_session(connection, query.session);
  return is_terminal(session.state()) && last_read.index() + query.stride >= session.frame_count();
}

FrameStream::FrameStream(const Connection& connection, FrameQuery query, std::stop_token stop)
    : impl_(std::make_unique<Impl>(connection, std::move(query), std::move(stop))) {}
FrameStream::FrameStream(FrameStream&&) noexcept = default;
FrameStream& FrameStream::operator=(FrameStream&&) noexcept = default;

FrameStream::~FrameStream() = default;

int FrameStream::reconnect_count() const noexcept { return impl_->reconnect_count; }

std::optional<Frame> FrameStream::next() {
  Impl& self = *impl_;
  while (!self.done && !self.stop.stop_requested()) {
    if (!self.open) {
      self.start();
    }
    if (self.unacknowledged && self.open->acks) {
      self.open->acks->acknowledge(*self.unacknowledged);
    }
    self.unacknowledged.reset();
    std::optional<Error> broken;
    try {
      if (auto frame = self.read()) {
        v1::Cursor cursor;
        cursor.set_epoch(frame->epoch);
        cursor.set_index(frame->index);
        self.last = cursor;
        self.unacknowledged = cursor;
        self.backoff.reset();
        return frame;
      }
    } catch (const Error& error) {
      broken = error;
      self.open->context.TryCancel();
    }
    const bool ack_failed = self.open->acks && self.open->acks->failed();
    self.open->acks.reset();  // Before the stream that they would cancel.
    const grpc::Status status = self.open.close();
    if (self.stop.stop_requested()) {
      break;
    }
    if (!broken && status.ok() && !self.assembler.in_frame()) {
      self.done = true;
      break;
    }
    if (!broken && status.ok()) {
      broken = Error(ErrorKind::data_loss, "the stream ended in the middle of a frame");
    } else if (!broken && ack_failed) {
      broken = Error(ErrorKind::unavailable, "an acknowledgement was not taken");
    } else if (!broken) {
      broken = to_error(status, self.connection.address());
      if (broken->kind() == ErrorKind::out_of_range && self.last &&
          self.is_past_the_end(*self.last)) {
        self.done = true;
        break;
      }
      if (!is_transient(broken->kind()) || !self.was_open) {
        throw Error(*broken);
      }
    }
    if (!self.backoff.wait()) {
      if (self.stop.stop_requested()) {
        break;
      }
      throw Error(*broken);
    }
    ++self.reconnect_count;
  }
  return {};
}

Frame get_frame(const Connection& connection, const std::string& session,
                std::optional<std::int64_t> index) {
  v1::GetFrameRequest request;
  request.set_session(session);
  if (index) {
    request.mutable_cursor()->set_index(*index);
  }
  const v1::Frame response =
      call(connection, &v1::Frames::Stub::Get, *connection.impl().frames, request);
  FrameAssembler assembler;
  std::optional<Frame> frame = assembler.add(response.header());
  for (const v1::FrameChunk& chunk : response.chunks()) {
    if (frame) {
      throw Error(ErrorKind::data_loss, "a piece of a frame came after its end");
    }
    frame = assembler.add(chunk);
  }
  if (!frame) {
    throw Error(ErrorKind::data_loss, "the frame's pieces are not all there");
  }
  return *std::move(frame);
}

v1::Layout get_layout(const Connection& connection, const std::string& session,
                      std::optional<std::int64_t> epoch) {
  v1::GetLayoutRequest request;
  request.set_session(session);
  if (epoch) {
    request.set_epoch(*epoch);
  }
  return call(connection, &v1::Frames::Stub::GetLayout, *connection.impl().frames, request);
}

}  // namespace sluice::client
