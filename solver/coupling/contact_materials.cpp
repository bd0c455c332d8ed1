// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/contact_materials.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace sluice::coupling {
namespace {

double restitution_of(const scene::Cloth&) { return 0; }
double restitution_of(const scene::SoftBody&) { return 0; }
double restitution_of(const auto& body) { return body.restitution; }

// Coefficient of what presses on a surface that it must not slip on: more than any contact needs.
constexpr double sticking = 100;

double fluid_friction_of(const auto& body) {
  switch (body.wall) {
    case scene::WallCondition::slip:
      return 0;
    case scene::WallCondition::no_slip:
      return sticking;
    case scene::WallCondition::friction:
      return body.friction;
  }
  return 0;
}

}  // namespace

ContactMaterials::ContactMaterials(const scene::Scene& scene) {
  std::map<std::string, std::int32_t> index_of;
  const auto add = [&](const auto& bodies) {
    for (const auto& body : bodies) {
      index_of.emplace(body.name, static_cast<std::int32_t>(own_.size()));
      own_.push_back({body.friction, restitution_of(body)});
      fluid_friction_.push_back(fluid_friction_of(body));
    }
  };
  add(scene.cloths);
  add(scene.soft_bodies);
  deformable_count_ = static_cast<std::int32_t>(own_.size());
  add(scene.rigid_bodies);
  body_count_ = static_cast<std::int32_t>(own_.size());
  add(scene.obstacles);
  for (const scene::ContactPair& given : scene.contact_pairs) {
    const auto [first, second] =
        std::minmax({index_of.at(given.body_a), index_of.at(given.body_b)});
    ContactMaterial material = between(first, second);
    material.friction = given.friction.value_or(material.friction);
    material.restitution = given.restitution.value_or(material.restitution);
    const auto place = std::ranges::lower_bound(
        pairs_, std::pair{first, second}, {},
        [](const Pair& pair) { return std::pair{pair.first, pair.second}; });
    pairs_.insert(place, {first, second, material});
  }
}

ContactMaterial ContactMaterials::between(std::int32_t body_a, std::int32_t body_b) const {
  if (!pairs_.empty()) {
    const std::pair<std::int32_t, std::int32_t> key = std::minmax(body_a, body_b);
    const auto found = std::ranges::lower_bound(
        pairs_, key, {}, [](const Pair& pair) { return std::pair{pair.first, pair.second}; });
    if (found != pairs_.end() && std::pair{found->first, found->second} == key)
      return found->material;
  }
  const ContactMaterial &a = own_[static_cast<std::size_t>(body_a)],
                        &b = own_[static_cast<std::size_t>(body_b)];
  const bool deforms = std::min(body_a, body_b) < deformable_count_;
  return {std::sqrt(a.friction * b.friction), deforms ? 0 : std::max(a.restitution, b.restitution)};
}

}  // namespace sluice::coupling
