// SPDX-License-Identifier: Apache-2.0
#include "server/stream/frame_form.h"

#include <algorithm>

namespace sluice::stream {

FrameVariant canonical(FrameVariant variant, std::uint64_t index, const FrameForm& form) {
  if (!form.encoding.is_quantized()) {
    return {.history = 0, .wants_order = false};
  }
  // Nothing reaches back beyond a key: so a reader that joins at one soon shares with all others.
  const int since_key = static_cast<int>(index % key_interval);
  return {.history = std::min({variant.history, since_key, 2}),
          .wants_order = variant.wants_order && form.selection.names(v1::FIELD_ORDER)};
}

}  // namespace sluice::stream
