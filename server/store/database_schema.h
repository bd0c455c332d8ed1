// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <cstdint>

#include "server/store/store_error.h"

namespace sluice::store {

/// Brings the tables from whatever version they have (0: none) to this one, one transaction a step.
/// `unsupported_version` if they are newer.
Status migrate(sqlite3* connection);

/// The version that `migrate` brings tables to.
[[nodiscard]] std::int64_t latest_version();
/// Writes down that the tables have `version`.
[[nodiscard]] Status write_version(sqlite3* connection, std::int64_t version);

}  // namespace sluice::store
