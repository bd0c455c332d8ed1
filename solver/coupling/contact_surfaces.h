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

/// The surfaces of a scene's solids, and the gaps that contact keeps between them.
///
/// The gap of a pair is the contact distance and half the thickness of both bodies. For one body
/// with itself it is at most half the lowest height of its triangles at the start, so that
/// neighbours at rest are not in contact. Edges keep nine tenths of it, so that surfaces that rest
/// on vertices rest on them alone.
class ContactSurfaces {
 public:
  /// Refers to the triangles and edges of `solids`, which are in their rest shape.
  ContactSurfaces(const scene::Scene& scene, const solid::DeformableSystem& solids);

  /// Returns the surfaces that can touch; body_of_vertex is empty where solids cannot touch solids.
  [[nodiscard]] contact::Surfaces view() const noexcept;

  [[nodiscard]] bool is_between_solids() const noexcept { return is_between_solids_; }

  /// The body of each vertex, -1 for one in no triangle; also where solids cannot touch.
  [[nodiscard]] std::span<const std::int32_t> body_of_vertex() const noexcept {
    return body_of_vertex_;
  }
  [[nodiscard]] std::span<const std::uint8_t> touches_itself() const noexcept {
    return touches_itself_;
  }

  [[nodiscard]] double contact_distance() const noexcept { return contact_distance_; }

  /// [m] The largest gap of any pair, which two thick bodies have.
  [[nodiscard]] double largest_gap() const noexcept { return largest_gap_; }

  /// [m] Returns the gap of a pair with the vertices `first` and `second` of its two primitives;
  /// `first` is -1 for a particle.
  [[nodiscard]] double gap(contact::PairKind kind, std::int32_t first, std::int32_t second) const;

  /// Returns the material of such a pair.
  [[nodiscard]] ContactMaterial material(std::int32_t first, std::int32_t second) const;

 private:
  std::span<const TriangleIndices> triangles_;
  std::span<const EdgeIndices> edges_;
  double contact_distance_, largest_gap_;  ///< [m]
  std::vector<double> half_thickness_;     ///< [m] by vertex
  std::vector<double> own_gap_;            ///< [m] by body: its gap with itself, at most
  std::vector<std::int32_t> body_of_vertex_;
  std::vector<std::uint8_t> touches_itself_;
  ContactMaterials materials_;
  bool is_between_solids_;
};

}  // namespace sluice::coupling
