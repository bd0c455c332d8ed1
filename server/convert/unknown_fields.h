// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "solver/scene/problem.h"

namespace sluice::convert {

/// Adds a problem for each message in `message`, itself included, that holds fields which this
/// build does not know. Protobuf keeps such fields silently, but no request may be ignored.
void find_unknown_fields(const google::protobuf::Message& message, const std::string& path,
                         std::vector<scene::Problem>& problems);

}  // namespace sluice::convert
