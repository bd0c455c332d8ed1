// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "proto/wire/codec/quantization.h"

namespace sluice::codec {

/// What an array is coded as the difference to. The values are those of sluice.v1.Predictor.
enum class Predictor {
  none = 1,      ///< 0.
  previous = 2,  ///< x(t-1): the same row, a frame earlier.
  linear = 3,    ///< 2 x(t-1) - x(t-2).
};

/// The integers of the frames before, newest first; what a predictor does not need may be null.
struct History {
  const Words* previous = nullptr;  ///< x(t-1)
  const Words* before = nullptr;    ///< x(t-2)
};

/// What is left of `words` after prediction and after that of the row before, modulo 2^16 or 2^32,
/// with the sign in the lowest bit (zigzag: 0, -1, 1, -2 ... become 0, 1, 2, 3 ...), so that small
/// residuals have zero high bytes: neighbours are not only near each other, they also move alike.
///
/// Pre: the history that `predictor` needs is there, of the same width and count.
[[nodiscard]] Words make_residual(const Words& words, Predictor predictor, int component_count,
                                  History history);

/// The inverse: the integers whose residual `residual` is. Nothing if the history that `predictor`
/// needs is not there, or of another width or count.
[[nodiscard]] std::optional<Words> add_prediction(Words residual, Predictor predictor,
                                                  int component_count, History history);

/// The predictor of those that `history` allows that promises the fewest bytes: by the size of the
/// residuals of a sample of rows. `none` where there is no history.
[[nodiscard]] Predictor choose_predictor(const Words& words, int component_count, History history);

}  // namespace sluice::codec
