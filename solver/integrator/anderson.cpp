// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/anderson.h"

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <limits>
#include <type_traits>

namespace sluice::integrator {

namespace {
template <typename Numbers>
auto map(Numbers&& v) {
  using Vector = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(v.data())>>,
                                    const Eigen::VectorXd, Eigen::VectorXd>;
  return Eigen::Map<Vector>(v.data(), static_cast<Eigen::Index>(v.size()));
}
}  // namespace

void Anderson::restart(std::size_t size) {
  count_ = next_ = 0;
  has_last_ = false;
  best_residual_ = std::numeric_limits<double>::infinity();
  if (residual_.size() == size) return;
  for (auto* v : {&residual_, &last_residual_, &last_image_})
    v->resize(size);
  residual_steps_.assign(window, std::vector<double>(size));
  image_steps_.assign(window, std::vector<double>(size));
}

void Anderson::next(std::span<const double> state, std::span<double> image) {
  map(residual_) = map(image) - map(state);
  const double squared = map(residual_).squaredNorm();
  if (has_last_ && !(squared <= best_residual_)) {
    // The plain iteration does not grow: go back to where it stood.
    std::copy(last_image_.begin(), last_image_.end(), image.begin());
    restart(residual_.size());
    return;
  }
  best_residual_ = squared;
  if (has_last_) {
    map(residual_steps_[next_]) = map(residual_) - map(last_residual_);
    map(image_steps_[next_]) = map(image) - map(last_image_);
    next_ = (next_ + 1) % window;
    count_ = std::min(count_ + 1, window);
  }
  last_residual_ = residual_;
  std::copy(image.begin(), image.end(), last_image_.begin());
  has_last_ = true;
  if (count_ == 0) return;
  // gamma = argmin |residual - sum gamma_j residual step_j|, by normal equations: at most 6 x 6.
  const auto n = static_cast<Eigen::Index>(count_);
  Eigen::MatrixXd normal(n, n);
  Eigen::VectorXd right(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto step_i = map(residual_steps_[static_cast<std::size_t>(i)]);
    right[i] = step_i.dot(map(residual_));
    for (Eigen::Index j = 0; j <= i; ++j) {
      normal(i, j) = normal(j, i) = step_i.dot(map(residual_steps_[static_cast<std::size_t>(j)]));
    }
  }
  const Eigen::VectorXd gamma = normal.completeOrthogonalDecomposition().solve(right);
  for (Eigen::Index j = 0; j < n; ++j)
    map(image) -= gamma[j] * map(image_steps_[static_cast<std::size_t>(j)]);
}

}  // namespace sluice::integrator
