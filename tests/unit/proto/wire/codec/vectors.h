// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sluice::codec {

/// The test vectors that the C++ and the TypeScript codec share: tests/data/codec/vectors.json,
/// described in the README.md beside it. The same text every time.
[[nodiscard]] std::string make_vectors();

}  // namespace sluice::codec
