// SPDX-License-Identifier: Apache-2.0
// Quantised streams of the real server and the real solver, read by the client library. Oracle: the
// same frames in float32, and the error that frames.proto promises.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "sluice/frame_stream.h"
#include "tests/e2e/server_process.h"

namespace sluice::e2e::server_codec_test {
namespace {

using client::Frame;

class ServerCodec : public testing::Test {
 protected:
  // Read while the session runs, so that frames are encoded as they come.
  std::map<std::int64_t, Frame> read(v1::Codec codec, std::vector<v1::Field> fields = {},
                                     int bits = 0) {
    client::FrameStream stream(
        connection_,
        {.session = name_, .fields = std::move(fields), .codec = codec, .quantization_bits = bits});
    std::map<std::int64_t, Frame> frames;
    while (auto frame = stream.next()) {
      const std::int64_t index = frame->index;
      frames.emplace(index, *std::move(frame));
    }
    return frames;
  }

  TemporaryDirectory data_;
  ServerProcess server_{data_.path(),
                        {"--worker", (binary_directory() / "sluice-worker").string()}};
  client::Connection connection_{server_.address()};
  std::string name_ = create(server_, create_request(small_scene("physics"), 70)).name();
};

// Half a step of the domain's box in `bits`, and the rounding of a float32.
double position_bound(const v1::Layout& layout, int axis, int bits) {
  const double extent = layout.domain_upper(axis) - layout.domain_lower(axis);
  return extent / ((1 << bits) - 1) / 2 * 1.001 + 1e-6;
}

TEST_F(ServerCodec, numbers_come_back_in_the_solvers_order_within_their_bound) {
  const auto exact = read(v1::CODEC_F32);
  ASSERT_EQ(exact.size(), 71U);
  const v1::Layout layout = client::get_layout(connection_, name_);
  ASSERT_EQ(layout.domain_lower_size(), 3);
  for (const v1::Codec codec : {v1::CODEC_Q16_PLANES_ZSTD, v1::CODEC_Q16_MESHOPT}) {
    for (const int bits : {0, 20}) {
      const auto frames = read(codec, {}, bits);
      ASSERT_EQ(frames.size(), exact.size());
      for (const auto& [index, frame] : frames) {
        const Frame& truth = exact.at(index);
        ASSERT_EQ(frame.arrays.size(), truth.arrays.size());
        for (std::size_t i = 0; i < frame.arrays.size(); ++i) {
          ASSERT_EQ(frame.arrays[i].body, truth.arrays[i].body);
          ASSERT_EQ(frame.arrays[i].field, truth.arrays[i].field);
          ASSERT_EQ(frame.arrays[i].values.size(), truth.arrays[i].values.size());
          if (frame.arrays[i].field != v1::FIELD_POSITION) {
            continue;
          }
          for (std::size_t at = 0; at < frame.arrays[i].values.size(); ++at) {
            ASSERT_NEAR(frame.arrays[i].values[at], truth.arrays[i].values[at],
                        position_bound(layout, static_cast<int>(at % 3), bits == 0 ? 16 : bits))
                << "frame " << index << " of " << frame.arrays[i].body;
          }
        }
      }
    }
  }
}

TEST_F(ServerCodec, speed_is_the_velocitys_magnitude) {
  const auto speeds = read(v1::CODEC_F32, {v1::FIELD_SPEED, v1::FIELD_VELOCITY});
  for (const auto& [index, frame] : speeds) {
    for (const client::FrameArray& array : frame.arrays) {
      if (array.field != v1::FIELD_SPEED) {
        continue;
      }
      const auto velocity = frame.values(array.body, v1::FIELD_VELOCITY);
      ASSERT_EQ(array.component_count, 1);
      ASSERT_EQ(array.values.size() * 3, velocity.size());
      for (std::size_t row = 0; row < array.values.size(); ++row) {
        const double expected =
            std::hypot(velocity[3 * row], velocity[3 * row + 1], velocity[3 * row + 2]);
        ASSERT_NEAR(array.values[row], expected, 1e-6 * (1 + expected));
      }
    }
  }
  EXPECT_EQ(speeds.size(), 71U);
}

TEST_F(ServerCodec, says_what_is_wrong_with_a_request) {
  v1::GetFrameRequest request;
  request.set_session(name_);
  request.set_codec(v1::CODEC_Q16_MESHOPT);
  request.set_quantization_bits(25);
  grpc::ClientContext context;
  v1::Frame frame;
  const grpc::Status status = server_.frames->Get(&context, request, &frame);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), testing::HasSubstr("quantization_bits"));
}

}  // namespace
}  // namespace sluice::e2e::server_codec_test
