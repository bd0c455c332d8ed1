// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sluice::integrator {

/// Anderson's acceleration of a fixed-point iteration s <- G(s), safeguarded: when the residual
/// |G(s) - s| has grown, the extrapolated point is dropped for the plain one before it, and with it
/// the history of differences that it was extrapolated from. [Walker2011]; the safeguard:
/// [Zhang2019].
///
/// Sums run on one thread, in order.
class Anderson {
 public:
  static constexpr std::size_t window = 6;  ///< Differences kept; 6 are enough by [Zhang2019] 4.

  /// Forgets all, for vectors of `size` numbers.
  void restart(std::size_t size);

  /// Given s and G(s) in `image`, overwrites `image` with the point to go on from.
  void next(std::span<const double> state, std::span<double> image);

 private:
  std::size_t count_ = 0;  ///< Differences held, in places 0 to count - 1, and next_ the oldest.
  std::size_t next_ = 0;
  bool has_last_ = false;
  double best_residual_ = 0;  ///< Squared residual of the last point accepted.
  std::vector<double> residual_, last_residual_, last_image_;
  std::vector<std::vector<double>> residual_steps_, image_steps_;
};

}  // namespace sluice::integrator
