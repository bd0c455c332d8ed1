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

/// The cells around a point, and their parts in a mean that is linear along each axis. Outside the
/// middles of the outermost cells it is theirs.
struct CellWeights {
  std::array<std::size_t, 8> cells;
  std::array<float, 8> weights;  ///< Sum 1.
};

/// What a gas carries in one frame. Valid while the frame is.
class GasField {
 public:
  /// Throws `client::Error` where `body`, of cells, and frame do not belong together.
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
  std::span<const float> smoke_;  // These three are empty where the gas does not carry it.
  std::span<const float> temperature_;
  std::span<const float> dye_;
};

/// The gas of a frame, if it has one.
[[nodiscard]] std::optional<GasField> find_gas(const client::Frame& frame,
                                               const v1::Layout& layout);

/// How the contents of a scene's gas become looks.
[[nodiscard]] GasScale gas_scale(const v1::Scene& scene, const Float3& smoke_albedo);

/// The axis along which a scene's gas has one layer of cells, if there is one: it is a picture
/// then.
[[nodiscard]] std::optional<int> flat_axis(const v1::Scene& scene);

}  // namespace sluice::render
