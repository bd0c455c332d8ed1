// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <google/protobuf/repeated_field.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/convert/field_path.h"
#include "solver/scene/problem.h"
#include "solver/types.h"

namespace sluice::convert {

/// Collects the problems that are found while a message is read, and reads values with checks.
class ProblemSink {
 public:
  void error(std::string path, std::string message) {
    if (problems_.size() >= scene::most_problems) return;
    problems_.push_back({std::move(path), std::move(message), scene::Severity::error});
  }

  void warning(std::string path, std::string message) {
    if (problems_.size() >= scene::most_problems) return;
    problems_.push_back({std::move(path), std::move(message), scene::Severity::warning});
  }

  /// Returns the vector in `values`; nothing if omitted; nothing and an error if not 3 components.
  std::optional<Vec3> vector(const google::protobuf::RepeatedField<double>& values,
                             const std::string& path) {
    if (values.empty()) return std::nullopt;
    if (values.size() != 3) {
      error(path, fmt::format("must have exactly 3 values (x, y, z), not {}", values.size()));
      return std::nullopt;
    }
    return Vec3{values[0], values[1], values[2]};
  }

  /// Returns the vector in `values` as `vector` does, with an error also if it is omitted.
  std::optional<Vec3> required_vector(const google::protobuf::RepeatedField<double>& values,
                                      const std::string& path) {
    if (values.empty()) error(path, "is required: 3 values (x, y, z)");
    return vector(values, path);
  }

  /// Returns whether `value` is a number in [least, most], and adds an error if it is not.
  bool in_range(double value, double least, double most, const std::string& path) {
    const bool inside = value >= least && value <= most;
    if (!inside) error(path, fmt::format("{} is not in [{}, {}]", value, least, most));
    return inside;
  }

  /// Checks each component of `value` in the same way; errors are at `path[0]` to `path[2]`.
  bool in_range(const Vec3& value, double least, double most, const std::string& path) {
    bool inside = true;
    for (int axis = 0; axis < 3; ++axis) {
      inside &=
          in_range(value[axis], least, most, element_path(path, static_cast<std::size_t>(axis)));
    }
    return inside;
  }

  [[nodiscard]] std::size_t count() const { return problems_.size(); }

  [[nodiscard]] std::vector<scene::Problem> take() { return std::move(problems_); }

 private:
  std::vector<scene::Problem> problems_;
};

}  // namespace sluice::convert
