// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include "server/store/store_error.h"

namespace sluice::store {

/// Brings the tables from whatever version they have (0: none) to this one, one transaction a step.
/// `unsupported_version` if they are newer.
Status migrate(sqlite3* connection);

}  // namespace sluice::store
