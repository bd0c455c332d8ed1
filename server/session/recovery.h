// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/session/environment.h"
#include "server/session/error.h"

namespace sluice::session {

/// Makes the database agree with the sessions' folders. Call it once, at the start, before sessions
/// are read from the database and while nothing else runs.
///
/// A row that is missing, older than the session's folder or damaged is made again from the notes
/// in the folder (store/session_note.h); a session without its folder becomes FAILED, with a
/// message. Deletions that were under way are finished. A folder without a readable note goes to
/// lost+found/. No file of any other session is removed. Unusual findings are logged, and added to
/// `findings` as sentences for the operator.
[[nodiscard]] Status reconcile(Environment& environment, std::vector<std::string>& findings);

/// Reads the serialised scene that a session was created with: from its folder, where a checksum
/// guards it, else from its row.
[[nodiscard]] store::Result<std::string> stored_scene(const Environment& environment,
                                                      std::string_view id);

}  // namespace sluice::session
