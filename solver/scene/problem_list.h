// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solver/scene/problem.h"
#include "solver/types.h"

namespace sluice::scene {

/// Problems as they are found, after those that were known before.
class ProblemList {
 public:
  explicit ProblemList(std::vector<Problem> known);

  /// Adds an error, unless one was known at `path`, above it or below it.
  void error(std::string path, std::string message);
  /// Adds a warning, unless there is an error at `path`, above it or below it.
  void warn(std::string path, std::string message);

  /// Whether no error was found so far at `path`, above it or below it: then what it holds can be
  /// built on.
  [[nodiscard]] bool sound(std::string_view path) const;

  /// Adds an error unless `value` is in [least, most].
  void range(double value, double least, double most, const std::string& path);
  /// Does the same for (0, most].
  void positive(double value, double most, const std::string& path);
  /// Does the same as `range` for each component, at the path of that component.
  void range(const Vec3& value, double least, double most, const std::string& path);

  [[nodiscard]] std::vector<Problem> take() && { return std::move(problems_); }

 private:
  std::vector<Problem> problems_;
  std::size_t known_count_;
};

/// `name[index]`.
[[nodiscard]] std::string element(std::string_view name, std::size_t index);

}  // namespace sluice::scene
