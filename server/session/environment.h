// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "server/session/census.h"
#include "server/session/executor.h"
#include "server/session/limits.h"
#include "server/session/run_slots.h"
#include "server/session/work_pool.h"
#include "server/store/asset_store.h"
#include "server/store/data_directory.h"
#include "server/store/database.h"
#include "server/store/segment_log.h"

namespace sluice::session {

struct Settings {
  Limits limits;
  store::Durability durability = store::Durability::fsync;
  /// Time limit for workers to save their state when the server stops. Shorter than the 10 s after
  /// which container engines kill.
  std::chrono::milliseconds stop_grace{8'000};
};

/// The services that all sessions use. Everything in it outlives them and is thread-safe.
struct Environment {
  Settings settings;
  WorkPool& pool;
  store::DataDirectory& directory;
  store::Database& database;
  store::AssetStore& assets;
  Executor& executor;
  RunSlots& slots;
  std::shared_ptr<Totals> totals = std::make_shared<Totals>();
};

/// Returns the system clock's microseconds since 1970, the database's unit of time.
[[nodiscard]] inline std::int64_t now_micros() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace sluice::session
