// SPDX-License-Identifier: Apache-2.0
// No documented field is dead: each field of a scene, and each value of its enums, is in a scene of
// tests/data/every_field, and all of these are run by the real binaries.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "sluice/v1/scene.pb.h"
#include "tests/e2e/cli_process.h"

namespace sluice::e2e::every_field_test {
namespace {

namespace fs = std::filesystem;
using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// Values that a scene cannot have, though their enum is used in one, and why.
const std::set<std::string> values_of_no_scene{
    // `Output.fields` names what frames hold besides these, which they always have or derive.
    "FIELD_POSITION",    "FIELD_SPEED", "FIELD_ORDER",         "FIELD_SMOKE",
    "FIELD_TEMPERATURE", "FIELD_DYE",   "FIELD_INTERIOR_CELL",
};

std::vector<fs::path> corpus() {
  std::vector<fs::path> scenes;
  for (const auto& entry : fs::directory_iterator(SLUICE_TEST_DATA "/every_field")) {
    if (entry.path().extension() == ".json") scenes.push_back(entry.path());
  }
  std::ranges::sort(scenes);
  return scenes;
}

/// All that a scene may have: "Cloth.mesh", "INTEGRATOR_NEWTON". Zero values are "not given".
void list_all(const Descriptor& type, std::set<const Descriptor*>& seen,
              std::set<std::string>& all) {
  if (!seen.insert(&type).second) return;
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    all.insert(type.name() + "." + field.name());
    if (field.message_type() != nullptr) list_all(*field.message_type(), seen, all);
    const EnumDescriptor* values = field.enum_type();
    for (int v = 0; values != nullptr && v < values->value_count(); ++v) {
      const auto& value = *values->value(v);
      if (value.number() != 0 && !values_of_no_scene.contains(value.name()))
        all.insert(value.name());
    }
  }
}

/// Adds the fields and values that a message has to `used`.
void list_used(const Message& message, std::set<std::string>& used) {
  const Reflection& access = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  access.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    used.insert(message.GetDescriptor()->name() + "." + field->name());
    const int count = field->is_repeated() ? access.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (field->enum_type() != nullptr) {
        used.insert(field->is_repeated() ? access.GetRepeatedEnum(message, field, i)->name()
                                         : access.GetEnum(message, field)->name());
      } else if (field->message_type() != nullptr) {
        list_used(field->is_repeated() ? access.GetRepeatedMessage(message, field, i)
                                       : access.GetMessage(message, field),
                  used);
      }
    }
  }
}

TEST(EveryField, is_in_a_scene_of_the_corpus) {
  std::set<std::string> used;
  for (const fs::path& path : corpus()) {
    v1::Scene scene;
    const auto status = google::protobuf::util::JsonStringToMessage(read_text(path), &scene);
    ASSERT_TRUE(status.ok()) << path << ": " << status.ToString();
    list_used(scene, used);
  }
  std::set<const Descriptor*> seen;
  std::set<std::string> all;
  list_all(*v1::Scene::descriptor(), seen, all);
  for (const std::string& name : all) {
    EXPECT_TRUE(used.contains(name))
        << name << " is documented and in no scene of tests/data/every_field: add it to one, small "
        << "enough to run in a second, so that it is known to work";
  }
}

// One test a scene, for ctest to run them side by side.
class EverySceneOfTheCorpus : public testing::TestWithParam<fs::path> {};

TEST_P(EverySceneOfTheCorpus, runs) {
  const TemporaryDirectory folder;
  const CliEnd end =
      sluice_command({"run", GetParam().string(), "-o", (folder.path() / "out").string(),
                      "--threads", "1", "--web", "off"},
                     "sluice-worker");
  EXPECT_EQ(end.exit_code, 0) << end.out << end.error;
}

INSTANTIATE_TEST_SUITE_P(All, EverySceneOfTheCorpus, testing::ValuesIn(corpus()),
                         [](const auto& scene) { return scene.param.stem().string(); });

}  // namespace
}  // namespace sluice::e2e::every_field_test
