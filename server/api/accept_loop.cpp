// SPDX-License-Identifier: Apache-2.0
#include "server/api/accept_loop.h"

#include <grpcpp/server_posix.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <spdlog/spdlog.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <tuple>

#include "server/session/descriptors.h"

namespace sluice::api {
namespace {

using std::chrono::milliseconds;

// After running out of descriptors or memory.
constexpr milliseconds accept_pause{100};
// Connections taken before others get their turn.
constexpr int accepted_in_a_row = 64;

}  // namespace

AcceptLoop::AcceptLoop(ListeningSockets sockets, grpc::Server& server, Admission admission)
    : sockets_(std::move(sockets)),
      server_(server),
      admission_(admission),
      events_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  watch(wake_, EPOLLIN);
  for (const int listener : sockets_.descriptors()) {
    watch(listener, EPOLLIN);
  }
  thread_ = std::thread([this] { run(); });
}

AcceptLoop::~AcceptLoop() {
  const std::uint64_t one = 1;
  std::ignore = write(wake_, &one, sizeof one);
  thread_.join();
  for (const Silent& connection : silent_) {
    close(connection.descriptor);
  }
  close(events_);
  close(wake_);
}

void AcceptLoop::watch(int descriptor, std::uint32_t events) const {
  epoll_event event{};
  event.events = events;
  event.data.fd = descriptor;
  if (epoll_ctl(events_, EPOLL_CTL_ADD, descriptor, &event) != 0) {
    epoll_ctl(events_, EPOLL_CTL_MOD, descriptor, &event);
  }
}

void AcceptLoop::run() {
  std::array<epoll_event, 64> events{};
  for (;;) {
    const int timeout = is_pausing_       ? static_cast<int>(accept_pause.count())
                        : silent_.empty() ? -1
                                          : 1000;
    const int count = epoll_wait(events_, events.data(), static_cast<int>(events.size()), timeout);
    for (int i = 0; i < count; ++i) {
      const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
      if (descriptor == wake_) {
        return;
      }
      const auto& listeners = sockets_.descriptors();
      if (std::ranges::find(listeners, descriptor) != listeners.end()) {
        accept_some(descriptor);
      } else if (by_descriptor_.contains(descriptor)) {  // Not closed by an event before it.
        hand_over(descriptor);
      }
    }
    if (is_pausing_ && count == 0) {
      listen_again();
    }
    while (!silent_.empty() && Clock::now() - silent_.front().since > silence_patience) {
      drop_oldest();
    }
  }
}

void AcceptLoop::accept_some(int listener) {
  for (int i = 0; i < accepted_in_a_row; ++i) {
    const int descriptor = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        spdlog::warn("cannot take a connection, will try again: {}", std::strerror(errno));
        is_pausing_ = true;
        for (const int each : sockets_.descriptors()) {
          watch(each, 0);
        }
      }
      return;  // Else there is none left, or its peer has gone.
    }
    if (admission_ == Admission::clients && !session::leaves_reserve(descriptor)) {
      if (silent_.empty()) {
        ++refused_count_;
        close(descriptor);
        continue;
      }
      drop_oldest();
    }
    if (silent_.size() >= most_silent) {
      drop_oldest();
    }
    const int on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // No Unix socket has it.
    silent_.push_back({descriptor, Clock::now()});
    by_descriptor_.emplace(descriptor, std::prev(silent_.end()));
    watch(descriptor, EPOLLIN | EPOLLRDHUP);
  }
}

void AcceptLoop::hand_over(int descriptor) {
  char first = 0;
  const ssize_t count = recv(descriptor, &first, 1, MSG_PEEK | MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
    return;  // The event was of one that had this number before.
  }
  const auto entry = by_descriptor_.find(descriptor);
  silent_.erase(entry->second);
  by_descriptor_.erase(entry);
  epoll_ctl(events_, EPOLL_CTL_DEL, descriptor, nullptr);
  if (count == 1) {
    grpc::AddInsecureChannelFromFd(&server_, descriptor);  // It closes it.
  } else {
    close(descriptor);
  }
}

void AcceptLoop::drop_oldest() {
  const int descriptor = silent_.front().descriptor;
  by_descriptor_.erase(descriptor);
  silent_.pop_front();
  close(descriptor);
}

void AcceptLoop::listen_again() {
  is_pausing_ = false;
  for (const int listener : sockets_.descriptors()) {
    watch(listener, EPOLLIN);
  }
}

}  // namespace sluice::api
