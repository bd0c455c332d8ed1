// SPDX-License-Identifier: Apache-2.0
#include "server/store/database.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <thread>

#include "store_testing.h"
#include "temporary_directory.h"

namespace sluice::store {
namespace {

class DatabaseTest : public testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<Database> open() const { return must(Database::open(path())); }
  [[nodiscard]] std::filesystem::path path() const { return temporary_.path() / "sluice.db"; }

  static SessionRecord session(std::string id, std::int64_t time = 1) {
    SessionRecord record;
    record.id = std::move(id);
    record.create_time_micros = time;
    return record;
  }
  test::TemporaryDirectory temporary_;
};

TEST_F(DatabaseTest, keeps_every_field_of_a_session) {
  SessionRecord record = session("a", 10);
  record.request_id = "request";
  record.display_name = "Wasser \xC3\xBC";
  record.state = 3;
  record.state_reason = 4;
  record.state_message = "why";
  record.update_time_micros = 11;
  record.scene_bytes = std::string("\0\xFF scene", 8);
  record.options_bytes = std::string("\0", 1);
  record.target_frame_count = 120;
  record.frame_count = 7;
  record.epoch = 2;
  record.restart_count = 1;
  record.checkpoint_frame = 5;
  must(open()->insert_session(record));
  const SessionRecord got = must(open()->get_session("a"));
  EXPECT_EQ(got.request_id, record.request_id);
  EXPECT_EQ(got.display_name, record.display_name);
  EXPECT_EQ(got.state, 3);
  EXPECT_EQ(got.state_reason, 4);
  EXPECT_EQ(got.state_message, "why");
  EXPECT_EQ(got.create_time_micros, 10);
  EXPECT_EQ(got.update_time_micros, 11);
  EXPECT_EQ(got.scene_bytes, record.scene_bytes);
  EXPECT_EQ(got.options_bytes, record.options_bytes);
  EXPECT_EQ(got.target_frame_count, 120);
  EXPECT_EQ(got.frame_count, 7);
  EXPECT_EQ(got.epoch, 2);
  EXPECT_EQ(got.restart_count, 1);
  EXPECT_EQ(got.checkpoint_frame, 5);
}

TEST_F(DatabaseTest, refuses_an_id_or_a_request_id_twice_and_finds_by_request) {
  const auto database = open();
  SessionRecord first = session("a");
  first.request_id = "r";
  must(database->insert_session(first));
  EXPECT_TRUE(fails_with(database->insert_session(session("a")), ErrorCode::already_exists));
  SessionRecord second = session("b");
  second.request_id = "r";
  EXPECT_TRUE(fails_with(database->insert_session(second), ErrorCode::already_exists));
  must(database->insert_session(session("c")));  // Without a request id: any number.
  must(database->insert_session(session("d")));
  EXPECT_EQ(must(database->find_session_by_request_id("r"))->id, "a");
  EXPECT_FALSE(must(database->find_session_by_request_id("s")));
}

TEST_F(DatabaseTest, changes_what_is_set_and_nothing_else) {
  const auto database = open();
  SessionRecord record = session("a");
  record.state = 1;
  record.state_message = "old";
  record.scene_bytes = "scene";
  must(database->insert_session(record));
  SessionUpdate update;
  update.state = 2;
  update.epoch = 9;
  update.update_time_micros = 50;
  must(database->update_session("a", update));
  const SessionRecord got = must(database->get_session("a"));
  EXPECT_EQ(got.state, 2);
  EXPECT_EQ(got.epoch, 9);
  EXPECT_EQ(got.update_time_micros, 50);
  EXPECT_EQ(got.state_message, "old");
  EXPECT_EQ(got.scene_bytes, "scene");
  EXPECT_TRUE(fails_with(database->update_session("b", update), ErrorCode::not_found));
}

// Pages of 3 over 10 sessions, several created in the same microsecond: each once, newest first.
TEST_F(DatabaseTest, lists_in_pages) {
  const auto database = open();
  for (int i = 0; i < 10; ++i) {
    SessionRecord record = session(std::string(1, static_cast<char>('a' + i)), i / 4);
    record.options_bytes = "options";
    must(database->insert_session(record));
  }
  std::string seen;
  std::optional<SessionCursor> after;
  int pages = 0;
  while (true) {
    const SessionPage page = must(database->list_sessions(after, 3));
    ++pages;
    for (const SessionRecord& record : page.sessions) {
      seen += record.id;
      EXPECT_EQ(record.options_bytes, "options");
    }
    if (!page.next) {
      break;
    }
    after = page.next;
  }
  EXPECT_EQ(seen, "jihgfedcba");
  EXPECT_EQ(pages, 4);
}

TEST_F(DatabaseTest, deletes_a_session_with_all_that_belongs_to_it) {
  const auto database = open();
  must(database->insert_session(session("a")));
  must(database->append_command({.session_id = "a", .frame_index = 3, .payload_bytes = "x"}));
  must(database->delete_session("a"));
  EXPECT_TRUE(fails_with(database->get_session("a"), ErrorCode::not_found));
  EXPECT_TRUE(fails_with(database->delete_session("a"), ErrorCode::not_found));
  must(database->insert_session(session("a")));
  EXPECT_TRUE(must(database->list_commands("a", 0)).empty());
}

TEST_F(DatabaseTest, numbers_commands_within_a_session) {
  const auto database = open();
  must(database->insert_session(session("a")));
  must(database->insert_session(session("b")));
  std::int64_t next = 1;
  for (const std::int64_t frame : {5, 5, 8}) {
    const CommandRecord command{.session_id = "a", .frame_index = frame, .payload_bytes = "p"};
    EXPECT_EQ(must(database->append_command(command)), next++);
  }
  EXPECT_EQ(must(database->append_command({.session_id = "b", .payload_bytes = "p"})), 1);
  EXPECT_EQ(must(database->list_commands("a", 5)).size(), 3U);
  EXPECT_EQ(must(database->list_commands("a", 6)).size(), 1U);
  EXPECT_TRUE(fails_with(database->append_command({.session_id = "z"}), ErrorCode::not_found));
}

TEST_F(DatabaseTest, lists_commands_in_the_order_they_act_and_by_pages) {
  const auto database = open();
  const std::vector<CommandRecord> first{{.frame_index = 3, .payload_bytes = "a"},
                                         {.frame_index = 3, .payload_bytes = "b"},
                                         {.frame_index = 9, .payload_bytes = "d"}};
  must(database->insert_session(session("a"), first));
  must(database->append_command({.session_id = "a", .frame_index = 5, .payload_bytes = "c"}));
  std::string seen;
  CommandCursor after;
  for (auto page = must(database->list_commands("a", after, 2)); !page.empty();
       page = must(database->list_commands("a", after, 2))) {
    for (const CommandRecord& command : page) {
      seen += command.payload_bytes;
      after = {command.frame_index, command.sequence};
    }
  }
  EXPECT_EQ(seen, "abcd");
  EXPECT_EQ(must(database->list_commands("a", 4)).front().payload_bytes, "c");
  // All or nothing: a session that is refused leaves no command behind.
  EXPECT_TRUE(fails_with(database->insert_session(session("a"), first), ErrorCode::already_exists));
  EXPECT_EQ(must(database->list_commands("a", 0)).size(), 4U);
}

TEST_F(DatabaseTest, keeps_assets) {
  const auto database = open();
  AssetRecord asset{.sha256 = "aa", .size_bytes = 5, .file_name = "a"};
  must(database->put_asset(asset));
  asset.file_name = "a.obj";
  must(database->put_asset(asset));
  EXPECT_EQ(must(database->get_asset("aa")).file_name, "a.obj");
  EXPECT_EQ(must(database->get_asset("aa")).size_bytes, 5);
  asset.sha256 = "bb";
  must(database->put_asset(asset));
  EXPECT_EQ(must(database->list_assets("aa", 10)).size(), 1U);
  EXPECT_TRUE(fails_with(database->get_asset("cc"), ErrorCode::not_found));
}

TEST_F(DatabaseTest, is_used_by_many_threads) {
  const auto database = open();
  must(database->insert_session(session("a")));
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        must(database->append_command({.session_id = "a", .frame_index = i, .payload_bytes = "p"}));
        must(database->list_sessions({}, 10));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(must(database->list_commands("a", 0)).back().sequence, 80);
}

TEST_F(DatabaseTest, refuses_a_newer_schema_and_a_file_that_is_no_database) {
  (void)open();
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &raw), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(raw, "PRAGMA user_version = 1000", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(raw);
  EXPECT_TRUE(fails_with(Database::open(path()), ErrorCode::unsupported_version));
  write_file(temporary_.path() / "text.db", std::string(5000, 'x'));
  EXPECT_TRUE(fails_with(Database::open(temporary_.path() / "text.db"), ErrorCode::corrupt));
  EXPECT_FALSE(Database::open(temporary_.path() / "missing" / "sluice.db"));
}

// Symptom: a database of another form was opened, and failed at the first session.
TEST_F(DatabaseTest, finds_damage_when_it_is_opened) {
  (void)open();
  const auto change = [&](const char* sql) {
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(path().c_str(), &raw), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(raw, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(raw);
  };
  change("ALTER TABLE sessions RENAME COLUMN epoch TO epocH2");
  EXPECT_TRUE(fails_with(Database::open(path()), ErrorCode::corrupt));
  change("ALTER TABLE sessions RENAME COLUMN epocH2 TO epoch");
  must(Database::open(path()));
  change("PRAGMA user_version = 0");  // Its tables would be made a second time.
  EXPECT_TRUE(fails_with(Database::open(path()), ErrorCode::corrupt));
}

TEST_F(DatabaseTest, puts_a_session_back_in_place_of_a_damaged_one) {
  const auto database = open();
  must(database->insert_session(session("a")));
  must(database->append_command({.session_id = "a", .frame_index = 9, .payload_bytes = "old"}));
  SessionRecord again = session("a");
  again.state_message = "put back";
  const std::vector<CommandRecord> commands = {{.frame_index = 1, .payload_bytes = "x"},
                                               {.frame_index = 2, .payload_bytes = "y"}};
  must(database->restore_session(again, commands));
  EXPECT_EQ(must(database->get_session("a")).state_message, "put back");
  EXPECT_EQ(must(database->list_commands("a", 0)).size(), 2U);
  must(database->restore_session(session("b"), {}));
  EXPECT_EQ(must(database->list_sessions({}, 10)).sessions.size(), 2U);
  must(database->check_writable());
}

TEST_F(DatabaseTest, reports_a_full_disk_and_goes_on_afterwards) {
  const test::SmallFileSystem small(temporary_.path(), "400k");
  if (!small.mounted()) {
    GTEST_SKIP() << "this user may not mount a tmpfs";
  }
  const auto database = open();
  must(database->insert_session(session("a")));
  write_file(temporary_.path() / "ballast", std::string(100'000, 'b'));
  const std::string payload(20'000, 'p');
  std::int64_t stored = 0;
  Error error{ErrorCode::limit, "none"};
  for (int i = 0; i < 100; ++i) {
    const auto sequence =
        database->append_command({.session_id = "a", .frame_index = i, .payload_bytes = payload});
    if (!sequence) {
      error = sequence.error();
      break;
    }
    stored = *sequence;
  }
  EXPECT_EQ(error.code, ErrorCode::disk_full) << error.message;
  EXPECT_EQ(must(database->list_commands("a", 0)).size(), static_cast<std::size_t>(stored));
  std::filesystem::remove(temporary_.path() / "ballast");
  must(database->append_command({.session_id = "a", .frame_index = 2, .payload_bytes = "small"}));
}

TEST_F(DatabaseTest, reports_a_read_only_disk) {
  const test::SmallFileSystem small(temporary_.path(), "1m");
  if (!small.mounted()) {
    GTEST_SKIP() << "this user may not mount a tmpfs";
  }
  (void)open();
  ASSERT_TRUE(small.set_read_only(true));
  EXPECT_TRUE(fails_with(Database::open(path()), ErrorCode::read_only));
}

}  // namespace
}  // namespace sluice::store
