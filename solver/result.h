// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace sluice {

enum class ErrorCode {
  invalid_scene,     ///< The scene breaks a documented limit; fix the scene and create again.
  invalid_mesh,      ///< A mesh file cannot be read; the message names file, line or byte.
  invalid_snapshot,  ///< A saved state is damaged or belongs to another scene or build.
  solver_diverged,   ///< No finite, intersection-free state was reached; the state before stays.
};

/// What went wrong, in words for the person who can fix it: what was given, what is allowed.
struct Error {
  ErrorCode code;
  std::string message;
};

/// A value or an Error. The subset of std::expected (C++23) that the project uses, under its names.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }
  T& value() & {
    assert(has_value());
    return std::get<0>(state_);
  }
  const T& value() const& {
    assert(has_value());
    return std::get<0>(state_);
  }
  T&& value() && {
    assert(has_value());
    return std::get<0>(std::move(state_));
  }
  [[nodiscard]] const Error& error() const {
    assert(!has_value());
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

}  // namespace sluice
