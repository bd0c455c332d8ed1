// SPDX-License-Identifier: Apache-2.0
#include "server/stream/frame_feed.h"

#include <fmt/format.h>
#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace sluice::stream {
namespace {

store::Error damaged(std::string what) { return {store::ErrorCode::corrupt, std::move(what)}; }

// Triangles and tetrahedra never change: they are stored with epoch 0 alone.
void add_cells(const v1::Layout& first, v1::Layout& layout) {
  for (int i = 0; i < std::min(first.bodies_size(), layout.bodies_size()); ++i) {
    layout.mutable_bodies(i)->set_triangles(first.bodies(i).triangles());
    layout.mutable_bodies(i)->set_tetrahedra(first.bodies(i).tetrahedra());
  }
}

// The log keeps epochs in 32 bits: one a second for 136 years.
std::optional<std::uint32_t> log_epoch(std::int64_t epoch) {
  if (epoch < 0 || epoch > std::numeric_limits<std::uint32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(epoch);
}

std::size_t bytes_in(const FrameMessages& messages) {
  std::size_t bytes = 0;
  for (const store::SharedBytes& message : messages) {
    bytes += message.size();
  }
  return bytes;
}

bool are_the_same(const v1::Layout& a, const v1::Layout& b) {
  return google::protobuf::util::MessageDifferencer::Equals(a, b);
}

}  // namespace

FrameFeed::FrameFeed(std::unique_ptr<store::FrameLog> log, const FeedOptions& options)
    : log_(std::move(log)),
      cache_(options.cache_bytes, bytes_in),
      encoder_({.read = [this](std::uint64_t index) { return read(index); },
                .layout = [this](std::int64_t epoch) { return layout(epoch); },
                .find = [this](std::uint64_t index) { return log_->find(index); },
                .range = [this] { return log_->range(); }},
               options.quantized_cache_bytes) {}

store::Result<std::shared_ptr<FrameFeed>> FrameFeed::open(const std::filesystem::path& directory,
                                                          const FeedOptions& options,
                                                          store::OpenMode mode) {
  auto log = store::FrameLog::open(directory, options.log, mode);
  if (!log) {
    return log.error();
  }
  return std::shared_ptr<FrameFeed>(new FrameFeed(std::move(log).value(), options));
}

store::Result<store::AppendOutcome> FrameFeed::append(const store::SharedBytes& record) {
  auto messages = split_frame_record(record);
  const auto header = messages ? read_frame_header(*messages) : std::nullopt;
  const auto fingerprint = frame_fingerprint(record);
  const auto epoch = header ? log_epoch(header->cursor().epoch()) : std::nullopt;
  if (!header || !fingerprint || !epoch || header->cursor().index() < 0) {
    return damaged("the frame to store has no header, or one without a valid cursor");
  }
  const auto index = static_cast<std::uint64_t>(header->cursor().index());
  const store::ByteView slice = record.view();
  const auto outcome = log_->append(index, *epoch, std::span(&slice, 1), fingerprint);
  if (outcome && *outcome == store::AppendOutcome::appended) {
    cache_.put({index, FrameForm(), canonical({}, index, FrameForm())}, *std::move(messages));
    announce();
  }
  return outcome;
}

store::Result<store::AppendOutcome> FrameFeed::append_layout(const v1::Layout& layout) {
  const auto epoch = log_epoch(layout.epoch());
  if (!epoch) {
    return damaged("the layout to store has no valid epoch");
  }
  if (const auto stored = this->layout(layout.epoch());
      stored && stored->domain_lower().empty() && !layout.domain_lower().empty()) {
    v1::Layout without_domain = layout;
    without_domain.clear_domain_lower();
    without_domain.clear_domain_upper();
    for (v1::Body& body : *without_domain.mutable_bodies()) {
      body.clear_fields();  // They came into layouts together with the domain.
    }
    if (are_the_same(*stored, without_domain)) {
      return store::AppendOutcome::already_same;
    }
  }
  const std::string text = layout.SerializeAsString();
  const auto slice = std::as_bytes(std::span(text));
  return log_->append_layout(*epoch, std::span(&slice, 1));
}

store::Result<v1::Layout> FrameFeed::layout(std::optional<std::int64_t> epoch) const {
  const auto wanted = epoch ? log_epoch(*epoch) : log_->last_epoch();
  if (!wanted) {
    return store::Error{store::ErrorCode::not_found, "there is no layout yet"};
  }
  const auto bytes = log_->read_layout(*wanted);
  if (!bytes) {
    return bytes.error();
  }
  v1::Layout layout;
  if (!layout.ParseFromArray(bytes->data(), static_cast<int>(bytes->size()))) {
    return damaged(fmt::format("the stored layout of epoch {} cannot be read", *wanted));
  }
  if (*wanted > 0) {
    const auto first = this->layout(0);
    if (!first) {
      return first.error();
    }
    add_cells(*first, layout);
  }
  return layout;
}

std::optional<FrameMessages> FrameFeed::find_in_memory(std::uint64_t index, const FrameForm& form,
                                                       FrameVariant variant) const {
  return cache_.find({index, form, canonical(variant, index, form)});
}

store::Result<FrameMessages> FrameFeed::read(std::uint64_t index, const FrameForm& form,
                                             FrameVariant variant) const {
  const FrameVariant really = canonical(variant, index, form);
  return cache_.get({index, form, really}, [&] { return load(index, form, really); });
}

store::Result<FrameMessages> FrameFeed::load(std::uint64_t index, const FrameForm& form,
                                             FrameVariant variant) const {
  if (form.encoding.is_quantized()) {
    return encoder_.encode(index, form, variant);
  }
  if (!form.selection.is_everything()) {
    const auto whole = read(index);
    return whole ? select_arrays(*whole, form.selection) : whole;
  }
  const auto record = log_->read(index);
  if (!record) {
    return record.error();
  }
  auto messages = split_frame_record(*record);
  if (!messages) {
    return damaged(fmt::format("stored frame {} is not a sequence of messages", index));
  }
  return *std::move(messages);
}

void FrameFeed::set_state(FeedState state) {
  state_ = state;
  announce();
}

void FrameFeed::announce() {
  const std::lock_guard lock(mutex_);
  for (const Listener* listener : listeners_) {
    listener->on_change_();
  }
}

FrameFeed::Listener::Listener(std::shared_ptr<FrameFeed> feed, std::function<void()> on_change)
    : feed_(std::move(feed)), on_change_(std::move(on_change)) {
  const std::lock_guard lock(feed_->mutex_);
  feed_->listeners_.insert(this);
}

FrameFeed::Listener::~Listener() {
  const std::lock_guard lock(feed_->mutex_);
  feed_->listeners_.erase(this);
}

}  // namespace sluice::stream
