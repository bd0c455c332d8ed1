// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "solver/bytes.h"

namespace sluice::fluid {

/// The volumes that an emitter was to let in, and did let in, since the report before.
struct EmitterReport {
  std::size_t fluid;     ///< The index of its fluid in the scene.
  std::string name;      ///< The emitter's name.
  double wanted = 0;     ///< [m^3] volume by its flux, less what still may come.
  double delivered = 0;  ///< [m^3] volume that came in.
};

/// An emitter's account, in particles: those that its flux brings are owed until they come in.
///
/// A debt beyond some limit `most` is forgone, so that an emitter that was shut in does not burst
/// once it is free. The debt is negative where more came in than the flux has brought.
class EmitterDebt {
 public:
  /// Adds the `count` >= 0 particles that the flux has brought. A debt beyond `most` is forgone.
  void owe(double count, double most) noexcept {
    owed_ += count;
    const double beyond = std::max(0.0, owed_ - most);
    owed_ -= beyond;
    forgone_ += beyond;
  }

  /// Counts `count` particles of the flux for which solids leave no room at all: they are not owed.
  void shut_out(double count) noexcept { shut_out_ += count; }

  [[nodiscard]] double owed() const noexcept { return owed_; }
  /// Counts one particle that has come in.
  void pay() noexcept {
    --owed_;
    ++delivered_;
  }

  /// The number of particles that have come in since begin_report().
  [[nodiscard]] double delivered() const noexcept { return delivered_; }
  /// The number of particles that came in since then or never will. Particles that solids shut out
  /// count only where there are no others: else only the rest of the flux was wanted.
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
