// SPDX-License-Identifier: Apache-2.0
#include "client/cli/kept_sessions.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

namespace sluice::cli {
namespace {

namespace fs = std::filesystem;

bool is_ours(const fs::path& folder) {
  struct stat status{};
  return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid();
}

bool has_sessions(const fs::path& folder) {
  std::error_code failure;
  const fs::directory_iterator sessions(folder / "sessions", failure);
  return !failure && sessions != fs::directory_iterator();
}

// A server writes its process id there for as long as it lives (server/store/data_directory.h).
// The lock that it holds on the file is not tried: a server that starts at that moment would find
// it taken.
bool is_served(const fs::path& folder) {
  std::ifstream lock(folder / "lock");
  pid_t server = 0;
  return lock >> server && server > 0 && (::kill(server, 0) == 0 || errno == EPERM);
}

}  // namespace

std::vector<fs::path> find_kept_sessions() {
  std::vector<fs::path> kept;
  std::error_code failure;
  const fs::path parent = fs::temp_directory_path(failure);
  if (failure) return kept;
  for (fs::directory_iterator entry(parent, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const fs::path& folder = entry->path();
    if (folder.filename().string().starts_with("sluice-") && is_ours(folder) &&
        has_sessions(folder) && !is_served(folder))
      kept.push_back(folder);
  }
  std::ranges::sort(kept);
  return kept;
}

}  // namespace sluice::cli
