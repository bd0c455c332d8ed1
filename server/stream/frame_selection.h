// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "server/store/store_error.h"
#include "server/stream/frame_record.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::stream {

/// Which arrays of a frame, in a form that can be compared: two requests for the same arrays share
/// one encoding, whatever order they were written in.
class FrameSelection {
 public:
  /// Everything.
  FrameSelection() = default;
  explicit FrameSelection(const v1::Selection& selection);

  [[nodiscard]] bool is_everything() const { return bodies_.empty() && fields_.empty(); }
  [[nodiscard]] bool has(const v1::ArrayDescriptor& array) const;

  /// The names in the selection that `layout` does not have.
  [[nodiscard]] std::vector<std::string> unknown_bodies(const v1::Layout& layout) const;

  friend auto operator<=>(const FrameSelection&, const FrameSelection&) = default;

 private:
  std::vector<std::string> bodies_;  // Sorted, none twice; empty: all.
  std::vector<int> fields_;          // Likewise.
};

/// The messages of a frame with the selected arrays alone, renumbered from 0. `corrupt` if
/// `messages` are not of the form in frame_record.h.
[[nodiscard]] store::Result<FrameMessages> select_arrays(const FrameMessages& messages,
                                                         const FrameSelection& selection);

}  // namespace sluice::stream
