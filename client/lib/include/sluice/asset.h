// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "sluice/connection.h"

namespace sluice::client {

/// Uploads a file, unless the server has its content already, and returns the asset's name,
/// `assets/{sha256}`. A broken upload is resumed behind the bytes that the server has. Throws
/// `not_found` for an unreadable file, `invalid_argument` for an empty one, or as `Assets.Write`.
std::string upload_asset(const Connection& connection, const std::filesystem::path& file);

}  // namespace sluice::client
