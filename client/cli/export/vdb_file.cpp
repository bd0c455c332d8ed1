// SPDX-License-Identifier: Apache-2.0
#include "client/cli/export/vdb_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <exception>
#include <system_error>

#include "client/cli/command_error.h"

namespace sluice::cli {

void write_vdb_file(const std::filesystem::path& path, const openvdb::GridCPtrVec& grids) {
  const std::filesystem::path part =
      path.parent_path() / fmt::format(".{}.{}.part", path.filename().string(), ::getpid());
  try {
    openvdb::io::File file(part.string());
    file.write(grids);
    file.close();
    std::filesystem::rename(part, path);
  } catch (const std::exception& problem) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    throw CommandError(ExitCode::failed,
                       fmt::format("cannot write {}: {}", path.string(), problem.what()));
  }
}

}  // namespace sluice::cli
