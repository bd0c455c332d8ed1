// SPDX-License-Identifier: Apache-2.0
// The wire encodings on frames of our own: the dam break of client/scenes, computed once by a real
// server. Bytes a particle, rates against copying the float32 arrays in memory, and what encoding
// adds to a step. SLUICE_BENCH_CELL (metres, 0.025 in the scene) makes the same scene finer.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "proto/wire/codec/array_codec.h"
#include "proto/wire/codec/hilbert_order.h"
#include "server/stream/frame_arrays.h"
#include "server/stream/frame_feed.h"
#include "sluice/frame_stream.h"
#include "tests/bench/service_fixture.h"

namespace sluice::bench {
namespace {

constexpr int frame_count = 120;

/// The frames of the scene, and what they cost.
struct Run {
  std::vector<client::Frame> frames;
  v1::Layout layout;
  double step_seconds = 0;  // The time of one frame, on average.
  codec::Box domain;

  [[nodiscard]] std::span<const float> water(std::size_t frame) const {
    return frames[frame].values("water", v1::FIELD_POSITION);
  }
};

Run compute() {
  client::PrivateServer server = start_server();
  const client::Connection connection(server.address());
  v1::Scene scene = example_scene(connection, "dam_break_cloth_curtain");
  if (const char* cell = std::getenv("SLUICE_BENCH_CELL"); cell != nullptr) {
    scene.mutable_fluid_grid()->set_cell_size(std::strtod(cell, nullptr));
  }
  const std::string session = create(connection, scene, frame_count, 1);
  Run run;
  client::FrameStream stream(connection, {.session = session});
  while (auto frame = stream.next()) {
    run.step_seconds += frame->statistics ? frame->statistics->solve_seconds() / frame_count : 0;
    run.frames.push_back(*std::move(frame));
  }
  run.layout = client::get_layout(connection, session);
  std::ranges::copy(run.layout.domain_lower(), run.domain.lower.begin());
  std::ranges::copy(run.layout.domain_upper(), run.domain.upper.begin());
  return run;
}

const Run& dam_break() {
  static const Run run = compute();
  return run;
}

/// A feed with the run's frames in it, as a server has it.
class StoredRun {
 public:
  explicit StoredRun(const Run& run) {
    std::string pattern = (std::filesystem::temp_directory_path() / "sluice-bench-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
    directory_ = pattern;
    stream::FeedOptions options;
    options.log.durability = store::Durability::os;
    feed_ = *stream::FrameFeed::open(directory_, options, store::OpenMode::write);
    (void)feed_->append_layout(run.layout);
    for (const client::Frame& frame : run.frames)
      records_.push_back(record_of(frame));
  }
  ~StoredRun() {
    feed_.reset();
    std::filesystem::remove_all(directory_);
  }
  StoredRun(const StoredRun&) = delete;
  StoredRun& operator=(const StoredRun&) = delete;

  /// Stores the next frame, as the worker's thread would.
  void append(std::size_t frame) { (void)feed_->append(records_[frame]); }
  [[nodiscard]] const stream::FrameFeed& feed() const { return *feed_; }

 private:
  static store::SharedBytes record_of(const client::Frame& frame) {
    stream::FloatFrame floats;
    floats.header.mutable_cursor()->set_index(frame.index);
    for (const client::FrameArray& array : frame.arrays) {
      v1::ArrayDescriptor descriptor;
      descriptor.set_body(array.body);
      descriptor.set_field(array.field);
      descriptor.set_count(array.count);
      descriptor.set_component_count(array.component_count);
      descriptor.set_codec(v1::CODEC_F32);
      floats.arrays.push_back({.descriptor = std::move(descriptor), .values = array.values});
    }
    std::string record;
    for (const store::SharedBytes& bytes : stream::write_arrays(std::move(floats))) {
      v1::StreamFramesResponse message;
      message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
      stream::append_frame_message(message, record);
    }
    return stream::share(std::move(record));
  }

  std::filesystem::path directory_;
  std::shared_ptr<stream::FrameFeed> feed_;
  std::vector<store::SharedBytes> records_;
};

v1::Codec codec_of(const benchmark::State& state) { return static_cast<v1::Codec>(state.range(0)); }

// What a viewer is sent, live: bytes of keys and of other frames, and the time it takes to make
// them, of all bodies with positions and velocities.
void live(benchmark::State& state) {
  const Run& run = dam_break();
  const stream::FrameForm form{.selection = {},
                               .encoding = {.codec = codec_of(state), .bits = 16, .box = {}}};
  struct Sum {
    double bytes = 0;
    int frames = 0;
    void add(const v1::ArrayDescriptor& array) {
      bytes += static_cast<double>(array.byte_count()) / static_cast<double>(array.count());
      ++frames;
    }
    [[nodiscard]] double mean() const { return frames == 0 ? 0 : bytes / frames; }
  };
  Sum key, delta, velocity_key, velocity_delta;
  double seconds = 0;
  for ([[maybe_unused]] auto _ : state) {
    StoredRun stored(run);
    for (std::size_t index = 0; index < run.frames.size(); ++index) {
      stored.append(index);
      const auto start = Clock::now();
      const auto messages = stored.feed().read(index, form, {.history = 2, .wants_order = false});
      seconds += seconds_since(start);
      const auto header = stream::read_frame_header(*messages);
      for (const auto& array : header->arrays()) {
        if (array.body() != "water") continue;
        const bool is_key = array.predictor() == v1::PREDICTOR_NONE;
        if (array.field() == v1::FIELD_POSITION) (is_key ? key : delta).add(array);
        if (array.field() == v1::FIELD_VELOCITY)
          (is_key ? velocity_key : velocity_delta).add(array);
      }
    }
  }
  const double frames = static_cast<double>(run.frames.size() * state.iterations());
  state.counters["key"] = key.mean();
  state.counters["delta"] = delta.mean();
  state.counters["velocity_key"] = velocity_key.mean();
  state.counters["velocity_delta"] = velocity_delta.mean();
  state.counters["ms_per_frame"] = seconds / frames * 1e3;
  state.counters["share_of_step"] = seconds / frames / run.step_seconds;
}
BENCHMARK(live)
    ->Arg(v1::CODEC_Q16_PLANES_ZSTD)
    ->Arg(v1::CODEC_Q16_MESHOPT)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// Encoding and decoding positions, one core, against copying the same float32 numbers.
void rates(benchmark::State& state) {
  const Run& run = dam_break();
  const auto codec = static_cast<codec::ByteCodec>(state.range(0));
  const std::vector<std::int32_t> order = codec::hilbert_order(run.water(0));
  std::vector<float> out(run.water(0).size());
  double encode_seconds = 0;
  double decode_seconds = 0;
  double copy_seconds = 0;
  for ([[maybe_unused]] auto _ : state) {
    std::vector<codec::Words> past;
    for (std::size_t index = 0; index < run.frames.size(); ++index) {
      const std::span<const float> values = run.water(index);
      auto start = Clock::now();
      const auto quantization = *codec::quantize_positions(values, run.domain, 16);
      codec::Words words = codec::quantize(values, quantization, order);
      const codec::History history{past.empty() ? nullptr : past.data(),
                                   past.size() < 2 ? nullptr : &past[1]};
      const auto predictor = choose_predictor(words, 3, history);
      const auto bytes = encode_array(words, 3, codec, predictor, history);
      encode_seconds += seconds_since(start);
      start = Clock::now();
      const auto back = decode_array(bytes, {values.size() / 3, 3, 16}, codec, predictor, history);
      codec::dequantize(*back, quantization, order, out);
      decode_seconds += seconds_since(start);
      start = Clock::now();
      std::memcpy(out.data(), values.data(), values.size_bytes());
      benchmark::DoNotOptimize(out.data());
      benchmark::ClobberMemory();
      copy_seconds += seconds_since(start);
      past.insert(past.begin(), std::move(words));
      past.resize(std::min<std::size_t>(past.size(), 2));
    }
  }
  const double bytes = static_cast<double>(run.water(0).size_bytes() * run.frames.size() *
                                           static_cast<std::size_t>(state.iterations()));
  state.counters["encode_mb_per_s"] = bytes / encode_seconds * 1e-6;
  state.counters["decode_mb_per_s"] = bytes / decode_seconds * 1e-6;
  state.counters["copy_mb_per_s"] = bytes / copy_seconds * 1e-6;
  state.counters["encode_of_copy"] = copy_seconds / encode_seconds;
  state.counters["decode_of_copy"] = copy_seconds / decode_seconds;
}
BENCHMARK(rates)
    ->Arg(static_cast<int>(codec::ByteCodec::planes_zstd))
    ->Arg(static_cast<int>(codec::ByteCodec::meshopt))
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sluice::bench
