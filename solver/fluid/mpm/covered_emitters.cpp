// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/covered_emitters.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "solver/fluid/mpm/flow_of_grid.h"

namespace sluice::fluid {

namespace {

// In units of c/dx, a fifty times as fast as elsewhere: what is carried has no noise of its own
// that this could turn into pressure.
constexpr float feedback = 0.5F;

// A material that has no equation of state has room until it is crowded by this part.
constexpr float most_crowded = 0.1F;

struct Pressing {
  double pressure = 0, crowding = 0;  // Sums.
  std::size_t count = 0, material = 0;
};

// [m^2/s^2] The potential from one end of the domain to the other.
float height_of_domain(const Substep& step) {
  return (step.frame.upper - step.frame.lower).dot(step.gravity.cwiseAbs());
}

}  // namespace

void press_emitted(const Substep& step, scene::Kernel kernel, const Grid& grid, Emitters& emitters,
                   Particles& particles) {
  std::vector<Pressing> pressing(emitters.count());
  for (const Emitters::Held& held : emitters.held()) {
    const std::size_t i = held.particle;
    const Material& material = step.materials[particles.materials[i]];
    const double density = flow_of_grid(step.frame, kernel, grid, particles.positions[i]).density;
    if (!(density > 0)) continue;
    const float seen =
        static_cast<float>(static_cast<double>(material.gathered_density) / density) - 1;
    Pressing& of_emitter = pressing[held.emitter];
    of_emitter.material = particles.materials[i];
    of_emitter.crowding -= static_cast<double>(seen);
    ++of_emitter.count;
    if (!material.is_liquid()) continue;
    float& strain = particles.affine[i].strain;
    const float rate = feedback * material.sound_speed / step.frame.cell_size;
    if (seen < strain) strain += std::min(1.0F, step.duration * rate) * (seen - strain);
    of_emitter.pressure += static_cast<double>(pressure(material, strain));
  }
  for (std::size_t e = 0; e < pressing.size(); ++e) {
    const Pressing& found = pressing[e];
    const auto count = static_cast<double>(std::max<std::size_t>(1, found.count));
    const Material& material = step.materials[found.material];
    const auto speed = static_cast<float>(emitters.speed(e));
    const float most = material.rest_density * (height_of_domain(step) + speed * speed);
    const bool has_room = material.is_liquid()
                              ? found.pressure / count <= static_cast<double>(most)
                              : found.crowding / count <= static_cast<double>(most_crowded);
    emitters.set_room(e, has_room);
  }
}

}  // namespace sluice::fluid
