// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lzma.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "solver/geometry/ccd.h"

/// Collision queries with known answers from tests/data/ccd (see its README).
namespace sluice::test {

/// A file's text; one that ends in .xz is unpacked.
inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (path.extension() != ".xz") return bytes;
  std::string text(32 << 20, '\0');  // More than any of the files unpacks to.
  std::uint64_t memory = UINT64_MAX;
  std::size_t in = 0, out = 0;
  if (lzma_stream_buffer_decode(&memory, 0, nullptr,
                                reinterpret_cast<const std::uint8_t*>(bytes.data()), &in,
                                bytes.size(), reinterpret_cast<std::uint8_t*>(text.data()), &out,
                                text.size()) != LZMA_OK) {
    throw std::runtime_error("damaged " + path.string());
  }
  text.resize(out);
  return text;
}

/// Eight points, four at each end, and whether they meet.
struct KnownQuery {
  std::array<Vec3, 8> points;
  bool meets;
};

/// Queries of eight rows "x numerator, x denominator, y.., z.., truth".
inline std::vector<KnownQuery> read_queries(const std::filesystem::path& path) {
  std::vector<KnownQuery> queries;
  std::istringstream lines(read_text(path));
  std::string line;
  for (std::size_t row = 0; std::getline(lines, line); ++row) {
    std::istringstream words(line);
    std::array<double, 6> fraction{};
    char comma = 0;
    for (double& number : fraction)
      words >> number >> comma;
    int truth = 0;
    words >> truth;
    if (!words) throw std::runtime_error("bad row in " + path.string());
    if (row % 8 == 0) queries.emplace_back();
    queries.back().points[row % 8] = {fraction[0] / fraction[1], fraction[2] / fraction[3],
                                      fraction[4] / fraction[5]};
    queries.back().meets = truth != 0;
  }
  return queries;
}

inline geometry::PointTriangleMotion point_triangle(const std::array<Vec3, 8>& p) {
  return {p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]};
}

inline geometry::EdgeEdgeMotion edge_edge(const std::array<Vec3, 8>& p) {
  return {p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]};
}

}  // namespace sluice::test
