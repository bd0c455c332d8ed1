// SPDX-License-Identifier: Apache-2.0
#include "server/api/frame_request.h"

#include <algorithm>

namespace sluice::api {

stream::FrameForm form_of(const v1::Selection& selection, v1::Codec codec, int bits,
                          const v1::QuantizationBox* box) {
  constexpr int default_bits = 16;  // frames.proto, quantization_bits
  stream::FrameForm form{.selection = stream::FrameSelection(selection), .encoding = {}};
  if (codec == v1::CODEC_UNSPECIFIED || codec == v1::CODEC_F32) {
    return form;
  }
  form.encoding.codec = codec;
  form.encoding.bits = bits == 0 ? default_bits : bits;
  if (box != nullptr) {
    form.encoding.box.emplace();
    std::ranges::copy(box->lower(), form.encoding.box->lower.begin());
    std::ranges::copy(box->upper(), form.encoding.box->upper.begin());
  }
  return form;
}

}  // namespace sluice::api
