// SPDX-License-Identifier: Apache-2.0
#include "server/store/asset_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <system_error>
#include <vector>

#include "proto/wire/crc32c.h"
#include "proto/wire/sha256.h"
#include "server/store/file.h"

namespace sluice::store {
namespace {

// Nobody who resumes an upload waits for longer.
constexpr std::chrono::hours stale_after{7 * 24};

constexpr std::uint64_t max_note_bytes = 4096;  // A file name has at most 255 characters.

std::uint32_t crc_of(std::string_view text) { return wire::crc32c(std::as_bytes(std::span(text))); }

// Fills in what the note says, if it is whole.
void take_note(std::string_view text, AssetRecord& asset) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos || text != fmt::format("{}\n{:08x}\n", line, crc_of(line))) {
    return;
  }
  const std::string_view time = line.substr(0, blank);
  std::from_chars(time.data(), time.data() + time.size(), asset.create_time_micros);
  asset.file_name = line.substr(blank + 1);
}

Error not_found(std::string_view sha256, std::string_view what) {
  return {ErrorCode::not_found, fmt::format("no {} {}", what, sha256)};
}

Result<std::string> hash_of(const File& file) {
  constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  const auto size = file.size();
  if (!size) {
    return size.error();
  }
  wire::Sha256 hash;
  std::vector<std::byte> buffer(piece_bytes);
  for (std::uint64_t offset = 0; offset < *size; offset += piece_bytes) {
    const auto piece = std::span(buffer).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, *size - offset)));
    if (auto read = file.read_at(offset, piece); !read) {
      return read.error();
    }
    hash.update(piece);
  }
  return hash.finish_hex();
}

}  // namespace

Result<std::unique_ptr<AssetStore>> AssetStore::open(const std::filesystem::path& directory,
                                                     const Options& options) {
  if (auto created = ensure_directory(directory / "partial"); !created) {
    return created.error();
  }
  std::unique_ptr<AssetStore> assets(new AssetStore(directory, options));
  if (auto dropped = assets->drop_stale_uploads(); !dropped) {
    return dropped.error();
  }
  return assets;
}

Status AssetStore::drop_stale_uploads() {
  const auto partial = directory_ / "partial";
  const auto oldest = std::filesystem::file_time_type::clock::now() - stale_after;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(partial, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::error_code unknown;
    const auto written = entry->last_write_time(unknown);
    if (!unknown && written < oldest) {
      if (auto removed = remove_file(entry->path()); !removed) {
        return removed;
      }
    }
  }
  return error ? Status(errno_error(error.value(), "list", partial)) : ok();
}

std::filesystem::path AssetStore::path_of(std::string_view sha256) const {
  return directory_ / sha256.substr(0, 2) / sha256;
}

std::filesystem::path AssetStore::partial_path_of(std::string_view sha256) const {
  return directory_ / "partial" / sha256;
}

std::mutex& AssetStore::mutex_of(std::string_view sha256) {
  const char digit = sha256.front();
  return mutexes_[static_cast<std::size_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10)];
}

Result<AssetStore::Upload> AssetStore::begin(std::string_view sha256, std::uint64_t size_bytes) {
  if (!wire::is_sha256_hex(sha256)) {
    return not_found(sha256, "SHA-256");
  }
  if (size_bytes > options_.max_asset_bytes) {
    return Error{ErrorCode::limit,
                 fmt::format("an asset of {} bytes is larger than the limit of {}", size_bytes,
                             options_.max_asset_bytes)};
  }
  const std::lock_guard lock(mutex_of(sha256));
  if (const auto size = size_of(sha256)) {
    return Upload{.committed_bytes = *size, .complete = true};
  }
  const auto file = File::open(partial_path_of(sha256), O_RDWR | O_CREAT);
  if (!file) {
    return file.error();
  }
  const auto committed = file->size();
  if (!committed) {
    return committed.error();
  }
  const std::uint64_t missing = size_bytes - std::min(size_bytes, *committed);
  if (auto room = check_room(directory_, missing, options_.reserve_bytes); !room) {
    return room.error();
  }
  return Upload{.committed_bytes = *committed};
}

Result<AssetStore::Upload> AssetStore::write(std::string_view sha256, std::uint64_t offset,
                                             ByteView bytes) {
  if (!wire::is_sha256_hex(sha256)) {
    return not_found(sha256, "SHA-256");
  }
  const std::lock_guard lock(mutex_of(sha256));
  if (const auto size = size_of(sha256)) {
    return Upload{.committed_bytes = *size, .complete = true};
  }
  const auto file = File::open(partial_path_of(sha256), O_RDWR);
  if (!file) {
    return file.error().code == ErrorCode::not_found ? not_found(sha256, "upload of")
                                                     : file.error();
  }
  const auto committed = file->size();
  if (!committed) {
    return committed.error();
  }
  if (offset != *committed) {
    return Upload{.committed_bytes = *committed};
  }
  if (bytes.size() > options_.max_asset_bytes - std::min(options_.max_asset_bytes, offset)) {
    return Error{ErrorCode::limit, fmt::format("the asset grows past the limit of {} bytes",
                                               options_.max_asset_bytes)};
  }
  // Others may have taken the room that `begin` found.
  if (auto room = check_room(directory_, bytes.size(), options_.reserve_bytes); !room) {
    return room.error();
  }
  if (auto written = file->write_at(offset, std::span(&bytes, 1)); !written) {
    (void)file->truncate(offset);  // Also where this fails the client is told the size on `begin`.
    return written.error();
  }
  return Upload{.committed_bytes = offset + bytes.size()};
}

