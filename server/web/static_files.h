// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace sluice::web {

/// A file that the web server serves, with its header values.
class StaticFile {
 public:
  StaticFile(std::string_view path, std::string bytes);

  [[nodiscard]] const std::string& content_type() const { return content_type_; }
  /// Whether the name holds a hash of the content, so that browsers may cache the file for ever.
  [[nodiscard]] bool immutable() const { return immutable_; }
  [[nodiscard]] const std::string& etag(bool gzipped) const { return gzipped ? gzip_etag_ : etag_; }
  [[nodiscard]] std::shared_ptr<const std::string> bytes() const { return bytes_; }
  /// The gzip form, made at the first call and kept; null where it would not be smaller.
  [[nodiscard]] std::shared_ptr<const std::string> gzipped() const;

 private:
  std::string content_type_;
  bool immutable_;
  bool compressible_;
  std::shared_ptr<const std::string> bytes_;
  std::string etag_, gzip_etag_;
  mutable std::once_flag once_;
  mutable std::shared_ptr<const std::string> gzipped_;
};

/// The viewer's files, read once at the start. Requests find them by exact name, so no path can
/// lead outside the folder. Thread-safe.
class StaticFiles {
 public:
  /// Reads every regular file under `root`, without following links; none if `root` is empty or not
  /// there. Throws std::filesystem::filesystem_error, or std::runtime_error for more than 64 MiB.
  explicit StaticFiles(const std::filesystem::path& root);

  /// Finds the file for a percent-encoded request path. If no file has that name, `/index.html` for
  /// `/` and for any path whose last part has no dot: the viewer reads such paths. Else null.
  [[nodiscard]] const StaticFile* find(std::string_view request_path) const;

  /// Whether there is no viewer: no `/index.html`.
  [[nodiscard]] bool empty() const { return find("/") == nullptr; }

 private:
  std::map<std::string, StaticFile, std::less<>> by_path_;
};

/// Finds the folder of the viewer's files for a program: `../share/sluice/web` for an installed
/// one, `../web` in a build folder. Empty if neither is there.
[[nodiscard]] std::filesystem::path find_web_root(const std::filesystem::path& program);

/// Whether a list of entity tags (If-None-Match) holds `etag`, or is `*`.
[[nodiscard]] bool names_etag(std::string_view list, std::string_view etag);

/// Whether a request with this Accept-Encoding accepts gzip.
[[nodiscard]] bool accepts_gzip(std::string_view accept_encoding);

}  // namespace sluice::web
