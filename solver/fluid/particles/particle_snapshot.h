// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "solver/bytes.h"
#include "solver/fluid/particles/emitters.h"
#include "solver/fluid/particles/particles.h"
#include "solver/fluid/particles/rows.h"

namespace sluice::fluid {

/// Writes the snapshot of all fluids with particles, in this machine's byte order; checkpoints are
/// protected and versioned by the code that stores them:
///   magic:u64 rows positions:f32[3 n] velocities:f32[3 n] affine:f32[10 n] rows:u32[n]
///   materials:u8[n] elastic:f32[16 n] (of scenes that have any) emitters
///   n = number of rows. Rows and Emitters write themselves.
void write_snapshot(const Rows& rows, const Emitters& emitters, const Particles& particles,
                    ByteWriter& out);

/// Reads it back, for `emitters` of the scene; targets are left zero. Returns the error in
/// words; empty if there is none. Any bytes are safe: sizes, rows (each once) and materials are
/// checked.
[[nodiscard]] std::string read_snapshot(ByteReader& in, std::size_t fluid_count, bool has_elastic,
                                        Rows& rows, Emitters& emitters, Particles& particles);

}  // namespace sluice::fluid
