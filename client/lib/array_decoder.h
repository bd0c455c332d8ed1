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

/// Throws `Error` of kind `data_loss`: what came cannot be right, which `what` says.
[[noreturn]] void refuse_data(const std::string& what);

/// Decodes the arrays of one stream, in the order in which they arrive, into numbers; their rows
/// are in the solver's order. Keeps what later frames are predicted from. No network, no clock.
///
/// Functions throw `Error` of kind `data_loss` for data that cannot be right. After that the stream
/// is of no use.
class ArrayDecoder {
 public:
  [[nodiscard]] static bool is_quantized(const v1::ArrayDescriptor& array);

  /// Throws unless the descriptor is sound: a known codec, and sizes that agree.
  static void check(const v1::ArrayDescriptor& array);

  /// Takes the FIELD_ORDER of a body, which holds for its arrays from this frame on.
  void set_order(const v1::ArrayDescriptor& array, std::span<const std::byte> bytes);

  /// Returns the numbers of a CODEC_F32 array, received as `values`, in the solver's order.
  [[nodiscard]] std::vector<float> take(const v1::ArrayDescriptor& array,
                                        std::vector<float> values);

  /// Returns the numbers of a quantised array, in the solver's order.
  [[nodiscard]] std::vector<float> decode(const v1::ArrayDescriptor& array,
                                          std::span<const std::byte> bytes);

 private:
  using ArrayKey = std::pair<std::string, v1::Field>;
  using Past = std::vector<codec::Words>;  // Up to two frames since the last key, newest first.

  [[nodiscard]] std::span<const std::int32_t> order_of(const v1::ArrayDescriptor& array) const;

  std::map<std::string, std::vector<std::int32_t>> orders_;
  std::map<ArrayKey, Past> past_;
};

}  // namespace sluice::client
