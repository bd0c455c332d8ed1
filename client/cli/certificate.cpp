// SPDX-License-Identifier: Apache-2.0
#include "client/cli/certificate.h"

#include <fmt/format.h>

namespace sluice::cli {

void CertificateSum::add(const client::Frame& frame) {
  if (frame.index == 0) {
    return;
  }
  ++frame_count_;
  if (!frame.statistics || !frame.statistics->has_certificate()) {
    return;
  }
  ++certified_count_;
  const v1::Certificate& certificate = frame.statistics->certificate();
  sum_.set_substep_count(sum_.substep_count() + certificate.substep_count());
  sum_.set_crossing_count(sum_.crossing_count() + certificate.crossing_count());
  sum_.set_jump_count(sum_.jump_count() + certificate.jump_count());
  sum_.set_pair_count(sum_.pair_count() + certificate.pair_count());
  sum_.set_exact_count(sum_.exact_count() + certificate.exact_count());
  if (sum_.first_crossing().empty()) {
    sum_.set_first_crossing(certificate.first_crossing());
  }
}

std::string in_words(const CertificateSum& certificate) {
  const v1::Certificate& sum = certificate.sum();
  std::string text =
      fmt::format("certificate: {} substeps, {} close pairs ({} exact), {} crossings",
                  sum.substep_count(), sum.pair_count(), sum.exact_count(), sum.crossing_count());
  if (sum.jump_count() > 0) {
    text += fmt::format(", {} jumps", sum.jump_count());
  }
  if (!sum.first_crossing().empty()) {
    text += "; first " + sum.first_crossing();
  }
  if (!certificate.is_complete()) {
    text += fmt::format("; {} of {} frames have none",
                        certificate.frame_count() - certificate.certified_count(),
                        certificate.frame_count());
  }
  return text;
}

}  // namespace sluice::cli
