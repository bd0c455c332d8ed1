// SPDX-License-Identifier: Apache-2.0
#include "server/session/sessions.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>

#include "server/session/names.h"
#include "server/session/recovery.h"
#include "server/store/session_note.h"

namespace sluice::session {

Result<std::unique_ptr<Sessions>> Sessions::open(Environment environment) {
  std::unique_ptr<Sessions> sessions(new Sessions(environment));
  if (auto agreed = reconcile(environment, sessions->findings_); !agreed) {
    return agreed.error();
  }
  // Deleted, but for a row that could not be.
  const auto buried = environment.directory.buried();
  const auto is_deleted = [&](const std::string& id) {
    return buried && std::ranges::find(*buried, id) != buried->end() &&
           !std::filesystem::exists(environment.directory.session_path(id));
  };
  std::optional<store::SessionCursor> after;
  do {
    const auto page = environment.database.list_sessions(after, max_page_size);
    if (!page) {
      return from_store(page.error(), "cannot read the sessions");
    }
    for (const store::SessionRecord& row : page.value().sessions) {
      if (!store::is_session_id(row.id) || is_deleted(row.id)) {
        continue;
      }
      auto stored = from_record(row);
      if (!stored) {
        spdlog::error("{}: left alone", stored.error().message);
        continue;
      }
      auto session = std::make_shared<Session>(sessions->environment_, std::move(*stored));
      session->recover();
      sessions->insert(std::move(session));
    }
    after = page.value().next;
  } while (after);
  return sessions;
}

Sessions::~Sessions() = default;

void Sessions::insert(std::shared_ptr<Session> session) {
  const std::lock_guard lock(mutex_);
  const SessionSpec& spec = session->spec();
  newest_first_.emplace(Key{spec.create_time_micros, spec.id}, session);
  by_id_.emplace(spec.id, std::move(session));
}

void Sessions::start() {
  std::vector<std::shared_ptr<Session>> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, session] : newest_first_) {
      all.push_back(session);
    }
  }
  // Oldest first, so that places go to those who have waited longest.
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    (*it)->start();
  }
}

void Sessions::stop() {
  std::vector<std::shared_ptr<Session>> all;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(stopping_, true)) {
      return;
    }
    for (const auto& [key, session] : newest_first_) {
      all.push_back(session);
    }
  }
  struct Progress {
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t left;
  };
  auto progress = std::make_shared<Progress>();
  progress->left = all.size();
  for (const auto& session : all) {
    session->shut_down([progress] {
      const std::lock_guard lock(progress->mutex);
      --progress->left;
      progress->changed.notify_all();
    });
  }
  std::unique_lock lock(progress->mutex);
  // Sessions kill their workers when the grace is over; the rest is for reaping.
  const auto patience = environment_.settings.stop_grace + std::chrono::seconds(1);
  if (!progress->changed.wait_for(lock, patience, [&] { return progress->left == 0; })) {
    spdlog::warn("{} workers did not end in time; they end with the server", progress->left);
  }
}

Result<std::optional<v1::Session>> Sessions::find_by_request(const CreateOrder& order) {
  if (order.request_id.empty()) {
    return std::optional<v1::Session>();
  }
  const auto found = environment_.database.find_session_by_request_id(order.request_id);
  if (!found) {
    return from_store(found.error(), "cannot look for the request");
  }
  const std::optional<store::SessionRecord>& row = found.value();
  if (!row) {
    return std::optional<v1::Session>();
  }
  const store::SessionRecord& record = *row;
  const auto stored = from_record(record);
  const bool same = stored && record.scene_bytes == order.scene.SerializeAsString() &&
                    stored->spec.options.SerializeAsString() == order.options.SerializeAsString() &&
                    stored->spec.display_name == order.display_name &&
                    stored->spec.recorded_command_count ==
                        static_cast<std::int64_t>(order.recorded_commands.size()) &&
                    was_created_with(record.id, order.recorded_commands) &&
                    (order.session_id.empty() || order.session_id == record.id);
  const auto session = find(record.id);
  if (!same || !session) {
    return request_id_reused(order.request_id);
  }
  return std::optional((*session)->snapshot());
}

