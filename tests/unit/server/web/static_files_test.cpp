// SPDX-License-Identifier: Apache-2.0
#include "server/web/static_files.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>

#include "tests/unit/server/store/temporary_directory.h"

namespace sluice::web {
namespace {

namespace fs = std::filesystem;

class StaticFilesTest : public testing::Test {
 protected:
  void write(const fs::path& name, const std::string& content) {
    fs::create_directories((root() / name).parent_path());
    std::ofstream(root() / name) << content;
  }
  [[nodiscard]] fs::path root() const { return directory_.path() / "root"; }

  test::TemporaryDirectory directory_;
};

// Undone by zlib, with its own reading of the header and checksum.
std::string gunzip(const std::string& bytes, std::size_t size) {
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  std::string out(size, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.total_out, size);
  inflateEnd(&stream);
  return out;
}

TEST_F(StaticFilesTest, finds_files_by_their_path) {
  write("index.html", "page");
  write("assets/app-1234.js", "code");
  write("a b.png", "picture");
  const StaticFiles files(root());
  EXPECT_FALSE(files.empty());
  EXPECT_EQ(*files.find("/")->bytes(), "page");
  EXPECT_EQ(files.find("/")->content_type(), "text/html; charset=utf-8");
  EXPECT_FALSE(files.find("/")->immutable());
  EXPECT_EQ(*files.find("/assets/app-1234.js")->bytes(), "code");
  EXPECT_EQ(files.find("/assets/app-1234.js")->content_type(), "text/javascript; charset=utf-8");
  EXPECT_TRUE(files.find("/assets/app-1234.js")->immutable());
  EXPECT_EQ(*files.find("/a%20b.png")->bytes(), "picture");
}

TEST_F(StaticFilesTest, paths_of_the_viewer_give_its_page) {
  write("index.html", "page");
  const StaticFiles files(root());
  for (const char* path : {"/sessions/abc", "/new", "/v1.2/x"}) {
    ASSERT_NE(files.find(path), nullptr) << path;
    EXPECT_EQ(*files.find(path)->bytes(), "page") << path;
  }
  for (const char* path : {"/missing.js", "/assets/gone-1.css", "/sessions/a.b"}) {
    EXPECT_EQ(files.find(path), nullptr) << path;
  }
}

TEST_F(StaticFilesTest, no_path_leads_outside) {
  write("index.html", "page");
  std::ofstream(directory_.path() / "secret.txt") << "secret";
  fs::create_symlink(directory_.path() / "secret.txt", root() / "link.txt");
  fs::create_directory_symlink(directory_.path(), root() / "up");
  const StaticFiles files(root());
  for (const char* path :
       {"/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/x/../../secret.txt",
        "//secret.txt", "/link.txt", "/up/secret.txt", "/%", "/%4", "/%zz", "/.%00.txt", ""}) {
    EXPECT_EQ(files.find(path), nullptr) << path;
  }
}

TEST_F(StaticFilesTest, without_files_there_is_no_viewer) {
  EXPECT_TRUE(StaticFiles({}).empty());
  EXPECT_TRUE(StaticFiles(directory_.path() / "missing").empty());
  EXPECT_EQ(StaticFiles({}).find("/sessions/x"), nullptr);
}

TEST_F(StaticFilesTest, compresses_what_gets_smaller) {
  std::string code;
  for (int i = 0; i < 2000; ++i) {
    code += "let x" + std::to_string(i) + ";";
  }
  write("app.js", code);
  write("short.js", "let x;");
  write("picture.png", code);
  const StaticFiles files(root());
  const auto gzipped = files.find("/app.js")->gzipped();
  ASSERT_NE(gzipped, nullptr);
  EXPECT_LT(gzipped->size(), code.size() / 2);
  EXPECT_EQ(gunzip(*gzipped, code.size()), code);
  EXPECT_EQ(files.find("/app.js")->gzipped(), gzipped) << "compressed once";
  EXPECT_EQ(files.find("/short.js")->gzipped(), nullptr);
  EXPECT_EQ(files.find("/picture.png")->gzipped(), nullptr);
}

TEST_F(StaticFilesTest, a_tag_tells_content_and_form) {
  write("a.js", "one");
  write("b.js", "two");
  const StaticFiles files(root());
  const StaticFile& a = *files.find("/a.js");
  EXPECT_NE(a.etag(false), files.find("/b.js")->etag(false));
  EXPECT_NE(a.etag(false), a.etag(true));
  EXPECT_EQ(a.etag(false), StaticFile("/c.js", "one").etag(false));
  EXPECT_TRUE(names_etag(a.etag(false), a.etag(false)));
  EXPECT_TRUE(names_etag("\"x\", W/" + a.etag(false), a.etag(false)));
  EXPECT_TRUE(names_etag("*", a.etag(false)));
  EXPECT_FALSE(names_etag("", a.etag(false)));
  EXPECT_FALSE(names_etag("\"x\",,", a.etag(false)));
}

TEST(AcceptsGzip, as_the_client_says) {
  for (const char* text :
       {"gzip", "deflate, gzip;q=1.0, *;q=0.5", "br, gzip", "*", "gzip;q=0.001"}) {
    EXPECT_TRUE(accepts_gzip(text)) << text;
  }
  for (const char* text : {"", "br", "gzip;q=0", "gzip; q=0.000", "gzipped", "identity, *;q=0"}) {
    EXPECT_FALSE(accepts_gzip(text)) << text;
  }
}

TEST_F(StaticFilesTest, a_program_finds_its_viewer_beside_it) {
  fs::create_directories(directory_.path() / "bin");
  EXPECT_EQ(find_web_root(directory_.path() / "bin/sluiced"), "");
  fs::create_directories(directory_.path() / "web");
  EXPECT_EQ(find_web_root(directory_.path() / "bin/sluiced"), "") << "not built";
  std::ofstream(directory_.path() / "web/index.html") << "page";
  EXPECT_EQ(find_web_root(directory_.path() / "bin/sluiced"), directory_.path() / "web");
  fs::create_directories(directory_.path() / "share/sluice/web");
  std::ofstream(directory_.path() / "share/sluice/web/index.html") << "page";
  EXPECT_EQ(find_web_root(directory_.path() / "bin/sluiced"),
            directory_.path() / "share/sluice/web");
}

}  // namespace
}  // namespace sluice::web
