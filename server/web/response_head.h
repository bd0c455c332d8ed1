// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <boost/beast/http/status.hpp>
#include <string>
#include <string_view>

namespace sluice::web {

/// The head of an HTTP answer: status line and header lines. The caller makes sure that names and
/// values hold no line breaks.
class ResponseHead {
 public:
  /// `http_version`: 10 for HTTP/1.0 or 11 for HTTP/1.1, as in Beast.
  ResponseHead(unsigned http_version, boost::beast::http::status status)
      : text_(fmt::format("HTTP/{}.{} {} {}\r\n", http_version / 10, http_version % 10,
                          static_cast<unsigned>(status), reason_of(status))) {}

  ResponseHead& add(std::string_view name, std::string_view value) {
    return add_lines(fmt::format("{}: {}\r\n", name, value));
  }
  /// Adds whole header lines, each with its CRLF.
  ResponseHead& add_lines(std::string_view lines) {
    text_ += lines;
    return *this;
  }

  [[nodiscard]] std::string text() const { return text_ + "\r\n"; }

 private:
  static std::string_view reason_of(boost::beast::http::status status) {
    const auto reason = boost::beast::http::obsolete_reason(status);
    return {reason.data(), reason.size()};
  }

  std::string text_;
};

}  // namespace sluice::web
