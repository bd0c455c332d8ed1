// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/snapshot.h"

#include <cstring>

namespace sluice::fluid {

namespace {

constexpr std::uint64_t magic = 0x31306d706d2d6c73;  // "sl-mpm01"
constexpr std::size_t bytes_per_particle = (3 + 3 + 10 + 1) * 4 + 1;

class Writer {
 public:
  explicit Writer(std::size_t size) { bytes_.reserve(size); }
  template <typename T>
  void put(const T* values, std::size_t count) {
    const auto* first = reinterpret_cast<const std::byte*>(values);
    bytes_.insert(bytes_.end(), first, first + count * sizeof(T));
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  [[nodiscard]] std::size_t left() const { return bytes_.size(); }
  template <typename T>
  bool get(T* values, std::size_t count) {
    if (bytes_.size() / sizeof(T) < count) return false;
    if (count > 0) std::memcpy(static_cast<void*>(values), bytes_.data(), count * sizeof(T));
    bytes_ = bytes_.subspan(count * sizeof(T));
    return true;
  }

 private:
  std::span<const std::byte> bytes_;
};

bool has_each_id_once(const Particles& particles) {
  std::vector<bool> seen(particles.count, false);
  for (const std::uint32_t id : particles.ids) {
    if (id >= particles.count || seen[id]) return false;
    seen[id] = true;
  }
  return true;
}

}  // namespace

std::vector<std::byte> write_snapshot(const SnapshotHead& head, const Particles& particles) {
  const std::size_t n = particles.count;
  const std::uint64_t fluid_count = head.counts.size();
  Writer writer(64 + 8 * fluid_count + n * bytes_per_particle);
  writer.put(&magic, 1);
  writer.put(&fluid_count, 1);
  writer.put(head.counts.data(), fluid_count);
  writer.put(&head.displacement, 1);
  writer.put(particles.positions.data(), n);
  writer.put(particles.velocities.data(), n);
  writer.put(particles.affine.data(), n);
  writer.put(particles.ids.data(), n);
  writer.put(particles.materials.data(), n);
  return writer.take();
}

std::string read_snapshot(std::span<const std::byte> bytes, std::size_t fluid_count,
                          SnapshotHead& head, Particles& particles) {
  Reader reader(bytes);
  std::uint64_t found_magic = 0, found_fluids = 0;
  if (!reader.get(&found_magic, 1) || found_magic != magic) {
    return "fluid snapshot: not one, or of another version";
  }
  if (!reader.get(&found_fluids, 1) || found_fluids != fluid_count) {
    return "fluid snapshot: the scene has another number of fluids";
  }
  head.counts.resize(fluid_count);
  if (!reader.get(head.counts.data(), fluid_count) || !reader.get(&head.displacement, 1)) {
    return "fluid snapshot: cut off";
  }
  std::size_t n = 0;
  for (const std::int64_t count : head.counts) {
    if (count < 0 || static_cast<std::uint64_t>(count) > bytes.size()) {
      return "fluid snapshot: impossible number of particles";
    }
    n += static_cast<std::size_t>(count);
  }
  if (reader.left() != n * bytes_per_particle) {
    return "fluid snapshot: size does not match its number of particles";
  }
  particles.resize(n);
  reader.get(particles.positions.data(), n);
  reader.get(particles.velocities.data(), n);
  reader.get(particles.affine.data(), n);
  reader.get(particles.ids.data(), n);
  reader.get(particles.materials.data(), n);
  if (!has_each_id_once(particles)) return "fluid snapshot: ids are not a permutation";
  for (const std::uint8_t material : particles.materials) {
    if (material >= fluid_count) return "fluid snapshot: a particle of no fluid";
  }
  return {};
}

}  // namespace sluice::fluid
