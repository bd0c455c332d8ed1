// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>

#include "solver/scene/problem_list.h"

namespace sluice::scene {

/// Tells the first faults of one kind in one mesh and, at its end, how many more there are: a bad
/// mesh file has thousands.
class FaultCounter {
 public:
  FaultCounter(ProblemList& problems, std::string path)
      : problems_(problems), path_(std::move(path)) {}
  FaultCounter(const FaultCounter&) = delete;
  FaultCounter& operator=(const FaultCounter&) = delete;
  ~FaultCounter() {
    if (count_ > told_count) {
      problems_.error(path_, fmt::format("and {} more like it", count_ - told_count));
    }
  }

  template <typename... Parts>
  void add(fmt::format_string<Parts...> format, Parts&&... parts) {
    if (++count_ <= told_count) {
      problems_.error(path_, fmt::format(format, std::forward<Parts>(parts)...));
    }
  }

  [[nodiscard]] bool none() const { return count_ == 0; }

 private:
  static constexpr std::size_t told_count = 3;

  ProblemList& problems_;
  std::string path_;
  std::size_t count_ = 0;
};

}  // namespace sluice::scene
