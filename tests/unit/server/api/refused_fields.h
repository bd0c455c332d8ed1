// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "server/api/checks.h"

namespace sluice::api {

/// The paths of the fields that an error complains of, in its order.
inline std::vector<std::string> fields_of(const session::Error& error) {
  std::vector<std::string> fields;
  fields.reserve(error.violations.size());
  for (const auto& violation : error.violations)
    fields.push_back(violation.field);
  return fields;
}

}  // namespace sluice::api
