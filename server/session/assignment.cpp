// SPDX-License-Identifier: Apache-2.0
#include "server/session/assignment.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <deque>
#include <memory>

#include "proto/wire/sha256.h"
#include "server/asset_names/asset_names.h"
#include "server/session/limits.h"
#include "server/session/session_spec.h"

namespace sluice::session {
namespace {

constexpr std::string_view asset_prefix = "assets/";

// One asset or checkpoint on its way in pieces of chunk_bytes; at least one piece, also of nothing.
class Pieces {
 public:
  explicit Pieces(store::SharedBytes bytes) : bytes_(std::move(bytes)) {}

  [[nodiscard]] bool done() const { return begun_ && offset_ == bytes_.size(); }

  template <typename Message>
  void next(Message& message) {
    const std::size_t count = std::min(chunk_bytes, bytes_.size() - offset_);
    message.set_byte_count(static_cast<std::int64_t>(bytes_.size()));
    message.set_offset(static_cast<std::int64_t>(offset_));
    message.set_data(bytes_.data() + offset_, count);
    offset_ += count;
    begun_ = true;
  }

 private:
  store::SharedBytes bytes_;
  std::size_t offset_ = 0;
  bool begun_ = false;
};

struct NamedAsset {
  std::string name, hash, file_name;
};

// The state of the sequence; shared, because a MessageSource is copyable.
struct Sequence {
  v1::Assignment assignment;
  std::deque<NamedAsset> assets;
  store::AssetStore* store = nullptr;
  std::optional<Pieces> asset;
  std::optional<Pieces> checkpoint;
  std::int64_t checkpoint_frame = 0;
  bool assigned = false;
  bool begun = false;

  bool next(v1::ServerMessage& message) {
    if (!std::exchange(assigned, true)) {
      *message.mutable_assignment() = std::move(assignment);
      return true;
    }
    if (!assets.empty()) {
      if (!asset) {
        auto bytes = store->read(assets.front().hash);
        if (!bytes) {  // Since `make_assignment` looked. The worker finds it missing and says so.
          spdlog::error("cannot give a worker its mesh: {}", bytes.error().message);
        }
        asset.emplace(bytes ? std::move(bytes).value() : store::SharedBytes());
      }
      v1::AssetChunk& chunk = *message.mutable_asset();
      chunk.set_name(assets.front().name);
      chunk.set_file_name(assets.front().file_name);
      asset->next(chunk);
      if (asset->done()) {
        asset.reset();
        assets.pop_front();
      }
      return true;
    }
    if (checkpoint && !checkpoint->done()) {
      message.mutable_checkpoint()->set_frame_index(checkpoint_frame);
      checkpoint->next(*message.mutable_checkpoint());
      return true;
    }
    checkpoint.reset();
    if (!std::exchange(begun, true)) {
      message.mutable_begin();
      return true;
    }
    return false;
  }
};

}  // namespace

std::optional<std::string> asset_hash_of(std::string_view name) {
  if (!name.starts_with(asset_prefix) || !wire::is_sha256_hex(name.substr(asset_prefix.size()))) {
    return std::nullopt;
  }
  return std::string(name.substr(asset_prefix.size()));
}

Result<MessageSource> make_assignment(AssignmentOrder order, store::AssetStore& assets,
                                      store::Database& database) {
  auto sequence = std::make_shared<Sequence>();
  sequence->store = &assets;
  for (const std::string& name : asset_names::find(order.scene)) {
    const auto hash = asset_hash_of(name);
    if (!hash) {
      return asset_not_found(name);
    }
    const auto row = database.get_asset(*hash);
    if (!row || !assets.size_of(*hash)) {
      return asset_not_found(name);
    }
    sequence->assets.push_back({name, *hash, row.value().file_name});
  }
  v1::Assignment& assignment = sequence->assignment;
  *assignment.mutable_scene() = std::move(order.scene);
  assignment.set_thread_count(order.options.thread_count());
  assignment.set_checkpoint_interval_frames(order.options.checkpoint_interval_frames());
  assignment.set_last_frame_index(order.options.frame_count());
  assignment.set_max_in_flight(worker_frames_in_flight);
  assignment.set_memory_byte_limit(order.memory_bytes);
  assignment.set_stored_frame_count(order.stored_frame_count);
  assignment.set_certify(order.options.certify());
  for (const store::CommandRecord& record : order.commands) {
    auto command = from_record(record);
    if (!command) {
      return command.error();
    }
    *assignment.add_recorded_commands() = *std::move(command);
  }
  if (order.checkpoint) {
    sequence->checkpoint_frame = static_cast<std::int64_t>(order.checkpoint->frame_index);
    assignment.set_checkpoint_byte_count(static_cast<std::int64_t>(order.checkpoint->bytes.size()));
    sequence->checkpoint.emplace(std::move(order.checkpoint->bytes));
  }
  return MessageSource([sequence](v1::ServerMessage& message) { return sequence->next(message); });
}

}  // namespace sluice::session
