// SPDX-License-Identifier: Apache-2.0
#include "server/api/sessions_service.h"

#include <fmt/format.h>

#include "server/api/checks.h"
#include "server/api/command_checks.h"
#include "server/api/reply.h"
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

Result<v1::Session> SessionsService::create(const v1::CreateSessionRequest& request,
                                            const v1::SceneCheckResponse& found) {
  const session::Limits& limits = sessions_.environment().settings.limits;
  Violations violations;
  session::CreateOrder order = check_create(request, limits, violations);
  check_recorded_commands(request, order.options.frame_count(), violations);
  for (const v1::SceneProblem& problem : found.problems()) {
    if (problem.severity() == v1::SceneProblem::SEVERITY_ERROR) {
      violations.add(problem.field().empty() ? "scene" : "scene." + problem.field(),
                     problem.message());
    }
  }
  order.particle_count = found.particle_count();
  order.vertex_count = found.vertex_count();
  const std::int64_t points = order.particle_count + order.vertex_count + found.cell_count();
  if (found.frame_bytes() > limits.frame_bytes) {
    violations.add("scene", fmt::format("a frame of {} particles, vertices and cells is larger "
                                        "than the {} bytes that are allowed",
                                        points, limits.frame_bytes));
  }
  if (!violations.empty()) {
    return std::move(violations).error();
  }
  order.recorded_commands.assign(request.recorded_commands().begin(),
                                 request.recorded_commands().end());
  return sessions_.create(std::move(order));
}

grpc::ServerUnaryReactor* SessionsService::Create(grpc::CallbackServerContext* context,
                                                  const grpc::ByteBuffer* bytes,
                                                  grpc::ByteBuffer* response) {
  auto* reactor = context->DefaultReactor();
  const session::Environment& environment = sessions_.environment();
  environment.pool.post([this, context, reactor, bytes, response] {
    const auto most =
        static_cast<std::size_t>(sessions_.environment().settings.limits.message_bytes);
    const auto request = read_request<v1::CreateSessionRequest>(reactor, *bytes, most);
    if (!request) {
      return;
    }
    const auto go_on = [this, reactor, response, request](Result<v1::SceneCheckResponse> found) {
      // On the pool again: it waits for the disk.
      sessions_.environment().pool.post(
          [this, reactor, response, request, found = std::move(found)] {
            finish<v1::Session>(reactor, response, answer_of<v1::Session>([&] {
                                  return found ? create(*request, found.value()) : found.error();
                                }));
          });
    };
    if (!request->has_scene()) {
      go_on(v1::SceneCheckResponse());
      return;
    }
    try {
      checker_.check(request->scene(), context, go_on);
    } catch (const std::bad_alloc&) {
      go_on(session::out_of_memory());
    }
  });
  return reactor;
}

grpc::ServerUnaryReactor* SessionsService::Get(grpc::CallbackServerContext* context,
                                               const grpc::ByteBuffer* bytes,
                                               grpc::ByteBuffer* response) {
  return answer<v1::GetSessionRequest, v1::Session>(
      context, bytes, response, [&](const v1::GetSessionRequest& request) -> Result<v1::Session> {
        const auto session = find(request.name());
        if (!session) {
          return session.error();
        }
        return (*session)->snapshot();
      });
}

grpc::ServerUnaryReactor* SessionsService::GetScene(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* bytes,
                                                    grpc::ByteBuffer* response) {
  return answer_on<v1::GetSessionSceneRequest, v1::Scene>(
      sessions_.environment().pool, context, bytes, response, small_request_bytes,
      [this](const v1::GetSessionSceneRequest& request) -> Result<v1::Scene> {
        const auto id = check_session_name("name", request.name());
        if (!id) {
          return id.error();
        }
        return sessions_.scene(*id);
      });
}

