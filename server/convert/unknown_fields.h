// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "solver/scene/problem.h"

namespace sluice::convert {

/// Tells fields that this build does not know, which protobuf keeps silently: what was asked for
/// must not be ignored.
void find_unknown_fields(const google::protobuf::Message& message, const std::string& path,
                         std::vector<scene::Problem>& problems);

}  // namespace sluice::convert
