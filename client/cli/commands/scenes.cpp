// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "client/cli/command_error.h"
#include "client/cli/commands/commands.h"
#include "client/cli/commands/submission.h"
#include "client/cli/destinations.h"
#include "client/cli/message_json.h"
#include "client/cli/output.h"
#include "client/cli/suggestion.h"
#include "client/cli/visible_text.h"
#include "client/files/whole_file.h"
#include "sluice/server.h"

namespace sluice::cli {
namespace {

ExitCode validate(const Program& program, const std::string& path) {
  const client::SceneFile file = read_scene(path);
  const AnyServer server(program);
  const client::CheckedScene checked = client::check_scene(server.connection(), file);
  print_problems(path, checked.report);
  if (checked.valid) print_choices(checked.report);
  if (program.json) {
    auto json = to_json(checked.report);
    json["valid"] = checked.valid;
    print_json(json);
  } else if (checked.valid) {
    print_data(fmt::format("{}: valid, {} particles, {} vertices", visible(path),
                           checked.report.particle_count(), checked.report.vertex_count()));
  }
  return checked.valid ? ExitCode::done : ExitCode::usage;
}

ExitCode list_scenes(const Program& program) {
  const AnyServer server(program);
  auto json = nlohmann::ordered_json::object();
  json["scenes"] = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows;
  for (const v1::ExampleScene& scene : client::list_example_scenes(server.connection())) {
    rows.push_back({scene.name(), scene.description()});
    json["scenes"].push_back({{"name", scene.name()}, {"description", scene.description()}});
  }
  if (program.json) {
    print_json(json);
  } else {
    print_data(format_table(rows));
  }
  return ExitCode::done;
}

v1::ExampleScene find_scene(const Program& program, const std::string& name) {
  const AnyServer server(program);
  std::string names;
  std::vector<std::string> known;
  for (const v1::ExampleScene& scene : client::list_example_scenes(server.connection())) {
    if (scene.name() == name) {
      return scene;
    }
    names += (names.empty() ? "" : ", ") + scene.name();
    known.push_back(scene.name());
  }
  throw CommandError(ExitCode::usage, fmt::format("no scene is called '{}'{}; there are: {}", name,
                                                  did_you_mean(name, known), names));
}

ExitCode print_scene(const Program& program, const std::string& name) {
  const v1::ExampleScene scene = find_scene(program, name);
  if (program.json) {
    print_json(
        {{"name", scene.name()}, {"description", scene.description()}, {"json", scene.json()}});
  } else {
    std::string text = scene.json();
    while (text.ends_with('\n')) {
      text.pop_back();
    }
    // A file gets the server's own bytes, a terminal none that it would act on.
    print_data(::isatty(STDOUT_FILENO) == 1 ? visible_lines(text) : text);
  }
  return ExitCode::done;
}

/// Names of files come from the server: they may not lead out of the folder.
std::filesystem::path check_file_name(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(name).lexically_normal();
  if (path.empty() || path.is_absolute() || *path.begin() == ".." || !path.has_filename()) {
    throw CommandError(ExitCode::refused, "the server sent a file with the name '" + name + "'");
  }
  return path;
}

struct SaveOptions {
  std::string name;
  std::string folder{"."};
  bool overwrite{false};
};

/// Refuses to write over a file with another content: people begin with an example and change it.
void require_unchanged(const std::filesystem::path& path, const std::string& content) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return;
  }
  std::ostringstream there;
  there << file.rdbuf();
  if (there.str() != content) {
    throw CommandError(
        ExitCode::usage,
        fmt::format("'{}' is there already and is another file: --overwrite replaces "
                    "it, or name another folder",
                    visible(path.string())));
  }
}

ExitCode save_scene(const Program& program, const SaveOptions& options) {
  require_writable_folder(options.folder);
  const v1::ExampleScene scene = find_scene(program, options.name);
  const std::filesystem::path base(options.folder);
  std::vector<std::pair<std::filesystem::path, std::string>> files;
  files.emplace_back(base / check_file_name(scene.name() + ".json"), scene.json());
  for (const v1::ExampleFile& file : scene.files()) {
    files.emplace_back(base / check_file_name(file.name()), file.data());
  }
  if (!options.overwrite) {
    for (const auto& [path, content] : files) {
      require_unchanged(path, content);
    }
  }
  auto saved = nlohmann::ordered_json::array();
  for (const auto& [path, content] : files) {
    if (path.has_parent_path()) {
      files::make_folder(path.parent_path());
    }
    files::write_whole_file(path, content);
    saved.push_back(path.string());
  }
  if (program.json) {
    print_json({{"name", scene.name()}, {"files", saved}});
  } else {
    for (const auto& file : saved) {
      print_data(visible(file.get<std::string>()));
    }
  }
  return ExitCode::done;
}

void add_validate(Command root, Program& program) {
  const Command command =
      root.add_command("validate", "Checks a scene and its meshes, and prints all that is wrong.");
  command.examples("  sluice validate scene.json\n  sluice validate scene.json --json");
  const auto path = std::make_shared<std::string>();
  command.add_option("scene", *path, "Scene file (.json, .textproto, .binpb)").required();
  command.on_parsed(
      [&program, path] { program.action = [&program, path] { return validate(program, *path); }; });
}

}  // namespace

void add_scene_commands(Command root, Program& program) {
  add_validate(root, program);
  const Command command =
      root.add_command("scenes", "Lists the scenes that come with Sluice, prints or saves one.");
  command.examples(
      "  sluice scenes\n"
      "  sluice scenes print water_on_sloped_cloth\n"
      "  sluice scenes save water_on_sloped_cloth -o .    with its meshes");
  command.fallthrough();
  command.require_command(0, 1);
  const auto name = std::make_shared<std::string>();
  const auto saving = std::make_shared<SaveOptions>();
  command.on_parsed([&program] {
    if (!program.action) {
      program.action = [&program] { return list_scenes(program); };
    }
  });
  const Command list = command.add_command("list", "Lists them, the main one first.");
  list.on_parsed([&program] { program.action = [&program] { return list_scenes(program); }; });
  const Command print = command.add_command("print", "Prints a scene.");
  print.add_option("name", *name, "Name of the scene").required();
  print.on_parsed([&program, name] {
    program.action = [&program, name] { return print_scene(program, *name); };
  });
  const Command save = command.add_command("save", "Saves a scene and the meshes that it names.");
  save.add_option("name", saving->name, "Name of the scene").required();
  save.add_option("-o,--out", saving->folder, "Folder; if not given, this one");
  save.add_flag("--overwrite", saving->overwrite,
                "Replace files of the same names; without it one that was changed is an error");
  save.on_parsed([&program, saving] {
    program.action = [&program, saving] { return save_scene(program, *saving); };
  });
}

}  // namespace sluice::cli
