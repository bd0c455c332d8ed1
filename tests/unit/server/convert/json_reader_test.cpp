// SPDX-License-Identifier: Apache-2.0
#include "server/convert/json_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/convert/did_you_mean.h"

namespace sluice::convert {
namespace {

JsonValue read(std::string_view text) {
  JsonText json = read_json(text);
  EXPECT_FALSE(json.error) << text << ": " << (json.error ? json.error->message : "");
  return json.value;
}

// "line:column message" of the error, "" without one.
std::string error_of(std::string_view text) {
  const JsonText json = read_json(text);
  if (!json.error) return "";
  return std::to_string(json.error->line) + ":" + std::to_string(json.error->column) + " " +
         json.error->message;
}

TEST(JsonReader, keeps_order_spelling_and_doubled_names) {
  const JsonValue value = read(R"({"b": [1, -2.5e3, "x"], "a": {}, "b": null})");
  ASSERT_EQ(value.members.size(), 3U);
  EXPECT_EQ(value.members[0].name, "b");
  EXPECT_EQ(value.members[0].value.members[1].value.text, "-2.5e3");
  EXPECT_EQ(value.members[1].value.kind, JsonKind::object);
  EXPECT_EQ(value.members[2].name, "b");
  EXPECT_EQ(value.members[2].value.kind, JsonKind::null);
}

TEST(JsonReader, tells_lines_whatever_their_ends) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const JsonValue value =
        read("{" + end + "\"a\": 1, // first" + end + end + "\"b\": {\"c\": 2}, \"d\": 3}");
    ASSERT_EQ(value.members.size(), 3U);
    EXPECT_EQ(value.members[0].line, 2U);
    EXPECT_EQ(value.members[1].line, 4U);
    EXPECT_EQ(value.members[1].value.members[0].line, 4U);
    EXPECT_EQ(value.members[2].line, 4U);
    EXPECT_EQ(error_of("{" + end + "  x"),
              "2:3 expected a field's name in double quotes or `}`, found `x`");
  }
}

TEST(JsonReader, names_utf16) {
  using namespace std::string_literals;
  for (const std::string& text : {"\xFF\xFE{\0}\0"s, "\xFE\xFF\0{\0}"s, "{\0}\0"s, "\0{\0}"s}) {
    EXPECT_EQ(error_of(text), "1:1 the text is UTF-16; save it as UTF-8");
  }
}

TEST(JsonReader, reads_every_escape) {  // Oracle: RFC 8259, section 7; U+1D11E is its own example.
  EXPECT_EQ(read(R"("\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\uD834\uDD1E")").text,
            "\"\\/\b\f\n\r\tA\u00e9\u20ac\U0001D11E");
}

TEST(JsonReader, takes_comments_and_trailing_commas_but_not_inside_strings) {
  const JsonValue value =
      read("\xEF\xBB\xBF // first\n{/**/\"a//b\": [1, /* , */ ], // last\n} //");
  ASSERT_EQ(value.members.size(), 1U);
  EXPECT_EQ(value.members[0].name, "a//b");
  EXPECT_EQ(value.members[0].value.members.size(), 1U);
}

TEST(JsonReader, says_where_a_text_stops_being_json) {
  EXPECT_EQ(error_of("{\n  \"a\": 1\n  \"b\": 2}"), "3:3 expected `,` or `}`, found `\"`");
  EXPECT_EQ(error_of("[1,,2]"), "1:4 expected a value, found `,`");
  EXPECT_EQ(error_of("[,]"), "1:2 expected a value, found `,`");
  EXPECT_EQ(error_of("[01]"), "1:2 `01` is not a number");
  EXPECT_EQ(error_of("[-]"), "1:2 `-` is not a number");
  EXPECT_EQ(error_of("[1e]"), "1:2 `1e` is not a number");
  EXPECT_EQ(error_of("[-Infinityx]"), "1:2 `-Infinityx` is not a number");
  EXPECT_EQ(error_of("\"\\x\""), "1:2 unknown escape in a string");
  EXPECT_EQ(error_of("\"\\udc00\""), "1:2 half a surrogate pair in a string");
  EXPECT_EQ(error_of("/"), "1:1 expected a value, found `/`");
  EXPECT_EQ(error_of("{\"a\""),
            "1:5 expected `:` after the field's name, found the end of the text");
}

TEST(JsonReader, refuses_malformed_utf8) {  // Oracle: Unicode 15, table 3-7, one from each row.
  for (const std::string bytes :
       {"\x80", "\xC1\x81", "\xE0\x9F\x80", "\xED\xA0\x80", "\xF0\x8F\x80\x80", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\xE2\x82"}) {
    EXPECT_NE(error_of("\"" + bytes + "\""), "");
  }
  EXPECT_EQ(error_of("\"\u007f\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff\""), "");
}

TEST(JsonReader, bounds_depth_and_number_of_values) {
  const std::string deep(json_depth_limit, '[');
  EXPECT_EQ(error_of(deep + std::string(json_depth_limit, ']')), "");
  EXPECT_NE(error_of("[" + deep), "");
  std::string very_deep;
  very_deep.assign(10'000'000, '[');
  EXPECT_NE(error_of(very_deep), "");
  std::string many = "[";
  for (std::size_t i = 0; i < json_value_limit; ++i)
    many += "0,";
  EXPECT_NE(error_of(many + "]"), "");
}

TEST(DidYouMean, finds_typing_errors_and_nothing_far) {
  const std::vector<std::string> known = {"area_density", "density", "velocity",
                                          "KERNEL_QUADRATIC"};
  EXPECT_EQ(did_you_mean("area_densty", known), "area_density");
  EXPECT_EQ(did_you_mean("areaDensity", known), "area_density");
  EXPECT_EQ(did_you_mean("denisty", known), "density");
  EXPECT_EQ(did_you_mean("quadratic", known), "KERNEL_QUADRATIC");
  EXPECT_EQ(did_you_mean("mass", known), std::nullopt);
  const std::vector<std::string> models = {"ELASTIC_MODEL_LINEAR", "ELASTIC_MODEL_NEO_HOOKEAN"};
  EXPECT_EQ(did_you_mean("ELASTIC_MODEL_GENT", models), std::nullopt);
  EXPECT_EQ(did_you_mean("ELASTIC_MODEL_NEO_HOKEAN", models), "ELASTIC_MODEL_NEO_HOOKEAN");
  EXPECT_EQ(did_you_mean("", known), std::nullopt);
  EXPECT_EQ(did_you_mean(std::string(100'000, 'd'), known), std::nullopt);
}

}  // namespace
}  // namespace sluice::convert
