// SPDX-License-Identifier: Apache-2.0
// A snapshot, in this machine's byte order:
//   magic "SLUICESN", version u32, fingerprint of the scene u64, length of the state u64, state,
//   checksum of the state u64
// The state, also used alone to take back a failed frame or substep:
//   frame index i64, epoch i64, steering, offset and velocity of each obstacle, velocities and
//   centres of the pins, poses and momenta of rigid bodies, positions and velocities of the
//   vertices, has-fluid u8, the fluid's bytes, contact forces of particles and vertices where
//   frames have them, what FrameChecks has seen, gravity of the frame before
#include <cassert>

#include "solver/bytes.h"
#include "solver/simulation/runner.h"

namespace sluice::simulation {

namespace {

constexpr std::uint64_t magic = 0x4e53454349554c53;  // "SLUICESN", little-endian
constexpr std::uint32_t version = 15;

void put(ByteWriter& out, const solid::RigidState& state) {
  const solid::Pose& pose = state.world_from_body;
  out.put_array(std::span<const double>(pose.translation.data(), 3));
  out.put_array(std::span<const double>(pose.rotation.coeffs().data(), 4));
  out.put_array(std::span<const double>(state.velocity.data(), 3));
  out.put_array(std::span<const double>(state.angular_momentum.data(), 3));
}

bool get(ByteReader& in, solid::RigidState& state) {
  solid::Pose& pose = state.world_from_body;
  return in.get_array(std::span<double>(pose.translation.data(), 3)) &&
         in.get_array(std::span<double>(pose.rotation.coeffs().data(), 4)) &&
         in.get_array(std::span<double>(state.velocity.data(), 3)) &&
         in.get_array(std::span<double>(state.angular_momentum.data(), 3));
}

}  // namespace

void Runner::save_state(ByteWriter& out) const {
  out.put(frame_index_);
  out.put(epoch_);
  steering_.save(out);
  obstacles_.save(out);
  for (const solid::BodyPin& pin : solids_.pins) {
    out.put_array(std::span<const double>(pin.velocity.data(), 3));
    out.put_array(std::span<const double>(pin.center.data(), 3));
  }
  for (const solid::RigidMember& member : solids_.rigid_bodies)
    put(out, member.state);
  out.put_array(std::span<const Vec3>(solids_.positions));
  out.put_array(std::span<const Vec3>(solids_.velocities));
  out.put(static_cast<std::uint8_t>(fluid_ ? 1 : 0));
  if (fluid_) out.put_block([&](ByteWriter& block) { fluid_->save(block); });
  out.put_array(std::span<const float>(contact_forces_.particles));
  out.put_array(std::span<const float>(contact_forces_.vertices));
  checks_.save(out);
  out.put_array(std::span<const double>(gravity_before_.data(), 3));
}

void Runner::keep_state(std::vector<std::byte>& kept) const {
  ByteWriter out(std::move(kept));
  save_state(out);
  kept = out.take();
}

void Runner::take_back(std::span<const std::byte> kept) {
  const bool restored = load_state(kept);
  assert(restored);
  static_cast<void>(restored);
}

bool Runner::load_state(std::span<const std::byte> state) {
  ByteReader in(state);
  if (!in.get(frame_index_) || frame_index_ < 0) return false;
  if (!in.get(epoch_) || epoch_ < 0 || epoch_ > frame_index_) return false;
  if (!steering_.restore(in, solids_.positions.size())) return false;
  if (!obstacles_.restore(in)) return false;
  for (solid::BodyPin& pin : solids_.pins) {
    if (!in.get_array(std::span<double>(pin.velocity.data(), 3))) return false;
    if (!in.get_array(std::span<double>(pin.center.data(), 3))) return false;
  }
  for (solid::RigidMember& member : solids_.rigid_bodies) {
    if (!get(in, member.state)) return false;
  }
  if (!in.get_array(std::span<Vec3>(solids_.positions))) return false;
  if (!in.get_array(std::span<Vec3>(solids_.velocities))) return false;
  std::uint8_t has_fluid = 0;
  if (!in.get(has_fluid) || (has_fluid != 0) != (fluid_ != nullptr)) return false;
  if (fluid_) {
    std::span<const std::byte> bytes;
    if (!in.get_bytes(bytes)) return false;
    fluid_ = fluid::make_fluid(scene_, fluid::Start::to_restore);
    fluid_->set_obstacles(obstacles_.current());
    coupling_->place_solids(solids_, *fluid_);
    ByteReader of_fluid(bytes);
    if (!fluid_->restore(of_fluid) || !of_fluid.is_at_end()) return false;
    if (particles() != nullptr && scene_.output.has(Field::contact_force))
      contact_forces_.particles.resize(static_cast<std::size_t>(particles()->particle_count()));
  }
  if (!in.get_array(std::span<float>(contact_forces_.particles))) return false;
  if (!in.get_array(std::span<float>(contact_forces_.vertices))) return false;
  if (!checks_.restore(in)) return false;
  if (!in.get_array(std::span<double>(gravity_before_.data(), 3))) return false;
  return in.is_at_end();
}

std::vector<std::byte> Runner::save() const {
  ByteWriter out;
  out.put(magic);
  out.put(version);
  out.put(fingerprint_);
  const std::size_t first = out.bytes().size() + sizeof(std::uint64_t);
  threads_.run([&] { out.put_block([&](ByteWriter& block) { save_state(block); }); });
  Checksum checksum;
  checksum.add(out.bytes().subspan(first));
  out.put(checksum.value());
  return out.take();
}

bool Runner::load(std::span<const std::byte> snapshot) {
  ByteReader in(snapshot);
  std::uint64_t found_magic = 0, found_fingerprint = 0, found_checksum = 0;
  std::uint32_t found_version = 0;
  std::span<const std::byte> state;
  if (!in.get(found_magic) || !in.get(found_version) || !in.get(found_fingerprint) ||
      !in.get_bytes(state) || !in.get(found_checksum) || !in.is_at_end()) {
    return false;
  }
  Checksum checksum;
  checksum.add(state);
  if (found_magic != magic || found_version != version || found_fingerprint != fingerprint_ ||
      found_checksum != checksum.value()) {
    return false;
  }
  bool loaded = false;
  threads_.run([&] {
    loaded = load_state(state);
    if (loaded) frame_.update(solids_, fluid_.get(), contact_forces_);
  });
  return loaded;
}

}  // namespace sluice::simulation
