// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "solver/fluid/adaptive/fluid_level.h"
#include "solver/fluid/adaptive/interior_exchange.h"
#include "solver/fluid/adaptive/interior_sizing.h"
#include "solver/fluid/adaptive/interior_tree.h"
#include "solver/fluid/adaptive/layers.h"
#include "solver/fluid/adaptive/liquid_projection.h"
#include "solver/fluid/adaptive/sizing.h"
#include "solver/fluid/liquid/interior.h"
#include "solver/fluid/liquid/liquid_settings.h"
#include "solver/scene/scene.h"

namespace sluice::fluid::adaptive {

/// The interior of a liquid on a tree of cells [Losasso2004]: leaves larger than the finest cells,
/// some finest cells below the surface. Its velocities are those of a gas on a tree (TreeGasStep):
/// on the faces of each level, carried along the flow level by level. One pressure is for it and
/// the liquid around (LiquidProjection).
///
/// Particles that go into its cells vanish, and ghosts that come out become particles. By chance
/// these may be somewhat more or fewer than its volume has room for, which does not change by them:
/// as many are left out, or kept, so that the liquid's volume is always the same.
template <int D>
class TreeInterior final : public grid::Interior<D> {
 public:
  /// For a scene with `grid.adaptive`, and one fluid. No cells at first.
  explicit TreeInterior(const scene::Scene& scene);

  void start(const scene::Scene& scene) override;
  [[nodiscard]] bool has(const Vec3f& x) const noexcept override {
    return now_.has(grid::cell_at<D>(settings_.frame.coordinates(x)));
  }
  [[nodiscard]] bool is_empty() const noexcept override { return volume_ == 0; }
  void set_obstacles(std::span<const scene::Obstacle> obstacles) override {
    sizing_.set_obstacles(obstacles);
  }
  void add_ghosts(float h, float fastest, std::uint8_t material, Particles& particles) override;
  void take_ghosts(std::size_t first, Particles& particles) override;
  void enter(float mass, grid::MacGrid<D>& grid,
             typename grid::MacGrid<D>::template Faces<float>& weights) override;
  void accelerate(const grid::Vec<D>& change, std::span<const Push> pushes, float h) override;
  grid::SolveReport project(const scene::PressureSettings& settings, std::span<float> inflow,
                            float h, grid::MacGrid<D>& grid) override;
  void even_out(float part, float h, float spacing, grid::MacGrid<D>& grid) override {
    projection_.even_out(part * settings_.frame.cell_size / h, spacing, grid);
  }
  void settle(const grid::MacGrid<D>& grid, const Particles& particles,
              std::vector<std::uint32_t>& gone, std::vector<Birth>& births) override;

  [[nodiscard]] double fastest() const noexcept override { return fastest_; }
  [[nodiscard]] SumsWithoutParticles sums() const override;
  [[nodiscard]] std::span<const std::int64_t> cell_counts() const noexcept override {
    return cell_counts_;
  }
  [[nodiscard]] std::vector<HasInterior::InteriorCell> cells() const override;
  [[nodiscard]] std::int64_t volume() const noexcept override { return volume_; }

  void save(ByteWriter& out) const override;
  [[nodiscard]] bool restore(ByteReader& in) override;

 private:
  [[nodiscard]] std::size_t level_count() const noexcept { return levels_.size(); }
  template <typename Get>
  [[nodiscard]] ByLevel of_levels(const Get& get) const;
  [[nodiscard]] std::optional<InteriorTree<D>> adapted(const grid::MacGrid<D>& grid);
  void add_seeds(const InteriorTree<D>& next, std::vector<Birth>& births) const;
  void take(InteriorTree<D> next);
  void make_layers(const octree::Tree<D>& tree);
  void find_fluid();
  void find_shell();
  void count();
  void fill_faces();
  template <typename Visit>
  void for_each_face_inside(const grid::MacGrid<D>& grid, const Visit& visit) const;
  void read(const grid::MacGrid<D>& grid);
  void write(grid::MacGrid<D>& grid) const;
  void fill_pressure(grid::MacGrid<D>& grid);
  void carry(float h);

  grid::LiquidSettings<D> settings_;
  InteriorSizing<D> sizing_;
  ParticlePlaces<D> places_;
  double cfl_;
  std::vector<std::int32_t> reach_;  // By level. [cells]

  InteriorTree<D> now_;
  Layers<D> layers_;
  FluidLevels<D> levels_;
  std::array<Array<std::uint8_t>, D> at_border_;  // Faces of level 0 between it and the rest.
  std::vector<std::vector<Cell<D>>> shell_;       // Cells of level 1, by how far the border is.
  LiquidProjection<D> projection_;
  std::vector<Birth> come_out_;  // Ghosts that have.
  double fastest_ = 0;
  std::int64_t volume_ = 0;
  std::int64_t layer_ = 0;             // Particles of a layer along the border.
  Vec3 border_middle_ = Vec3::Zero();  // [m]
  std::vector<std::int64_t> cell_counts_;
  std::uint32_t substep_ = 0;
  std::int32_t since_adapted_ = 0;  // Substeps.
  std::int64_t owed_ = 0;  // Particles that are to come out besides; or go in, if negative.
};

extern template class TreeInterior<2>;
extern template class TreeInterior<3>;

}  // namespace sluice::fluid::adaptive
