// SPDX-License-Identifier: Apache-2.0
#include "server/api/status.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace sluice::api {
namespace {

// Clients of gRPC refuse trailers beyond 8 KiB, by default, and then tell nothing at all; the
// message comes twice beside these.
constexpr std::size_t most_violation_bytes = 4096;
constexpr std::size_t violation_overhead = 8;  // Tags and lengths.

grpc::StatusCode code_of(session::ErrorKind kind) {
  using session::ErrorKind;
  switch (kind) {
    case ErrorKind::invalid_argument:
      return grpc::StatusCode::INVALID_ARGUMENT;
    case ErrorKind::not_found:
      return grpc::StatusCode::NOT_FOUND;
    case ErrorKind::already_exists:
      return grpc::StatusCode::ALREADY_EXISTS;
    case ErrorKind::failed_precondition:
      return grpc::StatusCode::FAILED_PRECONDITION;
    case ErrorKind::out_of_range:
      return grpc::StatusCode::OUT_OF_RANGE;
    case ErrorKind::resource_exhausted:
      return grpc::StatusCode::RESOURCE_EXHAUSTED;
    case ErrorKind::unavailable:
      return grpc::StatusCode::UNAVAILABLE;
    case ErrorKind::data_loss:
      return grpc::StatusCode::DATA_LOSS;
    case ErrorKind::permission_denied:
      return grpc::StatusCode::PERMISSION_DENIED;
    case ErrorKind::aborted:
      return grpc::StatusCode::ABORTED;
    case ErrorKind::internal:
      break;
  }
  return grpc::StatusCode::INTERNAL;
}

google::rpc::BadRequest bad_request(const std::vector<session::FieldViolation>& violations,
                                    std::size_t untold_count) {
  google::rpc::BadRequest bad;
  const auto add = [&bad](const std::string& field, const std::string& description) {
    auto& entry = *bad.add_field_violations();
    entry.set_field(field);
    entry.set_description(description);
  };
  std::size_t bytes = 0, told = 0;
  const auto tell_rest = [&] {
    add("", fmt::format("and {} more: mend these first", violations.size() + untold_count - told));
  };
  for (const session::FieldViolation& violation : violations) {
    bytes += violation.field.size() + violation.description.size() + violation_overhead;
    if (told > 0 && bytes > most_violation_bytes) {
      tell_rest();
      return bad;
    }
    add(violation.field, violation.description);
    ++told;
  }
  if (untold_count > 0) {
    tell_rest();
  }
  return bad;
}

}  // namespace

grpc::Status to_status(const session::Error& error) {
  // The type in ResourceInfo is the API's name of it.
  constexpr std::string_view asset_prefix = "assets/";
  google::rpc::Status details;
  details.set_code(code_of(error.kind));
  details.set_message(error.message);
  if (!error.violations.empty()) {
    details.add_details()->PackFrom(bad_request(error.violations, error.untold_count));
  }
  if (!error.resource_name.empty()) {
    google::rpc::ResourceInfo resource;
    resource.set_resource_type(error.resource_name.starts_with(asset_prefix) ? "sluice.v1/Asset"
                                                                             : "sluice.v1/Session");
    resource.set_resource_name(error.resource_name);
    resource.set_description(error.message);
    details.add_details()->PackFrom(resource);
  }
  if (error.retry_after_ms) {
    google::rpc::RetryInfo retry;
    retry.mutable_retry_delay()->set_seconds(*error.retry_after_ms / 1000);
    retry.mutable_retry_delay()->set_nanos(
        static_cast<std::int32_t>(*error.retry_after_ms % 1000 * 1'000'000));
    details.add_details()->PackFrom(retry);
  }
  return {code_of(error.kind), error.message, details.SerializeAsString()};
}

}  // namespace sluice::api
