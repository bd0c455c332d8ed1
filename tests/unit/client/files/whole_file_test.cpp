// SPDX-License-Identifier: Apache-2.0
#include "client/files/whole_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "client/files/file_error.h"

namespace sluice::files {
namespace {

namespace fs = std::filesystem;

class WholeFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("sluice-files-" + std::to_string(::getpid()));
    make_folder(folder_ / "a" / "b");
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] static std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// The fault of a write, or nothing.
  static std::optional<FileFault> fault_of(const fs::path& path, OtherContent other) {
    try {
      write_whole_file(path, "new", other);
    } catch (const FileError& error) {
      EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos);
      return error.fault();
    }
    return std::nullopt;
  }

  fs::path folder_;
};

TEST_F(WholeFile, is_there_with_nothing_beside_it) {
  const fs::path path = folder_ / "a" / "b" / "file";
  const std::string content("1\0002", 3);
  write_whole_file(path, content);
  EXPECT_EQ(read(path), content);
  write_whole_file(path, "");
  EXPECT_EQ(read(path), "");
  EXPECT_EQ(std::distance(fs::directory_iterator(path.parent_path()), {}), 1);
}

TEST_F(WholeFile, refuses_to_replace_other_content_alone) {
  const fs::path path = folder_ / "file";
  EXPECT_EQ(fault_of(path, OtherContent::refuse), std::nullopt);
  EXPECT_EQ(fault_of(path, OtherContent::refuse), std::nullopt) << "the same bytes again";
  std::ofstream(path) << "old";
  EXPECT_EQ(fault_of(path, OtherContent::refuse), FileFault::other_content);
  EXPECT_EQ(read(path), "old");
  EXPECT_EQ(fault_of(path, OtherContent::replace), std::nullopt);
  EXPECT_EQ(read(path), "new");
}

TEST_F(WholeFile, says_what_cannot_be_written) {
  EXPECT_EQ(fault_of(folder_ / "missing" / "file", OtherContent::replace), FileFault::not_written);
  std::ofstream(folder_ / "file") << "old";
  EXPECT_THROW(make_folder(folder_ / "file" / "below"), FileError);
}

}  // namespace
}  // namespace sluice::files
