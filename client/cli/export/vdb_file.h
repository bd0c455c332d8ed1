// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openvdb/openvdb.h>

#include <filesystem>

namespace sluice::cli {

/// Writes an OpenVDB file under another name and renames it. Throws `CommandError` when it cannot;
/// no file is there then.
void write_vdb_file(const std::filesystem::path& path, const openvdb::GridCPtrVec& grids);

}  // namespace sluice::cli
