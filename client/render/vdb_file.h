// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openvdb/openvdb.h>

#include <filesystem>

namespace sluice::render {

/// Writes an OpenVDB file under another name and renames it. If that fails, throws
/// `files::FileError` and leaves no partial file.
void write_vdb_file(const std::filesystem::path& path, const openvdb::GridCPtrVec& grids);

}  // namespace sluice::render
