// SPDX-License-Identifier: Apache-2.0
#include "client/cli/visible_text.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace sluice::cli {
namespace {

TEST(Visible, leaves_what_is_seen) {
  for (const std::string text : {"", "plain text", "Wasser über Tuch", "水と布", "🌊", "a\\x1b"}) {
    EXPECT_EQ(visible(text), text);
  }
}

TEST(Visible, writes_out_what_acts) {
  EXPECT_EQ(visible("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(visible(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(visible("a\r\n\tb\x7f"), "a\\x0d\\x0a\\x09b\\x7f");
  EXPECT_EQ(visible("\xc2\x9b"
                    "31m"),
            "\\x9b31m");                          // U+009B: CSI in one character.
  EXPECT_EQ(visible("\xe2\x80\xae"), "\\u202e");  // Right-to-left override.
  EXPECT_EQ(visible("\xe2\x80\xa8"), "\\u2028");  // Line separator.
  EXPECT_EQ(visible_lines("a\nb\r\x1b"), "a\nb\\x0d\\x1b");
}

// Oracle: RFC 3629, section 4.
TEST(Visible, writes_out_bytes_that_are_no_utf8) {
  EXPECT_EQ(visible("\x9b"), "\\x9b");
  EXPECT_EQ(visible("\xc3"), "\\xc3");
  EXPECT_EQ(visible("\xc0\x9b"), "\\xc0\\x9b");           // Overlong.
  EXPECT_EQ(visible("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");  // Overlong.
  EXPECT_EQ(visible("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // A surrogate.
  EXPECT_EQ(visible("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(visible("\xf0\x9f\x8c"), "\\xf0\\x9f\\x8c");
}

// Oracle: the shell itself.
TEST(ShellWord, is_taken_as_one_word) {
  EXPECT_EQ(shell_word("frames/out-1"), "frames/out-1");
  for (const std::string text : {"", "a b", "it's", "$HOME", "*", "a\"b\\c"}) {
    const std::string command =
        "set -- " + shell_word(text) + "; test $# = 1 && test \"$1\" = \"$SLUICE_TEST_WORD\"";
    ::setenv("SLUICE_TEST_WORD", text.c_str(), 1);
    EXPECT_EQ(std::system(command.c_str()), 0) << text;
  }
}

}  // namespace
}  // namespace sluice::cli
