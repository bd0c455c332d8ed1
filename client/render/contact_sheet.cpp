// SPDX-License-Identifier: Apache-2.0
#include "client/render/contact_sheet.h"

#include <algorithm>

namespace sluice::render {
namespace {

constexpr int gap = 6;  // Pixels between pictures and around them.
constexpr std::uint8_t paper = 255;

}  // namespace

ContactSheet::ContactSheet(std::int64_t last_index, std::int64_t stride, int width, int height)
    : cell_width_(width / 2), cell_height_(height / 2) {
  constexpr std::int64_t count = std::int64_t{columns} * rows;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t index = (last_index * i / (count - 1)) / stride * stride;
    if (indices_.empty() || indices_.back() != index) {
      indices_.push_back(index);
    }
  }
  // A short run has fewer pictures, and no rows of bare paper.
  const int used_rows = (static_cast<int>(indices_.size()) + columns - 1) / columns;
  page_ = Image(columns * (cell_width_ + gap) + gap, used_rows * (cell_height_ + gap) + gap, paper);
}

bool ContactSheet::wants(std::int64_t index) const {
  return std::find(indices_.begin(), indices_.end(), index) != indices_.end();
}

void ContactSheet::add(std::int64_t index, const Image& image) {
  const auto found = std::find(indices_.begin(), indices_.end(), index);
  if (found == indices_.end()) {
    return;
  }
  const auto place = static_cast<int>(found - indices_.begin());
  paste(page_, shrink(image, cell_width_, cell_height_),
        gap + place % columns * (cell_width_ + gap), gap + place / columns * (cell_height_ + gap));
}

}  // namespace sluice::render
