// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "client/render/image.h"

namespace sluice::render {

/// Up to 12 pictures of a whole run on one page: 4 columns, up to 3 rows.
class ContactSheet {
 public:
  static constexpr int columns = 4;
  static constexpr int rows = 3;

  /// `last_index`: index of the run's last frame. The chosen frames are spread evenly from 0 to it,
  /// each a multiple of `stride`. Pictures have `width` x `height` pixels and are halved.
  ContactSheet(std::int64_t last_index, std::int64_t stride, int width, int height);

  /// Whether the sheet has a place for this frame.
  [[nodiscard]] bool wants(std::int64_t index) const;

  void add(std::int64_t index, const Image& image);

  [[nodiscard]] const Image& page() const noexcept { return page_; }

 private:
  std::vector<std::int64_t> indices_;
  int cell_width_;
  int cell_height_;
  Image page_;
};

}  // namespace sluice::render
