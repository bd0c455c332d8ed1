// SPDX-License-Identifier: Apache-2.0
// What a peer over HTTP decides freely and our own code reads: the frames of gRPC-Web, requests
// over a channel, the fields of a head, paths. (The grammar of HTTP is Beast's;
// tests/e2e/web_hostile_test.cpp attacks the whole.)
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "server/web/channel_message.h"
#include "server/web/grpc_web.h"
#include "server/web/origins.h"
#include "server/web/static_files.h"

namespace {

using namespace sluice::web;
namespace fs = std::filesystem;

void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
  }
}

// A viewer of two files, and a file beside it that nobody may see.
const StaticFiles& viewer() {
  static const StaticFiles files = [] {
    const fs::path folder =
        fs::temp_directory_path() / ("sluice-web-fuzz-" + std::to_string(::getpid()));
    fs::create_directories(folder / "root/assets");
    std::ofstream(folder / "root/index.html") << "page";
    std::ofstream(folder / "root/assets/a.js") << "code";
    std::ofstream(folder / "secret.js") << "secret";
    StaticFiles read(folder / "root");
    fs::remove_all(folder);
    return read;
  }();
  return files;
}

void check_message(std::string_view body) {
  const auto read = read_message(body);
  if (const auto* message = std::get_if<std::string_view>(&read)) {
    const FramePrefix prefix = message_prefix(message->size());
    require(body == std::string(prefix.data(), prefix.size()) + std::string(*message),
            "a message that is read is framed as we frame it");
  } else {
    require(!std::get<grpc::Status>(read).ok(), "what is refused has a reason");
  }
}

void check_status(std::string_view text) {
  const grpc::Status status(grpc::StatusCode::INTERNAL, std::string(text), std::string(text));
  const std::string lines = status_lines(status);
  require(std::ranges::all_of(
              lines, [](char c) { return (c >= ' ' && c <= '~') || c == '\r' || c == '\n'; }),
          "a status is printable, whatever its message is");
  const auto breaks = std::ranges::count(lines, '\n');
  require(breaks == (text.empty() ? 1 : 3), "a message cannot add a line to the head");
}

void check_timeout(std::string_view text) {
  if (const auto timeout = parse_timeout(text)) {
    require(*timeout >= std::chrono::nanoseconds(0) && *timeout <= std::chrono::hours(8760),
            "a timeout is at most a year");
  }
}

void check_origin(std::string_view text) {
  const std::size_t half = text.size() / 2;
  const std::string_view origin = text.substr(0, half);
  const std::string_view host = text.substr(half);
  const Origins origins({"https://sim.example.org"}, true);
  if (!origin.empty() && origins.may_call(origin, host)) {
    std::string lower(origin);
    std::ranges::transform(lower, lower.begin(), [](char c) { return std::tolower(c); });
    std::string lower_host(host);
    std::ranges::transform(lower_host, lower_host.begin(), [](char c) { return std::tolower(c); });
    require(lower == "https://sim.example.org" || lower.ends_with("://" + lower_host),
            "only our own page and the listed one may call");
  }
  (void)origins.answers_to(host);
  (void)Origins::is_origin(text);
}

void check_channel(std::string_view bytes) {
  if (const auto request = read_channel_request(bytes)) {
    const auto prefix = channel_prefix(request->id);
    require(bytes.starts_with(std::string_view(prefix.data(), prefix.size())),
            "answers go to the call that asked");
    require(request->path.empty() ? request->message.empty() : is_method(request->path),
            "a call names a method");
  }
}

void check_path(std::string_view path) {
  const StaticFile* file = viewer().find(path);
  require(file == nullptr || *file->bytes() == "page" || *file->bytes() == "code",
          "only files of the viewer are served");
  (void)is_method(path);
}

void check_fields(std::string_view text) {
  (void)accepts_gzip(text);
  (void)names_etag(text, "\"tag\"");
  (void)is_grpc_web(text);
  (void)is_metadata_value(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  check_message(input);
  check_status(input);
  check_timeout(input);
  check_origin(input);
  check_path(input);
  check_channel(input);
  check_fields(input);
  return 0;
}
