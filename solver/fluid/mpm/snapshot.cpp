// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/snapshot.h"

#include "solver/bytes.h"

namespace sluice::fluid {

namespace {

constexpr std::uint64_t magic = 0x34306d706d2d6c73;  // "sl-mpm04"
constexpr std::size_t bytes_per_particle = (3 + 3 + 10 + 1) * 4 + 1;

bool has_each_row_once(const Particles& particles) {
  std::vector<bool> seen(particles.count, false);
  for (const std::uint32_t row : particles.rows) {
    if (row >= particles.count || seen[row]) return false;
    seen[row] = true;
  }
  return true;
}

}  // namespace

std::vector<std::byte> write_snapshot(const SnapshotHead& head, const Particles& particles) {
  const std::size_t n = particles.count;
  ByteWriter out;
  out.reserve(64 + n * bytes_per_particle + particles.elastic.size() * sizeof(Elastic));
  out.put(magic);
  head.rows.save(out);
  out.put(head.displacement);
  out.put_elements(std::span(particles.positions).first(n));
  out.put_elements(std::span(particles.velocities).first(n));
  out.put_elements(std::span(particles.affine));
  out.put_elements(std::span(particles.rows));
  out.put_elements(std::span(particles.materials));
  out.put_elements(std::span(particles.elastic));
  out.put_array(std::span(head.reactions));
  head.emitters.save(out);
  return out.take();
}

std::string read_snapshot(std::span<const std::byte> bytes, std::size_t fluid_count,
                          bool has_elastic, SnapshotHead& head, Particles& particles) {
  ByteReader in(bytes);
  std::uint64_t found_magic = 0;
  if (!in.get(found_magic) || found_magic != magic) {
    return "fluid snapshot: not one, or of another version";
  }
  if (!head.rows.restore(in, fluid_count) || !in.get(head.displacement)) {
    return "fluid snapshot: rows are cut off, not sound, or of another number of fluids";
  }
  const auto n = static_cast<std::size_t>(head.rows.count());
  const char* const wrong_size = "fluid snapshot: size does not match its number of particles";
  if (n > bytes.size() / bytes_per_particle) return wrong_size;
  particles.resize(n, has_elastic);
  if (!in.get_elements(std::span(particles.positions).first(n)) ||
      !in.get_elements(std::span(particles.velocities).first(n)) ||
      !in.get_elements(std::span(particles.affine)) ||
      !in.get_elements(std::span(particles.rows)) ||
      !in.get_elements(std::span(particles.materials)) ||
      !in.get_elements(std::span(particles.elastic))) {
    return wrong_size;
  }
  std::uint64_t reaction_count = 0;
  if (!in.get(reaction_count) || reaction_count > n) return wrong_size;
  head.reactions.resize(static_cast<std::size_t>(reaction_count));
  if (!in.get_elements(std::span(head.reactions)) || !head.emitters.restore(in) ||
      !in.is_at_end()) {
    return wrong_size;
  }
  if (!has_each_row_once(particles)) return "fluid snapshot: rows are not a permutation";
  for (const std::uint8_t material : particles.materials) {
    if (material >= fluid_count) return "fluid snapshot: a particle of no fluid";
  }
  for (const Reaction& reaction : head.reactions) {
    if (reaction.particle >= n) return "fluid snapshot: a reaction of no particle";
  }
  return {};
}

}  // namespace sluice::fluid
