// SPDX-License-Identifier: Apache-2.0
#include "server/session/recovery.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "server/session/life_cycle.h"
#include "server/session/names.h"
#include "server/session/session_spec.h"
#include "server/store/frame_log.h"
#include "server/store/session_note.h"

namespace sluice::session {
namespace {

using store::CommandRecord;
using store::SessionNote;
using store::SessionRecord;

bool same_standing(const SessionRecord& a, const SessionRecord& b) {
  return a.state == b.state && a.state_reason == b.state_reason &&
         a.state_message == b.state_message && a.target_frame_count == b.target_frame_count;
}

// Row and note of one time were written from the same values.
bool same_facts(const SessionRecord& a, const SessionRecord& b) {
  return same_standing(a, b) && a.frame_count == b.frame_count && a.epoch == b.epoch &&
         a.restart_count == b.restart_count && a.checkpoint_frame == b.checkpoint_frame;
}

// Whether a start would do other things by `noted` than by `row`.
bool differs_after_a_start(const SessionRecord& noted, const SessionRecord& row) {
  const auto runs = [](const SessionRecord& record) {
    return !is_terminal(static_cast<v1::SessionState>(record.state)) &&
           record.state != v1::SESSION_STATE_PAUSED;
  };
  return !same_standing(noted, row) &&
         !(runs(noted) && runs(row) && noted.target_frame_count == row.target_frame_count);
}

bool same_creation(const SessionRecord& a, const SessionRecord& b) {
  return a.request_id == b.request_id && a.display_name == b.display_name &&
         a.options_bytes == b.options_bytes && a.create_time_micros == b.create_time_micros;
}

// Clients get them all in one message: server.proto, ServerInfo.findings.
constexpr std::size_t most_findings = 100;

class Reconciliation {
 public:
  Reconciliation(Environment& environment, std::vector<std::string>& findings)
      : environment_(environment), findings_(findings) {}

  Status run();

 private:
  Status finish_deletions();
  Status check_rows();
  void check_row(SessionRecord row);
  void check_folder(const std::string& id);
  void restore_assets();
  bool has_commands(const SessionRecord& row, const SessionNote& note);
  bool restore(const std::string& id, SessionNote note);
  void restore_warnings(const std::string& id);
  void fail_without_folder(const SessionRecord& row);
  void write_note(const SessionRecord& row);
  [[nodiscard]] std::filesystem::path folder_of(std::string_view id) const {
    return environment_.directory.session_path(id);
  }
  void tell(std::string finding) {
    spdlog::warn("{}", finding);
    if (findings_.size() < most_findings) {
      findings_.push_back(std::move(finding));
    } else {
      ++untold_count_;
    }
  }

