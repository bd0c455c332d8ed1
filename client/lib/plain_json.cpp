// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "sluice/scene_file.h"

namespace sluice::client {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Index after the string that begins at `i`; the end of the text if it is never closed.
std::size_t skip_string(const std::string& text, std::size_t i) {
  for (++i; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] == '\\') {
      ++i;
    }
  }
  return std::min(i + 1, text.size());
}

void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (; begin < end; ++begin) {
    if (!is_space(text[begin])) {
      text[begin] = ' ';
    }
  }
}

void blank_comments(std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '"') {
      i = skip_string(text, i);
    } else if (text.compare(i, 2, "//") == 0) {
      const std::size_t end = std::min(text.find_first_of("\r\n", i), text.size());
      blank(text, i, end);
      i = end;
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t close = text.find("*/", i + 2);
      if (close == std::string::npos) {
        return;  // Left as it is, for the parser to find.
      }
      blank(text, i, close + 2);
      i = close + 2;
    } else {
      ++i;
    }
  }
}

}  // namespace

std::string to_plain_json(std::string text) {
  blank_comments(text);
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '"') {
      i = skip_string(text, i);
      continue;
    }
    if (text[i] == ',') {
      std::size_t next = i + 1;
      while (next < text.size() && is_space(text[next])) {
        ++next;
      }
      // A comma ends a value; after '[', '{' or another comma it is a mistake, and stays one.
      std::size_t before = i;
      while (before > 0 && is_space(text[before - 1])) {
        --before;
      }
      const char left = before > 0 ? text[before - 1] : ',';
      if (next < text.size() && (text[next] == ']' || text[next] == '}') && left != ',' &&
          left != '[' && left != '{' && left != ':') {
        text[i] = ' ';
      }
    }
    ++i;
  }
  return text;
}

}  // namespace sluice::client
