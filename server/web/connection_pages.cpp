// SPDX-License-Identifier: Apache-2.0
// The routing of requests, and the answers that are there as a whole (connection.h).
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "server/web/call_channel.h"
#include "server/web/connection.h"

namespace sluice::web {

namespace http = boost::beast::http;
namespace net = boost::asio;

namespace {

constexpr std::string_view plain_text = "text/plain; charset=utf-8";

// The viewer draws in workers, compiles its decoder (WebAssembly) and saves what it drew; it loads
// nothing from elsewhere and is shown in nobody's frame.
constexpr std::string_view page_lines =
    "Content-Security-Policy: default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; worker-src 'self' blob:; "
    "connect-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "X-Frame-Options: DENY\r\n";

constexpr std::string_view no_viewer =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Sluice</title>"
    "<body style=\"font-family: sans-serif; max-width: 40em; margin: 4em auto\">"
    "<h1>Sluice is running, its viewer is not installed</h1>"
    "<p>The server found no files of the viewer. Build them with <code>npm ci && npm run build"
    "</code> in <code>client/web</code>, or name their folder with <code>--web-root</code>, and "
    "start the server again.</p><p>The API (gRPC and gRPC-Web), <a href=\"/metrics\">/metrics</a> "
    "and <a href=\"/healthz\">/healthz</a> work without them.</p></body></html>\n";

std::shared_ptr<const std::string> text(std::string_view text) {
  return std::make_shared<const std::string>(text);
}

}  // namespace

std::string_view Connection::field(http::field name) const {
  const auto value = parser_->get()[name];
  return {value.data(), value.size()};
}

std::string_view Connection::path() const {
  const auto target = parser_->get().target();
  const std::string_view whole(target.data(), target.size());
  return whole.substr(0, whole.find('?'));
}

void Connection::route() {
  const auto& request = parser_->get();
  if (request.version() != 10 && request.version() != 11) {
    refuse(http::status::http_version_not_supported, "HTTP/1.0 and HTTP/1.1 are spoken here");
    return;
  }
  http_version_ = request.version();
  const auto hosts = request.count(http::field::host);
  if (hosts > 1 || (hosts == 0 && http_version_ == 11) || !request.target().starts_with('/')) {
    refuse(http::status::bad_request, "a request has one Host and a path that begins with /");
    return;
  }
  if (request.method() != http::verb::post && !parser_->is_done()) {
    refuse(http::status::bad_request, "only POST has a body here");
    return;
  }
  keep_alive_ = request.keep_alive();
  const bool reads = request.method() == http::verb::get || request.method() == http::verb::head;
  if (reads && path() == "/healthz") {  // Whoever checks health may use any name.
    serve_health();
  } else if (reads && path() == "/readyz") {
    serve_readiness();
  } else if (!site_.origins.answers_to(field(http::field::host))) {
    refuse(http::status::misdirected_request,
           "this server answers to localhost and to addresses; --web-origins adds names");
  } else if (reads && path() == "/metrics") {
    serve_metrics();
  } else if (request.method() == http::verb::get && path() == channel_path) {
    open_channel();
  } else if (reads) {
    serve_file();
  } else if (request.method() == http::verb::options) {
    serve_preflight();
  } else if (request.method() == http::verb::post) {
    begin_call();
  } else {
    refuse(http::status::method_not_allowed, "GET, HEAD, OPTIONS and POST are answered here",
           "Allow: GET, HEAD, OPTIONS, POST\r\n");
  }
}

// Whether the process does its work: if not, it is to be started again.
void Connection::serve_health() {
  const bool hears = site_.hears();
  const bool serving = !site_.stopping && hears;
  answer({serving ? http::status::ok : http::status::service_unavailable, plain_text,
          text(serving ? "serving\n"
               : hears ? "stopping\n"
                       : "deaf: the gRPC port does not answer\n"),
          "Cache-Control: no-store\r\n"});
}

// Whether work may be sent here.
void Connection::serve_readiness() {
  if (site_.stopping) {
    refuse(http::status::service_unavailable, "the server is stopping",
           "Cache-Control: no-store\r\n");
    return;
  }
  stream_.expires_never();
  site_.check_readiness([self = shared_from_this()](std::vector<std::string> reasons) {
    net::post(self->executor_, [self, reasons = std::move(reasons)] {
      if (self->phase_ == Phase::closed) {
        return;
      }
      self->answer(
          {reasons.empty() ? http::status::ok : http::status::service_unavailable, plain_text,
           text(reasons.empty() ? "ready\n" : fmt::format("{}\n", fmt::join(reasons, "\n"))),
           "Cache-Control: no-store\r\n"});
    });
  });
}

void Connection::serve_metrics() {
  answer({http::status::ok, "text/plain; version=0.0.4; charset=utf-8",
          std::make_shared<const std::string>(site_.metrics.text(site_.census())),
          "Cache-Control: no-store\r\n"});
}

void Connection::serve_file() {
  const StaticFile* const file = site_.files.find(path());
  if (file == nullptr) {
    if (site_.files.empty() && path() == "/") {
      answer({http::status::ok, "text/html; charset=utf-8", text(no_viewer),
              std::string(page_lines) + "Cache-Control: no-store\r\n"});
    } else {
      refuse(http::status::not_found, "there is nothing at this path");
    }
    return;
  }
  auto bytes = accepts_gzip(field(http::field::accept_encoding)) ? file->gzipped() : nullptr;
  const bool gzipped = bytes != nullptr;
  const std::string& etag = file->etag(gzipped);
  std::string lines =
      fmt::format("ETag: {}\r\nVary: Accept-Encoding\r\nCache-Control: {}\r\n{}{}", etag,
                  file->immutable() ? "public, max-age=31536000, immutable" : "no-cache",
                  gzipped ? "Content-Encoding: gzip\r\n" : "", page_lines);
  if (names_etag(field(http::field::if_none_match), etag)) {
    answer({http::status::not_modified, {}, nullptr, std::move(lines)});
    return;
  }
  answer({http::status::ok, file->content_type(), gzipped ? std::move(bytes) : file->bytes(),
          std::move(lines)});
}

void Connection::serve_preflight() {
  const std::string_view origin = field(http::field::origin);
  if (!site_.origins.may_call(origin, field(http::field::host))) {
    refuse(http::status::forbidden, "pages of this origin may not call; --web-origins adds some");
    return;
  }
  std::string lines = "Allow: GET, HEAD, OPTIONS, POST\r\n" + cors_lines();
  if (!origin.empty()) {
    lines +=
        "Access-Control-Allow-Methods: POST\r\n"
        "Access-Control-Allow-Headers: content-type, x-grpc-web, x-user-agent, grpc-timeout, "
        "authorization, traceparent, tracestate, x-request-id\r\n"
        "Access-Control-Max-Age: 7200\r\n";
    // A browser asks this for a page on the internet that calls a server of this network.
    if (!parser_->get()["Access-Control-Request-Private-Network"].empty()) {
      lines += "Access-Control-Allow-Private-Network: true\r\n";
    }
  }
  answer({http::status::no_content, {}, nullptr, std::move(lines)});
}

// The socket goes over to a CallChannel; this object has ended.
void Connection::open_channel() {
  const auto& request = parser_->get();
  if (!boost::beast::websocket::is_upgrade(request)) {
    refuse(http::status::upgrade_required, "this path is for WebSockets: see server/web/README.md",
           "Upgrade: websocket\r\n");
  } else if (!site_.origins.may_call(field(http::field::origin), field(http::field::host))) {
    refuse(http::status::forbidden, "pages of this origin may not call; --web-origins adds some");
  } else if (field(http::field::sec_websocket_protocol) != channel_protocol) {
    refuse(http::status::bad_request,
           fmt::format("the WebSocket's protocol is {} here", channel_protocol));
  } else if (buffer_.size() > 0) {
    refuse(http::status::bad_request, "nothing may follow the request before its answer");
  } else {
    site_.metrics.request_answered(static_cast<unsigned>(http::status::switching_protocols));
    phase_ = Phase::closed;
    std::make_shared<CallChannel>(std::move(stream_), site_)->start(parser_->release());
  }
}

std::string Connection::cors_lines() const {
  const std::string_view origin = field(http::field::origin);
  if (origin.empty()) {
    return {};
  }
  return fmt::format(
      "Access-Control-Allow-Origin: {}\r\nVary: Origin\r\n"
      "Access-Control-Expose-Headers: grpc-status, grpc-message, grpc-status-details-bin\r\n",
      origin);
}

void Connection::refuse(http::status status, std::string_view why, std::string lines) {
  answer({status, plain_text, text(fmt::format("{}\n", why)), std::move(lines)});
}

ResponseHead Connection::head_of(http::status status) {
  // The rest of a body cannot be told from the next request.
  keep_alive_ = keep_alive_ && parser_->is_done() && !site_.stopping;
  site_.metrics.request_answered(static_cast<unsigned>(status));
  ResponseHead head(http_version_, status);
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  head.add("Date", fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(now)));
  head.add("X-Content-Type-Options", "nosniff");
  if (!keep_alive_) {
    head.add("Connection", "close");
  } else if (http_version_ == 10) {
    head.add("Connection", "keep-alive");
  }
  return head;
}

void Connection::answer(const Reply& reply) {
  ResponseHead head = head_of(reply.status);
  head.add_lines(reply.lines);
  if (!reply.content_type.empty()) {
    head.add("Content-Type", reply.content_type);
  }
  const bool may_have_length =
      reply.status != http::status::no_content && reply.status != http::status::not_modified;
  if (may_have_length) {
    head.add("Content-Length", std::to_string(reply.body ? reply.body->size() : 0));
  }
  lead_ = head.text();
  std::vector<net::const_buffer> buffers{net::buffer(lead_)};
  if (reply.body && parser_->get().method() != http::verb::head) {
    reply_body_ = reply.body;
    buffers.push_back(net::buffer(*reply_body_));
  }
  write(buffers, [this] { finish_exchange(); });
}

}  // namespace sluice::web
