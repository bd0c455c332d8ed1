// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/particles/particle_snapshot.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sluice::fluid {

namespace {

constexpr std::uint64_t magic = 0x37306d706d2d6c73;  // "sl-mpm07"
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

void write_snapshot(const Rows& rows, const Emitters& emitters, const Particles& particles,
                    ByteWriter& out) {
  const std::size_t n = particles.count;
  out.reserve(64 + n * bytes_per_particle + particles.elastic.size() * sizeof(Elastic));
  out.put(magic);
  rows.save(out);
  out.put_elements(std::span(particles.positions).first(n));
  out.put_elements(std::span(particles.velocities).first(n));
  out.put_elements(std::span(particles.affine));
  out.put_elements(std::span(particles.rows));
  out.put_elements(std::span(particles.materials));
  out.put_elements(std::span(particles.elastic));
  emitters.save(out);
}

std::string read_snapshot(ByteReader& in, std::size_t fluid_count, bool has_elastic, Rows& rows,
                          Emitters& emitters, Particles& particles) {
  std::uint64_t found_magic = 0;
  if (!in.get(found_magic) || found_magic != magic) {
    return "fluid snapshot: not one, or of another version";
  }
  if (!rows.restore(in, fluid_count)) {
    return "fluid snapshot: rows are cut off, not sound, or of another number of fluids";
  }
  const auto n = static_cast<std::size_t>(rows.count());
  const char* const wrong_size = "fluid snapshot: size does not match its number of particles";
  if (n > in.left() / bytes_per_particle) return wrong_size;
  particles.resize(n, has_elastic);
  if (!in.get_elements(std::span(particles.positions).first(n)) ||
      !in.get_elements(std::span(particles.velocities).first(n)) ||
      !in.get_elements(std::span(particles.affine)) ||
      !in.get_elements(std::span(particles.rows)) ||
      !in.get_elements(std::span(particles.materials)) ||
      !in.get_elements(std::span(particles.elastic)) || !emitters.restore(in)) {
    return wrong_size;
  }
  if (!has_each_row_once(particles)) return "fluid snapshot: rows are not a permutation";
  for (const std::uint8_t material : particles.materials) {
    if (material >= fluid_count) return "fluid snapshot: a particle of no fluid";
  }
  return {};
}

}  // namespace sluice::fluid
