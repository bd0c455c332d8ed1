// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solver/fluid/mpm/emitters.h"
#include "solver/fluid/mpm/particles.h"
#include "solver/fluid/mpm/reactions.h"
#include "solver/fluid/mpm/rows.h"

namespace sluice::fluid {

/// What a snapshot holds besides the particles.
struct SnapshotHead {
  Rows rows;
  float displacement = 0;           ///< [m] see MpmFluid::commit
  std::vector<Reaction> reactions;  ///< That the next substep expects.
  Emitters emitters;                ///< Of the scene; to be read, such ones.
};

/// Format, in this machine's byte order; checkpoints are protected and versioned by whoever stores
/// them:
///   snapshot  := magic:u64 rows displacement:f32
///                positions:f32[3 n] velocities:f32[3 n] affine:f32[10 n] rows:u32[n]
///                materials:u8[n] elastic:f32[16 n] (of scenes that have any)
///                reaction_count:u64 reactions:{u32 f32[3]}[reaction_count] emitters
///   n = number of rows; nothing follows. Rows and Emitters write themselves.
[[nodiscard]] std::vector<std::byte> write_snapshot(const SnapshotHead& head,
                                                    const Particles& particles);

/// Reads it back; targets are left zero. Returns what is wrong, in words; empty if nothing is. Any
/// bytes are safe: sizes, rows (each once), materials and the particles of reactions are checked.
[[nodiscard]] std::string read_snapshot(std::span<const std::byte> bytes, std::size_t fluid_count,
                                        bool has_elastic, SnapshotHead& head, Particles& particles);

}  // namespace sluice::fluid
