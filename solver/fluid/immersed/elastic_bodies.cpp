// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/immersed/elastic_bodies.h"

#include <algorithm>

namespace sluice::fluid::grid {
namespace {

template <int D>
Vec3 in_world(const std::array<double, D>& along, double times) {
  Vec3 v = Vec3::Zero();
  for (int axis = 0; axis < D; ++axis)
    v[world_axis<D>(axis)] = times * along[static_cast<std::size_t>(axis)];
  return v;
}

}  // namespace

template <int D>
void ElasticBodies<D>::begin(const ImmersedSolids& solids) {
  positions_.assign(solids.positions.begin(), solids.positions.end());
  velocities_.assign(solids.velocities.begin(), solids.velocities.end());
  impulses_.assign(positions_.size(), Vec3::Zero());
  unanswered_.assign(positions_.size(), Vec3::Zero());
  attached_.clear();
  response_ = solids.response;
}

// With M the solids' mass and m the fluid's, brought at u to solids that would move at V: the two
// get the velocity V + (M + m)^-1 m (u - V), and the solids the momentum m (u - V'), V' the
// velocity in the end, for which respond() takes off what the fluid keeps.
template <int D>
void ElasticBodies<D>::attach_fluid(std::span<const Mat3> masses, std::span<const Vec3> momenta) {
  attached_.assign(masses.begin(), masses.end());
  if (response_ != nullptr) response_->attach(attached_);
  for (std::size_t i = 0; i < attached_.size(); ++i)
    unanswered_[i] += momenta[i] - attached_[i] * velocities_[i];
}

template <int D>
void ElasticBodies<D>::press(const Array<float>& pressure, float part, const Tiles<D>& tiles) {
  for (const InCell& one : entries(tiles)) {
    const double p = static_cast<double>(part * pressure[one.cell]);
    unanswered_[one.entry.vertex] += in_world<D>(one.entry.weight, -mass_of_cell_ * p);
  }
}

template <int D>
void ElasticBodies<D>::respond() {
  if (this->is_empty()) return;
  for (std::size_t i = 0; i < impulses_.size(); ++i)
    impulses_[i] += unanswered_[i];
  if (response_ != nullptr) {
    answer_.resize(impulses_.size());
    response_->respond(unanswered_, answer_);
    for (std::size_t i = 0; i < answer_.size(); ++i)
      velocities_[i] += answer_[i];
    for (std::size_t i = 0; i < attached_.size(); ++i)
      impulses_[i] -= attached_[i] * answer_[i];
  }
  std::ranges::fill(unanswered_, Vec3::Zero());
}

template <int D>
void ElasticBodies<D>::tie(const PoissonSystem<D>& system) {
  const std::size_t end = system.tiles().count() * tile_size<D>;
  std::vector<InCell> all = entries(system.tiles());
  std::erase_if(all, [&](const InCell& one) {
    return one.cell >= end || !system.is_unknown(one.cell / tile_size<D>, one.cell % tile_size<D>);
  });
  std::ranges::stable_sort(all, [](const InCell& a, const InCell& b) {
    return a.cell != b.cell ? a.cell < b.cell : a.entry.vertex < b.entry.vertex;
  });
  cells_.clear();
  first_entry_.clear();
  entries_.clear();
  for (const InCell& one : all) {
    if (cells_.empty() || one.cell != cells_.back()) {
      cells_.push_back(one.cell);
      first_entry_.push_back(entries_.size());
    } else if (entries_.back().vertex == one.entry.vertex) {
      for (std::size_t axis = 0; axis < D; ++axis)
        entries_.back().weight[axis] += one.entry.weight[axis];
      continue;
    }
    entries_.push_back(one.entry);
  }
  first_entry_.push_back(entries_.size());
  tied_.clear();
  for (std::size_t n = 0; response_ != nullptr && n < cells_.size(); ++n) {
    const auto all_of_cell =
        std::span(entries_).subspan(first_entry_[n], first_entry_[n + 1] - first_entry_[n]);
    const bool moves = std::ranges::any_of(
        all_of_cell, [&](const Entry& entry) { return response_->answers(entry.vertex); });
    if (moves) tied_.push_back(cells_[n]);
  }
  pressed_.resize(positions_.size());
  answer_.resize(positions_.size());
}

// All together, but for those next to what is held alone, which passes nothing on: a pocket that
// such a surface shuts in has a pressure of its own. Which bodies hang together is not known here,
// and what is taken off where they do not is at most what closed regions could not hold.
template <int D>
auto ElasticBodies<D>::tied_cells() const -> std::vector<std::span<const std::uint32_t>> {
  if (tied_.empty()) return {};
  return {tied_};
}

template <int D>
double ElasticBodies<D>::flow_of(const Entry& entry, std::span<const Vec3> velocities) const {
  double flow = 0;
  for (int axis = 0; axis < D; ++axis) {
    flow += entry.weight[static_cast<std::size_t>(axis)] *
            velocities[entry.vertex][world_axis<D>(axis)];
  }
  return flow;
}

template <int D>
void ElasticBodies<D>::add_inflow(std::span<double> inflow) const {
  for (std::size_t n = 0; n < cells_.size(); ++n) {
    for (std::size_t e = first_entry_[n]; e < first_entry_[n + 1]; ++e)
      inflow[cells_[n]] += flow_of(entries_[e], velocities_);
  }
}

template <int D>
double ElasticBodies<D>::apply(std::span<const float> x, std::span<double> image) const {
  if (response_ == nullptr) return 0;
  std::ranges::fill(pressed_, Vec3::Zero());
  for (std::size_t n = 0; n < cells_.size(); ++n) {
    const double p = mass_of_cell_ * static_cast<double>(x[cells_[n]]);
    for (std::size_t e = first_entry_[n]; e < first_entry_[n + 1]; ++e)
      pressed_[entries_[e].vertex] += in_world<D>(entries_[e].weight, p);
  }
  response_->respond(pressed_, answer_);
  double energy = 0;
  for (std::size_t n = 0; n < cells_.size(); ++n) {
    double flow = 0;
    for (std::size_t e = first_entry_[n]; e < first_entry_[n + 1]; ++e)
      flow += flow_of(entries_[e], answer_);
    image[cells_[n]] += flow;
    energy += static_cast<double>(x[cells_[n]]) * flow;
  }
  return energy;
}

template <int D>
void ElasticBodies<D>::accelerate(std::span<const double> pressure, MacGrid<D>& /*grid*/) {
  for (std::size_t n = 0; n < cells_.size(); ++n) {
    const double p = -mass_of_cell_ * pressure[cells_[n]];
    for (std::size_t e = first_entry_[n]; e < first_entry_[n + 1]; ++e)
      unanswered_[entries_[e].vertex] += in_world<D>(entries_[e].weight, p);
  }
  respond();
}

template <int D>
void ElasticBodies<D>::save_positions(ByteWriter& out) const {
  out.put_array(std::span<const Vec3>(positions_));
}

template <int D>
bool ElasticBodies<D>::restore_positions(ByteReader& in) {
  return in.get_array(std::span<Vec3>(positions_));
}

template class ElasticBodies<2>;
template class ElasticBodies<3>;

}  // namespace sluice::fluid::grid
