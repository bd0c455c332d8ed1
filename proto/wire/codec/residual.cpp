// SPDX-License-Identifier: Apache-2.0
#include "proto/wire/codec/residual.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <limits>

#include "proto/wire/codec/component_count.h"

namespace sluice::codec {
namespace {

// Arithmetic on words is modulo 2^width, and narrow words are promoted to int: hence the casts.
template <typename Word>
Word zigzag(Word residual) {
  constexpr int sign_bit = std::numeric_limits<Word>::digits - 1;
  const auto doubled = static_cast<Word>(residual << 1);
  return (residual >> sign_bit) != 0 ? static_cast<Word>(~doubled) : doubled;
}

template <typename Word>
Word undo_zigzag(Word code) {
  const auto halved = static_cast<Word>(code >> 1);
  return (code & 1U) != 0 ? static_cast<Word>(~halved) : halved;
}

// The three predictors as functions of the number's place.
template <typename Word>
struct Nothing {
  Word operator()(std::size_t /*at*/) const { return 0; }
};

template <typename Word>
struct Previous {
  const Word* previous;
  Word operator()(std::size_t at) const { return previous[at]; }
};

template <typename Word>
struct Linear {
  const Word* previous;
  const Word* before;
  Word operator()(std::size_t at) const {
    return static_cast<Word>(Word{2} * previous[at] - before[at]);
  }
};

// The error of the prediction at a place, less that in the row before.
template <typename Word, typename Prediction>
Word residual_at(const Word* x, const Prediction& prediction, std::size_t at,
                 std::size_t components) {
  const auto here = static_cast<Word>(x[at] - prediction(at));
  if (at < components) {
    return zigzag(here);
  }
  const std::size_t above = at - components;
  return zigzag(static_cast<Word>(here - static_cast<Word>(x[above] - prediction(above))));
}

template <typename Word, typename Prediction>
std::vector<Word> subtract(const std::vector<Word>& x, const Prediction& prediction,
                           int component_count) {
  const auto components = static_cast<std::size_t>(component_count);
  std::vector<Word> residual(x.size());
  const std::size_t first_row = std::min(components, x.size());
  for (std::size_t at = 0; at < first_row; ++at) {
    residual[at] = residual_at(x.data(), prediction, at, components);
  }
  for (std::size_t at = first_row; at < x.size(); ++at) {
    residual[at] = residual_at(x.data(), prediction, at, components);
  }
  return residual;
}

template <typename Word, typename Prediction>
void add(std::vector<Word>& x, const Prediction& prediction, int component_count) {
  with_component_count(component_count, [&](auto components) {
    // The sum of residuals so far: x minus its prediction, of the row before.
    std::array<Word, most_components> sum{};
    for (std::size_t row = 0; row < x.size(); row += components) {
      for (std::size_t c = 0; c < components; ++c) {
        sum[c] = static_cast<Word>(sum[c] + undo_zigzag(x[row + c]));
        x[row + c] = static_cast<Word>(sum[c] + prediction(row + c));
      }
    }
  });
}

bool needs_previous(Predictor predictor) { return predictor != Predictor::none; }

// Whether the words of the history are like `words`.
bool matches(const Words& words, const Words* other) {
  return other != nullptr && other->index() == words.index() && count(*other) == count(words);
}

bool has_history(const Words& words, Predictor predictor, History history) {
  return (!needs_previous(predictor) || matches(words, history.previous)) &&
         (predictor != Predictor::linear || matches(words, history.before));
}

template <typename Word>
const Word* data_of(const Words* words) {
  return words == nullptr ? nullptr : std::get<std::vector<Word>>(*words).data();
}

}  // namespace

Words make_residual(const Words& words, Predictor predictor, int component_count, History history) {
  assert(has_history(words, predictor, history));
  return std::visit(
      [&]<typename Word>(const std::vector<Word>& x) -> Words {
        const Word* const previous = data_of<Word>(history.previous);
        switch (predictor) {
          case Predictor::previous:
            return subtract(x, Previous<Word>{previous}, component_count);
          case Predictor::linear:
            return subtract(x, Linear<Word>{previous, data_of<Word>(history.before)},
                            component_count);
          case Predictor::none:
            break;
        }
        return subtract(x, Nothing<Word>{}, component_count);
      },
      words);
}

std::optional<Words> add_prediction(Words residual, Predictor predictor, int component_count,
                                    History history) {
  if (!has_history(residual, predictor, history)) {
    return std::nullopt;
  }
  std::visit(
      [&]<typename Word>(std::vector<Word>& x) {
        const Word* const previous = data_of<Word>(history.previous);
        switch (predictor) {
          case Predictor::previous:
            return add(x, Previous<Word>{previous}, component_count);
          case Predictor::linear:
            return add(x, Linear<Word>{previous, data_of<Word>(history.before)}, component_count);
          case Predictor::none:
            break;
        }
        return add(x, Nothing<Word>{}, component_count);
      },
      residual);
  return residual;
}

Predictor choose_predictor(const Words& words, int component_count, History history) {
  if (!has_history(words, Predictor::previous, history)) {
    return Predictor::none;
  }
  if (!has_history(words, Predictor::linear, history)) {
    return Predictor::previous;
  }
  constexpr std::size_t sample_rows = 4096;
  const auto components = static_cast<std::size_t>(component_count);
  return std::visit(
      [&]<typename Word>(const std::vector<Word>& x) {
        const Previous<Word> previous{data_of<Word>(history.previous)};
        const Linear<Word> linear{previous.previous, data_of<Word>(history.before)};
        const std::size_t stride = (x.size() / components / sample_rows + 1) * components;
        std::int64_t previous_bits = 0;
        std::int64_t linear_bits = 0;
        for (std::size_t row = 0; row < x.size(); row += stride) {
          for (std::size_t at = row; at < row + components; ++at) {
            previous_bits += std::bit_width(residual_at(x.data(), previous, at, components));
            linear_bits += std::bit_width(residual_at(x.data(), linear, at, components));
          }
        }
        return linear_bits < previous_bits ? Predictor::linear : Predictor::previous;
      },
      words);
}

}  // namespace sluice::codec
