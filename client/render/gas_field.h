// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "client/render/camera.h"
#include "client/render/cell_lattice.h"
#include "client/render/gas_look.h"
#include "sluice/frame.h"
#include "sluice/v1/frames.pb.h"
#include "sluice/v1/scene.pb.h"

namespace sluice::render {

/// The cells around a point and their weights for trilinear interpolation. Outside the middles of
/// the outermost cells, the interpolation gives the values of these cells.
struct CellWeights {
  std::array<std::size_t, 8> cells;
  std::array<float, 8> weights;  ///< Their sum is 1.
};

/// The values that a gas carries in one frame. Valid as long as the frame.
class GasField {
 public:
  /// `body` is a body of cells. Throws `client::Error` if the frame does not fit it.
  GasField(const client::Frame& frame, const v1::Body& body);

  [[nodiscard]] const CellLattice& lattice() const { return lattice_; }
  [[nodiscard]] Bounds bounds() const;

  [[nodiscard]] GasContent cell(std::size_t index) const;

  [[nodiscard]] CellWeights weights(const Float3& position) const;
  [[nodiscard]] GasContent mean(const CellWeights& weights) const;

 private:
  CellLattice lattice_;
  Float3 lower_;
  Float3 cells_a_metre_;
  std::span<const float> smoke_;  // A span is empty if the gas does not carry that value.
  std::span<const float> temperature_;
  std::span<const float> dye_;
};

/// Returns the gas of a frame, if it has one.
[[nodiscard]] std::optional<GasField> find_gas(const client::Frame& frame,
                                               const v1::Layout& layout);

/// Returns FIELD_CELL_LEVEL of a frame's gas; empty if it has none.
[[nodiscard]] std::span<const float> find_cell_levels(const client::Frame& frame,
                                                      const v1::Layout& layout);

/// Returns the scale by which the contents of a scene's gas become looks.
[[nodiscard]] GasScale gas_scale(const v1::Scene& scene, const Float3& smoke_albedo);

/// Returns the axis along which a scene's gas has a single layer of cells, if there is one. Such a
/// gas is drawn as a flat picture.
[[nodiscard]] std::optional<int> flat_axis(const v1::Scene& scene);

}  // namespace sluice::render
