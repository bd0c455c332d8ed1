// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "server/session/error.h"
#include "server/session/worker_channel.h"
#include "server/store/asset_store.h"
#include "server/store/checkpoint_log.h"
#include "server/store/database.h"
#include "sluice/v1/sessions.pb.h"

namespace sluice::session {

/// The data that a worker receives before it begins.
struct AssignmentOrder {
  v1::Scene scene;
  v1::RunOptions options;
  std::int64_t memory_bytes = 0;
  std::int64_t stored_frame_count = 0;
  std::optional<store::Checkpoint> checkpoint;
  std::vector<store::CommandRecord> commands;  ///< Commands that act after the checkpoint.
};

/// Makes the messages from `assignment` to `begin`. Assets and checkpoint come in pieces, and each
/// asset is read when its turn comes. Fails if an asset is gone or a command cannot be read.
Result<MessageSource> make_assignment(AssignmentOrder order, store::AssetStore& assets,
                                      store::Database& database);

/// Returns the hash in `assets/{sha256}`, or nothing if `name` has another form.
[[nodiscard]] std::optional<std::string> asset_hash_of(std::string_view name);

}  // namespace sluice::session
