// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/session/error.h"
#include "server/session/limits.h"
#include "server/session/sessions.h"
#include "sluice/v1/assets.pb.h"
#include "sluice/v1/frames.pb.h"
#include "sluice/v1/sessions.pb.h"

/// Checks of requests. Pure functions; each one reports everything that is wrong at once.
namespace sluice::api {

/// Collects the wrong fields of a request.
class Violations {
 public:
  void add(std::string field, std::string description) {
    if (violations_.size() < most_told) {
      violations_.push_back({std::move(field), std::move(description)});
    } else {
      ++untold_count_;
    }
  }
  /// Adds a violation unless least <= value <= most.
  void check_range(std::string_view field, std::int64_t value, std::int64_t least,
                   std::int64_t most);
  [[nodiscard]] bool empty() const { return violations_.empty(); }
  /// Returns INVALID_ARGUMENT with all violations. Pre: not empty().
  [[nodiscard]] session::Error error() && {
    return session::invalid_fields(std::move(violations_), untold_count_);
  }

 private:
  /// A request could have millions of violations; a status has room for some dozens only.
  static constexpr std::size_t most_told = 100;
  std::vector<session::FieldViolation> violations_;
  std::size_t untold_count_ = 0;
};

/// Returns the id in the session name `name`, the value of `field`, or an error for a bad name.
[[nodiscard]] session::Result<std::string> check_session_name(std::string_view field,
                                                              std::string_view name);

/// Checks a request to create a session, but not the scene itself nor the recorded commands, and
/// fills in every default. Adds what is wrong to `violations`.
[[nodiscard]] session::CreateOrder check_create(const v1::CreateSessionRequest& request,
                                                const session::Limits& limits,
                                                Violations& violations);

struct ListOrder {
  int page_size = 0;
  std::vector<v1::SessionState> states;
  std::optional<session::ListCursor> after;
};
[[nodiscard]] session::Result<ListOrder> check_list(const v1::ListSessionsRequest& request);
/// Returns the token of the page that begins behind `cursor`, in a listing of `states`.
[[nodiscard]] std::string page_token(const session::ListCursor& cursor,
                                     const std::vector<v1::SessionState>& states);

[[nodiscard]] session::Result<std::int64_t> check_step(const v1::StepSessionRequest& request);

/// Returns the hash in an asset's name, or an error for a bad name.
[[nodiscard]] session::Result<std::string> check_asset_name(std::string_view name);
[[nodiscard]] session::Result<std::string> check_write(const v1::WriteAssetRequest& request,
                                                       const session::Limits& limits);
[[nodiscard]] session::Result<int> check_page_size(int page_size);

/// Checks a request for frames; returns the session's id.
[[nodiscard]] session::Result<std::string> check_stream(const v1::StreamFramesRequest& request);
[[nodiscard]] session::Result<std::string> check_get_frame(const v1::GetFrameRequest& request);

/// Whether `text`, which must be UTF-8, has at most `most` code points and no control characters.
[[nodiscard]] bool is_plain_text(std::string_view text, std::size_t most);

}  // namespace sluice::api