grpc::ServerUnaryReactor* SessionsService::ListCommands(grpc::CallbackServerContext* context,
                                                        const grpc::ByteBuffer* bytes,
                                                        grpc::ByteBuffer* response) {
  return answer_on<v1::ListCommandsRequest, v1::ListCommandsResponse>(
      sessions_.environment().pool, context, bytes, response, small_request_bytes,
      [this](const v1::ListCommandsRequest& request) -> Result<v1::ListCommandsResponse> {
        const auto order = check_list_commands(request);
        if (!order) {
          return order.error();
        }
        auto list = sessions_.commands(order->session_id, order->after, order->page_size);
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
                                                const grpc::ByteBuffer* bytes,
                                                grpc::ByteBuffer* response) {
  return answer<v1::ListSessionsRequest, v1::ListSessionsResponse>(
      context, bytes, response,
      [&](const v1::ListSessionsRequest& request) -> Result<v1::ListSessionsResponse> {
        const auto order = check_list(request);
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
                                                  const grpc::ByteBuffer* bytes,
                                                  grpc::ByteBuffer* response) {
  auto* reactor = context->DefaultReactor();
  const auto request = read_request<v1::DeleteSessionRequest>(reactor, *bytes, small_request_bytes);
  if (!request) {
    return reactor;
  }
  const auto id = check_session_name("name", request->name());
  if (!id) {
    reactor->Finish(to_status(id.error()));
    return reactor;
  }
  sessions_.erase(*id, [reactor, response](const session::Status& status) {
    finish<google::protobuf::Empty>(
        reactor, response,
        status ? Result<google::protobuf::Empty>(google::protobuf::Empty()) : status.error());
  });
  return reactor;
}

// A call that a session answers when it gets to it: `call(session, request, reply)`.
template <typename Request, typename Call>
grpc::ServerUnaryReactor* SessionsService::forward(grpc::CallbackServerContext* context,
                                                   const grpc::ByteBuffer* bytes,
                                                   grpc::ByteBuffer* response, Call&& call) {
  auto* reactor = context->DefaultReactor();
  const auto request = read_request<Request>(reactor, *bytes, small_request_bytes);
  if (!request) {
    return reactor;
  }
  const auto session = find(request->name());
  if (!session) {
    reactor->Finish(to_status(session.error()));
    return reactor;
  }
  call(**session, *request, [reactor, response](const Result<v1::Session>& result) {
    finish<v1::Session>(reactor, response, result);
  });
  return reactor;
}

grpc::ServerUnaryReactor* SessionsService::Pause(grpc::CallbackServerContext* context,
                                                 const grpc::ByteBuffer* bytes,
                                                 grpc::ByteBuffer* response) {
  return forward<v1::PauseSessionRequest>(
      context, bytes, response,
      [](session::Session& session, const auto&, auto reply) { session.pause(std::move(reply)); });
}

grpc::ServerUnaryReactor* SessionsService::Resume(grpc::CallbackServerContext* context,
                                                  const grpc::ByteBuffer* bytes,
                                                  grpc::ByteBuffer* response) {
  return forward<v1::ResumeSessionRequest>(
      context, bytes, response,
      [](session::Session& session, const auto&, auto reply) { session.resume(std::move(reply)); });
}

grpc::ServerUnaryReactor* SessionsService::Step(grpc::CallbackServerContext* context,
                                                const grpc::ByteBuffer* bytes,
                                                grpc::ByteBuffer* response) {
  return forward<v1::StepSessionRequest>(
      context, bytes, response,
      [](session::Session& session, const v1::StepSessionRequest& request, auto reply) {
        const auto count = check_step(request);
        count ? session.step(*count, std::move(reply)) : reply(count.error());
      });
}

grpc::ServerUnaryReactor* SessionsService::Cancel(grpc::CallbackServerContext* context,
                                                  const grpc::ByteBuffer* bytes,
                                                  grpc::ByteBuffer* response) {
  return forward<v1::CancelSessionRequest>(
      context, bytes, response,
      [](session::Session& session, const auto&, auto reply) { session.cancel(std::move(reply)); });
}

grpc::ServerUnaryReactor* SessionsService::RenewLease(grpc::CallbackServerContext* context,
                                                      const grpc::ByteBuffer* bytes,
                                                      grpc::ByteBuffer* response) {
  return forward<v1::RenewLeaseRequest>(context, bytes, response,
                                        [](session::Session& session, const auto&, auto reply) {
                                          session.renew_lease(std::move(reply));
                                        });
}

grpc::ServerUnaryReactor* SessionsService::Steer(grpc::CallbackServerContext* context,
                                                 const grpc::ByteBuffer* bytes,
                                                 grpc::ByteBuffer* response) {
  auto* reactor = context->DefaultReactor();
  const auto request = read_request<v1::SteerSessionRequest>(reactor, *bytes, small_request_bytes);
  if (!request) {
    return reactor;
  }
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
  (*session)->steer(request->command(), [reactor, response](const Result<std::int64_t>& frame) {
    if (!frame) {
      reactor->Finish(to_status(frame.error()));
      return;
    }
    v1::SteerSessionResponse answered;
    answered.set_frame_index(*frame);
    finish<v1::SteerSessionResponse>(reactor, response, answered);
  });
  return reactor;
}

grpc::ServerWriteReactor<grpc::ByteBuffer>* SessionsService::Watch(
    grpc::CallbackServerContext* /*context*/, const grpc::ByteBuffer* bytes) {
  v1::WatchSessionRequest request;
  const auto error = parse_request(*bytes, small_request_bytes, request);
  return start_watch_stream(error ? *error : find(request.name()), places_,
                            sessions_.environment().pool);
}

}  // namespace sluice::api
