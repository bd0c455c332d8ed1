// SPDX-License-Identifier: Apache-2.0
#include "server/api/checks.h"

#include <fmt/format.h>
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "proto/wire/codec/quantization.h"
#include "server/session/assignment.h"
#include "server/session/names.h"

namespace sluice::api {

using google::protobuf::util::TimeUtil;

void Violations::check_range(std::string_view field, std::int64_t value, std::int64_t least,
                             std::int64_t most) {
  if (value < least || value > most) {
    add(std::string(field), fmt::format("must be in [{}, {}], not {}", least, most, value));
  }
}

bool is_plain_text(std::string_view text, std::size_t most) {
  // protobuf has checked that it is UTF-8.
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  const auto controls = [](char c) { return static_cast<unsigned char>(c) < 0x20U || c == 0x7F; };
  const auto count =
      static_cast<std::size_t>(std::ranges::count_if(text, [&](char c) { return !continues(c); }));
  return count <= most && std::ranges::none_of(text, controls);
}

session::Result<std::string> check_session_name(std::string_view field, std::string_view name) {
  auto id = session::session_id_of(name);
  if (!id) {
    Violations violations;
    violations.add(std::string(field),
                   "must have the form sessions/{session}, with 4 to 63 of "
                   "a-z, 0-9 and '-', starting with a letter");
    return std::move(violations).error();
  }
  return *std::move(id);
}

namespace {

void check_output_only(const v1::Session& session, Violations& violations) {
  // A client may set two fields; everything else in the message is the server's to say.
  const auto* descriptor = v1::Session::descriptor();
  const auto* reflection = v1::Session::GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> set;
  reflection->ListFields(session, &set);
  for (const auto* field : set) {
    const bool allowed =
        field == descriptor->FindFieldByNumber(v1::Session::kDisplayNameFieldNumber) ||
        field == descriptor->FindFieldByNumber(v1::Session::kOptionsFieldNumber);
    if (!allowed) {
      violations.add("session." + std::string(field->name()), "is output only: leave it out");
    }
  }
}

void check_failure_limits(const v1::RunOptions& options, Violations& violations) {
  constexpr int kind_count = v1::WarningKind_ARRAYSIZE - 1;  // All but UNSPECIFIED.
  if (options.failure_limits_size() > kind_count) {
    violations.add("session.options.failure_limits",
                   fmt::format("has {} entries; allowed is one for each of the {} kinds of warning",
                               options.failure_limits_size(), kind_count));
    return;
  }
  std::set<int> kinds;
  for (int i = 0; i < options.failure_limits_size(); ++i) {
    const v1::FailureLimit& limit = options.failure_limits(i);
    const std::string path = fmt::format("session.options.failure_limits[{}].", i);
    if (limit.kind() == v1::WARNING_KIND_UNSPECIFIED || !v1::WarningKind_IsValid(limit.kind())) {
      violations.add(path + "kind", "is required: a kind of warning");
    } else if (!kinds.insert(limit.kind()).second) {
      violations.add(path + "kind", "is there twice: leave one out");
    }
    if (limit.kind() == v1::WARNING_KIND_CROSSING && !options.certify()) {
      violations.add(path + "kind",
                     "needs session.options.certify: without it nothing looks for crossings");
    }
    if (limit.has_value() && !(limit.value() >= 0)) {
      violations.add(path + "value", fmt::format("is {}; must not be negative", limit.value()));
    }
    if (limit.has_frame_count()) {
      violations.check_range(path + "frame_count", limit.frame_count(), 1,
                             session::max_frames_a_call);
    }
  }
}

v1::RunOptions check_options(const v1::RunOptions& given, const v1::Scene& scene,
                             const session::Limits& limits, Violations& violations) {
  constexpr std::string_view path = "session.options.";
  const auto field = [&](std::string_view name) { return std::string(path).append(name); };
  constexpr std::int64_t scene_default_frame_count = 120;  // scene.proto, Timing.frame_count
  v1::RunOptions options = given;
  if (!options.has_frame_count()) {
    options.set_frame_count(scene.timing().has_frame_count() ? scene.timing().frame_count()
                                                             : scene_default_frame_count);
  } else {
    violations.check_range(field("frame_count"), options.frame_count(), 1,
                           limits.frames_per_session - 1);
  }
  if (!options.has_thread_count()) {
    options.set_thread_count(limits.threads_per_session);
  }
  violations.check_range(field("thread_count"), options.thread_count(), 1,
                         limits.threads_per_session);
  if (!options.has_checkpoint_interval_frames()) {
    options.set_checkpoint_interval_frames(session::default_checkpoint_interval_frames);
  }
  violations.check_range(field("checkpoint_interval_frames"), options.checkpoint_interval_frames(),
                         1, session::max_frames_a_call);
  if (!options.has_max_restarts()) {
    options.set_max_restarts(session::default_max_restarts);
  }
  violations.check_range(field("max_restarts"), options.max_restarts(), 0,
                         session::max_restarts_allowed);
  if (options.has_lease()) {
    const auto& lease = options.lease();
    const bool whole = lease.seconds() >= session::shortest_lease.count() &&
                       lease.seconds() <= session::longest_lease.count() && lease.nanos() >= 0 &&
                       lease.nanos() < 1'000'000'000;
    if (!whole || TimeUtil::DurationToMilliseconds(lease) > session::longest_lease.count() * 1000) {
      violations.add(field("lease"), "must be in [1 s, 1 day]");
    }
  }
  check_failure_limits(options, violations);
  return options;
}

}  // namespace

session::CreateOrder check_create(const v1::CreateSessionRequest& request,
                                  const session::Limits& limits, Violations& violations) {
  session::CreateOrder order;
  if (!request.has_scene()) {
    violations.add("scene", "is required");
  }
  check_output_only(request.session(), violations);
  order.scene = request.scene();
  order.options = check_options(request.session().options(), request.scene(), limits, violations);
  order.display_name = request.session().display_name();
  if (!is_plain_text(order.display_name, session::max_display_name_characters)) {
    violations.add("session.display_name",
                   fmt::format("must be at most {} characters without control characters",
                               session::max_display_name_characters));
  }
  if (order.display_name.empty()) {
    order.display_name = request.scene().name();
  }
  order.session_id = request.session_id();
  if (!order.session_id.empty() && !session::is_valid_session_id(order.session_id)) {
    violations.add("session_id", "must be 4 to 63 of a-z, 0-9 and '-', starting with a letter");
  }
  order.request_id = request.request_id();
  if (!is_plain_text(order.request_id, session::max_request_id_characters)) {
    violations.add("request_id", fmt::format("must be at most {} characters",
                                             session::max_request_id_characters));
  }
  return order;
}

session::Result<int> check_page_size(int page_size) {
  Violations violations;
  violations.check_range("page_size", page_size, 0, session::max_page_size);
  if (!violations.empty()) {
    return std::move(violations).error();
  }
  return page_size == 0 ? session::default_page_size : page_size;
}

namespace {

// The states as a set, so that a token fits its own listing only.
std::uint32_t mask_of(const std::vector<v1::SessionState>& states) {
  std::uint32_t mask = 0;
  for (const v1::SessionState state : states) {
    mask |= 1U << static_cast<unsigned>(state);
  }
  return mask;
}

}  // namespace

std::string page_token(const session::ListCursor& cursor,
                       const std::vector<v1::SessionState>& states) {
  return fmt::format("{:x}.{:x}.{}", mask_of(states), cursor.create_time_micros, cursor.id);
}

session::Result<ListOrder> check_list(const v1::ListSessionsRequest& request) {
  Violations violations;
  ListOrder order;
  violations.check_range("page_size", request.page_size(), 0, session::max_page_size);
  order.page_size = request.page_size() == 0 ? session::default_page_size : request.page_size();
  // More than there are states say nothing more.
  if (request.states_size() > v1::SessionState_ARRAYSIZE) {
    violations.add("states", fmt::format("has {} elements; at most {} are allowed",
                                         request.states_size(), v1::SessionState_ARRAYSIZE));
    return std::move(violations).error();
  }
  for (int i = 0; i < request.states_size(); ++i) {
    const auto state = request.states(i);
    if (!v1::SessionState_IsValid(state) || state == v1::SESSION_STATE_UNSPECIFIED) {
      violations.add(fmt::format("states[{}]", i),
                     fmt::format("{} is not a state", static_cast<int>(state)));
    } else {
      order.states.push_back(static_cast<v1::SessionState>(state));
    }
  }
  const std::string& token = request.page_token();
  if (!token.empty()) {
    const char* const end = token.data() + token.size();
    std::uint32_t mask = 0;
    session::ListCursor cursor;
    const auto first = std::from_chars(token.data(), end, mask, 16);
    auto second = first;
    if (first.ec == std::errc() && first.ptr != end && *first.ptr == '.') {
      second = std::from_chars(first.ptr + 1, end, cursor.create_time_micros, 16);
    }
    const bool numbers = second.ptr != first.ptr && second.ec == std::errc() && second.ptr != end &&
                         *second.ptr == '.';
    cursor.id = numbers ? std::string(second.ptr + 1, end) : std::string();
    if (!session::is_valid_session_id(cursor.id)) {
      violations.add("page_token", "is not one that List gave");
    } else if (violations.empty() && mask != mask_of(order.states)) {
      violations.add("page_token", "is of a listing with other states");
    }
    order.after = std::move(cursor);
  }
  if (!violations.empty()) {
    return std::move(violations).error();
  }
  return order;
}

session::Result<std::int64_t> check_step(const v1::StepSessionRequest& request) {
  const std::int64_t count = request.has_frame_count() ? request.frame_count() : 1;
  Violations violations;
  violations.check_range("frame_count", count, 1, session::max_frames_a_call);
  if (!violations.empty()) {
    return std::move(violations).error();
  }
  return count;
}

session::Result<std::string> check_asset_name(std::string_view name) {
  auto hash = session::asset_hash_of(name);
  if (!hash) {
    Violations violations;
    violations.add("name", "must have the form assets/{sha256}, with 64 lower-case hex digits");
    return std::move(violations).error();
  }
  return *std::move(hash);
}

session::Result<std::string> check_write(const v1::WriteAssetRequest& request,
                                         const session::Limits& limits) {
  Violations violations;
  auto hash = session::asset_hash_of(request.name()).value_or("");
  if (hash.empty()) {
    violations.add("name", "must have the form assets/{sha256}, with 64 lower-case hex digits");
  }
  violations.check_range("byte_count", request.byte_count(), 1, limits.asset_bytes);
  violations.check_range("offset", request.offset(), 0,
                         std::max<std::int64_t>(request.byte_count(), 0));
  if (request.data().size() > session::chunk_bytes) {
    violations.add("data", fmt::format("must be at most {} bytes, not {}", session::chunk_bytes,
                                       request.data().size()));
  } else if (request.offset() >= 0 && request.byte_count() >= request.offset() &&
             static_cast<std::int64_t>(request.data().size()) >
                 request.byte_count() - request.offset()) {
    violations.add("data", "goes beyond byte_count");
  }
  const std::string& file_name = request.file_name();
  if (file_name.empty() || !is_plain_text(file_name, session::max_file_name_characters)) {
    violations.add("file_name", fmt::format("must be 1 to {} characters, with the extension that "
                                            "says the format",
                                            session::max_file_name_characters));
  }
  if (!violations.empty()) {
    return std::move(violations).error();
  }
  return hash;
}

namespace {

bool is_quantized(v1::Codec codec) {
  return codec == v1::CODEC_Q16_PLANES_ZSTD || codec == v1::CODEC_Q16_MESHOPT;
}

void check_selection(const v1::Selection& selection, v1::Codec codec, Violations& violations) {
  for (int i = 0; i < selection.fields_size(); ++i) {
    if (!v1::Field_IsValid(selection.fields(i))) {
      violations.add(fmt::format("selection.fields[{}]", i),
                     fmt::format("{} is not a field", static_cast<int>(selection.fields(i))));
    } else if (selection.fields(i) == v1::FIELD_ORDER && !is_quantized(codec)) {
      violations.add(fmt::format("selection.fields[{}]", i),
                     "FIELD_ORDER is for quantised codecs: rows of CODEC_F32 keep the solver's "
                     "order");
    }
  }
  if (codec != v1::CODEC_UNSPECIFIED && codec != v1::CODEC_F32 && !is_quantized(codec)) {
    violations.add("codec",
                   fmt::format("must be CODEC_F32, CODEC_Q16_PLANES_ZSTD or CODEC_Q16_MESHOPT, "
                               "not {}",
                               static_cast<int>(codec)));
  }
}

void check_corner(std::string_view field, const google::protobuf::RepeatedField<double>& corner,
                  Violations& violations) {
  if (corner.size() != 3 ||
      !std::ranges::all_of(corner, [](double value) { return std::isfinite(value); })) {
    violations.add(std::string(field), "must be exactly 3 finite values");
  }
}

void check_quantization(v1::Codec codec, int bits, const v1::QuantizationBox* box,
                        Violations& violations) {
  if (!is_quantized(codec)) {
    if (bits != 0) {
      violations.add("quantization_bits", "is for quantised codecs: leave it out");
    }
    if (box != nullptr) {
      violations.add("quantization_box", "is for quantised codecs: leave it out");
    }
    return;
  }
  if (bits != 0) {
    violations.check_range("quantization_bits", bits, codec::least_bits, codec::most_bits);
  }
  if (box == nullptr) {
    return;
  }
  check_corner("quantization_box.lower", box->lower(), violations);
  check_corner("quantization_box.upper", box->upper(), violations);
  for (int axis = 0; axis < std::min(box->lower_size(), box->upper_size()); ++axis) {
    if (!(box->upper(axis) > box->lower(axis))) {
      violations.add(fmt::format("quantization_box.upper[{}]", axis),
                     fmt::format("must be above quantization_box.lower[{}]", axis));
    }
  }
}

template <typename Request>
void check_form(const Request& request, Violations& violations) {
  check_selection(request.selection(), request.codec(), violations);
  check_quantization(request.codec(), request.quantization_bits(),
                     request.has_quantization_box() ? &request.quantization_box() : nullptr,
                     violations);
}

void check_cursor(const v1::Cursor& cursor, Violations& violations) {
  if (cursor.epoch() < 0) {
    violations.add("cursor.epoch", fmt::format("must not be negative, not {}", cursor.epoch()));
  }
  if (cursor.index() < 0) {
    violations.add("cursor.index", fmt::format("must not be negative, not {}", cursor.index()));
  }
}

// The id in `name`; nothing, and a violation, if it has another form.
std::string check_session_field(std::string_view name, Violations& violations) {
  auto id = session::session_id_of(name).value_or("");
  if (id.empty()) {
    violations.add("session", "must have the form sessions/{session}");
  }
  return id;
}

}  // namespace

session::Result<std::string> check_stream(const v1::StreamFramesRequest& request) {
  Violations violations;
  auto id = check_session_field(request.session(), violations);
  check_cursor(request.cursor(), violations);
  check_form(request, violations);
  violations.check_range("stride", request.stride(), 0, session::max_frames_a_call);
  violations.check_range("max_in_flight", request.max_in_flight(), 0, session::max_stream_credits);
  if (!v1::Delivery_IsValid(request.delivery())) {
    violations.add("delivery",
                   fmt::format("{} is not a delivery", static_cast<int>(request.delivery())));
  }
  if (!violations.empty()) {
    return std::move(violations).error();
  }
  return id;
}

session::Result<std::string> check_get_frame(const v1::GetFrameRequest& request) {
  Violations violations;
  auto id = check_session_field(request.session(), violations);
  check_cursor(request.cursor(), violations);
  check_form(request, violations);
  if (!violations.empty()) {
    return std::move(violations).error();
  }
  return id;
}

}  // namespace sluice::api
