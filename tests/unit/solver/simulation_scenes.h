// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <stdexcept>
#include <vector>

#include "solver/geometry/fill_shape.h"
#include "solver/scene/scene.h"
#include "solver/simulation.h"
#include "tests/unit/solver/solid/grid_mesh.h"

/// Small scenes, made by hand, and ways to look at what becomes of them.
namespace sluice::test {

/// A level sheet of nx x ny vertices, its middle at `middle`.
inline scene::Cloth make_sheet(int nx, int ny, double spacing, const Vec3& middle) {
  scene::Cloth cloth;
  cloth.name = "sheet";
  cloth.mesh = solid::grid_mesh(nx, ny, spacing);
  const Vec3 shift = middle - 0.5 * (cloth.mesh.vertices.front() + cloth.mesh.vertices.back());
  for (Vec3& x : cloth.mesh.vertices)
    x += shift;
  return cloth;
}

inline scene::Pin make_pin(std::vector<std::int32_t> vertices) {
  return {"pin", std::move(vertices), Vec3::Zero()};
}

/// The vertices on the rim of a sheet.
inline std::vector<std::int32_t> rim(int nx, int ny) {
  std::vector<std::int32_t> vertices;
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      if (i == 0 || j == 0 || i == nx - 1 || j == ny - 1) vertices.push_back(j * nx + i);
    }
  }
  return vertices;
}

inline geometry::Shape make_box(const Vec3& lower, const Vec3& upper) {
  return {geometry::Box{0.5 * (upper - lower)}, 0.5 * (lower + upper), Mat3::Identity()};
}

/// A box filled with tetrahedra.
inline scene::SoftBody make_block(const Vec3& lower, const Vec3& upper, double element_size,
                                  double young_modulus) {
  scene::SoftBody body;
  body.name = "block";
  body.mesh = geometry::fill_shape(make_box(lower, upper), element_size, 1'000'000).value();
  body.material.young_modulus = young_modulus;
  return body;
}

inline std::unique_ptr<Simulation> make_simulation(const scene::Scene& scene, int thread_count = 1,
                                                   SubstepObserver* observer = nullptr) {
  auto created = Simulation::create(scene, {thread_count, observer});
  if (!created) throw std::runtime_error(created.error().message);
  return std::move(created).value();
}

inline void advance(Simulation& simulation, int frame_count) {
  for (int i = 0; i < frame_count; ++i) {
    const auto statistics = simulation.advance_frame();
    if (!statistics) throw std::runtime_error(statistics.error().message);
  }
}

/// What a server that was started again would go on with.
inline std::unique_ptr<Simulation> save_and_restore(const Simulation& simulation,
                                                    const scene::Scene& scene, int thread_count) {
  auto restored = Simulation::restore(scene, {thread_count, nullptr}, simulation.save());
  if (!restored) throw std::runtime_error(restored.error().message);
  return std::move(restored).value();
}

/// A field of body `body`; nothing if it has none.
inline std::vector<float> values_of(const Simulation& simulation, std::size_t body, Field field) {
  for (const FieldView& view : simulation.fields()) {
    if (view.body == body && view.field == field) return {view.values.begin(), view.values.end()};
  }
  return {};
}

/// Positions of body `body`.
inline std::vector<Vec3> positions(const Simulation& simulation, std::size_t body) {
  const std::vector<float> values = values_of(simulation, body, Field::position);
  std::vector<Vec3> found;
  found.reserve(values.size() / 3);
  for (std::size_t i = 0; i < values.size(); i += 3)
    found.emplace_back(values[i], values[i + 1], values[i + 2]);
  return found;
}

/// The mean of a body's positions.
inline Vec3 middle(const Simulation& simulation, std::size_t body) {
  const auto x = positions(simulation, body);
  Vec3 sum = Vec3::Zero();
  for (const Vec3& point : x)
    sum += point;
  return sum / static_cast<double>(x.size());
}

/// [m/s^2] Upwards, of body 1: over two frames before and two after `frame`.
inline double acceleration(Simulation& simulation, int frame, double frame_rate) {
  std::array<double, 3> z{};
  advance(simulation, frame - 2);
  for (double& height : z) {
    height = middle(simulation, 1).z();
    advance(simulation, 2);
  }
  return (z[2] - 2 * z[1] + z[0]) * frame_rate * frame_rate / 4;
}

/// Every bit of a frame.
inline std::vector<float> all_values(const Simulation& simulation) {
  std::vector<float> values;
  for (const FieldView& view : simulation.fields()) {
    values.insert(values.end(), view.values.begin(), view.values.end());
  }
  return values;
}

}  // namespace sluice::test
