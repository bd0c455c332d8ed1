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

/// A file as it is served.
class StaticFile {
 public:
  StaticFile(std::string_view path, std::string bytes);

  [[nodiscard]] const std::string& content_type() const { return content_type_; }
  /// Its name tells its content, so that it may be kept for ever.
  [[nodiscard]] bool immutable() const { return immutable_; }
  [[nodiscard]] const std::string& etag(bool gzipped) const { return gzipped ? gzip_etag_ : etag_; }
  [[nodiscard]] std::shared_ptr<const std::string> bytes() const { return bytes_; }
  /// Compressed at the first call and kept; nothing where that would not make it smaller.
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

/// The viewer's files, read once: what a request can name are exactly the files that were there, so
/// no path leads outside. Thread-safe.
class StaticFiles {
 public:
  /// Reads every regular file under `root`, without following links; none if it is empty or is not
  /// there. Throws std::filesystem::filesystem_error, or std::runtime_error for more than 64 MiB.
  explicit StaticFiles(const std::filesystem::path& root);

  /// The file for the path of a request, percent-encoded: itself; `/index.html` for `/` and for any
  /// other path whose last part has no dot, which the viewer then reads. Null if there is none.
  [[nodiscard]] const StaticFile* find(std::string_view request_path) const;

  /// Whether there is a viewer.
  [[nodiscard]] bool empty() const { return find("/") == nullptr; }

 private:
  std::map<std::string, StaticFile, std::less<>> by_path_;
};

/// Where the viewer's files are for a program: `../share/sluice/web` as installed, `../web` in a
/// build folder. Empty if neither is there.
[[nodiscard]] std::filesystem::path find_web_root(const std::filesystem::path& program);

/// Whether a list of entity tags (If-None-Match) names this one.
[[nodiscard]] bool names_etag(std::string_view list, std::string_view etag);

/// Whether Accept-Encoding lets gzip through.
[[nodiscard]] bool accepts_gzip(std::string_view accept_encoding);

}  // namespace sluice::web
