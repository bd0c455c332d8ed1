// SPDX-License-Identifier: Apache-2.0
#include "server/api/watch_stream.h"

#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "server/api/request_bytes.h"
#include "server/api/status.h"

namespace sluice::api {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds progress_interval{100};
constexpr milliseconds silence_limit{10'000};

class WatchStream final : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
 public:
  WatchStream(StreamPlaces& places, session::WorkPool& pool) : places_(places), pool_(pool) {}

  void start(std::shared_ptr<WatchStream> self,
             session::Result<std::shared_ptr<session::Session>> session) {
    self_ = std::move(self);
    if (!session) {
      end(to_status(session.error()));
      return;
    }
    auto place = places_.take();
    if (!place) {
      end(to_status(place.error()));
      return;
    }
    place_ = *std::move(place);
    session_ = *std::move(session);
    const std::weak_ptr<WatchStream> weak = self_;
    const auto wake = [weak, &pool = pool_] {
      const auto stream = weak.lock();
      if (stream && !stream->woken_.exchange(true)) {
        pool.post([stream] { stream->step(); });
      }
    };
    watching_ = session_->watch(wake);
    stopping_ = places_.on_stop().add(wake);
    step();
  }

  void OnWriteDone(bool ok) override {
    {
      const std::lock_guard lock(mutex_);
      writing_ = false;
      if (!ok) {
        gone_ = true;
      }
    }
    step();
  }

  void OnCancel() override {
    {
      const std::lock_guard lock(mutex_);
      gone_ = true;
    }
    step();
  }

  void OnDone() override {
    watching_.reset();
    stopping_.reset();
    place_.reset();
    self_.reset();  // Deletes this, unless a task of the pool is about to find out.
  }

 private:
  void end(const grpc::Status& status) {
    ended_ = true;
    Finish(status);
  }

  // Sends what is due, or sees to being called when something is.
  void step() {
    woken_ = false;
    const std::lock_guard lock(mutex_);
    if (ended_ || writing_) {
      return;
    }
    if (gone_) {
      end(grpc::Status::CANCELLED);
      return;
    }
    if (last_sent_) {
      if (finished_) {
        end(grpc::Status::OK);
        return;
      }
      if (places_.stopping()) {
        end(to_status(session::server_stopping()));
        return;
      }
    }
    std::uint64_t cursor = log_cursor_;
    session::WatchEvent event = session_->watch_event(cursor);
    const auto now = steady_clock::now();
    const bool standing_changed = event.standing_version != standing_version_;
    const std::int64_t frame_count = event.response.session().frame_count();
    const bool progress = frame_count != frame_count_ || cursor != log_cursor_;
    if (last_sent_ && !standing_changed) {
      const auto due = *last_sent_ + (progress ? progress_interval : silence_limit);
      if (now < due) {
        call_at(due);
        return;
      }
    }
    standing_version_ = event.standing_version;
    frame_count_ = frame_count;
    log_cursor_ = cursor;
    last_sent_ = now;
    finished_ = event.deleted || session::is_terminal(event.response.session().state());
    message_ = to_bytes(event.response);
    writing_ = true;
    StartWrite(&message_);
  }

  void call_at(steady_clock::time_point due) {
    if (timer_ && *timer_ <= due && *timer_ > steady_clock::now()) {
      return;
    }
    timer_ = due;
    const auto delay = std::chrono::ceil<milliseconds>(due - steady_clock::now());
    pool_.post_after(delay, [weak = std::weak_ptr(self_)] {
      if (const auto stream = weak.lock()) {
        stream->step();
      }
    });
  }

  StreamPlaces& places_;
  session::WorkPool& pool_;
  std::shared_ptr<WatchStream> self_;  // Until OnDone.
  std::shared_ptr<void> place_;
  std::shared_ptr<session::Session> session_;
  session::Observers::Handle watching_;
  session::Observers::Handle stopping_;
  std::atomic<bool> woken_ = false;

  std::mutex mutex_;
  bool writing_ = false;
  bool gone_ = false;
  bool ended_ = false;
  bool finished_ = false;
  grpc::ByteBuffer message_;
  std::uint64_t standing_version_ = 0;
  std::int64_t frame_count_ = -1;
  std::uint64_t log_cursor_ = 0;
  std::optional<steady_clock::time_point> last_sent_;
  std::optional<steady_clock::time_point> timer_;
};

}  // namespace

grpc::ServerWriteReactor<grpc::ByteBuffer>* start_watch_stream(
    session::Result<std::shared_ptr<session::Session>> session, StreamPlaces& places,
    session::WorkPool& pool) {
  auto stream = std::make_shared<WatchStream>(places, pool);
  WatchStream* const raw = stream.get();
  raw->start(std::move(stream), std::move(session));
  return raw;
}

}  // namespace sluice::api
