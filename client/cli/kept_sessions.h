// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace sluice::cli {

/// The folders of sessions that former runs have left under the system's directory for temporary
/// files, sorted by name: runs that were killed, or interrupted and not gone on with. Sessions that
/// a server works on are not among them, nor are other users'. Unreadable folders are left out.
[[nodiscard]] std::vector<std::filesystem::path> find_kept_sessions();

}  // namespace sluice::cli
