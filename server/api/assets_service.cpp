// SPDX-License-Identifier: Apache-2.0
#include "server/api/assets_service.h"

#include <google/protobuf/util/time_util.h>

#include "server/api/checks.h"
#include "server/api/reply.h"
#include "server/convert/scene_load.h"

namespace sluice::api {

using google::protobuf::util::TimeUtil;
using session::Result;

namespace {

v1::Asset to_asset(const store::AssetRecord& record) {
  v1::Asset asset;
  asset.set_name("assets/" + record.sha256);
  asset.set_byte_count(record.size_bytes);
  asset.set_committed_byte_count(record.size_bytes);
  asset.set_complete(true);
  *asset.mutable_create_time() = TimeUtil::MicrosecondsToTimestamp(record.create_time_micros);
  asset.set_file_name(record.file_name);
  return asset;
}

}  // namespace

// The asset is whole: makes its row, or answers with the one that is there.
Result<v1::Asset> AssetsService::complete(const std::string& hash,
                                          const v1::WriteAssetRequest& request) {
  const auto known = environment_.database.get_asset(hash);
  // A name that says no format is replaced; one that does stays, for sessions may rely on it.
  if (known && (convert::is_mesh_file_name(known.value().file_name) ||
                !convert::is_mesh_file_name(request.file_name()))) {
    return to_asset(known.value());
  }
  store::AssetRecord record;
  record.sha256 = hash;
  record.size_bytes = request.byte_count();
  record.file_name = request.file_name();
  record.create_time_micros = known ? known.value().create_time_micros : session::now_micros();
  if (const auto noted = environment_.assets.write_note(record); !noted) {
    return session::from_store(noted.error(), "cannot record the asset");
  }
  const auto put = environment_.database.put_asset(record);
  if (!put) {
    return session::from_store(put.error(), "cannot record the asset");
  }
  return to_asset(record);
}

Result<v1::Asset> AssetsService::write(const v1::WriteAssetRequest& request) {
  const auto hash = check_write(request, environment_.settings.limits);
  if (!hash) {
    return hash.error();
  }
  const auto fail = [&](const store::Error& error) -> Result<v1::Asset> {
    return session::from_store(error, "cannot store " + request.name());
  };
  const auto byte_count = static_cast<std::uint64_t>(request.byte_count());
  auto upload = environment_.assets.begin(*hash, byte_count);
  if (!upload) {
    return fail(upload.error());
  }
  if (upload.value().complete) {
    return complete(*hash, request);
  }
  const auto offset = static_cast<std::uint64_t>(request.offset());
  if (offset > upload.value().committed_bytes) {
    return session::offset_past_upload(request.name(), offset, upload.value().committed_bytes);
  }
  // Bytes that the server has already are skipped.
  const std::uint64_t skipped = upload.value().committed_bytes - offset;
  if (request.data().size() > skipped) {
    const auto rest = std::as_bytes(std::span(request.data())).subspan(skipped);
    upload = environment_.assets.write(*hash, offset + skipped, rest);
    if (!upload) {
      return fail(upload.error());
    }
  }
  if (!upload.value().complete && upload.value().committed_bytes == byte_count) {
    upload = environment_.assets.finish(*hash);
    if (!upload) {
      return fail(upload.error());
    }
  }
  if (upload.value().complete) {
    return complete(*hash, request);
  }
  v1::Asset asset;
  asset.set_name(request.name());
  asset.set_byte_count(request.byte_count());
  asset.set_committed_byte_count(static_cast<std::int64_t>(upload.value().committed_bytes));
  asset.set_file_name(request.file_name());
  return asset;
}

Result<v1::Asset> AssetsService::get(const v1::GetAssetRequest& request) {
  const auto hash = check_asset_name(request.name());
  if (!hash) {
    return hash.error();
  }
  const auto record = environment_.database.get_asset(*hash);
  if (record) {
    return to_asset(record.value());
  }
  if (record.error().code != store::ErrorCode::not_found) {
    return session::from_store(record.error(), "cannot read the assets");
  }
  return session::asset_not_found(request.name());
}

Result<v1::ListAssetsResponse> AssetsService::list(const v1::ListAssetsRequest& request) {
  const auto page_size = check_page_size(request.page_size());
  if (!page_size) {
    return page_size.error();
  }
  // The token is the last hash of the page before.
  if (!request.page_token().empty() && !check_asset_name("assets/" + request.page_token())) {
    Violations violations;
    violations.add("page_token", "is not one that List gave");
    return std::move(violations).error();
  }
  const auto records = environment_.database.list_assets(request.page_token(), *page_size + 1);
  if (!records) {
    return session::from_store(records.error(), "cannot read the assets");
  }
  v1::ListAssetsResponse response;
  for (const store::AssetRecord& record : records.value()) {
    if (response.assets_size() == *page_size) {
      const std::string& last = response.assets(*page_size - 1).name();
      response.set_next_page_token(last.substr(last.find('/') + 1));
      break;
    }
    *response.add_assets() = to_asset(record);
  }
  return response;
}

grpc::ServerUnaryReactor* AssetsService::Write(grpc::CallbackServerContext* context,
                                               const grpc::ByteBuffer* bytes,
                                               grpc::ByteBuffer* response) {
  return answer_on<v1::WriteAssetRequest, v1::Asset>(
      environment_.pool, context, bytes, response, session::chunk_bytes + small_request_bytes,
      [this](const v1::WriteAssetRequest& request) { return write(request); });
}

grpc::ServerUnaryReactor* AssetsService::Get(grpc::CallbackServerContext* context,
                                             const grpc::ByteBuffer* bytes,
                                             grpc::ByteBuffer* response) {
  return answer_on<v1::GetAssetRequest, v1::Asset>(
      environment_.pool, context, bytes, response, small_request_bytes,
      [this](const v1::GetAssetRequest& request) { return get(request); });
}

grpc::ServerUnaryReactor* AssetsService::List(grpc::CallbackServerContext* context,
                                              const grpc::ByteBuffer* bytes,
                                              grpc::ByteBuffer* response) {
  return answer_on<v1::ListAssetsRequest, v1::ListAssetsResponse>(
      environment_.pool, context, bytes, response, small_request_bytes,
      [this](const v1::ListAssetsRequest& request) { return list(request); });
}

}  // namespace sluice::api
