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

/// A checked request for a new session.
struct CreateOrder {
  v1::Scene scene;         ///< A scene that can be run, whose assets are stored.
  v1::RunOptions options;  ///< Options with every default filled in.
  std::string display_name;
  std::string session_id;                              ///< If empty, the server chooses one.
  std::string request_id;                              ///< If empty, the request has none.
  std::vector<v1::RecordedCommand> recorded_commands;  ///< In the order of frames.
  std::int64_t particle_count = 0;
  std::int64_t vertex_count = 0;
};

/// A place in a listing: behind the session with this time and id.
struct ListCursor {
  std::int64_t create_time_micros;
  std::string id;
};

/// A page of the commands that act on a session.
struct CommandList {
  std::vector<v1::RecordedCommand> commands;  ///< By frame, then in the order they were given.
  std::optional<store::CommandCursor> next;   ///< Set if there are more.
};

struct SessionList {
  std::vector<v1::Session> sessions;  ///< Newest first.
  std::optional<ListCursor> next;     ///< Set if there are more.
};

/// All sessions of the server. Thread-safe.
class Sessions {
 public:
  /// Reads the sessions of the data directory. No session runs before `start`.
  static Result<std::unique_ptr<Sessions>> open(Environment environment);
  ~Sessions();

  /// Starts workers for the sessions that should run. Call it once workers can connect.
  void start();

  /// Lets every worker save its state and end, for at most Settings::stop_grace (and a second);
  /// streams end with `stopping`. Blocks. Running sessions go on at the next start.
  void stop();

  /// Creates a session, or returns the one that the same request created before. Blocks on the
  /// disk.
  Result<v1::Session> create(CreateOrder order);
  [[nodiscard]] Result<std::shared_ptr<Session>> find(std::string_view id) const;
  [[nodiscard]] SessionList list(const std::vector<v1::SessionState>& states,
                                 const std::optional<ListCursor>& after, int page_size) const;
  /// Counts sessions, frames and totals; the caller adds the counts of streams and free disk space.
  [[nodiscard]] Census census() const;
  /// Reads the scene that a session was created with.
  [[nodiscard]] Result<v1::Scene> scene(std::string_view id) const;
  /// Lists the commands that act on a session, those behind `after`. Blocks on the disk.
  [[nodiscard]] Result<CommandList> commands(std::string_view id, const store::CommandCursor& after,
                                             int page_size) const;
  void erase(std::string_view id, StatusReply reply);

  /// Sentences about damage that the start found in the data directory, and its repair.
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
  std::mutex create_mutex_;  // Held during a creation, so that ids and request ids stay unique.
  std::map<std::string, std::shared_ptr<Session>, std::less<>> by_id_;
  std::map<Key, std::shared_ptr<Session>, std::greater<>> newest_first_;
  bool stopping_ = false;
};

}  // namespace sluice::session
