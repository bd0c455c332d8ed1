// SPDX-License-Identifier: Apache-2.0
#include "client/render/cell_lattice.h"

#include <fmt/format.h>

#include <cmath>

#include "sluice/error.h"

namespace sluice::render {

std::size_t CellLattice::cell_count() const {
  return static_cast<std::size_t>(counts[0]) * static_cast<std::size_t>(counts[1]) *
         static_cast<std::size_t>(counts[2]);
}

CellLattice read_lattice(const v1::Body& body) {
  const v1::CellLattice& sent = body.lattice();
  const auto refuse = [&](const std::string& what) {
    throw client::Error(client::ErrorKind::data_loss,
                        fmt::format("the server sent the cells of '{}' {}", body.name(), what));
  };
  if (sent.counts_size() != 3 || sent.lower_size() != 3 || sent.edges_size() != 3) {
    refuse("without their lattice");
  }
  CellLattice lattice{};
  std::int64_t rest = body.count();  // The count of cells, divided by each axis' count in turn.
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    lattice.counts[a] = sent.counts(axis);
    lattice.lower[a] = sent.lower(axis);
    lattice.edges[a] = sent.edges(axis);
    const bool is_somewhere = std::isfinite(lattice.lower[a]) && std::isfinite(lattice.edges[a]);
    if (!is_somewhere || lattice.edges[a] <= 0) {
      refuse(fmt::format("with edges of {} m from {} m on", lattice.edges[a], lattice.lower[a]));
    }
    const bool divides = lattice.counts[a] >= 1 && rest % lattice.counts[a] == 0;
    rest = divides ? rest / lattice.counts[a] : 0;
  }
  if (rest != 1) {
    refuse(fmt::format("as {} x {} x {}, which are not {}", sent.counts(0), sent.counts(1),
                       sent.counts(2), body.count()));
  }
  return lattice;
}

bool is_of_body(const client::FrameArray& array, const v1::Body& body, std::int64_t frame_index) {
  if (array.body != body.name()) {
    return false;
  }
  const auto numbers = static_cast<std::size_t>(body.count() * array.component_count);
  if (array.count != body.count() || array.values.size() != numbers) {
    throw client::Error(client::ErrorKind::data_loss,
                        fmt::format("frame {} does not fit the layout of '{}': {} rows for {}",
                                    frame_index, body.name(), array.count, body.count()));
  }
  return true;
}

}  // namespace sluice::render
