// SPDX-License-Identifier: Apache-2.0
#include "solver/scene/problem_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sluice::scene {
namespace {

// Whether `outer` is `inner` or a field that holds it. The whole scene, an empty path, stands
// apart: a problem of it says nothing of a field.
bool holds(std::string_view outer, std::string_view inner) {
  if (outer.empty()) return inner.empty();
  if (!inner.starts_with(outer)) return false;
  return inner.size() == outer.size() || inner[outer.size()] == '.' || inner[outer.size()] == '[';
}

bool clear(std::span<const Problem> problems, std::string_view path) {
  return std::none_of(problems.begin(), problems.end(), [&](const Problem& problem) {
    return problem.severity == Severity::error &&
           (holds(problem.path, path) || holds(path, problem.path));
  });
}

}  // namespace

ProblemList::ProblemList(std::vector<Problem> known)
    : problems_(std::move(known)), known_count_(problems_.size()) {}

void ProblemList::error(std::string path, std::string message) {
  if (problems_.size() >= most_problems) return;
  if (!clear(std::span(problems_).first(known_count_), path)) return;
  problems_.push_back({std::move(path), std::move(message), Severity::error});
}

void ProblemList::warn(std::string path, std::string message) {
  if (!sound(path)) return;
  problems_.push_back({std::move(path), std::move(message), Severity::warning});
}

bool ProblemList::sound(std::string_view path) const {
  return problems_.size() < most_problems && clear(problems_, path);
}

void ProblemList::range(double value, double least, double most, const std::string& path) {
  if (!(value >= least && value <= most)) {
    error(path, fmt::format("{} is not in [{}, {}]", value, least, most));
  }
}

void ProblemList::positive(double value, double most, const std::string& path) {
  if (!(value > 0 && value <= most)) {
    error(path, fmt::format("{} is not in (0, {}]", value, most));
  }
}

void ProblemList::range(const Vec3& value, double least, double most, const std::string& path) {
  for (int axis = 0; axis < 3; ++axis) {
    range(value[axis], least, most, element(path, static_cast<std::size_t>(axis)));
  }
}

std::string element(std::string_view name, std::size_t index) {
  return fmt::format("{}[{}]", name, index);
}

}  // namespace sluice::scene
