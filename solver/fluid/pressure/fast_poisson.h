// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "solver/fluid/pressure/line_transform.h"
#include "solver/fluid/pressure/preconditioner.h"
#include "solver/fluid/pressure/uniform_box.h"

namespace sluice::fluid::grid {

/// The inverse of a system that is a UniformBox, to the rounding of floats: transforms to modes
/// along all axes but x [Hockney1965], and for each mode elimination of the tridiagonal system that
/// is left along x. Where nothing is open, and constants are in the system's null space, it is the
/// inverse on all other modes.
///
/// Where x is periodic, its lines are split into what is even and what is odd about the middle:
/// lines of half the length, between walls and between open ends.
///
/// Keeps 8 bytes a cell (3D: 12). Same bits for any number of threads.
template <int D>
class FastPoisson final : public Preconditioner {
 public:
  /// `system` must outlive this; `box` is what find_uniform_box() finds for it.
  FastPoisson(const PoissonSystem<D>& system, const UniformBox<D>& box);

  void apply(std::span<const float> r, std::span<float> z) override;

 private:
  // Cells along x that are tied together.
  struct Line {
    std::size_t first, count;
    std::array<bool, 2> is_open;
  };

  void find_pivots();
  void to_modes(std::span<const float> r);
  void from_modes(std::span<float> z);
  void planes_to_modes();
  void modes_to_planes();
  template <typename Body>
  void for_each_group(std::size_t count, std::size_t line_length, const Body& body);
  void eliminate(std::size_t first);
  void remove_mean(const Line& line);
  void fold(std::size_t first, float scale);
  void solve_line(const Line& line, std::size_t first);
  [[nodiscard]] float* modes_of(std::size_t column, std::size_t plane);
  [[nodiscard]] float* in_plane(std::size_t plane, std::size_t y, std::size_t column);

  const PoissonSystem<D>& system_;
  UniformBox<D> box_;
  std::vector<LineTransform> transforms_;  // For the axes from 1 on.
  std::vector<Line> lines_;                // Systems along x.
  std::size_t columns_;                    // Number of columns of sixteen cells along x.
  std::size_t modes_along_y_;              // Number of modes along axis 1, padded.
  std::size_t mode_count_;                 // Number of modes across x, padded.
  std::size_t mode_stride_;                // Floats between x and x + 1.
  std::size_t plane_stride_ = 0;           // Floats between planes.
  bool is_singular_ = true;
  Array<float> modes_;   // By x and mode.
  Array<float> pivots_;  // Inverse pivots, likewise.
  Array<float> planes_;  // In 3D: by mode along z, then y, x.
};

extern template class FastPoisson<2>;
extern template class FastPoisson<3>;

}  // namespace sluice::fluid::grid
