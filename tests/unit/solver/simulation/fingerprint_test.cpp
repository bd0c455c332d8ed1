// SPDX-License-Identifier: Apache-2.0
// A checkpoint goes with its scene alone: two scenes that differ in anything that is simulated have
// different fingerprints. Oracle: a scene in which every list has an element and every option a
// value, changed in one number, name, list or choice at a time.
#include "solver/simulation/fingerprint.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "solver/scene/visit_fields.h"

namespace sluice::simulation::fingerprint_test {
namespace {

/// Calls on_change() before each change that it could make to a scene, and makes the change if that
/// says so. On the way it fills what is empty.
template <typename OnChange>
class Changer {
 public:
  explicit Changer(OnChange on_change) : on_change_(on_change) {}

  template <typename... Fields>
  void operator()(Fields&... fields) {
    (change(fields), ...);
  }

 private:
  template <typename T>
  void change(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      if (on_change_()) value = !value;
    } else if constexpr (std::is_enum_v<T>) {
      if (on_change_()) value = static_cast<T>(value == T{} ? 1 : 0);
    } else if constexpr (std::is_arithmetic_v<T>) {
      if (on_change_()) value = value == T{7} ? T{8} : T{7};
    } else {
      scene::visit_fields(value, *this);
    }
  }
  void change(std::string& text) {
    if (on_change_()) text += "x";
  }
  void change(std::monostate& /*nothing*/) {}
  template <typename Scalar, int rows, int columns>
  void change(Eigen::Matrix<Scalar, rows, columns>& matrix) {
    for (Eigen::Index i = 0; i < matrix.size(); ++i)
      change(matrix.data()[i]);
  }
  void change(Eigen::Quaterniond& rotation) { change(rotation.coeffs()); }
  template <typename T, std::size_t count>
  void change(std::array<T, count>& values) {
    for (T& value : values)
      change(value);
  }
  template <typename T>
  void change(std::vector<T>& values) {
    if (values.empty()) values.resize(1);
    change(values.front());
    if (on_change_()) values.emplace_back();
  }
  template <typename T>
  void change(std::optional<T>& value) {
    if (!value) value.emplace();
    change(*value);
    if (on_change_()) value.reset();
  }
  template <typename... Ts>
  void change(std::variant<Ts...>& value) {
    std::visit([this](auto& held) { change(held); }, value);
    if (on_change_()) choose_another(value, std::index_sequence_for<Ts...>());
  }
  template <typename... Ts, std::size_t... i>
  void choose_another(std::variant<Ts...>& value, std::index_sequence<i...> /*indices*/) {
    const std::size_t other = (value.index() + 1) % sizeof...(Ts);
    ((i == other ? static_cast<void>(value.template emplace<i>()) : static_cast<void>(0)), ...);
  }

  OnChange on_change_;
};

/// Everything that a scene can have, with the form and the material of these indices.
scene::Scene scene_of(std::size_t form, std::size_t material) {
  scene::Scene scene;
  scene.fluids.resize(1);
  scene.drains.resize(1);
  const std::array<decltype(geometry::Shape::form), 5> forms{
      geometry::Box{Vec3::Ones()}, geometry::Sphere{1}, geometry::Capsule{1, 2},
      geometry::Cylinder{1, 2}, geometry::HalfSpace{}};
  const std::array<scene::FluidMaterial, 5> materials{std::monostate{}, scene::Bingham{},
                                                      scene::Jelly{}, scene::Sand{}, scene::Snow{}};
  scene.drains[0].shape.form = forms[form];
  scene.fluids[0].material = materials[material];
  Changer fill([] { return false; });
  fill(scene.fluids, scene.drains);
  scene::visit_fields(scene, fill);
  return scene;
}

TEST(Fingerprint, changes_with_every_field_of_a_scene) {
  std::size_t fewest = 1000;
  for (std::size_t kind = 0; kind < 5; ++kind) {
    const scene::Scene scene = scene_of(kind, kind);
    std::set<std::uint64_t> seen{fingerprint(scene)};
    std::size_t count = 0;
    Changer look([&] {
      ++count;
      return false;
    });
    scene::Scene looked_at = scene;
    scene::visit_fields(looked_at, look);
    for (std::size_t n = 0; n < count; ++n) {
      scene::Scene changed = scene;
      std::size_t at = 0;
      Changer change([&] { return at++ == n; });
      scene::visit_fields(changed, change);
      EXPECT_TRUE(seen.insert(fingerprint(changed)).second) << "change " << n << " of " << count;
    }
    fewest = std::min(fewest, count);
  }
  EXPECT_GT(fewest, 300U);
}

TEST(Fingerprint, does_not_change_with_the_name_and_the_number_of_frames) {
  scene::Scene scene = scene_of(0, 0);
  const std::uint64_t before = fingerprint(scene);
  scene.name += "x";
  scene.frame_count += 1;
  EXPECT_EQ(fingerprint(scene), before);
}

}  // namespace
}  // namespace sluice::simulation::fingerprint_test
