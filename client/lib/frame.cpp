// SPDX-License-Identifier: Apache-2.0
#include "sluice/frame.h"

#include <bit>

#include "proto/wire/sha256.h"

namespace sluice::client {

static_assert(std::endian::native == std::endian::little, "frames are little-endian on the wire");

std::span<const float> Frame::values(std::string_view body, v1::Field field) const {
  for (const FrameArray& array : arrays) {
    if (array.body == body && array.field == field) {
      return array.values;
    }
  }
  return {};
}

std::string digest(const Frame& frame) {
  wire::Sha256 sha;
  for (const FrameArray& array : frame.arrays) {
    sha.update(std::as_bytes(std::span(array.values)));
  }
  return sha.finish_hex();
}

}  // namespace sluice::client
