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

/// Collects errors while a message is read, and reads the values that need checking on the way.
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

  /// The vector in `values`: nothing if omitted; an error, and nothing, unless it has 3 components.
  std::optional<Vec3> vector(const google::protobuf::RepeatedField<double>& values,
                             const std::string& path) {
    if (values.empty()) return std::nullopt;
    if (values.size() != 3) {
      error(path, fmt::format("must have exactly 3 values (x, y, z), not {}", values.size()));
      return std::nullopt;
    }
    return Vec3{values[0], values[1], values[2]};
  }

  /// As `vector`; an error also if omitted.
  std::optional<Vec3> required_vector(const google::protobuf::RepeatedField<double>& values,
                                      const std::string& path) {
    if (values.empty()) error(path, "is required: 3 values (x, y, z)");
    return vector(values, path);
  }

  /// An error unless `value` is a number in [least, most]; whether it is.
  bool in_range(double value, double least, double most, const std::string& path) {
    const bool inside = value >= least && value <= most;
    if (!inside) error(path, fmt::format("{} is not in [{}, {}]", value, least, most));
    return inside;
  }

  /// As `in_range`, of each component; paths are of the elements.
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
