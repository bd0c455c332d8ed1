// SPDX-License-Identifier: Apache-2.0
// Oracle: the ranges that the protos document.
#include "server/api/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/server/api/refused_fields.h"

namespace sluice::api {
namespace {

TEST(Checks, create_fills_in_every_default) {
  v1::CreateSessionRequest request;
  request.mutable_scene()->set_name("dam");
  session::Limits limits;
  limits.threads_per_session = 3;
  Violations violations;
  const session::CreateOrder order = check_create(request, limits, violations);
  EXPECT_TRUE(violations.empty());
  EXPECT_EQ(order.display_name, "dam");
  EXPECT_EQ(order.options.frame_count(), 120);
  EXPECT_EQ(order.options.thread_count(), 3);
  EXPECT_EQ(order.options.checkpoint_interval_frames(), 10);
  EXPECT_EQ(order.options.max_restarts(), 3);
  request.mutable_scene()->mutable_timing()->set_frame_count(7);
  EXPECT_EQ(check_create(request, limits, violations).options.frame_count(), 7);
}

TEST(Checks, page_tokens_fit_their_listing_only) {
  const session::ListCursor cursor{1234567, "dam-break"};
  v1::ListSessionsRequest request;
  request.add_states(v1::SESSION_STATE_RUNNING);
  request.set_page_token(page_token(cursor, {v1::SESSION_STATE_RUNNING}));
  const auto order = check_list(request);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->page_size, 50);
  EXPECT_EQ(order->after->create_time_micros, cursor.create_time_micros);
  EXPECT_EQ(order->after->id, cursor.id);
  request.add_states(v1::SESSION_STATE_PAUSED);
  EXPECT_THAT(fields_of(check_list(request).error()), testing::ElementsAre("page_token"));
  for (const char* const bad : {"x", "1", "1.", "1.2", "1.2.", "1.2.A", ".."}) {
    request.set_page_token(bad);
    EXPECT_FALSE(check_list(request)) << bad;
  }
}

TEST(Checks, stream_tells_all_that_is_wrong) {
  v1::StreamFramesRequest request;
  request.set_session("nobody");
  request.mutable_cursor()->set_index(-1);
  request.mutable_cursor()->set_epoch(-1);
  request.set_stride(-2);
  request.set_max_in_flight(5000);
  request.set_codec(static_cast<v1::Codec>(77));
  request.mutable_selection()->add_fields(static_cast<v1::Field>(99));
  EXPECT_THAT(fields_of(check_stream(request).error()),
              testing::UnorderedElementsAre("session", "cursor.index", "cursor.epoch", "stride",
                                            "max_in_flight", "codec", "selection.fields[0]"));
  v1::StreamFramesRequest least;
  least.set_session("sessions/abcd");
  const auto id = check_stream(least);
  ASSERT_TRUE(id);
  EXPECT_EQ(*id, "abcd");
}

// The same for Stream and Get.
TEST(Checks, quantisation_is_for_quantised_codecs) {
  const auto fields = [](const auto& fill) {
    v1::StreamFramesRequest stream;
    stream.set_session("sessions/abcd");
    fill(stream);
    v1::GetFrameRequest get;
    get.set_session("sessions/abcd");
    fill(get);
    const auto of = [](const auto& checked) {
      return checked ? std::vector<std::string>() : fields_of(checked.error());
    };
    EXPECT_EQ(of(check_stream(stream)), of(check_get_frame(get)));
    return of(check_stream(stream));
  };
  const auto set_box = [](auto& request, const std::vector<double>& lower,
                          const std::vector<double>& upper) {
    for (const double value : lower)
      request.mutable_quantization_box()->add_lower(value);
    for (const double value : upper)
      request.mutable_quantization_box()->add_upper(value);
  };
  EXPECT_THAT(fields([&](auto& request) {
                request.set_quantization_bits(16);
                set_box(request, {0, 0, 0}, {1, 1, 1});
                request.mutable_selection()->add_fields(v1::FIELD_ORDER);
              }),
              testing::UnorderedElementsAre("quantization_bits", "quantization_box",
                                            "selection.fields[0]"));
  for (const v1::Codec codec : {v1::CODEC_Q16_PLANES_ZSTD, v1::CODEC_Q16_MESHOPT}) {
    EXPECT_THAT(fields([&](auto& request) {
                  request.set_codec(codec);
                  request.set_quantization_bits(24);
                  set_box(request, {0, 0, 0}, {1, 1, 1});
                  request.mutable_selection()->add_fields(v1::FIELD_ORDER);
                }),
                testing::IsEmpty());
    EXPECT_THAT(fields([&](auto& request) {
                  request.set_codec(codec);
                  request.set_quantization_bits(7);
                  set_box(request, {0, 0}, {1, std::nan(""), 1});
                }),
                testing::Contains("quantization_bits"));
    EXPECT_THAT(fields([&](auto& request) {
                  request.set_codec(codec);
                  set_box(request, {0, 2, 0}, {1, 2, -1});
                }),
                testing::ElementsAre("quantization_box.upper[1]", "quantization_box.upper[2]"));
    EXPECT_THAT(fields([&](auto& request) {
                  request.set_codec(codec);
                  request.mutable_quantization_box();
                }),
                testing::ElementsAre("quantization_box.lower", "quantization_box.upper"));
  }
  EXPECT_THAT(fields([](auto& request) { request.set_codec(v1::CODEC_I32); }),
              testing::ElementsAre("codec"));
}

TEST(Checks, write_stays_inside_the_asset) {
  v1::WriteAssetRequest request;
  request.set_name("assets/" + std::string(64, 'a'));
  request.set_byte_count(10);
  request.set_offset(8);
  request.set_data("abc");
  request.set_file_name("a.obj");
  EXPECT_THAT(fields_of(check_write(request, {}).error()), testing::ElementsAre("data"));
  request.set_data("ab");
  EXPECT_TRUE(check_write(request, {}));
  request.set_file_name("");
  request.set_byte_count(-5);
  request.set_name("assets/" + std::string(64, 'A'));
  EXPECT_THAT(fields_of(check_write(request, {}).error()),
              testing::IsSupersetOf({"name", "byte_count", "offset", "file_name"}));
}

TEST(Checks, plain_text_counts_characters_not_bytes) {
  EXPECT_TRUE(is_plain_text("\xc3\xa4\xc3\xb6", 2));
  EXPECT_FALSE(is_plain_text("abc", 2));
  EXPECT_FALSE(is_plain_text("a\nb", 9));
}

}  // namespace
}  // namespace sluice::api
