// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "sluice/connection.h"

namespace sluice::client {

/// Uploads a file, unless the server has its content already, and returns its name,
/// `assets/{sha256}`. A broken upload goes on where the server has come to.
/// Throws `not_found` for a file that cannot be read; else what `Assets.Write` lists.
std::string upload_asset(const Connection& connection, const std::filesystem::path& file);

}  // namespace sluice::client
