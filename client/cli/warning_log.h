// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "sluice/frame.h"
#include "sluice/v1/sessions.pb.h"

namespace sluice::cli {

/// The warnings of a session, one for each kind and body, from its frames or as the server sums
/// them. Any thread may call.
class WarningLog {
 public:
  /// Takes in what a frame warns of. To be called once for each frame, in order. Returns a line for
  /// each warning that was not told before: `warning: frame 12: water: its volume is 20 % ...`.
  std::vector<std::string> add(const client::Frame& frame);

  /// Takes the server's sums in place of what was counted here, if it has any. Returns as above.
  std::vector<std::string> add(const v1::Session& session);

  [[nodiscard]] std::vector<v1::SessionWarning> warnings() const;

 private:
  v1::SessionWarning* find(const v1::Warning& warning);

  mutable std::mutex mutex_;
  std::vector<v1::SessionWarning> warnings_;
};

/// `frames 12 to 40 (29 of them): water: its volume is 20 % ...`
[[nodiscard]] std::string in_words(const v1::SessionWarning& warning);

/// `2 warnings`, `1 warning`.
[[nodiscard]] std::string warning_count_in_words(std::size_t count);

}  // namespace sluice::cli
