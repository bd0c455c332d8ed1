// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <cstdint>

#include "server/store/store_error.h"

namespace sluice::store {

/// Migrates the tables from the version that they have (0: no tables) to the latest one, with one
/// transaction for each step. `unsupported_version` if they are newer.
Status migrate(sqlite3* connection);

/// Returns the version to which `migrate` brings the tables.
[[nodiscard]] std::int64_t latest_version();
/// Stores `version` as the version of the tables.
[[nodiscard]] Status write_version(sqlite3* connection, std::int64_t version);

}  // namespace sluice::store
