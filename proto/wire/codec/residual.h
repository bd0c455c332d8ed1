// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "proto/wire/codec/quantization.h"

namespace sluice::codec {

/// The prediction from which an array is coded as a difference. Numbers as in sluice.v1.Predictor.
enum class Predictor {
  none = 1,      ///< Predicts 0.
  previous = 2,  ///< Predicts x(t-1): the same row, one frame earlier.
  linear = 3,    ///< Predicts 2 x(t-1) - x(t-2).
};

/// The integers of the two frames before; a pointer that the predictor does not need may be null.
struct History {
  const Words* previous = nullptr;  ///< x(t-1)
  const Words* before = nullptr;    ///< x(t-2)
};

/// Returns the residuals of `words`: the error of the prediction, less the error in the row before,
/// modulo 2^16 or 2^32, with the sign in the lowest bit (zigzag: 0, -1, 1, -2 ... become 0, 1, 2, 3
/// ...). They are small, with zero high bytes, because neighbours move alike.
///
/// Pre: `history` has what `predictor` needs, with the same width and count.
[[nodiscard]] Words make_residual(const Words& words, Predictor predictor, int component_count,
                                  History history);

/// The inverse of make_residual: returns the integers. Nothing if a frame that `predictor` needs is
/// missing in `history`, or has another width or count.
[[nodiscard]] std::optional<Words> add_prediction(Words residual, Predictor predictor,
                                                  int component_count, History history);

/// Chooses the predictor that `history` allows and that will give the fewest bytes, by the size of
/// the residuals in a sample of rows. `none` if there is no history.
[[nodiscard]] Predictor choose_predictor(const Words& words, int component_count, History history);

}  // namespace sluice::codec
