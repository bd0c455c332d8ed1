// SPDX-License-Identifier: Apache-2.0
#include "server/api/listener_probe.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace sluice::api {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds probe_patience{5'000};
constexpr milliseconds interval{2'000};
// RFC 9113, section 3.4: the preface and an empty SETTINGS frame.
constexpr std::string_view greeting{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33};
constexpr std::size_t type_offset = 3;  // The type's place in a frame's header of 9 bytes.
constexpr unsigned char settings_type = 4;

class Socket {
 public:
  explicit Socket(int family)
      : descriptor_(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {}
  ~Socket() {
    if (descriptor_ >= 0) {
      close(descriptor_);
    }
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  [[nodiscard]] int descriptor() const { return descriptor_; }

  /// Waits for `events` until `end`.
  [[nodiscard]] bool wait(short events, steady_clock::time_point end) const {
    const auto left = std::chrono::ceil<milliseconds>(end - steady_clock::now()).count();
    pollfd entry{descriptor_, events, 0};
    return poll(&entry, 1, static_cast<int>(left < 0 ? 0 : left)) == 1;
  }

 private:
  int descriptor_;
};

Hearing ask(int family, const sockaddr* address, socklen_t length) {
  const auto end = steady_clock::now() + probe_patience;
  const Socket connection(family);
  const int descriptor = connection.descriptor();
  if (descriptor < 0) {
    return Hearing::full;  // No descriptor for us either.
  }
  if (connect(descriptor, address, length) != 0) {
    if (errno != EINPROGRESS || !connection.wait(POLLOUT, end)) {
      return Hearing::deaf;
    }
  }
  if (send(descriptor, greeting.data(), greeting.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(greeting.size())) {
    return errno == ECONNREFUSED ? Hearing::deaf : Hearing::full;
  }
  std::array<unsigned char, 9> header{};
  std::size_t count = 0;
  while (count < header.size()) {
    if (!connection.wait(POLLIN, end)) {
      return Hearing::deaf;
    }
    const ssize_t more = recv(descriptor, header.data() + count, header.size() - count, 0);
    if (more <= 0) {
      return Hearing::full;
    }
    count += static_cast<std::size_t>(more);
  }
  return header[type_offset] == settings_type ? Hearing::answers : Hearing::deaf;
}

}  // namespace

Hearing probe(const ListenAddress& address) {
  if (address.is_unix()) {
    sockaddr_un place{};
    place.sun_family = AF_UNIX;
    std::memcpy(place.sun_path, address.unix_path.c_str(), address.unix_path.size() + 1);
    return ask(AF_UNIX, reinterpret_cast<const sockaddr*>(&place), sizeof place);
  }
  std::string host = address.host;
  if (host.front() == '[') {
    host = host.substr(1, host.size() - 2);
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(address.port).c_str(), &hints, &found) != 0) {
    return Hearing::deaf;
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> list(found, freeaddrinfo);
  // Linux takes the unspecified address for this machine.
  return ask(list->ai_family, list->ai_addr, list->ai_addrlen);
}

ListenerProbe::ListenerProbe(ListenAddress address)
    : address_(std::move(address)), thread_([this] { run(); }) {}

ListenerProbe::~ListenerProbe() { stop(); }

void ListenerProbe::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void ListenerProbe::run() {
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, interval, [this] { return stopping_; })) {
    lock.unlock();
    const Hearing hearing = probe(address_);
    deaf_count_ = hearing == Hearing::deaf ? deaf_count_ + 1 : 0;
    last_ = hearing;
    lock.lock();
  }
}

}  // namespace sluice::api
