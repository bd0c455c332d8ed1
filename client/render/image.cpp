// SPDX-License-Identifier: Apache-2.0
#include "client/render/image.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "client/files/file_error.h"
#include "client/files/whole_file.h"

namespace sluice::render {

Image shrink(const Image& image, int width, int height) {
  Image small(width, height);
  for (int y = 0; y < height; ++y) {
    const int y0 = y * image.height / height;
    const int y1 = std::max((y + 1) * image.height / height, y0 + 1);
    for (int x = 0; x < width; ++x) {
      const int x0 = x * image.width / width;
      const int x1 = std::max((x + 1) * image.width / width, x0 + 1);
      unsigned sum[3] = {0, 0, 0};
      for (int v = y0; v < y1; ++v) {
        for (int u = x0; u < x1; ++u) {
          for (int c = 0; c < 3; ++c) {
            sum[c] += image.pixel(u, v)[c];
          }
        }
      }
      const auto count = static_cast<unsigned>((x1 - x0) * (y1 - y0));
      for (int c = 0; c < 3; ++c) {
        small.pixel(x, y)[c] = static_cast<std::uint8_t>((sum[c] + count / 2) / count);
      }
    }
  }
  return small;
}

void paste(Image& image, const Image& part, int x, int y) {
  const int x0 = std::max(x, 0);
  const int x1 = std::min(x + part.width, image.width);
  if (x1 <= x0) {
    return;
  }
  for (int row = std::max(y, 0); row < std::min(y + part.height, image.height); ++row) {
    std::memcpy(image.pixel(x0, row), part.pixel(x0 - x, row - y),
                static_cast<std::size_t>(x1 - x0) * 3);
  }
}

void write_png(const std::filesystem::path& path, const Image& image, files::OtherContent other) {
  // libpng's own error handling jumps; its simplified interface answers.
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB;
  header.flags = PNG_IMAGE_FLAG_FAST;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&header, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr) ==
      0) {
    throw files::FileError(fmt::format("cannot encode '{}': {}", path.string(), header.message));
  }
  bytes.resize(size);
  files::write_whole_file(path, bytes, other);
}

}  // namespace sluice::render