// The commands of the creation are the first ones; later ones were given to the running session.
bool Sessions::was_created_with(std::string_view id,
                                const std::vector<v1::RecordedCommand>& commands) const {
  const auto stored = environment_.database.list_commands(id, 0);
  auto expected = commands.begin();
  for (const store::CommandRecord& record :
       stored ? stored.value() : std::vector<store::CommandRecord>()) {
    if (record.sequence > static_cast<std::int64_t>(commands.size())) {
      continue;
    }
    if (record.frame_index != expected->frame_index() ||
        record.payload_bytes != expected->command().SerializeAsString()) {
      return false;
    }
    ++expected;
  }
  return expected == commands.end();
}

Result<v1::Session> Sessions::create(CreateOrder order) {
  const std::lock_guard creation(create_mutex_);
  auto known = find_by_request(order);
  if (!known) {
    return known.error();
  }
  if (std::optional<v1::Session> same = *std::move(known)) {
    return *std::move(same);
  }
  SessionSpec spec;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) {
      return server_stopping();
    }
    const Limits& limits = environment_.settings.limits;
    if (by_id_.size() >= static_cast<std::size_t>(limits.stored_sessions)) {
      return limit_reached("sessions", limits.stored_sessions, "delete some");
    }
    spec.id = order.session_id;
    while (spec.id.empty() || (order.session_id.empty() && by_id_.contains(spec.id))) {
      spec.id = new_session_id();
    }
    if (by_id_.contains(spec.id)) {
      return session_exists(session_name(spec.id));
    }
    spec.create_time_micros = now_micros();
    if (!newest_first_.empty()) {  // Also when the clock was set back, or two come in one tick.
      spec.create_time_micros =
          std::max(spec.create_time_micros, newest_first_.begin()->first.first + 1);
    }
  }
  spec.display_name = std::move(order.display_name);
  spec.options = std::move(order.options);
  spec.particle_count = order.particle_count;
  spec.vertex_count = order.vertex_count;
  spec.recorded_command_count = static_cast<std::int64_t>(order.recorded_commands.size());
  std::vector<store::CommandRecord> commands;
  commands.reserve(order.recorded_commands.size());
  for (const v1::RecordedCommand& recorded : order.recorded_commands) {
    commands.push_back({.session_id = spec.id,
                        .sequence = static_cast<std::int64_t>(commands.size()) + 1,
                        .frame_index = recorded.frame_index(),
                        .payload_bytes = recorded.command().SerializeAsString()});
  }
  const LifeCycle life = LifeCycle::create(spec.options.frame_count(), spec.options.max_restarts(),
                                           spec.options.start_paused());
  std::error_code unknown;
  const std::filesystem::path folder = environment_.directory.session_path(spec.id);
  if (std::filesystem::exists(folder, unknown)) {
    // It is of a session that could not be read at the start: its files are not ours to touch.
    return session_exists(session_name(spec.id));
  }
  if (const auto created = environment_.directory.create_session(spec.id); !created) {
    return from_store(created.error(), "cannot create the session");
  }
  store::SessionNote note{to_record(spec, life, order.scene, std::move(order.request_id)),
                          std::move(commands)};
  // First into the folder, so that there is no row which a lost database would take with it.
  const auto noted = store::write_session_note(folder, note);
  const auto row = noted ? insert_row(note.row, note.commands) : noted;
  if (!row) {
    if (const auto undone = environment_.directory.delete_session(spec.id); !undone) {
      spdlog::warn("{}", undone.error().message);
    }
    return row.error().code == store::ErrorCode::already_exists
               ? session_exists(session_name(spec.id))
               : from_store(row.error(), "cannot create the session");
  }
  StoredSession stored;
  stored.spec = std::move(spec);
  stored.facts = life.facts();
  stored.update_time_micros = stored.spec.create_time_micros;
  auto session = std::make_shared<Session>(environment_, std::move(stored));
  insert(session);
  session->start();
  return session->snapshot();
}

