// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <tuple>

#include "server/store/frame_log.h"
#include "server/store/store_error.h"
#include "server/stream/frame_form.h"
#include "server/stream/frame_record.h"
#include "server/stream/quantized_frame.h"
#include "server/stream/shared_cache.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::stream {

/// Functions that read the stored frames; each one is thread-safe.
struct FrameSource {
  std::function<store::Result<FrameMessages>(std::uint64_t index)> read;
  std::function<store::Result<v1::Layout>(std::int64_t epoch)> layout;
  std::function<std::optional<store::FrameInfo>(std::uint64_t index)> find;
  std::function<store::FrameRange()> range;
};

/// Makes quantised frames from stored ones. Thread-safe. Caches the integers of recent frames, from
/// which the next frames are predicted, and the EpochFrame of each epoch.
class FrameEncoder {
 public:
  FrameEncoder(FrameSource source, std::size_t max_bytes);

  /// Encodes frame `index` in the quantised form `form` for a reader with `variant`. Reads up to 2
  /// frames before it, and the epoch's first frame. Errors: those of reading `index` or the first.
  [[nodiscard]] store::Result<FrameMessages> encode(std::uint64_t index, const FrameForm& form,
                                                    FrameVariant variant);

 private:
  using SharedFrame = std::shared_ptr<const QuantizedFrame>;
  using SharedEpoch = std::shared_ptr<const EpochFrame>;
  using QuantizedKey = std::tuple<std::uint64_t, FrameSelection, int, std::optional<codec::Box>>;

  store::Result<SharedFrame> quantized(std::uint64_t index, const FrameForm& form);
  store::Result<SharedEpoch> epoch_of(std::uint64_t index);
  store::Result<SharedEpoch> settle(std::int64_t epoch, std::uint64_t index);

  const FrameSource source_;
  SharedCache<QuantizedKey, SharedFrame> frames_;
  SharedCache<std::int64_t, SharedEpoch> epochs_;
};

}  // namespace sluice::stream
