// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sluice/frame.h"

namespace sluice::cli {

/// The certificates of a session's frames, taken together.
class CertificateSum {
 public:
  /// To be called for each frame once, in order; frame 0 has no substeps, so it adds nothing.
  void add(const client::Frame& frame);

  [[nodiscard]] std::int64_t frame_count() const { return frame_count_; }  ///< But frame 0.
  /// How many of these frames have a certificate.
  [[nodiscard]] std::int64_t certified_count() const { return certified_count_; }
  [[nodiscard]] bool is_complete() const { return certified_count_ == frame_count_; }

  /// Every frame has a certificate, and nothing met or jumped.
  [[nodiscard]] bool is_clean() const {
    return is_complete() && sum_.crossing_count() == 0 && sum_.jump_count() == 0;
  }
  /// With the first crossing of all frames.
  [[nodiscard]] const v1::Certificate& sum() const { return sum_; }

 private:
  std::int64_t frame_count_{0}, certified_count_{0};
  v1::Certificate sum_;
};

/// `certificate: 2400 substeps, 81234 close pairs (12 exact), 0 crossings`; with jumps and the
/// first crossing where there are any, and how many frames have none.
[[nodiscard]] std::string in_words(const CertificateSum& certificate);

}  // namespace sluice::cli
