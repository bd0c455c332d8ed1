// SPDX-License-Identifier: Apache-2.0
#include "server/api/listening_sockets.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <utility>

namespace sluice::api {
namespace {

constexpr int socket_flags = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

session::Error cannot_listen(const ListenAddress& address, std::string_view why) {
  return session::internal_error(
      fmt::format("cannot listen on {}: {}; is another server there? Choose another address with "
                  "--listen",
                  address.in_words(address.port), why));
}

int port_of(int descriptor) {
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &length) != 0) {
    return 0;
  }
  return ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                                           : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
}

}  // namespace

ListeningSockets::ListeningSockets(ListeningSockets&& other) noexcept
    : address_(std::move(other.address_)),
      descriptors_(std::exchange(other.descriptors_, std::vector<int>())) {}

ListeningSockets::~ListeningSockets() {
  if (!descriptors_.empty() && address_.is_unix()) {
    unlink(address_.unix_path.c_str());
  }
  for (const int descriptor : descriptors_) {
    close(descriptor);
  }
}

session::Status ListeningSockets::open_unix() {
  const std::string& path = address_.unix_path;
  struct stat status{};
  if (lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) {
    if (unix_socket_in_use(path)) {
      return session::internal_error(fmt::format("another server listens on unix:{}", path));
    }
    unlink(path.c_str());  // A server that was killed has left it.
  }
  sockaddr_un bound{};
  bound.sun_family = AF_UNIX;
  std::memcpy(bound.sun_path, path.c_str(), path.size() + 1);
  const int descriptor = socket(AF_UNIX, socket_flags, 0);
  if (descriptor < 0 ||
      bind(descriptor, reinterpret_cast<const sockaddr*>(&bound), sizeof bound) != 0 ||
      listen(descriptor, SOMAXCONN) != 0) {
    const int error = errno;
    if (descriptor >= 0) {
      close(descriptor);
    }
    return cannot_listen(address_, std::strerror(error));
  }
  descriptors_.push_back(descriptor);
  return session::ok();
}

session::Status ListeningSockets::open_tcp() {
  std::string host = address_.host;
  if (host.front() == '[') {
    host = host.substr(1, host.size() - 2);
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failed =
      getaddrinfo(host.c_str(), std::to_string(address_.port).c_str(), &hints, &found);
  if (failed != 0) {
    return cannot_listen(address_, gai_strerror(failed));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> list(found, freeaddrinfo);
  int error = 0;
  for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next) {
    const int descriptor = socket(one->ai_family, socket_flags, one->ai_protocol);
    if (descriptor < 0) {
      error = errno;
      continue;
    }
    const int on = 1;
    // A port that was just left may be taken again; one that is in use may not: no SO_REUSEPORT,
    // with which a second server would share it in silence.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (address_.port != 0) {  // All forms of the address get the port that the first one got.
      auto* const port = one->ai_family == AF_INET6
                             ? &reinterpret_cast<sockaddr_in6*>(one->ai_addr)->sin6_port
                             : &reinterpret_cast<sockaddr_in*>(one->ai_addr)->sin_port;
      *port = htons(static_cast<std::uint16_t>(address_.port));
    }
    if (bind(descriptor, one->ai_addr, one->ai_addrlen) != 0 ||
        listen(descriptor, SOMAXCONN) != 0) {
      error = errno;
      close(descriptor);
      continue;
    }
    address_.port = port_of(descriptor);
    descriptors_.push_back(descriptor);
  }
  return descriptors_.empty() ? session::Status(cannot_listen(address_, std::strerror(error)))
                              : session::ok();
}

session::Result<ListeningSockets> ListeningSockets::open(const ListenAddress& address) {
  ListeningSockets sockets(address);
  const auto opened = address.is_unix() ? sockets.open_unix() : sockets.open_tcp();
  if (!opened) {
    return opened.error();
  }
  return sockets;
}

}  // namespace sluice::api
