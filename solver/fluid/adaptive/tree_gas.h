// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/adaptive/tree_gas_step.h"
#include "solver/fluid/gas.h"

namespace sluice::fluid::adaptive {

/// A gas on a tree of cells, in D dimensions. Its lattice() is that of the finest cells: read()
/// interpolates between larger ones.
template <int D>
class TreeGas final : public Gas, public DividesCells {
 public:
  /// For a scene with `grid.adaptive`.
  explicit TreeGas(const scene::Scene& scene);

  void set_obstacles(std::span<const scene::Obstacle> obstacles) override {
    step_.set_obstacles(obstacles);
  }
  [[nodiscard]] double kinetic_energy() const override;
  [[nodiscard]] Vec3 momentum() const override;

  [[nodiscard]] std::span<const std::int64_t> cell_counts() const noexcept override {
    return cell_counts_;
  }
  [[nodiscard]] double detail_lost() const noexcept override {
    return static_cast<double>(step_.detail_lost());
  }

  [[nodiscard]] const TreeGasStep<D>& tree_step() const noexcept { return step_; }

 private:
  grid::SolveReport step(const grid::GasActions& actions, StageTimer* timer) override;
  [[nodiscard]] double fastest() const noexcept override { return step_.fastest(); }
  void read_channels(scene::Carried what, std::span<float> values) const override;
  void read_pressure(std::span<float> values) const override;
  void read_velocity(std::span<float> values) const override;
  void read_levels(std::span<float> values) const override;
  void save_grid(ByteWriter& out) const override { step_.save(out); }
  [[nodiscard]] bool restore_grid(ByteReader& in) override;
  void count_cells();
  template <typename Visit>
  void for_each_cell(const Visit& visit) const;
  template <typename Get>
  void read_cells(const Get& get, const grid::Vec<D>& within, std::size_t component,
                  std::size_t components, float factor, float in_solids,
                  std::span<float> values) const;

  TreeGasStep<D> step_;
  std::vector<std::int64_t> cell_counts_;
};

extern template class TreeGas<2>;
extern template class TreeGas<3>;

}  // namespace sluice::fluid::adaptive
