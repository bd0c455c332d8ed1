// SPDX-License-Identifier: Apache-2.0
#include "server/api/example_scenes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/unit/server/store/temporary_directory.h"

namespace sluice::api {
namespace {

namespace fs = std::filesystem;

TEST(ExampleScenes, lists_the_main_one_first_with_files_and_description) {
  const test::TemporaryDirectory temporary;
  const fs::path directory = temporary.path() / "scenes";
  fs::create_directory(directory);
  std::ofstream(directory / "another.json") << "{}";
  std::ofstream(directory / "begun.json") << "// No line ends here.";  // Once read for ever.
  std::ofstream(directory / "water_on_sloped_cloth.json")
      << "// Water falls on\n//  a sheet. More is said here.\n"
         "{\"cloths\": [{\"mesh\": \"sheet.obj\"}, {\"mesh\": \"lost.obj\"}]}";
  std::ofstream(directory / "sheet.obj") << "v 0 0 0\n";
  const v1::ListExampleScenesResponse list = read_example_scenes(directory);
  fs::remove_all(directory);
  ASSERT_EQ(list.scenes_size(), 3);
  EXPECT_EQ(list.scenes(0).name(), "water_on_sloped_cloth");
  EXPECT_EQ(list.scenes(0).description(), "Water falls on a sheet.");
  ASSERT_EQ(list.scenes(0).files_size(), 1) << "a file that is not there is left out";
  EXPECT_EQ(list.scenes(0).files(0).data(), "v 0 0 0\n");
  EXPECT_EQ(list.scenes(1).description(), "");
  EXPECT_EQ(list.scenes(2).description(), "No line ends here.");
  EXPECT_EQ(read_example_scenes(directory).scenes_size(), 0) << "no directory, no scenes";
}

}  // namespace
}  // namespace sluice::api
