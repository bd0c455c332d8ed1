// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <ostream>
#include <random>

#include "solver/certificate/exact_contact.h"
#include "solver/types.h"

/// Random motions of every awkward kind.
namespace sluice::test {

using certificate::Motion;
using Random = std::mt19937_64;

inline Vec3 uniform_point(Random& random, double size = 1) {
  std::uniform_real_distribution<double> uniform{-size, size};
  return {uniform(random), uniform(random), uniform(random)};
}

inline Vec3 lattice_point(Random& random) {
  std::uniform_int_distribution<int> small{-2, 2};
  return {double(small(random)), double(small(random)), double(small(random))};
}

template <typename MakePoint>
Motion<4> motion_of(MakePoint&& make_point) {
  Motion<4> motion;
  for (auto* points : {&motion.start, &motion.end}) {
    for (Vec3& point : *points)
      point = make_point();
  }
  return motion;
}

// Moves one coordinate to the next double.
inline void nudge(Motion<4>& motion, Random& random) {
  auto& points = random() % 2 == 0 ? motion.start : motion.end;
  double& x = points[random() % 4][static_cast<Eigen::Index>(random() % 3)];
  x = std::nextafter(x, random() % 2 == 0 ? 8 : -8);
}

/// A way to draw four moving points: a point and a triangle, or two edges.
struct Kind {
  const char* name;
  std::function<Motion<4>(Random&)> make;
  bool is_in_range = true;  ///< Where times are accurate, not only safe.
};

inline std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << kind.name; }

inline const Kind kinds[] = {
    {"anything", [](Random& random) { return motion_of([&] { return uniform_point(random); }); }},
    {"small motions, like a substep's",
     [](Random& random) {
       Motion<4> motion = motion_of([&] { return uniform_point(random); });
       motion.start[0] =
           (motion.start[1] + motion.start[2] + motion.start[3]) / 3 + uniform_point(random, 0.05);
       for (std::size_t i = 0; i < 4; ++i) {
         motion.end[i] = motion.start[i] + uniform_point(random, 0.1);
       }
       return motion;
     }},
    {"on a lattice: exact touches, parallel and degenerate ones",
     [](Random& random) { return motion_of([&] { return lattice_point(random); }); }},
    {"all in one plane, off the axes",
     [](Random& random) {
       return motion_of([&] {
         Vec3 p = lattice_point(random) / 8;
         p.z() = 2 * p.x() - p.y();
         return p;
       });
     }},
    {"all on one line",
     [](Random& random) {
       return motion_of([&] { return Vec3(lattice_point(random).x() * Vec3{1, 2, -3}); });
     }},
    {"triangles without area",
     [](Random& random) {
       Motion<4> motion = motion_of([&] { return lattice_point(random); });
       motion.start[3] = 2 * motion.start[2] - motion.start[1];
       motion.end[3] = 2 * motion.end[2] - motion.end[1];
       return motion;
     }},
    {"a corner passed within an ulp or two",
     [](Random& random) {
       Motion<4> motion = motion_of([&] { return uniform_point(random); });
       // Halfway, the point is at corner 1, up to rounding.
       const Vec3 meeting = (motion.start[1] + motion.end[1]) / 2;
       motion.end[0] = 2 * meeting - motion.start[0];
       return motion;
     }},
    {"ends up on the face up to rounding",
     [](Random& random) {
       Motion<4> motion = motion_of([&] { return uniform_point(random); });
       motion.end[0] = (motion.end[1] + 2 * motion.end[2] + motion.end[3]) / 4;
       if (random() % 2 == 0) std::swap(motion.start, motion.end);
       return motion;
     }},
    {"far from the origin",
     [](Random& random) {
       return motion_of([&] { return Vec3(Vec3{1e6, -3e5, 7e6} + uniform_point(random)); });
     }},
    {"of widely different sizes",
     [](Random& random) {
       return motion_of([&] {
         const int exponent = static_cast<int>(random() % 40) - 35;
         return Vec3(std::ldexp(1, exponent) * uniform_point(random));
       });
     }},
    {"on a lattice, one coordinate off by an ulp",
     [](Random& random) {
       Motion<4> motion = motion_of([&] { return lattice_point(random); });
       nudge(motion, random);
       return motion;
     }},
    {"sliding along the plane that all of it moves with",
     [](Random& random) {
       const Vec3 shift = lattice_point(random) / 4;
       Motion<4> motion = motion_of([&] {
         Vec3 p = lattice_point(random) / 8;
         p.z() = p.x() + 2 * p.y();
         return p;
       });
       for (Vec3& point : motion.end)
         point += shift;
       if (random() % 2 == 0) nudge(motion, random);
       return motion;
     }},
    {"slivers",
     [](Random& random) {
       Motion<4> motion = motion_of([&] { return uniform_point(random); });
       const double height = std::ldexp(1, -10 - static_cast<int>(random() % 45));
       for (auto* points : {&motion.start, &motion.end}) {
         (*points)[3] = 0.5 * ((*points)[1] + (*points)[2]) + uniform_point(random, height);
         if (random() % 4 == 0) (*points)[0] = 0.25 * (*points)[1] + 0.75 * (*points)[2];
       }
       return motion;
     }},
    {"edges that stay almost parallel",
     [](Random& random) {
       const double size = std::ldexp(1, -static_cast<int>(random() % 50));
       Motion<4> motion = motion_of([&] { return uniform_point(random); });
       for (auto* points : {&motion.start, &motion.end}) {
         const Vec3 shift = uniform_point(random, 0.1);
         (*points)[2] = (*points)[0] + shift + uniform_point(random, size);
         (*points)[3] = (*points)[1] + shift + uniform_point(random, size);
       }
       return motion;
     }},
    {"moving together, a few ulps apart",
     [](Random& random) {
       Motion<4> motion = motion_of([&] { return uniform_point(random); });
       const double weight = std::uniform_real_distribution<double>{0, 1}(random);
       const double gap = std::ldexp(1, -static_cast<int>(random() % 55));
       for (auto* points : {&motion.start, &motion.end}) {
         (*points)[0] =
             weight * (*points)[1] + (1 - weight) * (*points)[2] + uniform_point(random, gap);
       }
       return motion;
     }},
    {"tiny",
     [](Random& random) {
       const double size = std::ldexp(1, -static_cast<int>(random() % 1075));
       Motion<4> motion = motion_of([&] { return uniform_point(random, size); });
       if (random() % 2 == 0) motion.end[0] = (motion.end[1] + motion.end[2]) / 2;
       return motion;
     },
     false},
    {"huge",
     [](Random& random) {
       const double size = std::ldexp(1, 30 + static_cast<int>(random() % 20));
       Motion<4> motion = motion_of([&] { return uniform_point(random, size); });
       if (random() % 2 == 0) motion.end[0] = (motion.end[1] + motion.end[2]) / 2;
       return motion;
     },
     false},
};

}  // namespace sluice::test
