// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/session/environment.h"
#include "server/session/error.h"
#include "server/session/session.h"

namespace sluice::session {

/// What a checked request for a new session comes to.
struct CreateOrder {
  v1::Scene scene;         ///< Can be run; its assets are there.
  v1::RunOptions options;  ///< Every default filled in.
  std::string display_name;
  std::string session_id;                              ///< Empty: choose one.
  std::string request_id;                              ///< Empty: none.
  std::vector<v1::RecordedCommand> recorded_commands;  ///< By frame.
  std::int64_t particle_count = 0;
  std::int64_t vertex_count = 0;
};

/// A place in a listing: behind this session.
struct ListCursor {
  std::int64_t create_time_micros;
  std::string id;
};

/// A page of the commands that act on a session.
struct CommandList {
  std::vector<v1::RecordedCommand> commands;  ///< By frame, then as they were given.
  std::optional<store::CommandCursor> next;   ///< Set if there are more.
};

struct SessionList {
  std::vector<v1::Session> sessions;  ///< Newest first.
  std::optional<ListCursor> next;     ///< Set if there are more.
};

/// All sessions of the server. Thread-safe.
class Sessions {
 public:
  /// Reads what the data directory has. Nothing runs before `start`.
  static Result<std::unique_ptr<Sessions>> open(Environment environment);
  ~Sessions();

  /// Starts workers for what is to run. Once the way for workers is open.
  void start();

  /// Lets every worker save its state and end, for at most Settings::stop_grace; streams end with
  /// `stopping`. Blocks. What was running goes on at the next start.
  void stop();

  /// Creates a session, or answers with the one that was created by the same request. Blocks on the
  /// disk.
  Result<v1::Session> create(CreateOrder order);
  [[nodiscard]] Result<std::shared_ptr<Session>> find(std::string_view id) const;
  [[nodiscard]] SessionList list(const std::vector<v1::SessionState>& states,
                                 const std::optional<ListCursor>& after, int page_size) const;
  /// What there is and has been; of streams and the disk others know.
  [[nodiscard]] Census census() const;
  /// The scene a session was created with.
  [[nodiscard]] Result<v1::Scene> scene(std::string_view id) const;
  /// The commands that act on a session, behind `after`. Blocks on the disk.
  [[nodiscard]] Result<CommandList> commands(std::string_view id, const store::CommandCursor& after,
                                             int page_size) const;
  void erase(std::string_view id, StatusReply reply);

  /// What the start found amiss in the data directory and what it did about it; usually nothing.
  [[nodiscard]] const std::vector<std::string>& findings() const { return findings_; }

  [[nodiscard]] Environment& environment() { return environment_; }

 private:
  using Key = std::pair<std::int64_t, std::string>;  // (create time, id)
  explicit Sessions(Environment environment) : environment_(std::move(environment)) {}
  void insert(std::shared_ptr<Session> session);
  Result<std::optional<v1::Session>> find_by_request(const CreateOrder& order);
  [[nodiscard]] bool was_created_with(std::string_view id,
                                      const std::vector<v1::RecordedCommand>& commands) const;
  store::Status insert_row(const store::SessionRecord& row,
                           const std::vector<store::CommandRecord>& commands);

  Environment environment_;
  std::vector<std::string> findings_;
  mutable std::mutex mutex_;
  std::mutex create_mutex_;  // Held over a creation: ids and request ids stay unique.
  std::map<std::string, std::shared_ptr<Session>, std::less<>> by_id_;
  std::map<Key, std::shared_ptr<Session>, std::greater<>> newest_first_;
  bool stopping_ = false;
};

}  // namespace sluice::session
