// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "server/store/store_error.h"
#include "server/stream/frame_record.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::stream {

/// A selection of a frame's arrays in a comparable form: two requests for the same arrays share one
/// encoding, in whatever order they name the arrays.
class FrameSelection {
 public:
  /// Selects all stored arrays.
  FrameSelection() = default;
  explicit FrameSelection(const v1::Selection& selection);

  /// Whether exactly the stored arrays are selected, so that a frame is sent as it is stored.
  [[nodiscard]] bool is_everything() const {
    return bodies_.empty() && every_stored_field_ && fields_.empty();
  }
  [[nodiscard]] bool has(const v1::ArrayDescriptor& array) const;
  [[nodiscard]] bool has_body(const std::string& body) const;
  /// Whether the selection names `field`; derived fields are sent only if they are named.
  [[nodiscard]] bool names(v1::Field field) const;

  /// Returns the selected names of bodies that `layout` does not have.
  [[nodiscard]] std::vector<std::string> unknown_bodies(const v1::Layout& layout) const;

  friend auto operator<=>(const FrameSelection&, const FrameSelection&) = default;

 private:
  std::vector<std::string> bodies_;  // Sorted, none twice; empty: all bodies.
  std::vector<int> fields_;          // Sorted, none twice: the fields that are named.
  bool every_stored_field_ = true;   // If true, fields_ holds only derived fields.
};

/// Makes the messages of a frame with only the selected arrays: the stored ones, renumbered from 0,
/// then the derived ones. `corrupt` if `messages` do not have the form of frame_record.h.
[[nodiscard]] store::Result<FrameMessages> select_arrays(const FrameMessages& messages,
                                                         const FrameSelection& selection);

}  // namespace sluice::stream
