// SPDX-License-Identifier: Apache-2.0
#include "server/store/data_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace sluice::store {
namespace {

constexpr std::string_view version_text = "1\n";

ByteView bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Who holds the lock, as it wrote there.
std::string holder_of(const std::filesystem::path& lock_path) {
  const auto bytes = read_whole_file(lock_path, 64);
  std::string text = bytes ? text_of(*bytes) : std::string();
  std::erase(text, '\n');
  return text.empty() ? "another process" : "process " + text;
}

Result<File> take_lock(const std::filesystem::path& root) {
  const auto path = root / "lock";
  auto file = File::open(path, O_RDWR | O_CREAT);
  if (!file) {
    return file;
  }
  if (::flock(file->descriptor(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      return errno_error(errno, "lock", path);
    }
    return Error{ErrorCode::locked,
                 fmt::format("the data directory {} is in use by {}; stop that server or choose "
                             "another directory",
                             root.string(), holder_of(path))};
  }
  const std::string pid = fmt::format("{}\n", ::getpid());
  const ByteView slice = bytes_of(pid);
  if (auto cut = file->truncate(0); !cut) {
    return cut.error();
  }
  if (auto written = file->write_at(0, std::span(&slice, 1)); !written) {
    return written.error();
  }
  return file;
}

// Writes the version of a new directory, or checks that of an old one.
Status check_version(const std::filesystem::path& root) {
  const auto path = root / "version";
  const auto bytes = read_whole_file(path, 64);
  if (!bytes) {
    if (bytes.error().code != ErrorCode::not_found) {
      return bytes.error();
    }
    return replace_file(path, bytes_of(version_text));
  }
  if (text_of(*bytes) != version_text) {
    return Error{ErrorCode::unsupported_version,
                 fmt::format("the data directory {} has a layout that this version of Sluice does "
                             "not know; see its file \"version\"",
                             root.string())};
  }
  return ok();
}

// More of one name are not kept apart: somebody has to look.
constexpr int most_of_a_name = 1000;

// Ids have no '~'.
std::string numbered(std::string_view name, int number) {
  return number == 0 ? std::string(name) : fmt::format("{}~{}", name, number);
}

// Names of the folders in `directory`, in order.
Result<std::vector<std::string>> folders_in(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(directory, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::error_code unknown;
    if (entry->is_directory(unknown)) {
      names.push_back(entry->path().filename().string());
    }
  }
  if (error) {
    return errno_error(error.value(), "list", directory);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

bool is_session_id(std::string_view id) {
  return !id.empty() && id.size() <= 63 && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

Result<std::unique_ptr<DataDirectory>> DataDirectory::open(const std::filesystem::path& root) {
  if (auto created = ensure_directory(root); !created) {
    return created.error();
  }
  auto lock = take_lock(root);
  if (!lock) {
    return lock.error();
  }
  if (auto version = check_version(root); !version) {
    return version.error();
  }
  for (const char* name : {"assets", "sessions", "trash"}) {
    if (auto created = ensure_directory(root / name); !created) {
      return created.error();
    }
  }
  return std::unique_ptr<DataDirectory>(new DataDirectory(root, std::move(lock).value()));
}

std::filesystem::path DataDirectory::session_path(std::string_view id) const {
  return root_ / "sessions" / id;
}

std::filesystem::path DataDirectory::frames_path(std::string_view id) const {
  return session_path(id) / "frames";
}

std::filesystem::path DataDirectory::checkpoints_path(std::string_view id) const {
  return session_path(id) / "checkpoints";
}

Status DataDirectory::create_session(std::string_view id) const {
  if (!is_session_id(id)) {
    return Error{ErrorCode::not_found, fmt::format("\"{}\" cannot name a session", id)};
  }
  if (auto created = ensure_directory(frames_path(id)); !created) {
    return created;
  }
  return ensure_directory(checkpoints_path(id));
}

Result<std::filesystem::path> DataDirectory::bury(std::string_view id) const {
  if (!is_session_id(id)) {
    return Error{ErrorCode::not_found, fmt::format("\"{}\" cannot name a session", id)};
  }
  const auto from = session_path(id);
  // Another session of that name may be on its way out.
  for (int number = 0; number < most_of_a_name; ++number) {
    const auto to = root_ / "trash" / numbered(id, number);
    if (::rename(from.c_str(), to.c_str()) == 0) {
      for (const char* changed : {"trash", "sessions"}) {
        if (auto synced = sync_directory(root_ / changed); !synced) {
          (void)::rename(to.c_str(), from.c_str());  // An error means that it is where it was.
          return synced.error();
        }
      }
      return to;
    }
    if (errno == ENOENT) {
      return std::filesystem::path();
    }
    if (errno != ENOTEMPTY && errno != EEXIST) {
      break;
    }
  }
  return errno_error(errno, "remove", from);
}

Status DataDirectory::empty_grave(const std::filesystem::path& grave) const {
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(grave, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::error_code remove_error;
    std::filesystem::remove_all(entry->path(), remove_error);
    // Another thread may be emptying it as well.
    if (remove_error && remove_error != std::errc::no_such_file_or_directory) {
      return errno_error(remove_error.value(), "remove", entry->path());
    }
  }
  const bool is_gone = error == std::errc::no_such_file_or_directory;
  return error && !is_gone ? Status(errno_error(error.value(), "list", grave)) : ok();
}

Result<std::vector<std::string>> DataDirectory::buried() const {
  auto names = folders_in(root_ / "trash");
  if (!names) {
    return names;
  }
  for (std::string& name : *names) {
    name.resize(std::min(name.size(), name.find('~')));
  }
  return names;
}

Status DataDirectory::empty_trash() const { return empty_grave(root_ / "trash"); }

Status DataDirectory::delete_session(std::string_view id) const {
  const auto grave = bury(id);
  if (!grave) {
    return grave.error();
  }
  if (grave->empty()) {
    return ok();
  }
  std::error_code error;
  std::filesystem::remove_all(*grave, error);
  return error ? Status(errno_error(error.value(), "remove", *grave)) : ok();
}

Result<std::vector<std::string>> DataDirectory::session_folders() const {
  auto names = folders_in(root_ / "sessions");
  if (names) {
    std::erase_if(*names, [](const std::string& name) { return !is_session_id(name); });
  }
  return names;
}

bool DataDirectory::remove_if_empty(std::string_view id) const {
  // rmdir(2) refuses whatever holds anything.
  for (const auto& path : {frames_path(id), checkpoints_path(id), session_path(id)}) {
    if (::rmdir(path.c_str()) != 0 && errno != ENOENT) {
      return false;
    }
  }
  return true;
}

Result<std::filesystem::path> DataDirectory::set_aside(
    std::string_view name, std::span<const std::filesystem::path> paths) const {
  const auto parent = root_ / "lost+found";
  if (auto created = ensure_directory(parent); !created) {
    return created.error();
  }
  std::filesystem::path folder;
  for (int number = 0;; ++number) {
    folder = parent / numbered(name, number);
    if (::mkdir(folder.c_str(), 0700) == 0) {
      break;
    }
    if (errno != EEXIST || number == most_of_a_name) {
      return errno_error(errno, "create directory", folder);
    }
  }
  for (const auto& path : paths) {
    const auto to = folder / path.filename();
    if (::rename(path.c_str(), to.c_str()) != 0 && errno != ENOENT) {
      return errno_error(errno, "move", path);
    }
    if (auto synced = sync_directory(path.parent_path()); !synced) {
      return synced.error();
    }
  }
  for (const auto& changed : {folder, parent}) {
    if (auto synced = sync_directory(changed); !synced) {
      return synced.error();
    }
  }
  return folder;
}

Result<std::uint64_t> DataDirectory::free_bytes() const { return store::free_bytes(root_); }

}  // namespace sluice::store
