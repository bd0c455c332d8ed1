// SPDX-License-Identifier: Apache-2.0
#include "server/stream/frame_encoder.h"

#include <utility>

namespace sluice::stream {
namespace {

// Orders of the epochs that readers are in: one is 4 bytes a particle.
constexpr std::size_t epoch_cache_bytes = std::size_t{16} << 20;

std::size_t frame_bytes(const std::shared_ptr<const QuantizedFrame>& frame) {
  return byte_count(*frame);
}

std::size_t epoch_bytes(const std::shared_ptr<const EpochFrame>& epoch) {
  std::size_t bytes = sizeof *epoch;
  for (const auto& [body, rows] : epoch->order) {
    bytes += rows.size() * sizeof rows[0];
  }
  return bytes;
}

}  // namespace

FrameEncoder::FrameEncoder(FrameSource source, std::size_t max_bytes)
    : source_(std::move(source)),
      frames_(max_bytes, frame_bytes),
      epochs_(epoch_cache_bytes, epoch_bytes) {}

store::Result<FrameMessages> FrameEncoder::encode(std::uint64_t index, const FrameForm& form,
                                                  FrameVariant variant) {
  const auto frame = quantized(index, form);
  if (!frame) {
    return frame.error();
  }
  const std::int64_t epoch = (*frame)->header.cursor().epoch();
  // A frame before that is of another epoch, or cannot be read any more, makes this one a key.
  SharedFrame earlier[2];
  for (int back = 1; back <= variant.history; ++back) {
    const auto found = quantized(index - static_cast<std::uint64_t>(back), form);
    if (!found || (*found)->header.cursor().epoch() != epoch) {
      break;
    }
    earlier[back - 1] = *found;
  }
  SharedEpoch order;
  if (variant.wants_order) {
    const auto settled = epoch_of(index);
    if (!settled) {
      return settled.error();
    }
    order = *settled;
  }
  return encode_frame(**frame, form, earlier[0].get(), earlier[1].get(), order.get());
}

store::Result<FrameEncoder::SharedFrame> FrameEncoder::quantized(std::uint64_t index,
                                                                 const FrameForm& form) {
  const QuantizedKey key(index, form.selection, form.encoding.bits, form.encoding.box);
  return frames_.get(key, [&]() -> store::Result<SharedFrame> {
    const auto stored = source_.read(index);
    if (!stored) {
      return stored.error();
    }
    auto arrays = read_arrays(*stored, form.selection);
    if (!arrays) {
      return arrays.error();
    }
    const auto epoch = epoch_of(index);
    if (!epoch) {
      return epoch.error();
    }
    return std::make_shared<const QuantizedFrame>(
        quantize_frame(*std::move(arrays), **epoch, form.encoding));
  });
}

store::Result<FrameEncoder::SharedEpoch> FrameEncoder::epoch_of(std::uint64_t index) {
  const auto info = source_.find(index);
  if (!info) {
    return store::Error{store::ErrorCode::not_found, "the frame is not there any more"};
  }
  return epochs_.get(info->epoch, [&] { return settle(info->epoch, index); });
}

// From the first frame of the epoch that can be read; `index` is one of its frames.
store::Result<FrameEncoder::SharedEpoch> FrameEncoder::settle(std::int64_t epoch,
                                                              std::uint64_t index) {
  const auto is_before = [&](std::uint64_t at) {
    const auto info = source_.find(at);
    return info && info->epoch < epoch;
  };
  std::uint64_t first = source_.range().first;
  for (std::uint64_t end = index; first < end;) {
    const std::uint64_t middle = first + (end - first) / 2;
    if (is_before(middle)) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  v1::Selection positions;
  positions.add_fields(v1::FIELD_POSITION);
  const auto layout = source_.layout(epoch);
  if (!layout && layout.error().code != store::ErrorCode::not_found) {
    return layout.error();
  }
  while (true) {
    const auto stored = source_.read(first);
    auto arrays = stored ? read_arrays(*stored, FrameSelection(positions))
                         : store::Result<FloatFrame>(stored.error());
    if (arrays) {
      return std::make_shared<const EpochFrame>(
          settle_epoch(*arrays, layout ? *layout : v1::Layout()));
    }
    if (first == index || arrays.error().code != store::ErrorCode::corrupt) {
      return arrays.error();
    }
    ++first;
  }
}

}  // namespace sluice::stream
