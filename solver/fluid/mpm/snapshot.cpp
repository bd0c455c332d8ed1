// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/snapshot.h"

#include "solver/bytes.h"

namespace sluice::fluid {

namespace {

constexpr std::uint64_t magic = 0x33306d706d2d6c73;  // "sl-mpm03"
constexpr std::size_t bytes_per_particle = (3 + 3 + 10 + 1) * 4 + 1;

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
  ByteWriter out;
  out.reserve(64 + 8 * head.counts.size() + n * bytes_per_particle +
              particles.elastic.size() * sizeof(Elastic));
  out.put(magic);
  out.put_array(std::span(head.counts));
  out.put(head.displacement);
  out.put_elements(std::span(particles.positions).first(n));
  out.put_elements(std::span(particles.velocities).first(n));
  out.put_elements(std::span(particles.affine));
  out.put_elements(std::span(particles.ids));
  out.put_elements(std::span(particles.materials));
  out.put_elements(std::span(particles.elastic));
  out.put_array(std::span(head.reactions));
  return out.take();
}

std::string read_snapshot(std::span<const std::byte> bytes, std::size_t fluid_count,
                          bool has_elastic, SnapshotHead& head, Particles& particles) {
  ByteReader in(bytes);
  std::uint64_t found_magic = 0, found_fluids = 0;
  if (!in.get(found_magic) || found_magic != magic) {
    return "fluid snapshot: not one, or of another version";
  }
  if (!in.get(found_fluids) || found_fluids != fluid_count) {
    return "fluid snapshot: the scene has another number of fluids";
  }
  head.counts.resize(fluid_count);
  if (!in.get_elements(std::span(head.counts)) || !in.get(head.displacement)) {
    return "fluid snapshot: cut off";
  }
  std::size_t n = 0;
  for (const std::int64_t count : head.counts) {
    if (count < 0 || static_cast<std::uint64_t>(count) > bytes.size()) {
      return "fluid snapshot: impossible number of particles";
    }
    n += static_cast<std::size_t>(count);
  }
  const char* const wrong_size = "fluid snapshot: size does not match its number of particles";
  if (n > bytes.size() / bytes_per_particle) return wrong_size;
  particles.resize(n, has_elastic);
  if (!in.get_elements(std::span(particles.positions).first(n)) ||
      !in.get_elements(std::span(particles.velocities).first(n)) ||
      !in.get_elements(std::span(particles.affine)) || !in.get_elements(std::span(particles.ids)) ||
      !in.get_elements(std::span(particles.materials)) ||
      !in.get_elements(std::span(particles.elastic))) {
    return wrong_size;
  }
  std::uint64_t reaction_count = 0;
  if (!in.get(reaction_count) || reaction_count > n) return wrong_size;
  head.reactions.resize(static_cast<std::size_t>(reaction_count));
  if (!in.get_elements(std::span(head.reactions)) || !in.is_at_end()) return wrong_size;
  if (!has_each_id_once(particles)) return "fluid snapshot: ids are not a permutation";
  for (const std::uint8_t material : particles.materials) {
    if (material >= fluid_count) return "fluid snapshot: a particle of no fluid";
  }
  for (const Reaction& reaction : head.reactions) {
    if (reaction.particle >= n) return "fluid snapshot: a reaction of no particle";
  }
  return {};
}

}  // namespace sluice::fluid
