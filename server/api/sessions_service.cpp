// SPDX-License-Identifier: Apache-2.0
#include "server/api/sessions_service.h"

#include <fmt/format.h>

#include "server/api/checks.h"
#include "server/api/command_checks.h"
#include "server/api/reply.h"
#include "server/api/scene_check.h"
#include "server/api/watch_stream.h"
#include "server/convert/steer_convert.h"

namespace sluice::api {

using session::Result;

Result<std::shared_ptr<session::Session>> SessionsService::find(std::string_view name) {
  const auto id = check_session_name("name", name);
  if (!id) {
    return id.error();
  }
  return sessions_.find(*id);
}

Result<v1::Session> SessionsService::create(const v1::CreateSessionRequest& request) {
  session::Environment& environment = sessions_.environment();
  const session::Limits& limits = environment.settings.limits;
  Violations violations;
  session::CreateOrder order = check_create(request, limits, violations);
  check_recorded_commands(request, order.options.frame_count(), violations);
  order.recorded_commands.assign(request.recorded_commands().begin(),
                                 request.recorded_commands().end());
  if (request.has_scene()) {
    const convert::LoadedScene loaded = check_scene(request.scene(), environment);
    for (const scene::Problem& problem : loaded.problems) {
      if (problem.severity == scene::Severity::error) {
        violations.add(problem.path.empty() ? "scene" : "scene." + problem.path, problem.message);
      }
    }
    order.particle_count = loaded.particle_count;
    order.vertex_count = loaded.vertex_count;
    const std::int64_t points = order.particle_count + order.vertex_count + loaded.cell_count;
    if (loaded.frame_bytes > limits.frame_bytes) {
      violations.add("scene", fmt::format("a frame of {} particles, vertices and cells is larger "
                                          "than the {} bytes that are allowed",
                                          points, limits.frame_bytes));
    }
  }
  if (!violations.empty()) {
    return std::move(violations).error();
  }
  return sessions_.create(std::move(order));
}

grpc::ServerUnaryReactor* SessionsService::Create(grpc::CallbackServerContext* context,
                                                  const v1::CreateSessionRequest* request,
                                                  v1::Session* response) {
  return answer_on(sessions_.environment().pool, context, response,
                   [this, request] { return create(*request); });
}

grpc::ServerUnaryReactor* SessionsService::Get(grpc::CallbackServerContext* context,
                                               const v1::GetSessionRequest* request,
                                               v1::Session* response) {
  return answer(context, response, [&]() -> Result<v1::Session> {
    const auto session = find(request->name());
    if (!session) {
      return session.error();
    }
    return (*session)->snapshot();
  });
}

grpc::ServerUnaryReactor* SessionsService::GetScene(grpc::CallbackServerContext* context,
                                                    const v1::GetSessionSceneRequest* request,
                                                    v1::Scene* response) {
  return answer_on(sessions_.environment().pool, context, response,
                   [this, request]() -> Result<v1::Scene> {
                     const auto id = check_session_name("name", request->name());
                     if (!id) {
                       return id.error();
                     }
                     return sessions_.scene(*id);
                   });
}

grpc::ServerUnaryReactor* SessionsService::ListCommands(grpc::CallbackServerContext* context,
                                                        const v1::ListCommandsRequest* request,
                                                        v1::ListCommandsResponse* response) {
  return answer_on(sessions_.environment().pool, context, response,
                   [this, request]() -> Result<v1::ListCommandsResponse> {
                     const auto order = check_list_commands(*request);
                     if (!order) {
                       return order.error();
                     }
                     auto list =
                         sessions_.commands(order->session_id, order->after, order->page_size);
                     if (!list) {
                       return list.error();
                     }
                     v1::ListCommandsResponse page;
                     page.mutable_commands()->Assign(list->commands.begin(), list->commands.end());
                     if (list->next) {
                       page.set_next_page_token(command_page_token(*list->next));
                     }
                     return page;
                   });
}

grpc::ServerUnaryReactor* SessionsService::List(grpc::CallbackServerContext* context,
                                                const v1::ListSessionsRequest* request,
                                                v1::ListSessionsResponse* response) {
  return answer(context, response, [&]() -> Result<v1::ListSessionsResponse> {
    const auto order = check_list(*request);
    if (!order) {
      return order.error();
    }
    session::SessionList list = sessions_.list(order->states, order->after, order->page_size);
    v1::ListSessionsResponse page;
    for (v1::Session& session : list.sessions) {
      *page.add_sessions() = std::move(session);
    }
    if (list.next) {
      page.set_next_page_token(page_token(*list.next, order->states));
    }
    return page;
  });
}

grpc::ServerUnaryReactor* SessionsService::Delete(grpc::CallbackServerContext* context,
                                                  const v1::DeleteSessionRequest* request,
                                                  google::protobuf::Empty* /*response*/) {
  auto* reactor = context->DefaultReactor();
  const auto id = check_session_name("name", request->name());
  if (!id) {
    reactor->Finish(to_status(id.error()));
    return reactor;
  }
  sessions_.erase(*id, [reactor](const session::Status& status) {
    reactor->Finish(status ? grpc::Status::OK : to_status(status.error()));
  });
  return reactor;
}

namespace {

// A call that a session answers when it gets to it.
template <typename Call>
grpc::ServerUnaryReactor* forward(grpc::CallbackServerContext* context,
                                  const Result<std::shared_ptr<session::Session>>& session,
                                  v1::Session* response, Call&& call) {
  auto* reactor = context->DefaultReactor();
  if (!session) {
    reactor->Finish(to_status(session.error()));
    return reactor;
  }
  call(**session, [reactor, response](Result<v1::Session> result) {
    finish(reactor, response, std::move(result));
  });
  return reactor;
}

}  // namespace

grpc::ServerUnaryReactor* SessionsService::Pause(grpc::CallbackServerContext* context,
                                                 const v1::PauseSessionRequest* request,
                                                 v1::Session* response) {
  return forward(context, find(request->name()), response,
                 [](session::Session& session, auto reply) { session.pause(std::move(reply)); });
}

grpc::ServerUnaryReactor* SessionsService::Resume(grpc::CallbackServerContext* context,
                                                  const v1::ResumeSessionRequest* request,
                                                  v1::Session* response) {
  return forward(context, find(request->name()), response,
                 [](session::Session& session, auto reply) { session.resume(std::move(reply)); });
}

grpc::ServerUnaryReactor* SessionsService::Step(grpc::CallbackServerContext* context,
                                                const v1::StepSessionRequest* request,
                                                v1::Session* response) {
  const auto count = check_step(*request);
  if (!count) {
    auto* reactor = context->DefaultReactor();
    reactor->Finish(to_status(count.error()));
    return reactor;
  }
  return forward(
      context, find(request->name()), response,
      [&](session::Session& session, auto reply) { session.step(*count, std::move(reply)); });
}

grpc::ServerUnaryReactor* SessionsService::Cancel(grpc::CallbackServerContext* context,
                                                  const v1::CancelSessionRequest* request,
                                                  v1::Session* response) {
  return forward(context, find(request->name()), response,
                 [](session::Session& session, auto reply) { session.cancel(std::move(reply)); });
}

grpc::ServerUnaryReactor* SessionsService::RenewLease(grpc::CallbackServerContext* context,
                                                      const v1::RenewLeaseRequest* request,
                                                      v1::Session* response) {
  return forward(
      context, find(request->name()), response,
      [](session::Session& session, auto reply) { session.renew_lease(std::move(reply)); });
}

grpc::ServerUnaryReactor* SessionsService::Steer(grpc::CallbackServerContext* context,
                                                 const v1::SteerSessionRequest* request,
                                                 v1::SteerSessionResponse* response) {
  auto* reactor = context->DefaultReactor();
  const auto session = find(request->name());
  if (!session) {
    reactor->Finish(to_status(session.error()));
    return reactor;
  }
  const convert::ConvertedSteer converted = convert::convert_steer(request->command());
  if (!converted.command) {
    Violations violations;
    for (const scene::Problem& problem : converted.problems) {
      violations.add(problem.path.empty() ? "command" : "command." + problem.path, problem.message);
    }
    reactor->Finish(to_status(std::move(violations).error()));
    return reactor;
  }
  (*session)->steer(request->command(), [reactor, response](Result<std::int64_t> frame) {
    if (frame) {
      response->set_frame_index(*frame);
      reactor->Finish(grpc::Status::OK);
    } else {
      reactor->Finish(to_status(frame.error()));
    }
  });
  return reactor;
}

grpc::ServerWriteReactor<v1::WatchSessionResponse>* SessionsService::Watch(
    grpc::CallbackServerContext* /*context*/, const v1::WatchSessionRequest* request) {
  return start_watch_stream(find(request->name()), places_, sessions_.environment().pool);
}

}  // namespace sluice::api
