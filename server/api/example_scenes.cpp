// SPDX-License-Identifier: Apache-2.0
#include "server/api/example_scenes.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include "server/asset_names/asset_names.h"
#include "server/convert/scene_load.h"

namespace sluice::api {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view main_scene = "water_on_sloped_cloth";
constexpr std::uintmax_t largest_file = std::uintmax_t{16} << 20;

std::optional<std::string> read_file(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > largest_file) {
    return std::nullopt;
  }
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  return stream.bad() ? std::nullopt : std::optional(std::move(text));
}

// The first sentence of the comment that a scene begins with.
std::string first_sentence(std::string_view json) {
  std::string comment;
  while (json.starts_with("//")) {
    const std::size_t line_end = std::min(json.find('\n'), json.size());
    std::string_view line = json.substr(2, line_end - 2);
    json.remove_prefix(std::min(line_end + 1, json.size()));
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) {
      break;
    }
    line = line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
    if (!comment.empty()) {
      comment += ' ';
    }
    comment += line;
  }
  const std::size_t end = comment.find(". ");
  return end == std::string::npos ? comment : comment.substr(0, end + 1);
}

}  // namespace

fs::path find_scenes_directory(const fs::path& binary) {
  const fs::path bin = binary.parent_path();
  std::error_code error;
  for (const char* const relative : {"../share/sluice/scenes", SLUICE_SCENES_FROM_BUILD}) {
    const fs::path candidate = fs::weakly_canonical(bin / relative, error);
    if (!error && fs::is_directory(candidate, error)) {
      return candidate;
    }
  }
  return {};
}

v1::ListExampleScenesResponse read_example_scenes(const fs::path& directory) {
  v1::ListExampleScenesResponse response;
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (entry->path().extension() == ".json") {
      paths.push_back(entry->path());
    }
  }
  std::ranges::sort(paths, {}, [](const fs::path& path) {
    return std::pair(path.stem() != main_scene, path.stem().string());
  });
  for (const fs::path& path : paths) {
    auto json = read_file(path);
    if (!json) {
      spdlog::warn("the example scene {} cannot be read", path.string());
      continue;
    }
    v1::ExampleScene scene;
    scene.set_name(path.stem().string());
    scene.set_description(first_sentence(*json));
    const convert::ParsedScene parsed = convert::parse_scene(*json);
    for (const std::string& name : asset_names::find(parsed.scene)) {
      if (auto data = read_file(directory / name)) {
        v1::ExampleFile& file = *scene.add_files();
        file.set_name(name);
        file.set_data(*std::move(data));
      } else {
        spdlog::warn("the example scene {} names {}, which cannot be read", path.string(), name);
      }
    }
    scene.set_json(*std::move(json));
    *response.add_scenes() = std::move(scene);
  }
  return response;
}

}  // namespace sluice::api
