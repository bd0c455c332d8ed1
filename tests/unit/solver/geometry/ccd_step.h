// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "solver/geometry/broad_phase.h"
#include "solver/geometry/mesh_file.h"
#include "tests/unit/solver/geometry/ccd_data.h"

/// A step of a simulation as collision data has it, and every pair that a simulator asks about.
namespace sluice::test {

/// The files of a step below tests/data/ccd/simulation or a folder like it (see its README).
struct StepFiles {
  const char* folder;
  const char *frame_t0, *frame_t1;              ///< In frames/.
  const char *vertex_face, *edge_edge;          ///< In boxes/: the pairs that may collide,
  const char *are_vertex_face, *are_edge_edge;  ///< in mma_bool/: and whether they do.
};

inline constexpr StepFiles cloth_funnel{"cloth-funnel",       "227.ply.xz", "228.ply.xz",
                                        "227vf.json",         "227ee.json", "227vf_mma_bool.json",
                                        "227ee_mma_bool.json"};
inline constexpr StepFiles cloth_ball{
    "cloth-ball",   "cloth_ball92.ply.xz", "cloth_ball93.ply.xz",  "92vf.json.xz",
    "92ee.json.xz", "92vf_mma_bool.json",  "92ee_mma_bool.json.xz"};

/// Pairs of the boxes' ids.
using Collisions = std::set<std::pair<int, int>>;

class SimulatedStep {
 public:
  /// A candidate: `first` is a vertex and `second` a triangle, or both are edges.
  using Pair = geometry::BoxPair;

  SimulatedStep(const std::filesystem::path& simulations, const StepFiles& files)
      : folder_(simulations / files.folder), files_(files) {
    start_ = read_frame(files.frame_t0);
    end_ = read_frame(files.frame_t1);
    std::set<std::pair<int, int>> unique;
    for (const TriangleIndices& t : start_.triangles) {
      for (std::size_t i = 0; i < 3; ++i) {
        const auto [low, high] = std::minmax(t[i], t[(i + 1) % 3]);
        unique.insert({high, low});
      }
    }
    for (const auto& [high, low] : unique)
      edges_.push_back({low, high});
  }

  [[nodiscard]] const std::vector<Vec3>& vertices_t0() const { return start_.vertices; }
  [[nodiscard]] const std::vector<Vec3>& vertices_t1() const { return end_.vertices; }
  [[nodiscard]] const std::vector<TriangleIndices>& triangles() const { return start_.triangles; }
  /// Unique (min, max), sorted by (max, min).
  [[nodiscard]] const std::vector<EdgeIndices>& edges() const { return edges_; }

  /// All vertices and triangles, and all edges, that share no vertex and whose swept boxes overlap.
  [[nodiscard]] std::vector<Pair> vertex_face_pairs() const {
    std::vector<std::array<std::int32_t, 1>> vertices;
    vertices.reserve(start_.vertices.size());
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(start_.vertices.size()); ++i)
      vertices.push_back({i});
    std::vector<Pair> pairs;
    for_overlaps(swept(vertices), swept(triangles()), [&](int vertex, int face) {
      if (share_no_vertex(vertices[at(vertex)], triangles()[at(face)]))
        pairs.push_back({vertex, face});
    });
    return pairs;
  }
  [[nodiscard]] std::vector<Pair> edge_edge_pairs() const {
    const std::vector<SweptBox> boxes = swept(edges_);
    std::vector<Pair> pairs;
    for_overlaps(boxes, boxes, [&](int one, int other) {
      if (one < other && share_no_vertex(edges_[at(one)], edges_[at(other)]))
        pairs.push_back({one, other});
    });
    return pairs;
  }

  /// The truth, of pairs as vertex_face_pairs and edge_edge_pairs have them. One that is not there
  /// does not collide.
  [[nodiscard]] Collisions vertex_face_collisions() const {
    const auto first_face = static_cast<int>(start_.vertices.size() + edges_.size());
    return read_collisions(files_.vertex_face, files_.are_vertex_face, 0, first_face);
  }
  [[nodiscard]] Collisions edge_edge_collisions() const {
    const auto first_edge = static_cast<int>(start_.vertices.size());
    return read_collisions(files_.edge_edge, files_.are_edge_edge, first_edge, first_edge);
  }

