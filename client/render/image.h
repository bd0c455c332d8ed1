// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "client/files/whole_file.h"

namespace sluice::render {

/// A picture: 8 bits each of red, green and blue (sRGB), rows from the top.
struct Image {
  int width{0};
  int height{0};
  std::vector<std::uint8_t> rgb{};

  Image() = default;
  Image(int w, int h, std::uint8_t grey = 0)
      : width(w),
        height(h),
        rgb(static_cast<std::size_t>(w) * static_cast<std::size_t>(h) * 3, grey) {}

  [[nodiscard]] std::uint8_t* pixel(int x, int y) {
    return &rgb[(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                 static_cast<std::size_t>(x)) *
                3];
  }
  [[nodiscard]] const std::uint8_t* pixel(int x, int y) const {
    return const_cast<Image*>(this)->pixel(x, y);
  }
};

/// Makes an image smaller by averaging the old pixels that fall on each new pixel.
[[nodiscard]] Image shrink(const Image& image, int width, int height);

/// Copies `part` into `image`, its upper left corner to (x, y); pixels outside are left out.
void paste(Image& image, const Image& part, int x, int y);

/// Writes a PNG file. Throws `files::FileError`.
void write_png(const std::filesystem::path& path, const Image& image,
               files::OtherContent other = files::OtherContent::replace);

}  // namespace sluice::render
