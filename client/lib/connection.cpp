// SPDX-License-Identifier: Apache-2.0
#include "sluice/connection.h"

#include "client/lib/channel.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "sluice/version.h"

namespace sluice::client {
namespace {

// Above any frame chunk (1 MiB) and any example scene with its meshes; a server that sends more in
// one message is refused rather than trusted with our memory.
constexpr int largest_message_bytes = 256 << 20;

}  // namespace

Connection::Connection(const std::string& address, ConnectionOptions options)
    : impl_(std::make_shared<Impl>()) {
  if (address.empty()) {
    throw Error(ErrorKind::invalid_argument, "the server's address is empty");
  }
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(largest_message_bytes);
  // A server that was restarted should be found again soon: gRPC's own backoff grows to 2 minutes.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  // In spite of its name, how long one attempt may take. At 50 ms, 1 in 70 failed on a busy
  // machine.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 10'000);
  // Proxies of the environment are for the web, and would hide a server on this host.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // Channels share connections through a global pool; then one's backoff delays the other.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetUserAgentPrefix("sluice/" + std::string(version()));
  const auto channel =
      grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
  impl_->address = address;
  impl_->options = std::move(options);
  impl_->sessions = v1::Sessions::NewStub(channel);
  impl_->frames = v1::Frames::NewStub(channel);
  impl_->assets = v1::Assets::NewStub(channel);
  impl_->scenes = v1::Scenes::NewStub(channel);
  impl_->server = v1::Server::NewStub(channel);
}

const std::string& Connection::address() const noexcept { return impl_->address; }

const ConnectionOptions& Connection::options() const noexcept { return impl_->options; }

Error::Error(ErrorKind kind, const std::string& message, std::vector<FieldViolation> violations)
    : std::runtime_error(message), kind_(kind), violations_(std::move(violations)) {}

Error to_error(const grpc::Status& status, const std::string& address) {
  const auto code = static_cast<int>(status.error_code());
  const auto kind = code >= 1 && code <= 16 ? static_cast<ErrorKind>(code) : ErrorKind::unknown;
  std::vector<FieldViolation> violations;
  google::rpc::Status details;
  if (!status.error_details().empty() && details.ParseFromString(status.error_details())) {
    for (const auto& detail : details.details()) {
      google::rpc::BadRequest bad_request;
      if (detail.UnpackTo(&bad_request)) {
        for (const auto& violation : bad_request.field_violations()) {
          violations.push_back({violation.field(), violation.description()});
        }
      }
    }
  }
  std::string message = status.error_message();
  // With details it is the server itself that speaks: it is there, and says what is not.
  if (kind == ErrorKind::unavailable && details.details().empty()) {
    message = "server at " + address +
              " is not available: " + (message.empty() ? std::string("no reason given") : message);
  } else if (kind == ErrorKind::deadline_exceeded) {
    message = "server at " + address + " did not answer in time";
  } else if (message.empty()) {
    message = "server at " + address + " refused with status " + std::to_string(code);
  }
  return {kind, message, std::move(violations)};
}

bool is_transient(ErrorKind kind) noexcept { return kind == ErrorKind::unavailable; }

}  // namespace sluice::client
