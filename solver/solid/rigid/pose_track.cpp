// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/rigid/pose_track.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>

namespace sluice::solid {
namespace {

constexpr double largest_length_error = 1e-6;

}  // namespace

Result<PoseTrack> PoseTrack::make(std::vector<PoseKey> keys) {
  const auto refusal = [](std::size_t key, const std::string& message) {
    return Error{ErrorCode::invalid_scene, "key " + std::to_string(key) + " " + message};
  };
  if (keys.empty()) return Error{ErrorCode::invalid_scene, "a scripted body needs a key"};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    PoseKey& key = keys[i];
    if (!std::isfinite(key.time) || !key.pose.translation.allFinite()) {
      return refusal(i, "has a time or a position that is not finite");
    }
    if (i > 0 && !(key.time > keys[i - 1].time)) {
      return refusal(i, "is at " + std::to_string(key.time) + " s, not after the one before");
    }
    const double length = key.pose.rotation.norm();
    if (!(std::abs(length - 1) <= largest_length_error)) {
      return refusal(
          i, "has a quaternion of length " + std::to_string(length) + "; it must be 1 within 1e-6");
    }
    key.pose.rotation.normalize();
  }
  return PoseTrack(std::move(keys));
}

Pose PoseTrack::at(double time) const {
  const auto after = std::upper_bound(keys_.begin(), keys_.end(), time,
                                      [](double t, const PoseKey& key) { return t < key.time; });
  if (after == keys_.begin()) return keys_.front().pose;
  if (after == keys_.end()) return keys_.back().pose;
  const PoseKey &from = *(after - 1), &to = *after;
  const double fraction = (time - from.time) / (to.time - from.time);
  const Vec3 turn = turn_of(to.pose.rotation * from.pose.rotation.conjugate());
  return {from.pose.translation + fraction * (to.pose.translation - from.pose.translation),
          (rotation_by(fraction * turn) * from.pose.rotation).normalized()};
}

PoseMotion PoseTrack::between(double start, double end) const {
  assert(end > start);
  const Pose first = at(start), last = at(end);
  const double span = end - start;
  return {first, last, (last.translation - first.translation) / span,
          turn_of(last.rotation * first.rotation.conjugate()) / span};
}

}  // namespace sluice::solid
