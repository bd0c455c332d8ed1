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

/// A gRPC stub that calls any method and takes and gives messages as bytes.
using RawStub = grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer>;

/// The method to call, its request message, metadata and timeout.
struct CallRequest {
  std::string method;      ///< `/package.Service/Method`
  grpc::ByteBuffer bytes;  ///< The request message; a call has exactly one.
  std::vector<std::pair<std::string, std::string>> metadata;
  std::optional<std::chrono::nanoseconds> timeout;
};

/// One call to the gRPC server in this process: sends one message, receives any number of messages
/// and then a status. Works for unary methods and for methods that stream their answer.
///
/// Each message comes only after it was asked for, and is shared, not copied. The caller calls all
/// functions on `executor`, where both callbacks run too; the call counts as outstanding work of
/// `executor` until `on_end` has run, which runs exactly once, and last.
class Call final : private grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  using OnMessage = std::function<void(std::vector<grpc::Slice>)>;
  using OnEnd = std::function<void(const grpc::Status&)>;

  /// Starts the call and asks for its first message.
  static std::shared_ptr<Call> start(RawStub& stub, CallRequest request,
                                     boost::asio::any_io_executor executor, OnMessage on_message,
                                     OnEnd on_end);

  /// Asks for the next message. To be called once after each `on_message`.
  void read_next();

  /// Cancels the call: no message comes after this, and the service sees a cancelled call.
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
  std::shared_ptr<Call> self_;  // Keeps the call alive until OnDone.
  grpc::ClientContext context_;
  grpc::ByteBuffer message_;

  // Used on the executor only.
  bool reading_ = true;
  bool cancelled_ = false;
  bool held_ = true;  // We hold gRPC's reactor (AddHold), because reads start outside of it.
};

}  // namespace sluice::web
