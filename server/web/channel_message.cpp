// SPDX-License-Identifier: Apache-2.0
#include "server/web/channel_message.h"

#include "server/web/grpc_web.h"

namespace sluice::web {

std::optional<ChannelRequest> read_channel_request(std::string_view bytes) {
  constexpr std::size_t id_bytes = 4;
  if (bytes.size() < id_bytes) {
    return std::nullopt;
  }
  ChannelId id = 0;
  for (std::size_t i = 0; i < id_bytes; ++i) {
    id = id << 8 | static_cast<unsigned char>(bytes[i]);
  }
  bytes.remove_prefix(id_bytes);
  if (bytes.empty()) {
    return ChannelRequest{id, {}, {}};
  }
  const std::size_t path_bytes = static_cast<unsigned char>(bytes.front());
  bytes.remove_prefix(1);
  const std::string_view path = bytes.substr(0, path_bytes);
  if (path.size() < path_bytes || !is_method(path)) {
    return std::nullopt;
  }
  return ChannelRequest{id, path, bytes.substr(path_bytes)};
}

std::array<char, 4> channel_prefix(ChannelId id) {
  const auto byte = [id](int shift) { return static_cast<char>(id >> shift & 0xff); };
  return {byte(24), byte(16), byte(8), byte(0)};
}

}  // namespace sluice::web
