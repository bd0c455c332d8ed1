// SPDX-License-Identifier: Apache-2.0
#include "server/store/data_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "store_testing.h"
#include "temporary_directory.h"

namespace sluice::store {
namespace {

namespace fs = std::filesystem;

class DataDirectoryTest : public testing::Test {
 protected:
  [[nodiscard]] fs::path root() const { return temporary_.path() / "deep" / "data"; }
  test::TemporaryDirectory temporary_;
};

TEST_F(DataDirectoryTest, is_made_for_its_owner_alone) {
  const auto data = must(DataDirectory::open(root()));
  struct stat status{};
  ASSERT_EQ(::stat(root().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  EXPECT_GT(must(data->free_bytes()), 0U);
  EXPECT_EQ(file_text(root() / "version"), "1\n");
}

// A second server on the same directory: another process, and another open in this one.
TEST_F(DataDirectoryTest, refuses_a_second_server_and_names_the_first) {
  auto data = must(DataDirectory::open(root()));
  const auto second = DataDirectory::open(root());
  EXPECT_TRUE(fails_with(second, ErrorCode::locked));
  EXPECT_NE(second.error().message.find("process " + std::to_string(::getpid())), std::string::npos)
      << second.error().message;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto other = DataDirectory::open(root());
    ::_exit(!other && other.error().code == ErrorCode::locked ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  data.reset();
  must(DataDirectory::open(root()));
}

TEST_F(DataDirectoryTest, keeps_sessions_apart_and_finds_their_folders) {
  const auto data = must(DataDirectory::open(root()));
  must(data->create_session("two"));
  must(data->create_session("one"));
  write_file(data->frames_path("one") / "00000000.seg", "frame");
  write_file(root() / "sessions" / "notes.txt", "of somebody");
  fs::create_directory(root() / "sessions" / "Copy of one");
  EXPECT_EQ(must(data->session_folders()), (std::vector<std::string>{"one", "two"}));
  must(data->delete_session("one"));
  must(data->delete_session("one"));
  EXPECT_FALSE(fs::exists(data->session_path("one")));
  EXPECT_TRUE(fs::is_empty(root() / "trash"));
  EXPECT_EQ(must(data->session_folders()), std::vector<std::string>{"two"});
}

// A deletion goes on where a crash broke it off: the folder in the trash says so until its row is
// gone.
TEST_F(DataDirectoryTest, buries_a_session_and_remembers_it_until_the_trash_is_emptied) {
  const auto data = must(DataDirectory::open(root()));
  for (int round = 0; round < 2; ++round) {  // Two of one name.
    must(data->create_session("one"));
    write_file(data->frames_path("one") / "00000000.seg", "frame");
    const fs::path grave = must(data->bury("one"));
    EXPECT_FALSE(fs::exists(data->session_path("one")));
    EXPECT_TRUE(fs::exists(grave / "frames" / "00000000.seg"));
    if (round == 1) {
      must(data->empty_grave(grave));
      EXPECT_TRUE(fs::is_empty(grave));
    }
  }
  EXPECT_EQ(must(data->bury("one")), fs::path()) << "there is none any more";
  EXPECT_EQ(must(data->buried()), (std::vector<std::string>{"one", "one"}));
  must(data->empty_trash());
  EXPECT_TRUE(fs::is_empty(root() / "trash"));
}

TEST_F(DataDirectoryTest, removes_folders_only_without_files) {
  const auto data = must(DataDirectory::open(root()));
  must(data->create_session("empty"));
  must(data->create_session("full"));
  write_file(data->frames_path("full") / "00000000.seg", "frame");
  EXPECT_TRUE(data->remove_if_empty("empty"));
  EXPECT_FALSE(fs::exists(data->session_path("empty")));
  EXPECT_FALSE(data->remove_if_empty("full"));
  EXPECT_EQ(file_text(data->frames_path("full") / "00000000.seg"), "frame");
}

TEST_F(DataDirectoryTest, sets_aside_without_overwriting) {
  const auto data = must(DataDirectory::open(root()));
  for (const char* const text : {"first", "second"}) {
    write_file(root() / "sluice.db", text);
    const std::vector<fs::path> files{root() / "sluice.db", root() / "sluice.db-wal"};
    const fs::path kept = must(data->set_aside("database", files));
    EXPECT_EQ(file_text(kept / "sluice.db"), text);
    EXPECT_FALSE(fs::exists(root() / "sluice.db"));
  }
  EXPECT_EQ(file_text(root() / "lost+found" / "database" / "sluice.db"), "first");
}

TEST_F(DataDirectoryTest, refuses_ids_that_are_no_names) {
  const auto data = must(DataDirectory::open(root()));
  for (const std::string& id : {std::string(), std::string(".."), std::string("a/b"),
                                std::string("A"), std::string(64, 'a')}) {
    EXPECT_TRUE(fails_with(data->create_session(id), ErrorCode::not_found)) << id;
    EXPECT_TRUE(fails_with(data->delete_session(id), ErrorCode::not_found)) << id;
  }
}

TEST_F(DataDirectoryTest, knows_what_a_crash_left_in_the_trash) {
  (void)must(DataDirectory::open(root()));
  fs::create_directories(root() / "trash" / "old" / "frames");
  const auto data = must(DataDirectory::open(root()));
  EXPECT_EQ(must(data->buried()), std::vector<std::string>{"old"});
  must(data->empty_trash());
  EXPECT_TRUE(fs::is_empty(root() / "trash"));
}

TEST_F(DataDirectoryTest, refuses_another_layout_and_a_path_that_is_a_file) {
  (void)must(DataDirectory::open(root()));
  write_file(root() / "version", "2\n");
  EXPECT_TRUE(fails_with(DataDirectory::open(root()), ErrorCode::unsupported_version));
  write_file(temporary_.path() / "file", "");
  EXPECT_FALSE(DataDirectory::open(temporary_.path() / "file"));
}

TEST_F(DataDirectoryTest, refuses_a_read_only_directory) {
  const test::SmallFileSystem small(temporary_.path(), "1m");
  if (!small.mounted()) {
    GTEST_SKIP() << "this user may not mount a tmpfs";
  }
  (void)must(DataDirectory::open(root()));
  ASSERT_TRUE(small.set_read_only(true));
  const auto data = DataDirectory::open(root());
  EXPECT_TRUE(fails_with(data, ErrorCode::read_only));
  EXPECT_NE(data.error().message.find(root().string()), std::string::npos);
}

}  // namespace
}  // namespace sluice::store
