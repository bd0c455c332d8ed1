// SPDX-License-Identifier: Apache-2.0
#include "sluice/version.h"

namespace sluice::client {

std::string_view version() noexcept { return SLUICE_VERSION; }

}  // namespace sluice::client
