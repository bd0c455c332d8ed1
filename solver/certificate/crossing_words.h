// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "solver/certificate/crossing_certificate.h"

namespace sluice::certificate {

/// Says who met whom, when and where: `a particle of "water" met a triangle of "curtain" in substep
/// 3 of frame 12, before 0.2 s, near (0.5, 0, 0.25)`.
///
/// `crossing` is one of `CrossingCertificate::take_frame`, of the frame with index `frame`;
/// `layout` is the simulation's. Substeps are counted from 1.
[[nodiscard]] std::string in_words(const Crossing& crossing, std::span<const BodyLayout> layout,
                                   std::int64_t frame);

}  // namespace sluice::certificate
