// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "proto/wire/crc32c.h"
#include "server/stream/frame_feed.h"
#include "server/stream/subscription.h"
#include "sluice/v1/frames.pb.h"
#include "tests/unit/server/store/temporary_directory.h"

namespace sluice::stream {

template <typename T>
T must(store::Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.error().message;
    throw std::runtime_error(result.error().message);
  }
  return std::move(result).value();
}

/// The bytes of one array of a test frame: different for each frame, body and field.
inline std::string array_bytes(std::int64_t index, const std::string& body, v1::Field field,
                               std::size_t size) {
  std::string bytes =
      "frame " + std::to_string(index) + " " + body + " " + std::to_string(field) + ";";
  while (bytes.size() < size) {
    bytes += bytes;
  }
  bytes.resize(size);
  return bytes;
}

/// A frame with positions and velocities of "water" and of "cloth", each array in two chunks.
inline store::SharedBytes make_frame(std::int64_t index, std::int64_t epoch = 0,
                                     double solve_seconds = 0.5, std::size_t array_size = 64) {
  std::string record;
  v1::StreamFramesResponse message;
  v1::FrameHeader& header = *message.mutable_header();
  header.mutable_cursor()->set_epoch(epoch);
  header.mutable_cursor()->set_index(index);
  header.set_time_seconds(static_cast<double>(index) / 60.0);
  header.mutable_statistics()->set_solve_seconds(solve_seconds);
  std::vector<std::string> arrays;
  for (const char* body : {"water", "cloth"}) {
    for (const v1::Field field : {v1::FIELD_POSITION, v1::FIELD_VELOCITY}) {
      v1::ArrayDescriptor& array = *header.add_arrays();
      array.set_body(body);
      array.set_field(field);
      array.set_byte_count(static_cast<std::int64_t>(array_size));
      arrays.push_back(array_bytes(index, body, field, array_size));
    }
  }
  append_frame_message(message, record);
  for (std::size_t array = 0; array < arrays.size(); ++array) {
    for (const std::size_t offset : {std::size_t{0}, array_size / 2}) {
      v1::StreamFramesResponse piece;
      v1::FrameChunk& chunk = *piece.mutable_chunk();
      chunk.set_array(static_cast<int>(array));
      chunk.set_offset(static_cast<std::int64_t>(offset));
      chunk.set_data(
          arrays[array].substr(offset, offset == 0 ? array_size / 2 : std::string::npos));
      chunk.set_crc32c(wire::crc32c(std::as_bytes(std::span(chunk.data()))));
      append_frame_message(piece, record);
    }
  }
  return share(std::move(record));
}

inline v1::StreamFramesResponse parse(const store::SharedBytes& bytes) {
  v1::StreamFramesResponse message;
  EXPECT_TRUE(message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
  return message;
}

inline FrameSelection select(const std::vector<std::string>& bodies,
                             const std::vector<v1::Field>& fields) {
  v1::Selection selection;
  for (const std::string& body : bodies) {
    selection.add_bodies(body);
  }
  for (const v1::Field field : fields) {
    selection.add_fields(field);
  }
  return FrameSelection(selection);
}

/// A feed on a directory of its own.
class Feed : public testing::Test {
 protected:
  Feed() : feed_(open()) {}

  [[nodiscard]] std::shared_ptr<FrameFeed> open(std::size_t cache_bytes = std::size_t{64}
                                                                          << 20) const {
    FeedOptions options;
    options.log.durability = store::Durability::os;
    options.cache_bytes = cache_bytes;
    return must(FrameFeed::open(temporary_.path() / "frames", options, store::OpenMode::write));
  }
  void append(std::int64_t first, std::int64_t end, std::int64_t epoch = 0) const {
    for (std::int64_t index = first; index < end; ++index) {
      must(feed_->append(make_frame(index, epoch)));
    }
  }

  test::TemporaryDirectory temporary_;
  std::shared_ptr<FrameFeed> feed_;
};

/// Drives a subscription as a transport would, without threads: takes messages until it has to
/// wait.
class Reader {
 public:
  Reader(std::shared_ptr<FrameFeed> feed, SubscribeOptions options)
      : subscription_(std::move(feed), std::move(options), [this] { ++wakes_; }) {}

  /// Takes up to `max_messages`; answers the indices of the frames that came whole.
  std::vector<std::int64_t> take(std::size_t max_messages = SIZE_MAX) {
    std::vector<std::int64_t> whole;
    for (std::size_t count = 0; count < max_messages;) {
      Next next = subscription_.next();
      if (auto* send = std::get_if<Send>(&next)) {
        ++count;
        if (partial_.empty()) {
          header_ = parse(send->message).header();
        }
        partial_.push_back(send->message);
        if (send->ends_frame) {
          whole.push_back(header_.cursor().index());
          last_frame_ = std::move(partial_);
          partial_.clear();
        }
      } else if (std::holds_alternative<Load>(next)) {
        ++loads_;
        subscription_.load();
      } else {
        if (auto* end = std::get_if<End>(&next)) {
          end_ = *end;
        }
        break;
      }
    }
    return whole;
  }

  Subscription& subscription() { return subscription_; }
  [[nodiscard]] const FrameMessages& last_frame() const { return last_frame_; }
  [[nodiscard]] const std::optional<End>& end() const { return end_; }
  [[nodiscard]] int wakes() const { return wakes_; }
  [[nodiscard]] int loads() const { return loads_; }

 private:
  int wakes_ = 0;
  int loads_ = 0;
  v1::FrameHeader header_;
  FrameMessages partial_, last_frame_;
  std::optional<End> end_;
  Subscription subscription_;
};

}  // namespace sluice::stream
