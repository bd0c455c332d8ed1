// SPDX-License-Identifier: Apache-2.0
#include "sluice/private_server.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "sluice/error.h"
#include "tests/unit/client/lib/fake_server.h"

namespace sluice::client {
namespace {

namespace fs = std::filesystem;

/// A program that stands in for sluiced: it notes its arguments and how it ends.
class PrivateServerTest : public testing::Test {
 protected:
  fs::path program(const std::string& body) {
    const fs::path path = folder.write("sluiced", "#!/bin/sh\n" + body);
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream file(folder.path() / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] std::string serving() const {
    return "echo \"$@\" > " + (folder.path() / "arguments").string() + "\ntrap 'echo stopped > " +
           (folder.path() / "end").string() +
           "; exit 0' TERM\necho \"listening on $4\"\nwhile :; do sleep 0.02; done\n";
  }

  TemporaryFolder folder;
};

TEST_F(PrivateServerTest, serves_on_a_socket_of_its_own_and_leaves_nothing) {
  fs::path data;
  fs::path socket_folder;
  {
    const PrivateServer server({.program = program(serving()), .arguments = {"--more"}});
    data = server.data_directory();
    socket_folder = server.log_file().parent_path();
    EXPECT_TRUE(server.address().starts_with("unix:" + socket_folder.string()));
    struct stat facts{};
    ASSERT_EQ(::stat(socket_folder.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777U, 0700U);
    EXPECT_EQ(read("arguments"), "--data-dir " + data.string() + " --listen " + server.address() +
                                     " --web-listen off --more\n");
  }
  EXPECT_EQ(read("end"), "stopped\n");
  EXPECT_FALSE(fs::exists(data));
  EXPECT_FALSE(fs::exists(socket_folder));
}

TEST_F(PrivateServerTest, keeps_data_that_is_to_be_kept) {
  fs::path data;
  {
    PrivateServer server({.program = program(serving())});
    data = server.data_directory();
    server.keep();
  }
  EXPECT_TRUE(fs::exists(data));
  fs::remove_all(data);
  const fs::path given = folder.path() / "data";
  fs::create_directory(given);
  {
    const PrivateServer server({.data_directory = given, .program = program(serving())});
  }
  EXPECT_TRUE(fs::exists(given));
}

TEST_F(PrivateServerTest, says_why_the_server_did_not_start) {
  try {
    const PrivateServer server({.program = program("echo 'the port is busy' >&2; exit 4\n")});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unavailable);
    EXPECT_NE(std::string(error.what()).find("the port is busy"), std::string::npos);
  }
}

// Symptom: a line longer than what is told of the log made the message an exception of its own.
TEST_F(PrivateServerTest, tells_the_end_of_a_long_line) {
  try {
    const PrivateServer server({.program = program("printf '%5000s the end\\n' x >&2; exit 4\n")});
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("the end"), std::string::npos);
    EXPECT_LT(text.size(), 3000U);
  }
}

TEST_F(PrivateServerTest, does_not_wait_for_ever_nor_take_any_line) {
  EXPECT_THROW(PrivateServer({.program = program("exec sleep 20\n"),
                              .start_timeout = std::chrono::milliseconds(100)}),
               Error);
  EXPECT_THROW(PrivateServer({.program = program("echo hello; exec sleep 20\n")}), Error);
  EXPECT_THROW(PrivateServer({.program = folder.path() / "none"}), Error);
}

}  // namespace
}  // namespace sluice::client
