// SPDX-License-Identifier: Apache-2.0
#include "server/api/listener.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstring>

namespace sluice::api {
namespace {
constexpr std::string_view unix_prefix = "unix:";
}

std::string ListenAddress::in_words(int bound_port) const {
  return is_unix() ? fmt::format("unix:{}", unix_path) : fmt::format("{}:{}", host, bound_port);
}

bool ListenAddress::is_local() const {
  return is_unix() || host == "localhost" || host == "[::1]" || host.starts_with("127.");
}

std::optional<ListenAddress> parse_listen_address(std::string_view text) {
  ListenAddress address;
  if (text.starts_with(unix_prefix)) {
    address.unix_path = text.substr(unix_prefix.size());
    const bool fits = address.unix_path.size() < sizeof(sockaddr_un::sun_path);
    return address.unix_path.empty() || !fits ? std::nullopt : std::optional(address);
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) {
    return std::nullopt;
  }
  address.host = text.substr(0, colon);
  // An IPv6 address has colons of its own, and brackets around it.
  if (address.host.find(':') != std::string::npos &&
      !(address.host.front() == '[' && address.host.back() == ']')) {
    return std::nullopt;
  }
  const std::string_view digits = text.substr(colon + 1);
  const char* const begin = digits.data();
  const char* const end = begin + digits.size();
  const auto [last, error] = std::from_chars(begin, end, address.port);
  if (error != std::errc() || last != end || address.port < 0 || address.port > 65535) {
    return std::nullopt;
  }
  return address;
}

bool unix_socket_in_use(const std::string& path) {
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) {
    return false;
  }
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const bool answers =
      connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(probe);
  return answers;
}

}  // namespace sluice::api
