// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "solver/bytes.h"

namespace sluice::fluid {

/// What an emitter was to let in since this was last asked for, and what it let in.
struct EmitterReport {
  std::size_t fluid;     ///< The index in the scene.
  std::string name;      ///< Of the emitter.
  double wanted = 0;     ///< [m^3] by its flux, less what still may come.
  double delivered = 0;  ///< [m^3]
};

/// An emitter's account, in particles: what its flux brings is owed until it has come in.
///
/// What would be more than some `most` is forgone, so that an emitter that was shut in does not
/// burst once it is free. Less than nothing is owed where more came in than the flux has brought.
class EmitterDebt {
 public:
  /// The flux has brought `count` particles, >= 0.
  void owe(double count, double most) noexcept {
    owed_ += count;
    const double beyond = std::max(0.0, owed_ - most);
    owed_ -= beyond;
    forgone_ += beyond;
  }

  /// The flux has brought `count` to where solids have all of the room: it is not owed.
  void shut_out(double count) noexcept { shut_out_ += count; }

  [[nodiscard]] double owed() const noexcept { return owed_; }
  /// A particle has come in.
  void pay() noexcept {
    --owed_;
    ++delivered_;
  }

  /// What has come in since begin_report().
  [[nodiscard]] double delivered() const noexcept { return delivered_; }
  /// What has come in since then or never will. Solids that shut out a part of the flux leave the
  /// rest of it; they count where there is none.
  [[nodiscard]] double wanted() const noexcept {
    const double wanted = delivered_ + forgone_;
    return wanted > 0 ? wanted : shut_out_;
  }
  void begin_report() noexcept { delivered_ = forgone_ = shut_out_ = 0; }

  void save(ByteWriter& out) const {
    out.put(owed_);
    out.put(delivered_);
    out.put(forgone_);
    out.put(shut_out_);
  }
  [[nodiscard]] bool restore(ByteReader& in) {
    return in.get(owed_) && in.get(delivered_) && in.get(forgone_) && in.get(shut_out_) &&
           std::isfinite(owed_) && delivered_ >= 0 && forgone_ >= 0 && shut_out_ >= 0;
  }

 private:
  double owed_ = 0, delivered_ = 0, forgone_ = 0, shut_out_ = 0;
};

}  // namespace sluice::fluid
