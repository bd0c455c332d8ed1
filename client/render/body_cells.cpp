// SPDX-License-Identifier: Apache-2.0
#include "client/render/body_cells.h"

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <string_view>

#include "sluice/error.h"

namespace sluice::render {
namespace {

std::vector<std::int32_t> read_cells(const v1::Body& body, const std::string& bytes,
                                     std::size_t corners, std::string_view what) {
  if (bytes.size() % (4 * corners) != 0) {
    throw client::Error(
        client::ErrorKind::data_loss,
        fmt::format("the server sent {} bytes as {} of '{}'", bytes.size(), what, body.name()));
  }
  std::vector<std::int32_t> cells(bytes.size() / 4);
  if (!cells.empty()) {
    std::memcpy(cells.data(), bytes.data(), bytes.size());
  }
  for (const std::int32_t vertex : cells) {
    if (vertex < 0 || vertex >= body.count()) {
      throw client::Error(client::ErrorKind::data_loss,
                          fmt::format("the server sent vertex {} of '{}' with {}", vertex,
                                      body.name(), body.count()));
    }
  }
  return cells;
}

}  // namespace

std::vector<std::int32_t> read_triangles(const v1::Body& body) {
  return read_cells(body, body.triangles(), 3, "triangles");
}

std::vector<std::int32_t> read_tetrahedra(const v1::Body& body) {
  return read_cells(body, body.tetrahedra(), 4, "tetrahedra");
}

}  // namespace sluice::render
