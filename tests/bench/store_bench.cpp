// SPDX-License-Identifier: Apache-2.0
// What the segment log costs over the bytes alone: appends against write(2) of the same bytes, and
// checked reads against pread(2), alternating in one run.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "server/store/segment_log.h"

namespace sluice::store {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t round_bytes = std::size_t{64} << 20;

fs::path scratch() {
  return fs::temp_directory_path() / ("sluice-bench-" + std::to_string(::getpid()));
}

std::vector<std::byte> noise(std::size_t size) {
  std::mt19937_64 random(1);
  std::vector<std::byte> bytes(size);
  std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::byte>(random()); });
  return bytes;
}

template <typename Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void append_all(SegmentLog& log, ByteView record, std::size_t count, benchmark::State& state) {
  for (std::size_t key = 0; key < count; ++key) {
    if (!log.append({.id = {1, key}, .slices = std::span(&record, 1)})) {
      state.SkipWithError("append failed");
    }
  }
}

void report(benchmark::State& state, const std::vector<double>& ours,
            const std::vector<double>& raw) {
  constexpr double megabyte = 1e6;
  const double bytes = static_cast<double>(round_bytes);
  state.counters["MB_per_s"] = bytes / megabyte / median(ours);
  state.counters["raw_MB_per_s"] = bytes / megabyte / median(raw);
  state.counters["ratio"] = median(raw) / median(ours);
}

// Argument: bytes a record.
void append_os(benchmark::State& state) {
  const auto record = noise(static_cast<std::size_t>(state.range(0)));
  const std::size_t count = round_bytes / record.size();
  std::vector<double> ours;
  std::vector<double> raw;
  for ([[maybe_unused]] auto _ : state) {
    fs::remove_all(scratch());
    fs::create_directories(scratch());
    {
      auto log =
          SegmentLog::open(scratch() / "log", {.durability = Durability::os}, OpenMode::write);
      ours.push_back(seconds([&] { append_all(*log.value(), record, count, state); }));
    }  // Closing syncs, outside of what is measured.
    fs::remove_all(scratch() / "log");
    raw.push_back(seconds([&] {
      const int file = ::open((scratch() / "raw").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      for (std::size_t i = 0; i < count; ++i) {
        if (::write(file, record.data(), record.size()) != static_cast<ssize_t>(record.size())) {
          state.SkipWithError("write failed");
        }
      }
      ::close(file);
    }));
  }
  fs::remove_all(scratch());
  report(state, ours, raw);
}

void read_log(benchmark::State& state) {
  const auto record = noise(static_cast<std::size_t>(state.range(0)));
  const std::size_t count = round_bytes / record.size();
  fs::remove_all(scratch());
  auto opened = SegmentLog::open(scratch(), {.durability = Durability::os}, OpenMode::write);
  SegmentLog& log = *opened.value();
  append_all(log, record, count, state);
  const int file = ::open((scratch() / "00000000.seg").c_str(), O_RDONLY);
  std::vector<std::byte> buffer(record.size());
  std::vector<double> ours;
  std::vector<double> raw;
  for ([[maybe_unused]] auto _ : state) {
    ours.push_back(seconds([&] {
      for (std::size_t key = 0; key < count; ++key) {
        const auto bytes = log.read({1, key});
        if (!bytes) {
          state.SkipWithError("read failed");
        }
      }
    }));
    raw.push_back(seconds([&] {
      for (std::size_t i = 0; i < count; ++i) {
        if (::pread(file, buffer.data(), buffer.size(), static_cast<off_t>(i * record.size())) <
            0) {
          state.SkipWithError("pread failed");
        }
      }
    }));
  }
  ::close(file);
  opened.value().reset();
  fs::remove_all(scratch());
  report(state, ours, raw);
}

// A frame of 60,000 particles with velocities, and one of a million.
BENCHMARK(append_os)->Arg(1'440'000)->Arg(24'000'000)->Iterations(5)->UseRealTime();
BENCHMARK(read_log)->Arg(1'440'000)->Arg(24'000'000)->Iterations(9)->UseRealTime();

}  // namespace
}  // namespace sluice::store
