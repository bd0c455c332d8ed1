// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "server/store/records.h"
#include "server/store/shared_bytes.h"
#include "server/store/store_error.h"

namespace sluice::store {

/// Content-addressed files: assets/ab/<sha256 in hex>, uploads under way in
/// assets/partial/<sha256>. Beside a file, <sha256>.note has its row: the time in decimal, a blank,
/// the file name, and a line with the CRC32C of that line in hex.
///
/// An upload outlives the client and the server: whoever goes on asks `begin` where to go on. Two
/// clients that upload the same content share one upload. Thread-safe. The caller's hashes must be
/// 64 lower-case hexadecimal digits (`is_sha256_hex`), anything else is `not_found`. There is no
/// share of the disk for assets: they, frames and checkpoints fill it alike, down to the reserve.
class AssetStore {
 public:
  struct Options {
    std::uint64_t max_asset_bytes = std::uint64_t{1} << 30;
    std::uint64_t reserve_bytes = 0;  ///< As in SegmentLogOptions.
  };
  struct Upload {
    std::uint64_t committed_bytes = 0;  ///< Stored so far; the offset of the next write.
    bool complete = false;              ///< The asset is there, nothing more to send.
  };

  /// Creates `directory` if needed, and drops uploads that nobody has gone on with for a week.
  static Result<std::unique_ptr<AssetStore>> open(const std::filesystem::path& directory,
                                                  const Options& options);

  /// Starts or takes up the upload of `size_bytes` with that hash. `limit` if it is too large,
  /// `disk_full` if there is no room for the rest of it.
  Result<Upload> begin(std::string_view sha256, std::uint64_t size_bytes);

  /// Appends `bytes` at `offset`. If `offset` is not the committed size nothing is written, and the
  /// answer says where to go on. `not_found` without `begin`; `limit` past max_asset_bytes;
  /// `disk_full`.
  Result<Upload> write(std::string_view sha256, std::uint64_t offset, ByteView bytes);

  /// Checks the content against its hash and makes it an asset, durably. `mismatch` deletes the
  /// upload.
  Result<Upload> finish(std::string_view sha256);

  /// Writes down beside a complete asset what the database has of it, durably; the last one counts.
  Status write_note(const AssetRecord& asset) const;
  /// What `write_note` wrote of an asset; without a file name if there is none, or a damaged one.
  /// `not_found` without the asset.
  [[nodiscard]] Result<AssetRecord> read_note(std::string_view sha256) const;
  /// What is known of every complete asset, by hash, without the database: one without a note, or
  /// with a damaged one, has no file name.
  [[nodiscard]] Result<std::vector<AssetRecord>> list() const;

  /// [bytes] of a complete asset, or `not_found`.
  Result<std::uint64_t> size_of(std::string_view sha256) const;
  /// All of an asset. `corrupt` if it is no longer what was uploaded: then it is renamed to
  /// <sha256>.damaged, so that it can be uploaded again.
  Result<SharedBytes> read(std::string_view sha256);

  [[nodiscard]] std::filesystem::path path_of(std::string_view sha256) const;

 private:
  AssetStore(std::filesystem::path directory, const Options& options)
      : directory_(std::move(directory)), options_(options) {}
  [[nodiscard]] std::filesystem::path note_path_of(std::string_view sha256) const;
  [[nodiscard]] std::filesystem::path partial_path_of(std::string_view sha256) const;
  std::mutex& mutex_of(std::string_view sha256);
  Status drop_stale_uploads();

  std::filesystem::path directory_;
  Options options_;
  std::array<std::mutex, 16> mutexes_;  // By first digit: uploads of others need not wait.
};

}  // namespace sluice::store
