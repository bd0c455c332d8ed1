// SPDX-License-Identifier: Apache-2.0
#include "server/asset_names/asset_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/v1/annotations.pb.h"
#include "sluice/v1/scene.pb.h"

namespace sluice::asset_names {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using testing::ElementsAre;
using testing::IsEmpty;

// Symptom: a rigid or soft body from a file failed once it ran, for the worker was given the files
// of cloths alone.
TEST(AssetNames, are_those_of_all_kinds_of_bodies_each_once) {
  v1::Scene scene;
  scene.set_name("assets/not_one");
  scene.add_cloths()->set_mesh("sheet.obj");
  scene.add_cloths()->mutable_grid();
  scene.add_cloths()->set_mesh("");
  scene.add_soft_bodies()->set_mesh("jelly.msh");
  scene.add_soft_bodies()->set_mesh("sheet.obj");
  scene.add_rigid_bodies()->set_mesh("box.stl");
  EXPECT_THAT(find(scene), ElementsAre("sheet.obj", "jelly.msh", "box.stl"));
  EXPECT_THAT(find(v1::Scene()), IsEmpty());
  EXPECT_THAT(find(scene.rigid_bodies(0)), ElementsAre("box.stl"));
}

// A field that takes a file and is not marked would stay a file's name on the way to the server.
TEST(AssetNames, are_marked_wherever_a_field_is_called_mesh) {
  for (const Descriptor* type :
       {v1::Cloth::descriptor(), v1::SoftBody::descriptor(), v1::RigidBody::descriptor()}) {
    const FieldDescriptor* field = type->FindFieldByName("mesh");
    ASSERT_NE(field, nullptr) << type->name();
    EXPECT_TRUE(field->options().GetExtension(v1::names_asset)) << type->name();
  }
}

}  // namespace
}  // namespace sluice::asset_names
