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

/// Content-addressed files: an asset is assets/ab/<sha256 in hex>, an upload under way is
/// assets/partial/<sha256>. Beside an asset, <sha256>.note keeps its row: a line with the time in
/// decimal, a blank and the file name, and a line with the CRC32C of the first line in hex.
///
/// An upload outlives the client and the server: `begin` tells where to go on. Two clients that
/// upload the same content share one upload. Thread-safe. Hashes must be 64 lower-case hexadecimal
/// digits (`is_sha256_hex`); any other text is `not_found`. No share of the disk is set aside for
/// assets: they, frames and checkpoints may fill it down to the reserve.
class AssetStore {
 public:
  struct Options {
    std::uint64_t max_asset_bytes = std::uint64_t{1} << 30;
    std::uint64_t reserve_bytes = 0;  ///< [bytes] An upload that leaves less is `disk_full`.
  };
  struct Upload {
    std::uint64_t committed_bytes = 0;  ///< Bytes stored so far; the offset of the next write.
    bool complete = false;              ///< The asset is complete; no bytes need to be sent.
  };

  /// Creates `directory` if needed, and drops uploads that got no bytes for a week.
  static Result<std::unique_ptr<AssetStore>> open(const std::filesystem::path& directory,
                                                  const Options& options);

  /// Starts or resumes the upload of the asset with this hash and size. `limit` if it is too large,
  /// `disk_full` if there is no room for the rest of it.
  Result<Upload> begin(std::string_view sha256, std::uint64_t size_bytes);

  /// Appends `bytes` at `offset`. If `offset` is not the committed size nothing is written, and the
  /// answer says where to go on. `not_found` without `begin`; `limit` past max_asset_bytes;
  /// `disk_full`.
  Result<Upload> write(std::string_view sha256, std::uint64_t offset, ByteView bytes);

  /// Checks the content against its hash and makes it an asset, durably. `mismatch` deletes the
  /// upload.
  Result<Upload> finish(std::string_view sha256);

  /// Writes the note of a complete asset, durably, in place of an earlier one.
  Status write_note(const AssetRecord& asset) const;
  /// Reads the note of an asset. If it is missing or damaged, the answer has no file name.
  /// `not_found` if the asset does not exist.
  [[nodiscard]] Result<AssetRecord> read_note(std::string_view sha256) const;
  /// Lists all complete assets by hash, from the disk alone, without the database. An asset whose
  /// note is missing or damaged has no file name.
  [[nodiscard]] Result<std::vector<AssetRecord>> list() const;

  /// Returns the size [bytes] of a complete asset, or `not_found`.
  Result<std::uint64_t> size_of(std::string_view sha256) const;
  /// Reads a whole asset. `corrupt` if its bytes no longer have this hash: then the file is renamed
  /// to <sha256>.damaged, so that it can be uploaded again.
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
  std::array<std::mutex, 16> mutexes_;  // One for each first digit of a hash.
};

}  // namespace sluice::store
