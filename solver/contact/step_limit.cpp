// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/step_limit.h"

#include <algorithm>
#include <cstdint>

#include "solver/parallel/parallel_reduce.h"

namespace sluice::contact {
namespace {

// A tenth of the gap is left of the way to a contact: far more than rounding moves an end, and
// enough for a barrier to be finite.
constexpr double part_of_gap = 0.9;

constexpr std::int64_t step_limit_grain = 512;  // Pairs a chunk, 5 us and more.

// The time of the first contact of any pair, where `ends` are those of one; more than 1 if none.
template <typename Ends>
double first_contact(std::span<const ContactPair> pairs, std::span<const Vec3> x_t0,
                     const Ends& ends) {
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(pairs.size()), step_limit_grain, 2.0,
      [&](std::int64_t first, std::int64_t last) {
        double time = 2;
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          const geometry::PairPoints t0 = pairs[i].gather(x_t0);
          const auto contact = first_contact(pairs[i].kind, t0, ends(pairs[i], t0));
          if (contact) time = std::min(time, *contact);
        }
        return time;
      },
      [](double a, double b) { return std::min(a, b); });
}

}  // namespace

double largest_step(std::span<const ContactPair> pairs, std::span<const Vec3> x,
                    std::span<const Vec3> direction, double longest) {
  const double time =
      first_contact(pairs, x, [&](const ContactPair& pair, const geometry::PairPoints& t0) {
        const geometry::PairPoints way = pair.gather(direction);
        return geometry::PairPoints{t0[0] + longest * way[0], t0[1] + longest * way[1],
                                    t0[2] + longest * way[2], t0[3] + longest * way[3]};
      });
  return time > 1 ? longest : part_of_gap * time * longest;
}

bool is_clear(std::span<const ContactPair> pairs, std::span<const Vec3> x_t0,
              std::span<const Vec3> x_t1) {
  return first_contact(pairs, x_t0, [&](const ContactPair& pair, const geometry::PairPoints&) {
           return pair.gather(x_t1);
         }) > 1;
}

}  // namespace sluice::contact
