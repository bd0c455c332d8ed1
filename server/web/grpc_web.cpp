// SPDX-License-Identifier: Apache-2.0
#include "server/web/grpc_web.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace sluice::web {
namespace {

constexpr unsigned compressed_flag = 0x01;
constexpr unsigned trailer_flag = 0x80;

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

FramePrefix prefix(unsigned flag, std::size_t bytes) {
  const auto byte = [bytes](int shift) { return static_cast<char>(bytes >> shift & 0xff); };
  return {static_cast<char>(flag), byte(24), byte(16), byte(8), byte(0)};
}

grpc::Status invalid(const std::string& message) {
  return {grpc::StatusCode::INVALID_ARGUMENT, message};
}

}  // namespace

bool is_grpc_web(std::string_view content_type) {
  content_type = content_type.substr(0, content_type.find(';'));
  while (content_type.ends_with(' ')) {
    content_type.remove_suffix(1);
  }
  return content_type == "application/grpc-web" || content_type == "application/grpc-web+proto";
}

bool is_method(std::string_view path) {
  if (!path.starts_with('/')) {
    return false;
  }
  path.remove_prefix(1);
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos) {
    return false;
  }
  const std::string_view service = path.substr(0, slash);
  const std::string_view method = path.substr(slash + 1);
  return !service.empty() && !method.empty() && std::ranges::all_of(method, is_alphanumeric) &&
         std::ranges::all_of(service, [](char c) { return is_alphanumeric(c) || c == '.'; });
}

std::variant<std::string_view, grpc::Status> read_message(std::string_view body) {
  if (body.size() < frame_prefix_bytes) {
    return invalid(
        fmt::format("a request holds one message: {} bytes of a prefix of 5 found", body.size()));
  }
  const auto byte = [body](std::size_t i) { return static_cast<unsigned char>(body[i]); };
  const unsigned flags = byte(0);
  if (flags == compressed_flag) {
    return grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "messages may not be compressed");
  }
  if (flags != 0) {
    return invalid(
        fmt::format("a request holds one message: found a frame with flags {:#04x}", flags));
  }
  std::uint32_t length = 0;
  for (std::size_t i = 1; i < frame_prefix_bytes; ++i) {
    length = length << 8 | byte(i);
  }
  const std::string_view message = body.substr(frame_prefix_bytes);
  if (message.size() != length) {
    return invalid(fmt::format("a request holds one message: its prefix says {} bytes, {} follow",
                               length, message.size()));
  }
  return message;
}

FramePrefix message_prefix(std::size_t message_bytes) { return prefix(0, message_bytes); }

std::string status_lines(const grpc::Status& status) {
  std::string lines = fmt::format("grpc-status: {}\r\n", static_cast<int>(status.error_code()));
  if (!status.error_message().empty()) {
    lines += fmt::format("grpc-message: {}\r\n", percent_encode(status.error_message()));
  }
  if (!status.error_details().empty()) {
    lines += fmt::format("grpc-status-details-bin: {}\r\n", base64(status.error_details()));
  }
  return lines;
}

std::string trailer_frame(const grpc::Status& status) {
  const std::string lines = status_lines(status);
  const FramePrefix head = prefix(trailer_flag, lines.size());
  return std::string(head.data(), head.size()) + lines;
}

std::optional<std::chrono::nanoseconds> parse_timeout(std::string_view text) {
  using namespace std::chrono;
  constexpr std::size_t most_digits = 8;
  if (text.size() < 2 || text.size() > most_digits + 1) {
    return std::nullopt;
  }
  std::int64_t count = 0;
  for (const char c : text.substr(0, text.size() - 1)) {
    if (c < '0' || c > '9') {
      return std::nullopt;
    }
    count = 10 * count + (c - '0');
  }
  // Eight digits of hours are too many nanoseconds for 64 bits.
  constexpr hours longest{24 * 365};
  switch (text.back()) {
    case 'H':
      return std::min(hours(count), longest);
    case 'M':
      return std::min<nanoseconds>(minutes(count), longest);
    case 'S':
      return std::min<nanoseconds>(seconds(count), longest);
    case 'm':
      return milliseconds(count);
    case 'u':
      return microseconds(count);
    case 'n':
      return nanoseconds(count);
    default:
      return std::nullopt;
  }
}

bool is_metadata_value(std::string_view value) {
  return std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~'; });
}

std::string percent_encode(std::string_view text) {
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '%') {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string encoded;
  encoded.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    count += 8;
    while (count >= 6) {
      count -= 6;
      encoded += digits[bits >> count & 0x3f];
    }
  }
  if (count > 0) {
    encoded += digits[bits << (6 - count) & 0x3f];
  }
  return encoded;
}

}  // namespace sluice::web
