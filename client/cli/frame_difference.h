// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "sluice/frame.h"

namespace sluice::cli {

/// Says where the content of two frames differs first: time, arrays bit by bit, obstacles; nothing
/// if it is the same. Statistics are not content.
[[nodiscard]] std::optional<std::string> first_difference(const client::Frame& stored,
                                                          const client::Frame& again);

}  // namespace sluice::cli
