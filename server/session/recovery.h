// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/session/environment.h"
#include "server/session/error.h"

namespace sluice::session {

/// Makes database and folders say the same, before sessions are read from the database: once, at
/// the start, alone.
///
/// A row that is missing, older than the session's folder or damaged is made again from the notes
/// in the folder (store/session_note.h); a row whose folder is gone fails with words. Sessions that
/// were being deleted are deleted. A folder that does not say what it is goes to lost+found/.
/// Nothing that holds a byte of a session is removed. What is unusual is logged, and added to
/// `findings` in words for the operator.
[[nodiscard]] Status reconcile(Environment& environment, std::vector<std::string>& findings);

/// The scene of a session as it was created, serialised: from its folder, where a checksum guards
/// it, else from its row.
[[nodiscard]] store::Result<std::string> stored_scene(const Environment& environment,
                                                      std::string_view id);

}  // namespace sluice::session
