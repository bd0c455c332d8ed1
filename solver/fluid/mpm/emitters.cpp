// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/emitters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "solver/fluid/mpm/key_index.h"
#include "solver/scene/seeding.h"

namespace sluice::fluid {

namespace {

// Of the lattice's spacing, how near to another particle none comes in. Those of the lattice itself
// are 1 apart.
constexpr double least_distance = 0.9;

// [m], [m/s] and particles: beyond what any scene comes to.
constexpr double farthest = 1e12;

bool overlap(const geometry::Bounds& bounds, const Vec3& x, double margin) {
  return (x.array() >= bounds.lower.array() - margin).all() &&
         (x.array() <= bounds.upper.array() + margin).all();
}

std::uint64_t scramble(std::uint64_t x) {  // splitmix64's finaliser
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

// Points in cells of a hash table, for the question whether there is one near another.
class Crowd {
 public:
  explicit Crowd(double reach) : reach_(reach) {}

  void add(const Vec3& x) {
    const auto index = static_cast<std::uint32_t>(points_.size());
    const std::uint32_t cell = first_in_cell_.find_or_insert(
        key(cell_of(x)), static_cast<std::uint32_t>(last_of_cell_.size()));
    if (cell == last_of_cell_.size()) last_of_cell_.push_back(KeyIndex::none);
    points_.push_back(x);
    before_.push_back(last_of_cell_[cell]);
    last_of_cell_[cell] = index;
  }

  [[nodiscard]] bool has_near(const Vec3& x) const {
    const std::array<std::int64_t, 3> middle = cell_of(x);
    for (int n = 0; n < 27; ++n) {
      const std::uint32_t cell = first_in_cell_.find(
          key({middle[0] + n / 9 - 1, middle[1] + n / 3 % 3 - 1, middle[2] + n % 3 - 1}));
      if (cell == KeyIndex::none) continue;
      for (std::uint32_t i = last_of_cell_[cell]; i != KeyIndex::none; i = before_[i]) {
        if ((points_[i] - x).squaredNorm() < reach_ * reach_) return true;
      }
    }
    return false;
  }

 private:
  [[nodiscard]] std::array<std::int64_t, 3> cell_of(const Vec3& x) const {
    std::array<std::int64_t, 3> cell{};
    for (int axis = 0; axis < 3; ++axis)
      cell[static_cast<std::size_t>(axis)] =
          static_cast<std::int64_t>(std::floor(x[axis] / reach_));
    return cell;
  }
  // Far cells that share a key only cost time.
  static std::uint64_t key(const std::array<std::int64_t, 3>& cell) {
    std::uint64_t key = 0;
    for (const std::int64_t c : cell)
      key = key << 21 ^ static_cast<std::uint64_t>(c);
    return key;
  }

  double reach_;
  KeyIndex first_in_cell_;
  std::vector<Vec3> points_;
  std::vector<std::uint32_t> before_, last_of_cell_;
};

void put(ByteWriter& out, const Vec3& v) {
  for (int axis = 0; axis < 3; ++axis)
    out.put(v[axis]);
}
bool get(ByteReader& in, Vec3& v) { return in.get(v.x()) && in.get(v.y()) && in.get(v.z()); }

}  // namespace

Emitters::Emitters(const scene::Scene& scene)
    : origin_(scene.domain_lower),
      steps_(scene::seed_steps(scene)),
      lower_(scene.domain_lower),
      upper_(scene.domain_upper),
      spacing_(scene::seed_spacing(scene.grid)) {
  const auto cells = scene::grid_cells(scene);
  for (int axis = 0; axis < 3; ++axis) {
    if (axis == 1 && scene.grid.dimensions == 2) continue;
    const auto length = static_cast<double>(cells[static_cast<std::size_t>(axis)]);
    upper_[axis] = lower_[axis] + length * scene.grid.cell_size;
  }
  for (std::size_t fluid = 0; fluid < scene.fluids.size(); ++fluid) {
    for (const scene::Emitter& from : scene.fluids[fluid].emitters) {
      emitters_.push_back({.fluid = static_cast<std::uint8_t>(fluid),
                           .name = from.name,
                           .shape = from.shape,
                           .bounds = geometry::bounds(from.shape),
                           .times = from.open,
                           .rate = from.rate,
                           .velocity = from.velocity,
                           .is_open = from.open.has(0)});
    }
  }
}

double Emitters::largest_speed() const noexcept {
  double speed = 0;
  for (const Emitter& emitter : emitters_) {
    if (emitter.is_open) speed = std::max(speed, emitter.velocity.norm());
  }
  return speed;
}

bool Emitters::set(std::size_t fluid, std::string_view name, bool is_open, const Vec3* velocity) {
  const auto found = std::ranges::find_if(emitters_, [&](const Emitter& emitter) {
    return emitter.fluid == fluid && emitter.name == name;
  });
  if (found == emitters_.end()) return false;
  found->is_open = is_open;
  found->is_steered = true;
  if (velocity != nullptr) found->velocity = *velocity;
  return true;
}

void Emitters::open_and_shut(double time) {
  for (Emitter& emitter : emitters_) {
    if (!emitter.is_steered) emitter.is_open = emitter.times.has(time);
  }
}

void Emitters::hold(const Particles& particles) {
  held_.clear();
  if (std::ranges::none_of(emitters_, &Emitter::is_open)) return;
  const auto holder_of = [&](const Vec3f& position) {
    const Vec3 x = position.cast<double>();
    return std::ranges::find_if(emitters_, [&](const Emitter& emitter) {
      return emitter.is_open && overlap(emitter.bounds, x, 0) &&
             geometry::signed_distance(emitter.shape, x).distance < 0;
    });
  };
  const auto is_held = [&](const Vec3f& x) { return holder_of(x) != emitters_.end(); };
  for (const std::uint32_t i : search_.find(particles, is_held)) {
    const auto emitter = holder_of(particles.positions[i]) - emitters_.begin();
    held_.push_back({i, static_cast<std::uint32_t>(emitter)});
  }
}

void Emitters::carry(float h, const Boundary& boundary, Particles& particles) const {
  for (const Held& held : held_) {
    const std::size_t i = held.particle;
    boundary.send(h, emitters_[held.emitter].velocity.cast<float>(), i, particles);
    std::fill(std::begin(particles.affine[i].c), std::end(particles.affine[i].c), 0.0F);
  }
}

// Those in the shape that were not in it before the lattice went `way`. Where a point was is found
// by the very sums that told last time where it is, so that none comes in twice or never.
std::vector<Emitters::Place> Emitters::find_places(const Emitter& emitter, const Vec3& way) const {
  std::vector<Place> places;
  const Vec3 before = emitter.shift, now = emitter.shift + way;
  std::array<std::int64_t, 3> first{}, last{};
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const double start = origin_[axis] + now[axis] + 0.5 * steps_[axis];
    const double low = std::max(emitter.bounds.lower[axis], lower_[axis]);
    const double high = std::min(emitter.bounds.upper[axis], upper_[axis]);
    first[a] = static_cast<std::int64_t>(std::floor((low - start) / steps_[axis]));
    last[a] = static_cast<std::int64_t>(std::ceil((high - start) / steps_[axis])) + 1;
  }
  const auto point = [&](const Vec3& shift, std::int64_t i, std::int64_t j, std::int64_t k) {
    const Vec3 at(static_cast<double>(i) + 0.5, static_cast<double>(j) + 0.5,
                  static_cast<double>(k) + 0.5);
    return Vec3(origin_ + shift + steps_.cwiseProduct(at));
  };
  const double length = way.norm();
  for (std::int64_t i = first[0]; i < last[0]; ++i) {
    for (std::int64_t j = first[1]; j < last[1]; ++j) {
      for (std::int64_t k = first[2]; k < last[2]; ++k) {
        const Vec3 x = point(now, i, j, k);
        if ((x.array() <= lower_.array()).any() || (x.array() >= upper_.array()).any()) continue;
        const double depth = -geometry::signed_distance(emitter.shape, x).distance;
        if (!(depth > 0) || depth > 2 * length) continue;
        if (geometry::signed_distance(emitter.shape, point(before, i, j, k)).distance < 0) continue;
        const auto number = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
        places.push_back({x, scramble(scramble(scramble(number(i)) + number(j)) + number(k))});
      }
    }
  }
  return places;
}

// Whole layers come in at a time, and none between them: what is left over is kept for as long as a
// layer takes.
void Emitters::add_allowance(Emitter& emitter, double h) const {
  const double volume = steps_.prod();
  const double seconds_of_layer = spacing_ / emitter.velocity.norm();
  emitter.allowance = std::min(emitter.allowance + emitter.rate * h / volume,
                               1 + emitter.rate * seconds_of_layer / volume);
}

std::vector<Vec3> Emitters::near_open_ones(const Particles& particles) {
  const auto is_near = [&](const Vec3f& position) {
    const Vec3 x = position.cast<double>();
    return std::ranges::any_of(emitters_, [&](const Emitter& emitter) {
      return emitter.is_open && overlap(emitter.bounds, x, spacing_);
    });
  };
  const std::vector<std::uint32_t>& near = search_.find(particles, is_near);
  std::vector<Vec3> positions;
  positions.reserve(near.size());
  for (const std::uint32_t i : near)
    positions.push_back(particles.positions[i].cast<double>());
  return positions;
}

void Emitters::emit(double h, const Particles& particles, const Boundary& boundary,
                    const std::function<bool(const Vec3&)>& is_free, std::int64_t most,
                    std::vector<Birth>& births) {
  Crowd crowd(least_distance * spacing_);
  bool has_crowd = false;
  for (Emitter& emitter : emitters_) {
    if (!emitter.is_open) continue;
    const Vec3 way = h * emitter.velocity;
    std::vector<Place> places = find_places(emitter, way);
    emitter.shift += way;
    const bool has_rate = std::isfinite(emitter.rate);
    if (has_rate) {
      add_allowance(emitter, h);
      std::ranges::sort(places, {}, &Place::draw);
    }
    if (places.empty()) continue;
    if (!has_crowd) {
      for (const Vec3& x : near_open_ones(particles))
        crowd.add(x);
      has_crowd = true;
    }
    for (const Place& place : places) {
      if (has_rate && emitter.allowance < 1) break;
      if (static_cast<std::int64_t>(births.size()) >= most) break;
      const Vec3& x = place.position;
      if (crowd.has_near(x) || !boundary.is_outside(x) || !is_free(x)) continue;
      if (has_rate) --emitter.allowance;
      crowd.add(x);
      births.push_back({emitter.fluid, x.cast<float>(), emitter.velocity.cast<float>()});
    }
  }
}

void Emitters::save(ByteWriter& out) const {
  for (const Emitter& emitter : emitters_) {
    put(out, emitter.velocity);
    put(out, emitter.shift);
    out.put(emitter.allowance);
    out.put(static_cast<std::uint8_t>(emitter.is_open ? 1 : 0));
    out.put(static_cast<std::uint8_t>(emitter.is_steered ? 1 : 0));
  }
}

bool Emitters::restore(ByteReader& in) {
  for (Emitter& emitter : emitters_) {
    std::uint8_t is_open = 0, is_steered = 0;
    if (!get(in, emitter.velocity) || !get(in, emitter.shift) || !in.get(emitter.allowance) ||
        !in.get(is_open) || !in.get(is_steered)) {
      return false;
    }
    // Lattice points are counted from these numbers.
    const bool is_sound = emitter.velocity.norm() > 0 && emitter.velocity.norm() < farthest &&
                          emitter.shift.norm() < farthest && emitter.allowance >= 0 &&
                          emitter.allowance < farthest;
    if (!is_sound) return false;
    emitter.is_open = is_open != 0;
    emitter.is_steered = is_steered != 0;
  }
  return true;
}

}  // namespace sluice::fluid
