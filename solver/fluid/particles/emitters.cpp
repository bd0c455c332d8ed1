// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/particles/emitters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "solver/fluid/particles/area_across.h"
#include "solver/fluid/particles/crowd.h"
#include "solver/scene/seeding.h"

namespace sluice::fluid {

namespace {

// No particle comes in nearer to another one than this part of the lattice's spacing. Particles of
// the lattice itself are 1 apart.
constexpr double least_distance = 0.9;

// The same for what is owed: the gaps of a lattice that is full are 0.87 from its points, in two
// dimensions 0.71.
constexpr double least_room = 0.5;

// Parts of a layer of the lattice by which an emitter may be late: layers of a lattice that lies
// askew bring now more, now less.
constexpr double most_behind = 0.25;

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
      spacing_(scene::seed_spacing(scene.grid)),
      is_flat_(scene.grid.dimensions == 2) {
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
                           .area = area_of(from.shape, from.velocity),
                           .is_open = from.open.has(0),
                           .debt = {}});
    }
  }
}

double Emitters::area_of(const geometry::Shape& shape, const Vec3& velocity) const {
  return area_across(velocity.normalized(), shape, lower_, upper_, is_flat_);
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
  if (velocity != nullptr) {
    found->velocity = *velocity;
    found->area = area_of(found->shape, *velocity);
  }
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

std::vector<Inlet> Emitters::inlets() const {
  std::vector<Inlet> inlets;
  inlets.reserve(emitters_.size());
  for (const Emitter& emitter : emitters_)
    inlets.push_back(
        {emitter.shape, emitter.velocity, emitter.area, emitter.rate, emitter.is_open});
  return inlets;
}

std::vector<Vec3f> Emitters::held_places(const Particles& particles) const {
  std::vector<Vec3f> places;
  places.reserve(held_.size());
  for (const Held& held : held_)
    places.push_back(particles.positions[held.particle]);
  return places;
}

void Emitters::take(std::span<const Inflow> inflows) {
  for (std::size_t i = 0; i < emitters_.size(); ++i)
    emitters_[i].inflow = inflows[i];
}

void Emitters::carry(float h, const Boundary& boundary, Particles& particles) const {
  for (const Held& held : held_) {
    const std::size_t i = held.particle;
    const Emitter& emitter = emitters_[held.emitter];
    const double part = emitter.inflow ? emitter.inflow->part() : 1;
    boundary.send(h, (part * emitter.velocity).cast<float>(), i, particles);
    std::fill(std::begin(particles.affine[i].c), std::end(particles.affine[i].c), 0.0F);
  }
}

// The points in the shape that were not in it before the lattice went `way`. Where a point was is
// found by the very sums that told last time where it is, so that none comes in twice or never.
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

std::vector<Vec3> Emitters::near_open_ones(const Particles& particles) {
  const auto is_near = [&](const Vec3f& position) {
    const Vec3 x = position.cast<double>();
    return std::ranges::any_of(emitters_, [&](const Emitter& emitter) {
      if (!emitter.is_open || !overlap(emitter.bounds, x, spacing_)) return false;
      // Where a grid makes room, what is outside is not in the way.
      return !emitter.inflow || geometry::signed_distance(emitter.shape, x).distance < 0;
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
  const auto is_open_place = [&](const Vec3& x) { return boundary.is_outside(x) && is_free(x); };
  for (Emitter& emitter : emitters_) {
    if (!emitter.is_open) continue;
    const Vec3 way = (emitter.inflow ? emitter.inflow->part() * h : h) * emitter.velocity;
    std::vector<Place> places = find_places(emitter, way);
    emitter.shift += way;
    const double carried = emitter.area * emitter.velocity.norm();  // [m^3/s]
    const bool has_rate = emitter.rate < carried;
    double flux = std::min(emitter.rate, carried) / steps_.prod();  // particles a second
    if (emitter.inflow) {
      const double let_in = emitter.inflow->flux / steps_.prod();
      emitter.debt.shut_out(h * (flux - std::min(flux, let_in)));
      flux = let_in;
    }
    emitter.brought += flux * h;
    if (places.empty()) continue;
    if (!has_crowd) {
      for (const Vec3& x : near_open_ones(particles))
        crowd.add(x);
      has_crowd = true;
    }
    const auto let_in = [&](const Vec3& x) {
      crowd.add(x);
      births.push_back({emitter.fluid, x.cast<float>(), emitter.velocity.cast<float>()});
    };
    const auto is_full = [&] { return static_cast<std::int64_t>(births.size()) >= most; };
    const std::size_t all = places.size();
    std::erase_if(places, [&](const Place& place) { return !is_open_place(place.position); });
    // A rate goes through what solids leave free of the shape; without one, each place that is free
    // of them has its part of the flux.
    const auto open = static_cast<double>(places.size());
    const bool is_whole = emitter.inflow || (has_rate && open > 0);
    const double share = is_whole ? 1 : open / static_cast<double>(all);
    const double wanted = share * emitter.brought;
    emitter.debt.shut_out(emitter.brought - wanted);
    emitter.debt.owe(wanted, most_owed(emitter));
    emitter.brought = 0;
    // Whole layers of the lattice come in at a time: up to one is let in before it is owed, unless
    // a rate asks for less than all of it.
    const double layer = flux * spacing_ / emitter.velocity.norm();
    const double ahead = has_rate ? 0 : layer;
    if (emitter.debt.owed() + ahead < open) std::ranges::sort(places, {}, &Place::draw);
    for (const Place& place : places) {
      if (emitter.debt.owed() + ahead < 1 || is_full()) break;
      if (crowd.has_near(place.position)) continue;
      let_in(place.position);
      emitter.debt.pay();
    }
    const double due = std::max(1.0, most_behind * layer);
    if (emitter.debt.owed() < due || !emitter.has_room || is_full()) continue;
    for (const Gap& gap : find_gaps(emitter, crowd)) {
      if (emitter.debt.owed() < due || is_full()) break;
      // Particles that have come in since find_gaps() may have taken the room.
      if (crowd.room_at(gap.position) < least_room * spacing_ || !is_open_place(gap.position))
        continue;
      let_in(gap.position);
      emitter.debt.pay();
    }
  }
}

// The number of places in the box around the shape: so many particles may come in late without
// being missed, and if they come at once, they fit in.
double Emitters::most_owed(const Emitter& emitter) const {
  const Vec3 size = emitter.bounds.upper - emitter.bounds.lower;
  double places = 1;
  for (int axis = 0; axis < 3; ++axis)
    places *= std::max(1.0, size[axis] / steps_[axis]);
  return places;
}

// Points and middles of the lattice in the shape, those with the most room first.
std::vector<Emitters::Gap> Emitters::find_gaps(const Emitter& emitter, const Crowd& crowd) const {
  std::vector<Gap> gaps;
  for (const double middle : {0.5, 1.0}) {
    const Vec3 offset(middle, is_flat_ ? 0.5 : middle, middle);
    const Vec3 start = origin_ + emitter.shift + steps_.cwiseProduct(offset);
    const Vec3 low = emitter.bounds.lower.cwiseMax(lower_),
               high = emitter.bounds.upper.cwiseMin(upper_);
    const Vec3 first = (low - start).cwiseQuotient(steps_).array().ceil();
    const Vec3 last = (high - start).cwiseQuotient(steps_).array().floor();
    for (double i = first[0]; i <= last[0]; ++i) {
      for (double j = first[1]; j <= last[1]; ++j) {
        for (double k = first[2]; k <= last[2]; ++k) {
          const Vec3 x = start + steps_.cwiseProduct(Vec3(i, j, k));
          if ((x.array() <= lower_.array()).any() || (x.array() >= upper_.array()).any()) continue;
          if (!(geometry::signed_distance(emitter.shape, x).distance < 0)) continue;
          const double room = crowd.room_at(x);
          if (room < least_room * spacing_) continue;
          const auto number = [](double n) {
            return static_cast<std::uint64_t>(static_cast<std::int64_t>(2 * n));
          };
          const std::uint64_t draw = scramble(
              scramble(scramble(number(i + middle)) + number(j + middle)) + number(k + middle));
          gaps.push_back({x, room, draw});
        }
      }
    }
  }
  std::ranges::sort(gaps, [](const Gap& a, const Gap& b) {
    return a.room != b.room ? a.room > b.room : a.draw < b.draw;
  });
  return gaps;
}

std::vector<EmitterReport> Emitters::take_reports() {
  std::vector<EmitterReport> reports;
  const double volume = steps_.prod();
  for (Emitter& emitter : emitters_) {
    reports.push_back({emitter.fluid, emitter.name, volume * emitter.debt.wanted(),
                       volume * emitter.debt.delivered()});
    emitter.debt.begin_report();
  }
  return reports;
}

void Emitters::save(ByteWriter& out) const {
  for (const Emitter& emitter : emitters_) {
    put(out, emitter.velocity);
    put(out, emitter.shift);
    out.put(emitter.brought);
    emitter.debt.save(out);
    out.put(static_cast<std::uint8_t>(emitter.is_open ? 1 : 0));
    out.put(static_cast<std::uint8_t>(emitter.is_steered ? 1 : 0));
  }
}

bool Emitters::restore(ByteReader& in) {
  for (Emitter& emitter : emitters_) {
    std::uint8_t is_open = 0, is_steered = 0;
    if (!get(in, emitter.velocity) || !get(in, emitter.shift) || !in.get(emitter.brought) ||
        !emitter.debt.restore(in) || !in.get(is_open) || !in.get(is_steered)) {
      return false;
    }
    // Lattice points are counted from these numbers.
    const bool is_sound = emitter.velocity.norm() > 0 && emitter.velocity.norm() < farthest &&
                          emitter.shift.norm() < farthest && emitter.brought >= 0 &&
                          emitter.brought < farthest;
    if (!is_sound) return false;
    emitter.is_open = is_open != 0;
    emitter.is_steered = is_steered != 0;
    emitter.area = area_of(emitter.shape, emitter.velocity);
  }
  return true;
}

}  // namespace sluice::fluid
