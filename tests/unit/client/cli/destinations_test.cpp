// SPDX-License-Identifier: Apache-2.0
#include "client/cli/destinations.h"

#include <gtest/gtest.h>

#include "client/cli/command_error.h"
#include "tests/unit/client/lib/fake_server.h"

namespace sluice::cli {
namespace {

TEST(FrameFileName, is_that_of_our_files_alone) {
  const auto index = [](const std::string& name) -> std::int64_t {
    const auto parsed = parse_frame_file_name(name);
    return parsed ? parsed->index : -2;
  };
  EXPECT_EQ(index("water_000012.vtp"), 12);
  EXPECT_EQ(index("water.surface_000012.vdb"), 12);
  EXPECT_EQ(index("air.cells_000012.vtu"), 12);
  EXPECT_EQ(index("soft-body_2_1000000.vtu"), 1'000'000);
  EXPECT_EQ(index("air_000000.vti"), 0);
  EXPECT_EQ(index("a_000000.ply"), 0);
  EXPECT_EQ(index("water.surface.pvd"), -1);
  EXPECT_EQ(index("_all.pvd"), -1);
  EXPECT_EQ(parse_frame_file_name("water.surface_000012.vdb")->body, "water.surface");
  for (const std::string other :
       {"water_12.vtp", "Water_000012.vtp", "water_000012.vtp~", "water_000012.obj", "000012.vtp",
        "my water_000012.vtp", "water.pvd.bak", "water_00000001.vtp", ".water_000012.vtp.12.part",
        "_water.pvd", "water.shape_000012.vtp", ""}) {
    EXPECT_EQ(index(other), -2) << other;
  }
}

TEST(OldOutput, counts_files_and_frames) {
  const client::TemporaryFolder folder;
  for (const std::string name :
       {"water_000000.vtp", "water_000003.vtp", "sheet_000003.vtp", "water.pvd", "other.txt"}) {
    folder.write(name, "x");
  }
  const Destinations places{.frames = folder.path().string()};
  const OldOutput all = find_old_output(places);
  EXPECT_EQ(all.files.size(), 4U);
  ASSERT_EQ(all.in_words.size(), 1U);
  EXPECT_EQ(all.in_words[0],
            "'" + folder.path().string() + "' has 4 files of 2 frames (0 to 3) of a former run");
  EXPECT_EQ(find_old_output(places, 1).files.size(), 2U) << "the series are of all frames";
  EXPECT_TRUE(find_old_output(places, 4).empty());
  EXPECT_THROW(refuse(all), CommandError);
  remove(all);
  EXPECT_TRUE(find_old_output(places).empty());
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "other.txt"));
  EXPECT_NO_THROW(refuse(find_old_output(places)));
}

TEST(RequireWritable, makes_nothing) {
  const client::TemporaryFolder folder;
  EXPECT_NO_THROW(require_writable_folder(folder.path() / "a" / "b"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  folder.write("file", "x");
  EXPECT_THROW(require_writable_folder(folder.path() / "file"), CommandError);
  EXPECT_THROW(require_writable_folder(folder.path() / "file" / "b"), CommandError);
  EXPECT_THROW(require_writable_folder("/proc/nothing"), CommandError);
}

}  // namespace
}  // namespace sluice::cli
