// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "proto/wire/codec/residual.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::client {

/// Turns the arrays of one stream, in the order they come, into numbers in the solver's order of
/// rows. Keeps what later frames build upon. Pure: no network, no clock.
///
/// Functions throw `Error` of kind `data_loss` for what cannot be right. The stream is of no use
/// then.
class ArrayDecoder {
 public:
  [[nodiscard]] static bool is_quantized(const v1::ArrayDescriptor& array);

  /// Throws unless `array` says something sound of itself: known codec, sizes that agree.
  static void check(const v1::ArrayDescriptor& array);

  /// Takes FIELD_ORDER of a body: holds for its arrays of this frame and of those that follow.
  void set_order(const v1::ArrayDescriptor& array, std::span<const std::byte> bytes);

  /// The numbers of an array of CODEC_F32, which came as `values`.
  [[nodiscard]] std::vector<float> take(const v1::ArrayDescriptor& array,
                                        std::vector<float> values);

  /// The numbers of a quantised array.
  [[nodiscard]] std::vector<float> decode(const v1::ArrayDescriptor& array,
                                          std::span<const std::byte> bytes);

 private:
  using ArrayKey = std::pair<std::string, v1::Field>;
  using Past = std::vector<codec::Words>;  // Newest first, two at most; since the last key.

  [[nodiscard]] std::span<const std::int32_t> order_of(const v1::ArrayDescriptor& array) const;

  std::map<std::string, std::vector<std::int32_t>> orders_;
  std::map<ArrayKey, Past> past_;
};

}  // namespace sluice::client
