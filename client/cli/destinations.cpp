// SPDX-License-Identifier: Apache-2.0
#include "client/cli/destinations.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <regex>
#include <set>

#include "client/cli/command_error.h"
#include "client/cli/visible_text.h"

namespace sluice::cli {
namespace {

namespace fs = std::filesystem;

CommandError cannot_write(const fs::path& path, const std::string& why) {
  return {ExitCode::usage,
          fmt::format("cannot write to '{}': {}", visible(path.string()), visible(why))};
}

/// Names of files in a folder; none where it is not there.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) {
      names.push_back(entry->path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string count_of(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

/// Adds what `index_of` finds in a folder; -1 is a file of all frames, -2 none of ours.
template <class IndexOf>
void add_folder(const std::string& folder, std::int64_t first_index, const IndexOf& index_of,
                OldOutput& old) {
  if (folder.empty()) {
    return;
  }
  std::set<std::int64_t> frames;
  std::size_t count = 0;
  for (const std::string& name : names_in(folder)) {
    const std::int64_t index = index_of(name);
    if (index < -1 || (index < first_index && !(index == -1 && first_index == 0))) {
      continue;
    }
    old.files.push_back(fs::path(folder) / name);
    ++count;
    if (index >= 0) {
      frames.insert(index);
    }
  }
  if (count > 0) {
    std::string text = fmt::format("'{}' has {}", visible(folder), count_of(count, "file"));
    if (!frames.empty()) {
      text += fmt::format(" of {} ({} to {})", count_of(frames.size(), "frame"), *frames.begin(),
                          *frames.rbegin());
    }
    old.in_words.push_back(text + " of a former run");
  }
}

void add_file(const std::string& file, OldOutput& old) {
  std::error_code ignored;
  if (!file.empty() && fs::is_regular_file(file, ignored)) {
    old.files.emplace_back(file);
    old.in_words.push_back(fmt::format("'{}' is there already", visible(file)));
  }
}

/// The reason why a folder, or one that is to be made, takes no files; empty if there is none.
std::string obstacle_to_writing(const fs::path& folder) {
  std::error_code failure;
  fs::path there = fs::absolute(folder, failure).lexically_normal();
  if (failure) {
    return failure.message();
  }
  while (!fs::exists(fs::symlink_status(there, failure)) && there.has_relative_path()) {
    there = there.parent_path();
  }
  if (!fs::is_directory(there, failure)) {
    return failure ? failure.message() : fmt::format("'{}' is not a folder", there.string());
  }
  const fs::path probe = there / fmt::format(".sluice-{}.part", ::getpid());
  const int file = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) {
    return std::strerror(errno);
  }
  ::close(file);
  ::unlink(probe.c_str());
  return {};
}

void require_writable_file(const std::string& file) {
  if (file.empty()) {
    return;
  }
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) {
    throw cannot_write(file, "it is a folder");
  }
  const fs::path parent = fs::path(file).parent_path();
  const std::string obstacle = obstacle_to_writing(parent.empty() ? fs::path(".") : parent);
  if (!obstacle.empty()) {
    throw cannot_write(file, obstacle);
  }
}

}  // namespace

void require_writable_folder(const fs::path& folder) {
  const std::string obstacle = obstacle_to_writing(folder);
  if (!obstacle.empty()) {
    throw cannot_write(folder, obstacle);
  }
}

void require_writable(const Destinations& destinations) {
  if (!destinations.frames.empty()) {
    require_writable_folder(destinations.frames);
  }
  if (!destinations.pictures.empty()) {
    require_writable_folder(destinations.pictures);
  }
  require_writable_file(destinations.video);
  require_writable_file(destinations.contact_sheet);
}

std::optional<FrameFileName> parse_frame_file_name(const std::string& name) {
  static const std::regex frame(
      R"(([a-z][a-z0-9_-]{0,62}(?:\.(?:surface|cells))?)_([0-9]{6,7})\.(?:vtp|vtu|vti|vdb|ply))");
  static const std::regex series(R"((_all|[a-z][a-z0-9_-]{0,62}(?:\.(?:surface|cells))?)\.pvd)");
  std::smatch parts;
  if (std::regex_match(name, parts, frame)) {
    return FrameFileName{parts[1], std::stoll(parts[2])};
  }
  if (std::regex_match(name, parts, series)) {
    return FrameFileName{parts[1], -1};
  }
  return {};
}

OldOutput find_old_output(const Destinations& destinations, std::int64_t first_index) {
  OldOutput old;
  add_folder(
      destinations.frames, first_index,
      [](const std::string& name) -> std::int64_t {
        const auto parsed = parse_frame_file_name(name);
        return parsed ? parsed->index : -2;
      },
      old);
  add_folder(
      destinations.pictures, first_index,
      [](const std::string& name) -> std::int64_t {
        static const std::regex picture(R"(([0-9]{6,7})\.png)");
        std::smatch parts;
        return std::regex_match(name, parts, picture) ? std::stoll(parts[1]) : -2;
      },
      old);
  if (first_index == 0) {
    add_file(destinations.video, old);
    add_file(destinations.contact_sheet, old);
  }
  return old;
}

void refuse(const OldOutput& old) {
  if (old.empty()) {
    return;
  }
  throw CommandError(ExitCode::usage,
                     fmt::format("{}: --overwrite removes what was written there (and nothing "
                                 "else), or name another place",
                                 fmt::join(old.in_words, "; ")));
}

void remove(const OldOutput& old) {
  for (const fs::path& file : old.files) {
    std::error_code failure;
    if (!fs::remove(file, failure) && failure) {
      throw CommandError(ExitCode::failed, fmt::format("cannot remove '{}': {}",
                                                       visible(file.string()), failure.message()));
    }
  }
}

void add_overwrite_option(Command command, bool& overwrite) {
  command.add_flag("--overwrite", overwrite,
                   "Remove what a former run has left where this one writes: frames' files, "
                   "numbered pictures, film and sheet, and nothing else. Without it that is an "
                   "error, before anything is computed");
}

}  // namespace sluice::cli
