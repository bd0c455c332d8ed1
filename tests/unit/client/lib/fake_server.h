// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "sluice/v1/assets.grpc.pb.h"
#include "sluice/v1/frames.grpc.pb.h"
#include "sluice/v1/scenes.grpc.pb.h"
#include "sluice/v1/server.grpc.pb.h"
#include "sluice/v1/sessions.grpc.pb.h"

namespace sluice::client {

using FrameWriter = grpc::ServerWriter<v1::StreamFramesResponse>;
using WatchWriter = grpc::ServerWriter<v1::WatchSessionResponse>;

/// A server in this process whose answers a test gives. What it does not give is UNIMPLEMENTED.
class FakeServer {
 public:
  std::function<grpc::Status(const v1::CreateSessionRequest&, v1::Session&)> create;
  std::function<grpc::Status(const v1::GetSessionRequest&, v1::Session&)> get;
  std::function<grpc::Status(const v1::ListSessionsRequest&, v1::ListSessionsResponse&)> list;
  std::function<grpc::Status(grpc::ServerContext&, WatchWriter&)> watch;
  std::function<grpc::Status(grpc::ServerContext&, const v1::StreamFramesRequest&, FrameWriter&)>
      stream;
  std::function<grpc::Status(const v1::AckFramesRequest&)> ack;
  std::function<grpc::Status(const v1::GetFrameRequest&, v1::Frame&)> get_frame;
  std::function<grpc::Status(const v1::GetLayoutRequest&, v1::Layout&)> get_layout;
  std::function<grpc::Status(const v1::WriteAssetRequest&, v1::Asset&)> write;
  std::function<grpc::Status(const v1::ValidateSceneRequest&, v1::ValidateSceneResponse&)> validate;

  FakeServer() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(&sessions_);
    builder.RegisterService(&frames_);
    builder.RegisterService(&assets_);
    builder.RegisterService(&scenes_);
    server_ = builder.BuildAndStart();
  }
  ~FakeServer() { server_->Shutdown(std::chrono::system_clock::now()); }

  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  static grpc::Status unset() { return {grpc::StatusCode::UNIMPLEMENTED, "not in this test"}; }

  struct SessionsService : v1::Sessions::Service {
    FakeServer& fake;
    explicit SessionsService(FakeServer& f) : fake(f) {}
    grpc::Status Create(grpc::ServerContext*, const v1::CreateSessionRequest* in,
                        v1::Session* out) override {
      return fake.create ? fake.create(*in, *out) : unset();
    }
    grpc::Status Get(grpc::ServerContext*, const v1::GetSessionRequest* in,
                     v1::Session* out) override {
      return fake.get ? fake.get(*in, *out) : unset();
    }
    grpc::Status List(grpc::ServerContext*, const v1::ListSessionsRequest* in,
                      v1::ListSessionsResponse* out) override {
      return fake.list ? fake.list(*in, *out) : unset();
    }
    grpc::Status Watch(grpc::ServerContext* context, const v1::WatchSessionRequest*,
                       WatchWriter* out) override {
      return fake.watch ? fake.watch(*context, *out) : unset();
    }
  };
  struct FramesService : v1::Frames::Service {
    FakeServer& fake;
    explicit FramesService(FakeServer& f) : fake(f) {}
    grpc::Status Stream(grpc::ServerContext* context, const v1::StreamFramesRequest* in,
                        FrameWriter* out) override {
      return fake.stream ? fake.stream(*context, *in, *out) : unset();
    }
    grpc::Status Ack(grpc::ServerContext*, const v1::AckFramesRequest* in,
                     v1::AckFramesResponse*) override {
      return fake.ack ? fake.ack(*in) : unset();
    }
    grpc::Status Get(grpc::ServerContext*, const v1::GetFrameRequest* in, v1::Frame* out) override {
      return fake.get_frame ? fake.get_frame(*in, *out) : unset();
    }
    grpc::Status GetLayout(grpc::ServerContext*, const v1::GetLayoutRequest* in,
                           v1::Layout* out) override {
      return fake.get_layout ? fake.get_layout(*in, *out) : unset();
    }
  };
  struct AssetsService : v1::Assets::Service {
    FakeServer& fake;
    explicit AssetsService(FakeServer& f) : fake(f) {}
    grpc::Status Write(grpc::ServerContext*, const v1::WriteAssetRequest* in,
                       v1::Asset* out) override {
      return fake.write ? fake.write(*in, *out) : unset();
    }
  };
  struct ScenesService : v1::Scenes::Service {
    FakeServer& fake;
    explicit ScenesService(FakeServer& f) : fake(f) {}
    grpc::Status Validate(grpc::ServerContext*, const v1::ValidateSceneRequest* in,
                          v1::ValidateSceneResponse* out) override {
      return fake.validate ? fake.validate(*in, *out) : unset();
    }
  };

  SessionsService sessions_{*this};
  FramesService frames_{*this};
  AssetsService assets_{*this};
  ScenesService scenes_{*this};
  int port_{0};
  std::unique_ptr<grpc::Server> server_;
};

/// A folder that is gone after the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sluice-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace sluice::client
