// SPDX-License-Identifier: Apache-2.0
// Oracle of sizes: protobuf's own SpaceUsedLong of the parsed message.
#include "server/api/request_bytes.h"

#include <gtest/gtest.h>

#include "sluice/v1/sessions.pb.h"

namespace sluice::api {
namespace {

grpc::ByteBuffer buffer(const std::string& bytes, std::size_t piece = SIZE_MAX) {
  std::vector<grpc::Slice> slices;
  for (std::size_t at = 0; at < bytes.size(); at += std::min(piece, bytes.size() - at)) {
    slices.emplace_back(bytes.substr(at, piece));
  }
  return {slices.data(), slices.size()};
}

std::size_t size_of(const google::protobuf::Message& message) {
  const auto size = parsed_size(*message.GetDescriptor(), buffer(message.SerializeAsString(), 7));
  EXPECT_TRUE(size);
  return size.value_or(0);
}

v1::CreateSessionRequest sample() {
  v1::CreateSessionRequest request;
  for (int i = 0; i < 200; ++i) {
    v1::Fluid& fluid = *request.mutable_scene()->add_fluids();
    fluid.set_name(std::string(static_cast<std::size_t>(i), 'n'));
    fluid.add_regions()->mutable_transform()->add_translation(i);
    v1::Pin& pin = *request.mutable_scene()->add_cloths()->add_pins();
    for (int vertex = 0; vertex < i; ++vertex) {
      pin.add_vertices(vertex);
    }
    v1::RecordedCommand& command = *request.add_recorded_commands();
    command.set_frame_index(i);
    command.mutable_command()->mutable_set_gravity()->add_gravity(1);
  }
  return request;
}

TEST(ParsedSize, is_never_less_than_the_message_takes) {
  EXPECT_GE(size_of(sample()), sample().SpaceUsedLong());
  EXPECT_LE(size_of(sample()), 5 * sample().SpaceUsedLong());
  v1::CreateSessionRequest empty_bodies;
  for (int i = 0; i < 1000; ++i) {
    empty_bodies.mutable_scene()->add_soft_bodies();
  }
  EXPECT_GE(size_of(empty_bodies), empty_bodies.SpaceUsedLong());
  v1::CreateSessionRequest unknown;
  for (int i = 0; i < 1000; ++i) {
    unknown.GetReflection()->MutableUnknownFields(&unknown)->AddVarint(1000, 1);
    unknown.GetReflection()->MutableUnknownFields(&unknown)->AddGroup(1001)->AddFixed32(7, 1);
  }
  EXPECT_GE(size_of(unknown), unknown.SpaceUsedLong());
}

TEST(ParsedSize, is_of_well_formed_bytes_alone) {
  const std::string whole = sample().SerializeAsString();
  const auto& type = *v1::CreateSessionRequest::descriptor();
  EXPECT_TRUE(parsed_size(type, buffer(whole)));
  EXPECT_FALSE(parsed_size(type, buffer(whole.substr(0, whole.size() - 1))));
  EXPECT_FALSE(parsed_size(type, buffer("\xff\xff\xff")));
  std::string deep;
  for (int i = 0; i < 200; ++i) {
    deep += "\xa3\x06";  // A group in a group in a group ...
  }
  EXPECT_FALSE(parsed_size(type, buffer(deep)));
}

TEST(ParseRequest, refuses_what_is_too_long_too_costly_or_none) {
  v1::CreateSessionRequest request;
  EXPECT_FALSE(parse_request(buffer(sample().SerializeAsString()), std::size_t{1} << 20, request));
  EXPECT_EQ(request.SerializeAsString(), sample().SerializeAsString());
  const auto too_long = parse_request(buffer(std::string(101, '\0')), 100, request);
  ASSERT_TRUE(too_long);
  EXPECT_EQ(too_long->kind, session::ErrorKind::resource_exhausted);
  const auto none = parse_request(buffer("\xff\xff"), 100, request);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->kind, session::ErrorKind::invalid_argument);
  // Two bytes of each become hundreds.
  std::string costly;
  for (int i = 0; i < 400'000; ++i) {
    costly += std::string("\x3a\0", 2);  // Scene.fluids
  }
  v1::Scene scene;
  const auto refused = parse_request(buffer(costly), std::size_t{32} << 20, scene);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->kind, session::ErrorKind::resource_exhausted);
  EXPECT_EQ(scene.fluids_size(), 0);
}

}  // namespace
}  // namespace sluice::api
