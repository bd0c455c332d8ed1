// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solver/fluid/mpm/particles.h"
#include "solver/fluid/mpm/reactions.h"

namespace sluice::fluid {

/// What a snapshot holds besides the particles.
struct SnapshotHead {
  std::vector<std::int64_t> counts;  ///< Particles by fluid.
  float displacement = 0;            ///< [m] see MpmFluid::commit
  std::vector<Reaction> reactions;   ///< That the next substep expects.
};

/// Format, in this machine's byte order; checkpoints are protected and versioned by whoever stores
/// them:
///   snapshot  := magic:u64 fluid_count:u64 counts:i64[fluid_count] displacement:f32
///                positions:f32[3 n] velocities:f32[3 n] affine:f32[10 n] ids:u32[n]
///                materials:u8[n] elastic:f32[16 n] (of scenes that have any)
///                reaction_count:u64 reactions:{u32 f32[3]}[reaction_count]
///   n = sum of counts; nothing follows.
[[nodiscard]] std::vector<std::byte> write_snapshot(const SnapshotHead& head,
                                                    const Particles& particles);

/// Reads it back; targets are left zero. Returns what is wrong, in words; empty if nothing is. Any
/// bytes are safe: sizes, ids (each once), materials and the particles of reactions are checked.
[[nodiscard]] std::string read_snapshot(std::span<const std::byte> bytes, std::size_t fluid_count,
                                        bool has_elastic, SnapshotHead& head, Particles& particles);

}  // namespace sluice::fluid
