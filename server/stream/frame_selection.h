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
  /// All that is stored.
  FrameSelection() = default;
  explicit FrameSelection(const v1::Selection& selection);

  /// Whether a frame goes out as it lies in the store.
  [[nodiscard]] bool is_everything() const {
    return bodies_.empty() && every_stored_field_ && fields_.empty();
  }
  [[nodiscard]] bool has(const v1::ArrayDescriptor& array) const;
  [[nodiscard]] bool has_body(const std::string& body) const;
  /// Whether `field` is asked for by name: derived fields come in no other way.
  [[nodiscard]] bool names(v1::Field field) const;

  /// The names in the selection that `layout` does not have.
  [[nodiscard]] std::vector<std::string> unknown_bodies(const v1::Layout& layout) const;

  friend auto operator<=>(const FrameSelection&, const FrameSelection&) = default;

 private:
  std::vector<std::string> bodies_;  // Sorted, none twice; empty: all.
  std::vector<int> fields_;          // Likewise, but for derived ones: empty means none of them.
  bool every_stored_field_ = true;   // Then fields_ has derived ones alone.
};

/// The messages of a frame with the selected arrays alone, renumbered from 0, as they were stored;
/// then the derived ones. `corrupt` if `messages` are not of the form in frame_record.h.
[[nodiscard]] store::Result<FrameMessages> select_arrays(const FrameMessages& messages,
                                                         const FrameSelection& selection);

}  // namespace sluice::stream
