// SPDX-License-Identifier: Apache-2.0
// Payload that Frames.Stream delivers over loopback TCP, against a bare gRPC stream of the same
// messages out of memory. Both are read by the same reader; runs alternate.
#include <benchmark/benchmark.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "sluice/connection.h"
#include "sluice/private_server.h"
#include "sluice/v1/frames.grpc.pb.h"
#include "tests/bench/service_fixture.h"

namespace sluice::bench {
namespace {

using Messages = std::vector<grpc::ByteBuffer>;

class BareReactor final : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
 public:
  explicit BareReactor(const Messages& messages) : messages_(messages) { write_next(); }
  void OnWriteDone(bool ok) override {
    if (ok)
      write_next();
    else
      Finish(grpc::Status::CANCELLED);
  }
  void OnDone() override { delete this; }

 private:
  void write_next() {
    if (next_ == messages_.size()) return Finish(grpc::Status::OK);
    StartWrite(&messages_[next_++]);
  }
  const Messages& messages_;
  std::size_t next_ = 0;
};

class BareService final : public v1::Frames::WithRawCallbackMethod_Stream<v1::Frames::Service> {
 public:
  Messages messages;
  grpc::ServerWriteReactor<grpc::ByteBuffer>* Stream(grpc::CallbackServerContext*,
                                                     const grpc::ByteBuffer*) override {
    return new BareReactor(messages);
  }
};

/// Reads a whole stream; returns payload bytes, and the messages if asked for.
std::int64_t read_all(v1::Frames::Stub& stub, const std::string& session, Messages* messages) {
  grpc::ClientContext context;
  v1::StreamFramesRequest request;
  request.set_session(session);
  request.mutable_cursor()->set_index(0);
  request.set_existing_only(true);
  const auto reader = stub.Stream(&context, request);
  v1::StreamFramesResponse response;
  std::int64_t byte_count = 0;
  while (reader->Read(&response)) {
    byte_count += static_cast<std::int64_t>(response.chunk().data().size());
    if (messages != nullptr) {
      const std::string bytes = response.SerializeAsString();
      const grpc::Slice slice(bytes);
      messages->emplace_back(&slice, 1);
    }
  }
  if (const grpc::Status status = reader->Finish(); !status.ok())
    throw std::runtime_error(status.error_message());
  return byte_count;
}

std::unique_ptr<v1::Frames::Stub> stub_of(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return v1::Frames::NewStub(
      grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
}

void streamed_payload(benchmark::State& state) {
  // 500 k particles: 12 MB a frame of positions and velocities, 20 frames.
  const TcpServer server;
  const client::Connection connection(server.address());
  const std::string session = create(connection, block_scene(500'000, 20'000), 20, 2);
  wait_for_frames(connection, session, 21);

  BareService bare;
  const auto sluice_stub = stub_of(server.address());
  read_all(*sluice_stub, session, &bare.messages);
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&bare);
  const std::unique_ptr<grpc::Server> bare_server = builder.BuildAndStart();
  const auto bare_stub = stub_of("127.0.0.1:" + std::to_string(port));

  std::vector<double> sluice_rates;
  std::vector<double> bare_rates;
  for ([[maybe_unused]] auto _ : state) {
    for (int round = 0; round < 9; ++round) {
      auto start = Clock::now();
      const std::int64_t bare_bytes = read_all(*bare_stub, session, nullptr);
      bare_rates.push_back(static_cast<double>(bare_bytes) / seconds_since(start));
      start = Clock::now();
      const std::int64_t sluice_bytes = read_all(*sluice_stub, session, nullptr);
      sluice_rates.push_back(static_cast<double>(sluice_bytes) / seconds_since(start));
    }
  }
  const auto median = [](std::vector<double>& values) {
    std::nth_element(values.begin(),
                     values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
  };
  const double sluice_rate = median(sluice_rates);
  const double bare_rate = median(bare_rates);
  state.counters["sluice_bytes_per_second"] = sluice_rate;
  state.counters["bare_bytes_per_second"] = bare_rate;
  state.counters["ratio"] = sluice_rate / bare_rate;
}
BENCHMARK(streamed_payload)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace sluice::bench
