// SPDX-License-Identifier: Apache-2.0
// Any bytes as the files of a segment log: opening, reading, appending and opening again must
// neither crash nor return a payload that fails its CRC, and what was appended must be there.
//
// Input: two bytes with the length of the index file, the index file, the rest is segment 0.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "proto/wire/crc32c.h"
#include "server/store/index_file.h"
#include "server/store/segment_format.h"
#include "server/store/segment_log.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

namespace fs = std::filesystem;
using namespace sluice::store;

constexpr std::size_t length_bytes = 2;
constexpr std::uint32_t kind = 1;

// In memory where the system has such a place: a hundred times as many inputs a second.
const fs::path& directory() {
  // Not destroyed: it is still needed at exit.
  static const fs::path& path = *new fs::path([] {
    const bool has_memory = fs::is_directory("/dev/shm");
    const fs::path base = has_memory ? fs::path("/dev/shm") : fs::temp_directory_path();
    std::atexit([] { fs::remove_all(directory()); });
    return base / ("sluice-fuzz-" + std::to_string(::getpid()));
  }());
  return path;
}

void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "broken promise: %s\n", what);
    std::abort();
  }
}

void write(const fs::path& path, ByteView bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

std::size_t read_all(const SegmentLog& log) {
  std::size_t good = 0;
  for (std::uint32_t each = 0; each < 4; ++each) {
    for (const RecordInfo& info : log.list(each)) {
      const auto bytes = log.read({info.kind, info.key});
      if (bytes) {
        require(sluice::wire::crc32c(bytes->view()) == info.payload_crc, "a payload is checked");
        require(bytes->size() == info.length, "a payload is whole");
        ++good;
      }
    }
  }
  return good;
}

// Makes CRCs, positions and lengths right again, so that mutations reach what lies behind those
// checks.
void repair(std::span<std::uint8_t> segment) {
  const auto bytes = std::as_writable_bytes(segment);
  if (bytes.size() >= segment_header_bytes) {
    const auto header = encode_segment_header(0);
    std::memcpy(bytes.data(), header.data(), header.size());
  }
  std::size_t at = segment_header_bytes;
  while (at + record_header_bytes <= bytes.size()) {
    const void* hit =
        ::memmem(bytes.data() + at, bytes.size() - at, &record_magic, sizeof record_magic);
    if (hit == nullptr) {
      return;
    }
    at = static_cast<std::size_t>(static_cast<const std::byte*>(hit) - bytes.data());
    if (at + record_header_bytes > bytes.size()) {
      return;
    }
    RecordHeader header{};
    std::memcpy(&header.key, bytes.data() + at + 16, 8);
    std::memcpy(&header.length, bytes.data() + at + 24, 8);
    std::memcpy(&header.kind, bytes.data() + at + 32, 4);
    std::memcpy(&header.tag, bytes.data() + at + 36, 4);
    header.position = at;
    header.kind %= 4;
    header.key %= 8;
    const std::size_t room = bytes.size() - at - record_header_bytes;
    header.length %= room + 1;
    header.payload_crc = sluice::wire::crc32c(
        bytes.subspan(at + record_header_bytes, static_cast<std::size_t>(header.length)));
    header.fingerprint = header.payload_crc;
    const auto encoded = encode_record_header(header);
    std::memcpy(bytes.data() + at, encoded.data(), encoded.size());
    at += record_header_bytes;
  }
}

std::size_t index_length(const std::uint8_t* data, std::size_t size) {
  std::uint16_t length = 0;
  std::memcpy(&length, data, length_bytes);
  return std::min<std::size_t>(length, size - length_bytes);
}

// The files of a log with a few records, in the input's form.
std::vector<std::byte> make_seed(unsigned count) {
  fs::remove_all(directory());
  {
    auto log = SegmentLog::open(directory(), {.durability = Durability::os}, OpenMode::write);
    for (unsigned key = 0; key < count; ++key) {
      const std::string text(7 * key, static_cast<char>('a' + key));
      const auto slice = std::as_bytes(std::span(text));
      (void)log.value()->append({.id = {kind, key}, .slices = std::span(&slice, 1)});
    }
  }
  std::vector<std::byte> seed(length_bytes);
  const auto append_file = [&](const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    const auto bytes = std::as_bytes(std::span(text));
    seed.insert(seed.end(), bytes.begin(), bytes.end());
    return static_cast<std::uint16_t>(text.size());
  };
  const std::uint16_t length = append_file(directory() / "index");
  append_file(directory() / "00000000.seg");
  std::memcpy(seed.data(), &length, length_bytes);
  return seed;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  std::minstd_rand random(seed);
  if (size < length_bytes || random() % 64 == 0) {
    const auto fresh = make_seed(static_cast<unsigned>(1 + random() % 5));
    if (fresh.size() <= max_size) {
      std::memcpy(data, fresh.data(), fresh.size());
      size = fresh.size();
    }
  }
  size = LLVMFuzzerMutate(data, size, max_size);
  if (size >= length_bytes && random() % 2 == 0) {
    const std::size_t index = index_length(data, size);
    repair(std::span(data, size).subspan(length_bytes + index));
  }
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < length_bytes) {
    return 0;
  }
  const ByteView input = std::as_bytes(std::span(data, size));
  const std::size_t length = index_length(data, size);
  const ByteView index = input.subspan(length_bytes, length);
  if (const auto decoded = decode_index(index)) {
    const auto encoded = encode_index(decoded->segments, decoded->records);
    require(std::ranges::equal(encoded, index), "an index that is accepted is as it is written");
  }
  fs::remove_all(directory());
  fs::create_directories(directory());
  if (length > 0) {
    write(directory() / "index", index);
  }
  write(directory() / "00000000.seg", input.subspan(length_bytes + length));

  const SegmentLogOptions options{.durability = Durability::os,
                                  .existing_key = ExistingKey::replace};
  if (const auto log = SegmentLog::open(directory(), options, OpenMode::read)) {
    read_all(*log.value());
  }
  std::size_t before = 0;
  const std::string text = "appended";
  const auto slice = std::as_bytes(std::span(text));
  {
    const auto log = SegmentLog::open(directory(), options, OpenMode::write);
    if (!log) {
      return 0;
    }
    const NewRecord record{.id = {kind, 3}, .slices = std::span(&slice, 1)};
    require(log.value()->append(record).has_value(), "a log that opens can be appended to");
    before = read_all(*log.value());
  }
  const auto log = SegmentLog::open(directory(), options, OpenMode::write);
  require(log.has_value(), "a log that was closed opens");
  require(log.value()->open_report().torn_bytes == 0, "a tail is cut off once");
  const auto bytes = log.value()->read({kind, 3});
  require(bytes.has_value() && std::ranges::equal(bytes->view(), slice), "what was appended stays");
  require(read_all(*log.value()) >= before, "what was readable stays readable");
  return 0;
}
