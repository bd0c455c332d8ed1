// SPDX-License-Identifier: Apache-2.0
#include "client/render/vdb_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <exception>
#include <system_error>

#include "client/files/file_error.h"

namespace sluice::render {

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
    throw files::FileError(fmt::format("cannot write {}: {}", path.string(), problem.what()));
  }
}

}  // namespace sluice::render