  Environment& environment_;
  std::vector<std::string>& findings_;
  std::size_t untold_count_ = 0;
  std::set<std::string> known_;
};

Status Reconciliation::run() {
  for (auto step : {&Reconciliation::finish_deletions, &Reconciliation::check_rows}) {
    if (auto done = (this->*step)(); !done) {
      return done;
    }
  }
  const auto folders = environment_.directory.session_folders();
  if (!folders) {
    return from_store(folders.error(), "cannot look for sessions");
  }
  for (const std::string& id : *folders) {
    if (!known_.contains(id)) {
      check_folder(id);
    }
  }
  restore_assets();
  if (untold_count_ > 0) {
    findings_.push_back(fmt::format("and {} more, which the log has", untold_count_));
  }
  return ok();
}

// A folder in the trash says that its session was deleted; the row may have been left.
Status Reconciliation::finish_deletions() {
  const auto buried = environment_.directory.buried();
  if (!buried) {
    return from_store(buried.error(), "cannot look for deleted sessions");
  }
  for (const std::string& id : *buried) {
    if (std::filesystem::exists(folder_of(id))) {
      continue;  // A later session of that name: its row stays.
    }
    const auto row = environment_.database.delete_session(id);
    if (!row && row.error().code != store::ErrorCode::not_found) {
      spdlog::warn("the row of the deleted '{}' is left for the next start: {}", session_name(id),
                   row.error().message);
      known_.insert(id);
      return ok();  // With the trash, which says so.
    }
  }
  if (const auto emptied = environment_.directory.empty_trash(); !emptied) {
    spdlog::warn("{}", emptied.error().message);
  }
  return ok();
}

Status Reconciliation::check_rows() {
  std::vector<SessionRecord> rows;
  std::optional<store::SessionCursor> after;
  do {
    auto page = environment_.database.list_sessions(after, max_page_size);
    if (!page) {
      return from_store(page.error(), "cannot read the sessions");
    }
    after = page->next;
    std::ranges::move(page->sessions, std::back_inserter(rows));
  } while (after);
  for (SessionRecord& row : rows) {
    if (known_.insert(row.id).second) {
      check_row(std::move(row));
    }
  }
  return ok();
}

void Reconciliation::check_row(SessionRecord row) {
  if (!store::is_session_id(row.id)) {
    tell("a row of the database has no name that a session can have: it is left alone");
    return;
  }
  const std::string name = session_name(row.id);
  std::error_code error;
  if (!std::filesystem::is_directory(folder_of(row.id), error)) {
    if (!error || error == std::errc::no_such_file_or_directory) {
      fail_without_folder(row);
    }
    return;
  }
  auto note = store::read_session_note(folder_of(row.id));
  if (!note) {
    if (note.error().code == store::ErrorCode::corrupt) {
      tell(
          fmt::format("the note in the folder of '{}' is damaged; it is written again from the "
                      "database: {}",
                      name, note.error().message));
    }
    if (note.error().code == store::ErrorCode::corrupt ||
        note.error().code == store::ErrorCode::not_found) {
      write_note(row);  // Also of sessions of versions that wrote none.
    }
    return;
  }
  const auto standing = store::read_standing_note(folder_of(row.id));
  // Row and note are written with one time, the row first.
  const bool is_older =
      standing &&
      (standing->update_time_micros > row.update_time_micros ||
       (standing->update_time_micros == row.update_time_micros && !same_facts(*standing, row)));
  const bool is_readable = from_record(row).has_value();
  if (!is_older && is_readable && same_creation(note->row, row) && has_commands(row, *note)) {
    if (differs_after_a_start(standing ? *standing : note->row, row)) {
      // The server ended between the two.
      if (const auto written = store::write_standing_note(folder_of(row.id), row); !written) {
        spdlog::warn("{}", written.error().message);
      }
    }
    return;
  }
  store::apply_standing(is_older ? *standing : row, note->row);
  if (restore(row.id, *std::move(note))) {
    tell(fmt::format("the database was {} of '{}': its row is made again from its folder",
                     is_older ? "older than the folder" : "damaged in the row", name));
  }
}

void Reconciliation::check_folder(const std::string& id) {
  const std::string name = session_name(id);
  auto note = store::read_session_note(folder_of(id));
  if (note && from_record(note->row)) {
    if (const auto standing = store::read_standing_note(folder_of(id))) {
      store::apply_standing(*standing, note->row);
    }
    if (restore(id, *std::move(note))) {
      tell(fmt::format("'{}' was not in the database: it is taken up again from its folder", name));
    }
    return;
  }
  if (!note && note.error().code != store::ErrorCode::not_found &&
      note.error().code != store::ErrorCode::corrupt) {
    tell(
        fmt::format("'{}' is not in the database and cannot be looked at now, it is left as it "
                    "is: {}",
                    name, note.error().message));
    return;
  }
  if (!note && environment_.directory.remove_if_empty(id)) {
    return;  // The server died while it made the folder, before anything was in it.
  }
  const std::filesystem::path folder = folder_of(id);
  const auto kept = environment_.directory.set_aside(id, std::span(&folder, 1));
  if (kept) {
    tell(
        fmt::format("the folder of '{}' is in no database and does not say what it is: it is kept "
                    "as {}",
                    name, kept->string()));
  } else {
    tell(
        fmt::format("the folder of '{}' is in no database and does not say what it is; it stays "
                    "where it is: {}",
                    name, kept.error().message));
  }
}

// Whether the database has every command that stands in the folder.
bool Reconciliation::has_commands(const SessionRecord& row, const SessionNote& note) {
  const auto rows = environment_.database.list_commands(row.id, 0);
  if (!rows) {
    return rows.error().code != store::ErrorCode::corrupt;
  }
  std::vector<CommandRecord> expected = note.commands;
  const bool is_over = is_terminal(static_cast<v1::SessionState>(row.state));
  if (!is_over || rows->size() > expected.size()) {  // It may have been steered, or was.
    const auto log = store::FrameLog::open(environment_.directory.frames_path(row.id), {},
                                           store::OpenMode::read);
    if (log) {
      std::ranges::move((*log)->commands(), std::back_inserter(expected));
    }
  }
  std::map<std::int64_t, const CommandRecord*> by_sequence;
  for (const CommandRecord& command : rows.value()) {
    by_sequence.emplace(command.sequence, &command);
  }
  return std::ranges::all_of(expected, [&](const CommandRecord& command) {
    const auto stored = by_sequence.find(command.sequence);
    return stored != by_sequence.end() && stored->second->frame_index == command.frame_index &&
           stored->second->payload_bytes == command.payload_bytes;
  });
}

// Puts `note` into the database with what the files say beyond it. Whether that was possible.
bool Reconciliation::restore(const std::string& id, SessionNote note) {
  note.row.id = id;  // A folder may have been copied under another name.
  auto log =
      store::FrameLog::open(environment_.directory.frames_path(id), {}, store::OpenMode::read);
  if (log) {
    const auto stored = static_cast<std::int64_t>((*log)->range().next);
    // A session that has ended keeps the count that it had: whoever reads is told of lost frames.
    const bool is_over = is_terminal(static_cast<v1::SessionState>(note.row.state));
    note.row.frame_count = is_over ? std::max(note.row.frame_count, stored) : stored;
    std::ranges::move((*log)->commands(), std::back_inserter(note.commands));
  }
  std::ranges::stable_sort(note.commands, {}, &CommandRecord::sequence);
  const auto doubled = std::ranges::unique(note.commands, {}, &CommandRecord::sequence);
  note.commands.erase(doubled.begin(), doubled.end());
  auto restored = environment_.database.restore_session(note.row, note.commands);
  if (!restored && restored.error().code == store::ErrorCode::already_exists) {
    note.row.request_id.clear();  // Another session has it.
    restored = environment_.database.restore_session(note.row, note.commands);
  }
  if (restored) {
    restore_warnings(id);
  } else {
    tell(
        fmt::format("'{}' cannot be put into the database, its files are left for the next start: "
                    "{}",
                    session_name(id), restored.error().message));
  }
  return restored.has_value();
}

void Reconciliation::restore_warnings(const std::string& id) {
  const auto bytes = store::read_warnings_note(folder_of(id));
  if (!bytes && bytes.error().code == store::ErrorCode::not_found) {
    return;  // It had none.
  }
  const auto put =
      bytes ? environment_.database.put_warnings(id, *bytes) : store::Status(bytes.error());
  if (!put) {
    tell(fmt::format("the warnings of '{}' are lost: {}", session_name(id), put.error().message));
  }
}

void Reconciliation::fail_without_folder(const SessionRecord& row) {
  constexpr std::string_view why =
      "its folder is gone: it was deleted after this copy of the database was made, or its files "
      "were lost; delete the session";
  if (row.state_message == why) {
    return;
  }
  tell(fmt::format("'{}': {}", session_name(row.id), why));
  store::SessionUpdate update;
  update.state = v1::SESSION_STATE_FAILED;
  update.state_reason = v1::SESSION_REASON_STORAGE_FAILED;
  update.state_message = std::string(why);
  update.frame_count = 0;
  update.checkpoint_frame = -1;
  update.update_time_micros = std::max(now_micros(), row.update_time_micros + 1);
  if (const auto updated = environment_.database.update_session(row.id, update); !updated) {
    spdlog::error("{}", updated.error().message);
  }
}

void Reconciliation::write_note(const SessionRecord& row) {
  SessionNote note;
  auto whole = environment_.database.get_session(row.id);
  auto commands = environment_.database.list_commands(row.id, 0);
  if (!whole || !commands) {
    spdlog::error("{}", whole ? commands.error().message : whole.error().message);
    return;
  }
  note.row = std::move(whole).value();
  note.commands = std::move(commands).value();
  std::ranges::sort(note.commands, {}, &CommandRecord::sequence);
  if (const auto written = store::write_session_note(folder_of(row.id), note); !written) {
    spdlog::warn("{}", written.error().message);
  }
}

// Sessions need the meshes they name, and those need their rows.
void Reconciliation::restore_assets() {
  const auto assets = environment_.assets.list();
  if (!assets) {
    spdlog::warn("{}", assets.error().message);
    return;
  }
  std::size_t restored_count = 0;
  for (const store::AssetRecord& asset : *assets) {
    const auto row = environment_.database.get_asset(asset.sha256);
    if (row) {
      if (asset.file_name.empty()) {
        // A version before this one wrote none.
        if (const auto noted = environment_.assets.write_note(*row); !noted) {
          spdlog::warn("{}", noted.error().message);
        }
      }
      continue;
    }
    if (row.error().code != store::ErrorCode::not_found || asset.file_name.empty()) {
      continue;  // Without a name it is nothing yet; uploading it again says what it is.
    }
    restored_count += environment_.database.put_asset(asset) ? 1 : 0;
  }
  if (restored_count > 0) {
    tell(fmt::format("{} mesh files were not in the database: they are known again",
                     restored_count));
  }
}

}  // namespace

Status reconcile(Environment& environment, std::vector<std::string>& findings) {
  return Reconciliation(environment, findings).run();
}

store::Result<std::string> stored_scene(const Environment& environment, std::string_view id) {
  auto note = store::read_session_note(environment.directory.session_path(id));
  if (note) {
    return std::move(note->row.scene_bytes);
  }
  auto row = environment.database.get_session(id);
  if (!row) {
    return row.error();
  }
  return std::move(row->scene_bytes);
}

}  // namespace sluice::session
