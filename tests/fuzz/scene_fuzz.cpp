// SPDX-License-Identifier: Apache-2.0
// Any bytes as a scene, as JSON and as a message, all the way to what a simulation would be made
// of: nothing may crash or hang, a scene that is called runnable must keep the limits, and JSON
// that was read and written must read as the same scene.
#include <google/protobuf/util/json_util.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "server/convert/scene_load.h"

namespace {

namespace convert = sluice::convert;
namespace scene = sluice::scene;

// So small that a scene costs milliseconds.
constexpr scene::Limits limits{.particle_count = 2'000,
                               .vertex_count = 500,
                               .triangle_count = 1'000,
                               .frame_count = 100,
                               .grid_cell_count = 1'000'000};

void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "broken promise: %s\n", what);
    std::abort();
  }
}

// A name with the text of a file after it is that file: so meshes come from the fuzzer too.
sluice::Result<convert::AssetFile> find_asset(std::string_view name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) {
    return convert::AssetFile{std::string(name), "v 0 0 0\nv .1 0 0\nv .1 .1 0\nf 1 2 3\n"};
  }
  return convert::AssetFile{std::string(name.substr(0, colon)),
                            std::string(name.substr(colon + 1))};
}

// What protobuf's own writer of the mapping writes must read as the same scene.
void write_and_read(const sluice::v1::Scene& scene) {
  std::string json;
  require(google::protobuf::util::MessageToJsonString(scene, &json).ok(), "a scene can be written");
  const convert::ParsedScene again = convert::parse_scene(json);
  require(again.problems.empty(), "written JSON can be read");
  require(again.scene.SerializeAsString() == scene.SerializeAsString(),
          "written JSON reads as the same scene");
}

void load(convert::ParsedScene parsed) {
  const convert::LoadedScene loaded =
      convert::load_scene(parsed.scene, find_asset, limits, std::move(parsed.problems));
  require(loaded.problems.size() <= scene::most_problems, "problems are bounded");
  if (!loaded.runnable()) return;
  require(loaded.particle_count <= limits.particle_count, "particles keep their limit");
  require(loaded.vertex_count <= limits.vertex_count, "vertices keep their limit");
  require(loaded.scene.frame_count <= limits.frame_count, "frames keep their limit");
  require(loaded.particle_count + loaded.vertex_count > 0, "a runnable scene has something in it");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  convert::ParsedScene parsed = convert::parse_scene({reinterpret_cast<const char*>(data), size});
  if (parsed.problems.empty()) write_and_read(parsed.scene);
  load(std::move(parsed));
  // The same as a message, which is how a session's scene comes: any bytes that protobuf takes.
  convert::ParsedScene message;
  if (size < (1U << 30U) && message.scene.ParseFromArray(data, static_cast<int>(size))) {
    load(std::move(message));
  }
  return 0;
}
