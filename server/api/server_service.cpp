// SPDX-License-Identifier: Apache-2.0
#include "server/api/server_service.h"

#include <google/protobuf/util/time_util.h>

#include "server/api/reply.h"
#include "server/session/environment.h"
#include "sluice/v1/scene.pb.h"

namespace sluice::api {

ServerService::ServerService(const session::Limits& limits, const std::string& viewer_url,
                             const std::vector<std::string>& findings) {
  info_.mutable_findings()->Assign(findings.begin(), findings.end());
  info_.set_viewer_url(viewer_url);
  info_.set_version(SLUICE_VERSION);
  info_.set_build("GCC " __VERSION__ " " SLUICE_TARGET);
  *info_.mutable_start_time() =
      google::protobuf::util::TimeUtil::MicrosecondsToTimestamp(session::now_micros());
  const auto* methods = v1::CouplingMethod_descriptor();
  for (int i = 0; i < methods->value_count(); ++i) {
    if (methods->value(i)->number() != v1::COUPLING_METHOD_UNSPECIFIED) {
      info_.add_coupling_methods(methods->value(i)->name());
    }
  }
  v1::Limits& out = *info_.mutable_limits();
  out.set_running_sessions(limits.running_sessions);
  out.set_stored_sessions(limits.stored_sessions);
  out.set_particles_per_scene(limits.particles_per_scene);
  out.set_vertices_per_scene(limits.vertices_per_scene);
  out.set_frames_per_session(limits.frames_per_session);
  out.set_frame_bytes(limits.frame_bytes);
  out.set_asset_bytes(limits.asset_bytes);
  out.set_reserved_disk_bytes(limits.reserved_disk_bytes);
  out.set_message_bytes(limits.message_bytes);
  out.set_worker_memory_bytes(limits.worker_memory_bytes);
  out.set_threads_per_session(limits.threads_per_session);
  out.set_streams(limits.streams);
}

grpc::ServerUnaryReactor* ServerService::GetInfo(grpc::CallbackServerContext* context,
                                                 const grpc::ByteBuffer* bytes,
                                                 grpc::ByteBuffer* response) {
  return answer<v1::GetServerInfoRequest, v1::ServerInfo>(
      context, bytes, response,
      [&](const v1::GetServerInfoRequest&) -> session::Result<v1::ServerInfo> { return info_; });
}

}  // namespace sluice::api
