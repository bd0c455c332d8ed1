// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/generic/generic_stub.h>

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::web {

/// Calls of any method, with bytes for messages.
using RawStub = grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer>;

/// What is called, and how.
struct CallRequest {
  std::string method;      ///< `/package.Service/Method`
  grpc::ByteBuffer bytes;  ///< The one message.
  std::vector<std::pair<std::string, std::string>> metadata;
  std::optional<std::chrono::nanoseconds> timeout;
};

/// One call to the server in this process: one message there, any number back, a status. It does
/// not matter whether the method is unary or streams its answer.
///
/// Messages come one at a time, when asked for, and are shared, not copied. All functions are
/// called on `executor`, and both callbacks come on it; `executor` has work until `on_end` has
/// come, which it does exactly once, and last.
class Call final : private grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  using OnMessage = std::function<void(std::vector<grpc::Slice>)>;
  using OnEnd = std::function<void(const grpc::Status&)>;

  /// Starts it and asks for the first message.
  static std::shared_ptr<Call> start(RawStub& stub, CallRequest request,
                                     boost::asio::any_io_executor executor, OnMessage on_message,
                                     OnEnd on_end);

  /// Asks for the next message. After each `on_message`, once.
  void read_next();

  /// No message comes from here on; the service sees a cancelled call.
  void cancel();

 private:
  Call(CallRequest request, boost::asio::any_io_executor executor, OnMessage on_message,
       OnEnd on_end);
  void OnReadDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;
  void no_more_reads();

  const CallRequest request_;
  const boost::asio::any_io_executor executor_;
  OnMessage on_message_;
  OnEnd on_end_;
  std::shared_ptr<Call> self_;  // Until OnDone.
  grpc::ClientContext context_;
  grpc::ByteBuffer message_;

  // On the executor.
  bool reading_ = true;
  bool cancelled_ = false;
  bool held_ = true;  // gRPC keeps the call until told that no read is started from outside.
};

}  // namespace sluice::web
