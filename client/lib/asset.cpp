// SPDX-License-Identifier: Apache-2.0
#include "sluice/asset.h"

#include <algorithm>
#include <fstream>
#include <vector>

#include "client/lib/backoff.h"
#include "client/lib/channel.h"
#include "proto/wire/sha256.h"

namespace sluice::client {
namespace {

constexpr std::int64_t piece_bytes = 1 << 20;  // The most that `Assets.Write` takes.

/// Bytes [offset, offset + size) of the file.
std::string read_piece(std::ifstream& file, std::int64_t offset, std::int64_t size,
                       const std::filesystem::path& path) {
  std::string piece(static_cast<std::size_t>(size), '\0');
  file.clear();
  file.seekg(offset);
  if (!file.read(piece.data(), size)) {
    throw Error(ErrorKind::not_found, "cannot read '" + path.string() + "'");
  }
  return piece;
}

}  // namespace

std::string upload_asset(const Connection& connection, const std::filesystem::path& path) {
  std::error_code failure;
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path, failure));
  std::ifstream file(path, std::ios::binary);
  if (failure || !file) {
    throw Error(ErrorKind::not_found,
                "cannot read '" + path.string() + "'" + (failure ? ": " + failure.message() : ""));
  }
  if (size == 0) {
    throw Error(ErrorKind::invalid_argument, "'" + path.string() + "' is empty");
  }
  wire::Sha256 sha;
  for (std::int64_t offset = 0; offset < size; offset += piece_bytes) {
    const std::string piece = read_piece(file, offset, std::min(piece_bytes, size - offset), path);
    sha.update(std::as_bytes(std::span(piece)));
  }

  v1::WriteAssetRequest request;
  request.set_name("assets/" + sha.finish_hex());
  request.set_byte_count(size);
  request.set_file_name(path.filename().string());
  Backoff backoff(connection.options().retry_for, connection.options().stop);
  bool was_answered = false;
  for (bool known = false;;) {
    // The first call, and the first after a break, brings nothing: it asks how far the server is.
    if (!known) {
      request.set_offset(0);
      request.clear_data();
    }
    try {
      const v1::Asset asset =
          call(connection, &v1::Assets::Stub::Write, *connection.impl().assets, request);
      backoff.reset();
      was_answered = true;
      if (asset.complete()) {
        return request.name();
      }
      const std::int64_t offset = asset.committed_byte_count();
      if (offset < 0 || offset >= size) {
        throw Error(ErrorKind::internal,
                    "the server has '" + request.name() + "' wholly and does not call it complete");
      }
      known = true;
      request.set_offset(offset);
      request.set_data(read_piece(file, offset, std::min(piece_bytes, size - offset), path));
    } catch (const Error& error) {
      const bool lost_place = known && error.kind() == ErrorKind::out_of_range;
      const bool may_come_back = was_answered && is_transient(error.kind());
      if ((!lost_place && !may_come_back) || !backoff.wait()) {
        throw;
      }
      known = false;
    }
  }
}

}  // namespace sluice::client