Result<AssetStore::Upload> AssetStore::finish(std::string_view sha256) {
  if (!wire::is_sha256_hex(sha256)) {
    return not_found(sha256, "SHA-256");
  }
  const std::lock_guard lock(mutex_of(sha256));
  if (const auto size = size_of(sha256)) {
    return Upload{.committed_bytes = *size, .complete = true};
  }
  const auto partial = partial_path_of(sha256);
  const auto file = File::open(partial, O_RDWR);
  if (!file) {
    return file.error().code == ErrorCode::not_found ? not_found(sha256, "upload of")
                                                     : file.error();
  }
  const auto hash = hash_of(*file);
  if (!hash) {
    return hash.error();
  }
  if (*hash != sha256) {
    (void)remove_file(partial);  // If it remains, it is found wrong again; nobody overwrites it.
    return Error{ErrorCode::mismatch,
                 fmt::format("the upload of {} has the SHA-256 {}", sha256, *hash)};
  }
  if (auto synced = file->sync_data(); !synced) {
    return synced.error();
  }
  const auto path = path_of(sha256);
  if (auto created = ensure_directory(path.parent_path()); !created) {
    return created.error();
  }
  if (auto renamed = rename_durably(partial, path); !renamed) {
    return renamed.error();
  }
  const auto size = file->size();
  if (!size) {
    return size.error();
  }
  return Upload{.committed_bytes = *size, .complete = true};
}

std::filesystem::path AssetStore::note_path_of(std::string_view sha256) const {
  auto path = path_of(sha256);
  path += ".note";
  return path;
}

Status AssetStore::write_note(const AssetRecord& asset) const {
  const std::string line = fmt::format("{} {}", asset.create_time_micros, asset.file_name);
  const std::string text = fmt::format("{}\n{:08x}\n", line, crc_of(line));
  return replace_file(note_path_of(asset.sha256), std::as_bytes(std::span(text)));
}

Result<AssetRecord> AssetStore::read_note(std::string_view sha256) const {
  const auto size = size_of(sha256);
  if (!size) {
    return size.error();
  }
  AssetRecord asset;
  asset.sha256 = sha256;
  asset.size_bytes = static_cast<std::int64_t>(*size);
  const auto bytes = read_whole_file(note_path_of(sha256), max_note_bytes);
  if (bytes) {
    take_note({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, asset);
  }
  return asset;
}

Result<std::vector<AssetRecord>> AssetStore::list() const {
  std::vector<AssetRecord> assets;
  std::error_code error;
  using Iterator = std::filesystem::recursive_directory_iterator;
  for (Iterator entry(directory_, error); !error && entry != Iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!wire::is_sha256_hex(name) || entry->path() != path_of(name)) {
      continue;  // A note, an upload under way, or nothing of ours.
    }
    auto asset = read_note(name);
    if (asset) {
      assets.push_back(std::move(asset).value());
    }
  }
  if (error) {
    return errno_error(error.value(), "list", directory_);
  }
  std::ranges::sort(assets, {}, &AssetRecord::sha256);
  return assets;
}

Result<std::uint64_t> AssetStore::size_of(std::string_view sha256) const {
  if (!wire::is_sha256_hex(sha256)) {
    return not_found(sha256, "SHA-256");
  }
  const auto file = File::open(path_of(sha256), O_RDONLY);
  if (!file) {
    return file.error().code == ErrorCode::not_found ? not_found(sha256, "asset") : file.error();
  }
  return file->size();
}

Result<SharedBytes> AssetStore::read(std::string_view sha256) {
  if (!wire::is_sha256_hex(sha256)) {
    return not_found(sha256, "SHA-256");
  }
  const std::lock_guard lock(mutex_of(sha256));
  const auto path = path_of(sha256);
  auto bytes = read_whole_file(path, options_.max_asset_bytes);
  if (!bytes) {
    return bytes.error().code == ErrorCode::not_found ? not_found(sha256, "asset") : bytes.error();
  }
  if (wire::sha256_hex(*bytes) != sha256) {
    auto aside = path;
    aside += ".damaged";
    std::string message = fmt::format("{} no longer had the content of its name and is now {}",
                                      path.string(), aside.filename().string());
    if (const auto renamed = rename_durably(path, aside); !renamed) {
      message = renamed.error().message;
    }
    return Error{ErrorCode::corrupt, std::move(message)};
  }
  return SharedBytes::from_vector(std::move(bytes).value());
}

}  // namespace sluice::store
