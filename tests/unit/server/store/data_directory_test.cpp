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

TEST_F(DataDirectoryTest, IsMadeForItsOwnerAlone) {
  const auto data = must(DataDirectory::open(root()));
  struct stat status{};
  ASSERT_EQ(::stat(root().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  EXPECT_GT(must(data->free_bytes()), 0U);
  EXPECT_EQ(file_text(root() / "version"), "1\n");
}

// A second server on the same directory: another process, and another open in this one.
TEST_F(DataDirectoryTest, RefusesASecondServerAndNamesTheFirst) {
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

TEST_F(DataDirectoryTest, KeepsSessionsApartAndFindsOrphans) {
  const auto data = must(DataDirectory::open(root()));
  must(data->create_session("one"));
  must(data->create_session("two"));
  write_file(data->frames_path("one") / "00000000.seg", "frame");
  const std::vector<std::string> known = {"two", "three"};
  EXPECT_EQ(must(data->orphans(known)), std::vector<std::string>{"one"});
  must(data->delete_session("one"));
  must(data->delete_session("one"));
  EXPECT_FALSE(fs::exists(data->session_path("one")));
  EXPECT_TRUE(fs::is_empty(root() / "trash"));
  EXPECT_TRUE(must(data->orphans(known)).empty());
}

TEST_F(DataDirectoryTest, RefusesIdsThatAreNoNames) {
  const auto data = must(DataDirectory::open(root()));
  for (const std::string& id : {std::string(), std::string(".."), std::string("a/b"),
                                std::string("A"), std::string(64, 'a')}) {
    EXPECT_TRUE(fails_with(data->create_session(id), ErrorCode::not_found)) << id;
    EXPECT_TRUE(fails_with(data->delete_session(id), ErrorCode::not_found)) << id;
  }
}

TEST_F(DataDirectoryTest, EmptiesWhatACrashLeftInTheTrash) {
  (void)must(DataDirectory::open(root()));
  fs::create_directories(root() / "trash" / "old" / "frames");
  (void)must(DataDirectory::open(root()));
  EXPECT_TRUE(fs::is_empty(root() / "trash"));
}

TEST_F(DataDirectoryTest, RefusesAnotherLayoutAndAPathThatIsAFile) {
  (void)must(DataDirectory::open(root()));
  write_file(root() / "version", "2\n");
  EXPECT_TRUE(fails_with(DataDirectory::open(root()), ErrorCode::unsupported_version));
  write_file(temporary_.path() / "file", "");
  EXPECT_FALSE(DataDirectory::open(temporary_.path() / "file"));
}

TEST_F(DataDirectoryTest, RefusesAReadOnlyDirectory) {
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