  /// The corners of a pair at both ends.
  [[nodiscard]] std::array<Vec3, 8> vertex_face_points(const Pair& pair) const {
    return points(std::array{pair.first}, triangles()[at(pair.second)]);
  }
  [[nodiscard]] std::array<Vec3, 8> edge_edge_points(const Pair& pair) const {
    return points(edges_[at(pair.first)], edges_[at(pair.second)]);
  }

 private:
  struct SweptBox {
    Vec3 lower, upper;
    std::int32_t id;
  };

  static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

  [[nodiscard]] geometry::TriangleMesh read_frame(const char* name) const {
    const std::string bytes = read_text(folder_ / "frames" / name);
    auto mesh = geometry::read_mesh(std::as_bytes(std::span(bytes)), geometry::MeshFormat::ply);
    if (!mesh) throw std::runtime_error(mesh.error().message);
    return std::move(mesh).value();
  }

  // The pairs of `boxes` whose entry in `truth` is true, smaller id first, less the given ids.
  [[nodiscard]] Collisions read_collisions(const char* boxes, const char* truth, int first_one,
                                           int first_other) const {
    std::istringstream pairs(read_text(folder_ / "boxes" / boxes));
    std::istringstream flags(read_text(folder_ / "mma_bool" / truth));
    Collisions collisions;
    char skip = 0;
    flags >> skip;
    pairs >> skip;
    for (std::string flag; std::getline(flags, flag, ',');) {
      int first = 0, second = 0;
      pairs >> skip >> first >> skip >> second >> skip >> skip;
      if (!pairs) throw std::runtime_error("fewer pairs than answers");
      if (flag.find("true") == std::string::npos) continue;
      const auto [low, high] = std::minmax(first, second);
      collisions.insert({low - first_one, high - first_other});
    }
    return collisions;
  }

  template <typename Corners>
  [[nodiscard]] std::vector<SweptBox> swept(const std::vector<Corners>& primitives) const {
    std::vector<SweptBox> boxes;
    for (const Corners& corners : primitives) {
      SweptBox box{start_.vertices[at(corners[0])], start_.vertices[at(corners[0])],
                   static_cast<std::int32_t>(boxes.size())};
      for (const std::int32_t i : corners) {
        for (const auto* mesh : {&start_, &end_}) {
          box.lower = box.lower.cwiseMin(mesh->vertices[at(i)]);
          box.upper = box.upper.cwiseMax(mesh->vertices[at(i)]);
        }
      }
      boxes.push_back(box);
    }
    return boxes;
  }

  // Calls visit(i, j) for boxes i of `one` and j of `other` that overlap; sweeps along x.
  template <typename Visit>
  static void for_overlaps(std::vector<SweptBox> one, std::vector<SweptBox> other, Visit&& visit) {
    const auto by_x = [](const SweptBox& a, const SweptBox& b) {
      return a.lower.x() < b.lower.x();
    };
    std::sort(one.begin(), one.end(), by_x);
    std::sort(other.begin(), other.end(), by_x);
    double widest = 0;
    for (const SweptBox& b : other)
      widest = std::max(widest, b.upper.x() - b.lower.x());
    std::size_t first = 0;
    for (const SweptBox& a : one) {
      while (first < other.size() && other[first].lower.x() + 2 * widest < a.lower.x())
        ++first;
      for (std::size_t i = first; i < other.size() && other[i].lower.x() <= a.upper.x(); ++i) {
        const SweptBox& b = other[i];
        if ((a.lower.array() <= b.upper.array()).all() &&
            (b.lower.array() <= a.upper.array()).all()) {
          visit(a.id, b.id);
        }
      }
    }
  }

  template <std::size_t one, std::size_t other>
  static bool share_no_vertex(const std::array<std::int32_t, one>& a,
                              const std::array<std::int32_t, other>& b) {
    return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) == a.end();
  }

  template <std::size_t one, std::size_t other>
  [[nodiscard]] std::array<Vec3, 8> points(const std::array<std::int32_t, one>& a,
                                           const std::array<std::int32_t, other>& b) const {
    std::array<Vec3, 8> result;
    std::size_t next = 0;
    for (const auto* mesh : {&start_, &end_}) {
      for (const std::int32_t i : a)
        result[next++] = mesh->vertices[at(i)];
      for (const std::int32_t i : b)
        result[next++] = mesh->vertices[at(i)];
    }
    return result;
  }

  std::filesystem::path folder_;
  StepFiles files_;
  geometry::TriangleMesh start_, end_;
  std::vector<EdgeIndices> edges_;
};

}  // namespace sluice::test
