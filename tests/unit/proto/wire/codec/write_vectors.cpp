// SPDX-License-Identifier: Apache-2.0
// Writes tests/data/codec/vectors.json: codec-vectors > tests/data/codec/vectors.json
#include <cstdio>
#include <string>

#include "vectors.h"

int main() {
  const std::string text = sluice::codec::make_vectors();
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}
