// SPDX-License-Identifier: Apache-2.0
#include "server/web/static_files.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

#include "server/web/gzip.h"

namespace sluice::web {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largest_sum = std::uintmax_t{64} << 20;
// Less is one packet either way.
constexpr std::size_t smallest_compressed = 1024;
// Where the viewer's build puts files whose names hold a hash of their content.
constexpr std::string_view hashed_folder = "/assets/";

struct Type {
  std::string_view extension;
  std::string_view content_type;
  bool compressible;
};

constexpr std::array<Type, 17> types{{
    {".html", "text/html; charset=utf-8", true},
    {".js", "text/javascript; charset=utf-8", true},
    {".mjs", "text/javascript; charset=utf-8", true},
    {".css", "text/css; charset=utf-8", true},
    {".json", "application/json", true},
    {".map", "application/json", true},
    {".webmanifest", "application/manifest+json", true},
    {".svg", "image/svg+xml", true},
    {".txt", "text/plain; charset=utf-8", true},
    {".wasm", "application/wasm", true},
    {".png", "image/png", false},
    {".jpg", "image/jpeg", false},
    {".webp", "image/webp", false},
    {".ico", "image/x-icon", true},
    {".woff2", "font/woff2", false},
    {".ttf", "font/ttf", true},
    {".glb", "model/gltf-binary", true},
}};
constexpr Type unknown_type{"", "application/octet-stream", false};

Type type_of(std::string_view path) {
  const auto* const found = std::ranges::find_if(
      types, [path](const Type& type) { return path.ends_with(type.extension); });
  return found == types.end() ? unknown_type : *found;
}

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.good() && !stream.eof()) {
    throw fs::filesystem_error("cannot read", path, std::make_error_code(std::errc::io_error));
  }
  return bytes;
}

std::optional<std::string> percent_decode(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size() || digit(text[i + 1]) < 0 || digit(text[i + 2]) < 0) {
      return std::nullopt;
    }
    decoded += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
    i += 2;
  }
  return decoded;
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Cuts off and returns what stands before the next comma.
std::string_view next_of_list(std::string_view& list) {
  const std::size_t comma = std::min(list.find(','), list.size());
  const std::string_view item = trim(list.substr(0, comma));
  list.remove_prefix(std::min(comma + 1, list.size()));
  return item;
}

}  // namespace

StaticFile::StaticFile(std::string_view path, std::string bytes)
    : content_type_(type_of(path).content_type),
      immutable_(path.starts_with(hashed_folder)),
      compressible_(type_of(path).compressible && bytes.size() >= smallest_compressed),
      bytes_(std::make_shared<const std::string>(std::move(bytes))) {
  const auto* const data = reinterpret_cast<const unsigned char*>(bytes_->data());
  const std::string hash =
      fmt::format("{:08x}-{:x}", crc32_z(0, data, bytes_->size()), bytes_->size());
  etag_ = fmt::format("\"{}\"", hash);
  gzip_etag_ = fmt::format("\"{}-gzip\"", hash);
}

std::shared_ptr<const std::string> StaticFile::gzipped() const {
  std::call_once(once_, [this] {
    if (!compressible_) {
      return;
    }
    std::string smaller = gzip(*bytes_);
    if (smaller.size() < bytes_->size()) {
      gzipped_ = std::make_shared<const std::string>(std::move(smaller));
    }
  });
  return gzipped_;
}

StaticFiles::StaticFiles(const fs::path& root) {
  if (root.empty() || !fs::is_directory(root)) {
    return;
  }
  std::uintmax_t sum = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.symlink_status().type() != fs::file_type::regular) {
      continue;
    }
    sum += entry.file_size();
    if (sum > largest_sum) {
      throw std::runtime_error(fmt::format("the files under {} are more than {} MiB: not a viewer",
                                           root.string(), largest_sum >> 20));
    }
    const std::string path =
        fmt::format("/{}", entry.path().lexically_relative(root).generic_string());
    by_path_.try_emplace(path, path, read_file(entry.path()));
  }
}

const StaticFile* StaticFiles::find(std::string_view request_path) const {
  const auto path = percent_decode(request_path);
  if (!path) {
    return nullptr;
  }
  auto found = by_path_.find(*path);
  if (found == by_path_.end() && path->starts_with('/') &&
      path->find('.', path->rfind('/')) == std::string::npos) {
    found = by_path_.find("/index.html");
  }
  return found == by_path_.end() ? nullptr : &found->second;
}

fs::path find_web_root(const fs::path& program) {
  const fs::path bin = program.parent_path();
  std::error_code error;
  for (const char* const relative : {"../share/sluice/web", "../web"}) {
    const fs::path candidate = fs::weakly_canonical(bin / relative, error);
    if (!error && fs::is_regular_file(candidate / "index.html", error)) {
      return candidate;
    }
  }
  return {};
}

bool names_etag(std::string_view list, std::string_view etag) {
  while (!list.empty()) {
    std::string_view item = next_of_list(list);
    if (item == "*") {
      return true;
    }
    if (item.starts_with("W/")) {  // A proxy that compresses makes it weak.
      item.remove_prefix(2);
    }
    if (item == etag) {
      return true;
    }
  }
  return false;
}

bool accepts_gzip(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    const std::string_view item = next_of_list(accept_encoding);
    const std::size_t semicolon = std::min(item.find(';'), item.size());
    if (const std::string_view name = trim(item.substr(0, semicolon));
        name != "gzip" && name != "*") {
      continue;
    }
    const std::size_t quality = item.find("q=", semicolon);
    // Only a quality of zero forbids it.
    return quality == std::string_view::npos ||
           item.substr(quality + 2).find_first_of("123456789") != std::string_view::npos;
  }
  return false;
}

}  // namespace sluice::web
