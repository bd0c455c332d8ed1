// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/contact/contact_pair.h"
#include "solver/contact/pairs.h"
#include "solver/coupling/contact_materials.h"
#include "solver/scene/scene.h"
#include "solver/solid/deformable_system.h"
#include "solver/types.h"

namespace sluice::coupling {

/// The surfaces of a scene's solids, and what contact keeps between them.
///
/// The gap of a pair is the contact distance and half the thickness of both bodies. Of one body
/// with itself it is at most half the lowest height of its triangles at the start, so that
/// neighbours at rest are not in contact. Edges keep nine tenths of it, so that what rests on
/// vertices rests on them alone.
class ContactSurfaces {
 public:
  /// Refers to the triangles and edges of `solids`, which are in their rest shape.
  ContactSurfaces(const scene::Scene& scene, const solid::DeformableSystem& solids);

  /// What can touch; without the bodies of vertices where solids cannot touch solids.
  [[nodiscard]] contact::Surfaces view() const noexcept;

  [[nodiscard]] bool is_between_solids() const noexcept { return is_between_solids_; }

  /// By vertex, -1 of one in no triangle; also where solids cannot touch.
  [[nodiscard]] std::span<const std::int32_t> body_of_vertex() const noexcept {
    return body_of_vertex_;
  }
  [[nodiscard]] std::span<const std::uint8_t> touches_itself() const noexcept {
    return touches_itself_;
  }

  [[nodiscard]] double contact_distance() const noexcept { return contact_distance_; }

  /// [m] Between two thick bodies: the largest there can be.
  [[nodiscard]] double largest_gap() const noexcept { return largest_gap_; }

  /// [m] Of a pair with these vertices of its first and its second primitive; `first` is -1 for a
  /// particle.
  [[nodiscard]] double gap(contact::PairKind kind, std::int32_t first, std::int32_t second) const;

  /// Of such a pair.
  [[nodiscard]] ContactMaterial material(std::int32_t first, std::int32_t second) const;

 private:
  std::span<const TriangleIndices> triangles_;
  std::span<const EdgeIndices> edges_;
  double contact_distance_, largest_gap_;  ///< [m]
  std::vector<double> half_thickness_;     ///< [m] by vertex
  std::vector<double> own_gap_;            ///< [m] of a body with itself, at most
  std::vector<std::int32_t> body_of_vertex_;
  std::vector<std::uint8_t> touches_itself_;
  ContactMaterials materials_;
  bool is_between_solids_;
};

}  // namespace sluice::coupling
