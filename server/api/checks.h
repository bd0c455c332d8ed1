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

/// What requests must be. Pure; each check tells all that is wrong at once.
namespace sluice::api {

/// Collects what is wrong with a request.
class Violations {
 public:
  void add(std::string field, std::string description) {
    if (violations_.size() < most_told) {
      violations_.push_back({std::move(field), std::move(description)});
    } else {
      ++untold_count_;
    }
  }
  /// Unless least <= value <= most.
  void check_range(std::string_view field, std::int64_t value, std::int64_t least,
                   std::int64_t most);
  [[nodiscard]] bool empty() const { return violations_.empty(); }
  /// INVALID_ARGUMENT with all of them. Not when empty.
  [[nodiscard]] session::Error error() && {
    return session::invalid_fields(std::move(violations_), untold_count_);
  }

 private:
  /// A request could have millions; more than some dozens do not fit into a status anyway.
  static constexpr std::size_t most_told = 100;
  std::vector<session::FieldViolation> violations_;
  std::size_t untold_count_ = 0;
};

/// The id in a session's name, or what is wrong with `name`, the value of `field`.
[[nodiscard]] session::Result<std::string> check_session_name(std::string_view field,
                                                              std::string_view name);

/// Everything of the request but what only the scene's bodies can tell; fills in every default.
/// What is wrong goes to `violations`.
[[nodiscard]] session::CreateOrder check_create(const v1::CreateSessionRequest& request,
                                                const session::Limits& limits,
                                                Violations& violations);

struct ListOrder {
  int page_size = 0;
  std::vector<v1::SessionState> states;
  std::optional<session::ListCursor> after;
};
[[nodiscard]] session::Result<ListOrder> check_list(const v1::ListSessionsRequest& request);
/// The token of the page behind `cursor`.
[[nodiscard]] std::string page_token(const session::ListCursor& cursor,
                                     const std::vector<v1::SessionState>& states);

[[nodiscard]] session::Result<std::int64_t> check_step(const v1::StepSessionRequest& request);

/// The hash in an asset's name, or what is wrong.
[[nodiscard]] session::Result<std::string> check_asset_name(std::string_view name);
[[nodiscard]] session::Result<std::string> check_write(const v1::WriteAssetRequest& request,
                                                       const session::Limits& limits);
[[nodiscard]] session::Result<int> check_page_size(int page_size);

/// The session's id, or what is wrong.
[[nodiscard]] session::Result<std::string> check_stream(const v1::StreamFramesRequest& request);
[[nodiscard]] session::Result<std::string> check_get_frame(const v1::GetFrameRequest& request);

/// Whether `text` is UTF-8 of at most `most` code points without control characters.
[[nodiscard]] bool is_plain_text(std::string_view text, std::size_t most);

}  // namespace sluice::api
