// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/session/environment.h"
#include "server/session/error.h"
#include "sluice/v1/assets.grpc.pb.h"

namespace sluice::api {

/// The generated service in the form in which all methods take bytes (request_bytes.h).
using AssetsBase = v1::Assets::WithRawCallbackMethod_Write<v1::Assets::WithRawCallbackMethod_Get<
    v1::Assets::WithRawCallbackMethod_List<v1::Assets::Service>>>;

/// Serves sluice.v1.Assets directly from the store.
class AssetsService final : public AssetsBase {
 public:
  explicit AssetsService(session::Environment& environment) : environment_(environment) {}

  grpc::ServerUnaryReactor* Write(grpc::CallbackServerContext* context,
                                  const grpc::ByteBuffer* bytes,
                                  grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context, const grpc::ByteBuffer* bytes,
                                grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* List(grpc::CallbackServerContext* context,
                                 const grpc::ByteBuffer* bytes,
                                 grpc::ByteBuffer* response) override;

 private:
  session::Result<v1::Asset> write(const v1::WriteAssetRequest& request);
  session::Result<v1::Asset> complete(const std::string& hash,
                                      const v1::WriteAssetRequest& request);
  session::Result<v1::Asset> get(const v1::GetAssetRequest& request);
  session::Result<v1::ListAssetsResponse> list(const v1::ListAssetsRequest& request);

  session::Environment& environment_;
};

}  // namespace sluice::api