store::Status Sessions::insert_row(const store::SessionRecord& row,
                                   const std::vector<store::CommandRecord>& commands) {
  auto inserted = environment_.database.insert_session(row, commands);
  if (inserted || inserted.error().code != store::ErrorCode::already_exists) {
    return inserted;
  }
  // A session of that name was deleted when its row could not be: the trash still says so.
  const auto buried = environment_.directory.buried();
  if (buried && std::ranges::find(*buried, row.id) != buried->end() &&
      environment_.database.delete_session(row.id)) {
    inserted = environment_.database.insert_session(row, commands);
  }
  return inserted;
}

Result<std::shared_ptr<Session>> Sessions::find(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) {
    return session_not_found(session_name(id));
  }
  return found->second;
}

SessionList Sessions::list(const std::vector<v1::SessionState>& states,
                           const std::optional<ListCursor>& after, int page_size) const {
  const std::lock_guard lock(mutex_);
  auto at = newest_first_.begin();
  if (after) {
    at = newest_first_.upper_bound(Key{after->create_time_micros, after->id});
  }
  SessionList list;
  Key last;
  for (; at != newest_first_.end(); ++at) {
    v1::Session session = at->second->snapshot();
    if (!states.empty() && std::ranges::find(states, session.state()) == states.end()) {
      continue;
    }
    if (list.sessions.size() == static_cast<std::size_t>(page_size)) {
      list.next = ListCursor{last.first, last.second};
      break;
    }
    last = at->first;
    list.sessions.push_back(std::move(session));
  }
  return list;
}

Census Sessions::census() const {
  Census census;
  for (int state = v1::SESSION_STATE_PENDING; state <= v1::SESSION_STATE_CANCELLED; ++state) {
    census.sessions.emplace(state_name(static_cast<v1::SessionState>(state)), 0);
  }
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, session] : by_id_) {
      const v1::Session snapshot = session->snapshot();
      ++census.sessions[std::string(state_name(snapshot.state()))];
      census.stored_frame_count += snapshot.frame_count();
      census.stored_byte_count += snapshot.stored_byte_count();
    }
  }
  const Totals& totals = *environment_.totals;
  census.frame_count = totals.frame_count;
  census.frame_byte_count = totals.frame_byte_count;
  census.substep_count = totals.substep_count;
  census.solve_seconds = 1e-6 * static_cast<double>(totals.solve_microseconds);
  census.checkpoint_count = totals.checkpoint_count;
  census.steer_count = totals.steer_count;
  census.worker_start_count = totals.worker_start_count;
  census.worker_death_count = totals.worker_death_count;
  return census;
}

Result<v1::Scene> Sessions::scene(std::string_view id) const {
  if (const auto session = find(id); !session) {
    return session.error();
  }
  const auto bytes = stored_scene(environment_, id);
  if (!bytes) {
    return bytes.error().code == store::ErrorCode::not_found
               ? session_not_found(session_name(id))
               : from_store(bytes.error(), "cannot read the scene");
  }
  v1::Scene scene;
  if (!scene.ParseFromString(*bytes)) {
    return scene_damaged(session_name(id));
  }
  return scene;
}

Result<CommandList> Sessions::commands(std::string_view id, const store::CommandCursor& after,
                                       int page_size) const {
  if (const auto session = find(id); !session) {
    return session.error();
  }
  // One more tells whether there is a next page.
  const auto records = environment_.database.list_commands(id, after, page_size + 1);
  if (!records) {
    return from_store(records.error(), "cannot read the commands");
  }
  CommandList list;
  for (const store::CommandRecord& record : records.value()) {
    if (list.commands.size() == static_cast<std::size_t>(page_size)) {
      const store::CommandRecord& last = records.value()[static_cast<std::size_t>(page_size) - 1];
      list.next = store::CommandCursor{last.frame_index, last.sequence};
      break;
    }
    auto command = from_record(record);
    if (!command) {
      return command.error();
    }
    list.commands.push_back(*std::move(command));
  }
  return list;
}

void Sessions::erase(std::string_view id, StatusReply reply) {
  const auto found = find(id);
  if (!found) {
    reply(found.error());
    return;
  }
  const Key key{(*found)->spec().create_time_micros, std::string(id)};
  (*found)->erase([this, key, reply = std::move(reply)](Status status) {
    if (status) {
      const std::lock_guard lock(mutex_);
      newest_first_.erase(key);
      by_id_.erase(key.second);
    }
    reply(std::move(status));
  });
}

}  // namespace sluice::session
