// SPDX-License-Identifier: Apache-2.0
// What a viewer of quantised frames would lose: a number beyond its bound, a row in another's
// place, a frame that it cannot decode from what it was sent. Oracle: the stored float32 frames.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "quantized_testing.h"

namespace sluice::stream {
namespace {

const std::set<v1::Predictor> key_frame{v1::PREDICTOR_NONE};

class BothCodecs : public QuantizedStream, public testing::WithParamInterface<v1::Codec> {};
INSTANTIATE_TEST_SUITE_P(Codec, BothCodecs,
                         testing::Values(v1::CODEC_Q16_PLANES_ZSTD, v1::CODEC_Q16_MESHOPT));

TEST_P(BothCodecs, every_frame_comes_back_from_what_was_sent) {
  store(0, 130);
  for (const int bits : {8, 16, 24}) {
    FrameReader reader(feed_, quantized(GetParam(), {}, bits));
    Decoder decoder;
    for (std::int64_t index = 0; index < 130; ++index) {
      decoder.decode(reader.take());
      ASSERT_EQ(decoder.header.cursor().index(), index);
      ASSERT_EQ(decoder.values.size(), 4U);
      expect_frame(decoder, frames_[index]);
      EXPECT_EQ(decoder.has_order(), index == 0) << index;
      if (index % 60 == 0) {
        EXPECT_EQ(predictors(decoder), key_frame) << index;
      } else if (index % 60 == 1) {
        EXPECT_FALSE(predictors(decoder).contains(v1::PREDICTOR_LINEAR)) << index;
      }
    }
    EXPECT_TRUE(predictors(decoder).contains(v1::PREDICTOR_LINEAR));
    const v1::Quantization& quantization =
        decoder.descriptors[{"water", v1::FIELD_POSITION}].quantization();
    EXPECT_EQ(quantization.bits(), bits);
    EXPECT_EQ(quantization.step(2), 1.0 / ((1 << bits) - 1));
  }
}

// The same where nothing is kept in memory from one frame to the next.
TEST_P(BothCodecs, needs_no_memory_to_be_right) {
  FeedOptions options;
  options.cache_bytes = 1;
  options.quantized_cache_bytes = 1;
  must(feed_->close());
  feed_ = must(FrameFeed::open(temporary_.path() / "frames", options, store::OpenMode::write));
  store(0, 5);
  FrameReader reader(feed_, quantized(GetParam()));
  Decoder decoder;
  for (std::int64_t index = 0; index < 5; ++index) {
    decoder.decode(reader.take());
    expect_frame(decoder, frames_[index]);
  }
}

TEST_P(BothCodecs, one_that_joins_starts_from_a_key_and_soon_shares_with_all) {
  store(0, 20);
  FrameReader old(feed_, quantized(GetParam()));
  SubscribeOptions late = quantized(GetParam());
  late.cursor = FrameCursor{.epoch = 0, .index = 7};
  FrameReader fresh(feed_, late);
  for (int i = 0; i < 7; ++i) {
    (void)old.take();
  }
  Decoder decoder;
  for (std::int64_t index = 7; index < 20; ++index) {
    const FrameMessages of_old = old.take();
    const FrameMessages of_fresh = fresh.take();
    decoder.decode(of_fresh);
    expect_frame(decoder, frames_[index]);
    const auto used = predictors(decoder);
    if (index == 7) {
      EXPECT_EQ(used, key_frame);
      EXPECT_TRUE(decoder.has_order());
    } else if (index == 8) {
      EXPECT_EQ(used, std::set<v1::Predictor>{v1::PREDICTOR_PREVIOUS});
    }
    EXPECT_EQ(of_old[0].data() == of_fresh[0].data(), index >= 9) << "the very same bytes";
  }
}

TEST_P(BothCodecs, one_that_skips_starts_again_from_a_key) {
  store(0, 1);
  SubscribeOptions options = quantized(GetParam());
  options.delivery = Delivery::latest;
  options.max_in_flight = 1;
  FrameReader reader(feed_, options);
  Decoder decoder;
  std::int64_t stored = 1;
  for (const int step : {1, 1, 1, 3, 1, 1, 7, 2, 1}) {
    decoder.decode(reader.take());
    const std::int64_t index = decoder.header.cursor().index();
    EXPECT_EQ(index, stored - 1);
    expect_frame(decoder, frames_[index]);
    store(stored, stored + step);
    stored += step;
    reader.subscription().acknowledge({.epoch = 0, .index = index});
    EXPECT_EQ(decoder.has_order(), index == 0) << "once an epoch";
  }
}

TEST_P(BothCodecs, strides_are_keys) {
  store(0, 12);
  SubscribeOptions options = quantized(GetParam());
  options.stride = 2;
  FrameReader reader(feed_, options);
  Decoder decoder;
  for (std::int64_t index = 0; index < 12; index += 2) {
    decoder.decode(reader.take());
    EXPECT_EQ(predictors(decoder), key_frame);
    expect_frame(decoder, frames_[index]);
  }
}

TEST_P(BothCodecs, array_that_outgrows_its_box_becomes_a_key) {
  store(0, 4);
  for (std::int64_t index = 4; index < 8; ++index) {
    Motion frame = motion(index);
    frame.arrays[{"water", v1::FIELD_POSITION}][5] = 9.5F;
    store(index, frame);
  }
  store(8, 12);
  FrameReader reader(feed_, quantized(GetParam(), {v1::FIELD_POSITION}));
  Decoder decoder;
  for (std::int64_t index = 0; index < 12; ++index) {
    decoder.decode(reader.take());
    expect_frame(decoder, frames_[index]);
    const auto& water = decoder.descriptors[{"water", v1::FIELD_POSITION}];
    const auto& cloth = decoder.descriptors[{"cloth", v1::FIELD_POSITION}];
    const bool is_out = index >= 4 && index < 8;
    EXPECT_EQ(water.quantization().step(2), (is_out ? 32 : 1) / 65535.0);
    EXPECT_EQ(water.predictor() == v1::PREDICTOR_NONE, index % 4 == 0) << index;
    EXPECT_EQ(cloth.predictor() == v1::PREDICTOR_NONE, index == 0) << index;
  }
}

TEST_P(BothCodecs, what_is_not_finite_comes_exactly) {
  store(0, 3);
  Motion broken = motion(3);
  broken.arrays[{"water", v1::FIELD_VELOCITY}][7] = std::numeric_limits<float>::quiet_NaN();
  broken.arrays[{"cloth", v1::FIELD_VELOCITY}][7] = std::numeric_limits<float>::infinity();
  store(3, broken);
  store(4, 6);
  FrameReader reader(feed_, quantized(GetParam()));
  Decoder decoder;
  for (std::int64_t index = 0; index < 6; ++index) {
    decoder.decode(reader.take());
    expect_frame(decoder, frames_[index]);
    const auto& array = decoder.descriptors[{"water", v1::FIELD_VELOCITY}];
    EXPECT_EQ(array.codec(), index == 3 ? v1::CODEC_F32 : GetParam());
    EXPECT_TRUE(index != 4 || array.predictor() == v1::PREDICTOR_NONE);
  }
}

TEST_P(BothCodecs, new_epoch_brings_its_order_and_a_key) {
  store(0, 3);
  store_layout(1, true);
  for (std::int64_t index = 3; index < 6; ++index) {
    Motion frame = motion(index, 1);
    for (auto& [key, values] : frame.arrays) {
      std::ranges::reverse(values);  // Another order, and other places.
    }
    store(index, frame);
  }
  FrameReader reader(feed_, quantized(GetParam()));
  Decoder decoder;
  for (std::int64_t index = 0; index < 6; ++index) {
    decoder.decode(reader.take());
    EXPECT_EQ(decoder.has_order(), index % 3 == 0) << index;
    EXPECT_EQ(predictors(decoder) == key_frame, index % 3 == 0) << index;
    expect_frame(decoder, frames_[index]);
  }
}

TEST_F(QuantizedStream, speed_is_derived_in_every_codec) {
  store(0, 3);
  for (const v1::Codec codec : {v1::CODEC_F32, v1::CODEC_Q16_PLANES_ZSTD, v1::CODEC_Q16_MESHOPT}) {
    SubscribeOptions options = quantized(codec, {v1::FIELD_SPEED});
    if (codec == v1::CODEC_F32) {
      options.form = {.selection = select({}, {v1::FIELD_SPEED}), .encoding = {}};
    }
    FrameReader reader(feed_, options);
    Decoder decoder;
    for (std::int64_t index = 0; index < 3; ++index) {
      decoder.decode(reader.take());
      ASSERT_EQ(decoder.values.size(), 2U) << "and nothing else";
      for (const char* body : {"water", "cloth"}) {
        const Values& velocity = frames_[index].arrays[{body, v1::FIELD_VELOCITY}];
        const Values& speed = decoder.values[{body, v1::FIELD_SPEED}];
        ASSERT_EQ(speed.size(), velocity.size() / 3);
        for (std::size_t row = 0; row < speed.size(); ++row) {
          const double expected =
              std::hypot(velocity[3 * row], velocity[3 * row + 1], velocity[3 * row + 2]);
          ASSERT_NEAR(speed[row], expected, codec == v1::CODEC_F32 ? 1e-7 : 1e-5);
        }
      }
    }
  }
}

TEST_F(QuantizedStream, readers_choose_their_box) {
  store(0, 2);
  SubscribeOptions options = quantized(v1::CODEC_Q16_MESHOPT, {v1::FIELD_POSITION});
  options.form.encoding.box = codec::Box{.lower = {0.4, 0.4, 0.4}, .upper = {0.6, 0.6, 0.6}};
  FrameReader reader(feed_, options);
  Decoder decoder;
  decoder.decode(reader.take());
  expect_frame(decoder, frames_[0]);
  // Heights are in [0, 1]: 0.2 about the middle must be doubled three times. The rest is nearer.
  const auto& quantization = decoder.descriptors[{"water", v1::FIELD_POSITION}].quantization();
  EXPECT_NEAR(quantization.step(0), 0.8 / 65535, 1e-12);
  EXPECT_NEAR(quantization.step(2), 1.6 / 65535, 1e-12);
}

TEST_F(QuantizedStream, one_frame_alone_is_a_key_with_its_order) {
  store(0, 9);
  const auto form = quantized(v1::CODEC_Q16_PLANES_ZSTD).form;
  Decoder decoder;
  decoder.decode(must(feed_->read(8, form)));
  EXPECT_TRUE(decoder.has_order());
  EXPECT_EQ(predictors(decoder), key_frame);
  expect_frame(decoder, frames_[8]);
}

TEST_F(QuantizedStream, order_comes_for_the_chosen_bodies_of_particles_alone) {
  store(0, 1);
  const auto orders = [&](const std::vector<std::string>& bodies) {
    FrameForm form = quantized(v1::CODEC_Q16_MESHOPT).form;
    form.selection = select(bodies, {v1::FIELD_ORDER});
    std::vector<std::string> names;
    const auto header = read_frame_header(must(feed_->read(0, form)));
    for (const auto& array : header->arrays()) {
      EXPECT_EQ(array.field(), v1::FIELD_ORDER);
      names.push_back(array.body());
    }
    return names;
  };
  EXPECT_EQ(orders({}), std::vector<std::string>{"water"});
  EXPECT_TRUE(orders({"cloth"}).empty());
}

// A session that a server before 0.2 began: its layout has no domain, and its worker's now has.
TEST_F(QuantizedStream, layouts_without_a_domain_go_on_working) {
  store_layout(1, false);
  for (std::int64_t index = 0; index < 3; ++index) {
    store(index, motion(index, 1));
  }
  store_layout(1, true);
  EXPECT_TRUE(must(feed_->layout(1)).domain_lower().empty());
  FrameReader reader(feed_, quantized(v1::CODEC_Q16_PLANES_ZSTD));
  Decoder decoder;
  for (std::int64_t index = 0; index < 3; ++index) {
    decoder.decode(reader.take());
    expect_frame(decoder, frames_[index]);
  }
  const double step = decoder.descriptors[{"water", v1::FIELD_POSITION}].quantization().step(0);
  EXPECT_LT(step, 0.85 / 65535) << "the bounds of the first frame";
}

}  // namespace
}  // namespace sluice::stream
