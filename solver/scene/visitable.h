// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

/// Every struct of a scene has a function visit_fields(struct, visit) beside it, which calls
/// visit(field, field, ...) with references to all of its fields that decide what is simulated, for
/// code that must not forget one. The names in it are a structured binding: a field that is added
/// to the struct and not there is a compile error, and one that is there and not visited fails the
/// test boundary.visit_fields. visit_fields.h has those of shapes and meshes.
namespace sluice::scene {

/// `Self` is `Struct`, or the same const.
template <typename Self, typename Struct>
concept Of = std::same_as<std::remove_const_t<Self>, Struct>;

}  // namespace sluice::scene
