// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/message.h>

#include <nlohmann/json.hpp>

namespace sluice::cli {

/// A message as `--json` prints it: protobuf's JSON mapping with the proto's own field names, every
/// field that has no presence included, and 64-bit integers as numbers rather than strings (all of
/// ours are below 2^53). Infinite and undefined numbers are the strings "Infinity", "NaN".
[[nodiscard]] nlohmann::ordered_json to_json(const google::protobuf::Message& message);

}  // namespace sluice::cli
