// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/stream/frame_form.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::api {

/// Returns the form of frames that a request asks for, from the fields that Stream and Get share.
/// Pre: the request was checked.
[[nodiscard]] stream::FrameForm form_of(const v1::Selection& selection, v1::Codec codec, int bits,
                                        const v1::QuantizationBox* box);

template <typename Request>
[[nodiscard]] stream::FrameForm form_of(const Request& request) {
  return form_of(request.selection(), request.codec(), request.quantization_bits(),
                 request.has_quantization_box() ? &request.quantization_box() : nullptr);
}

}  // namespace sluice::api
