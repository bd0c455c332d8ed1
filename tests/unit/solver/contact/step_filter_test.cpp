// SPDX-License-Identifier: Apache-2.0
// Oracle: exact integer arithmetic on the end points that the filter left (solver/certificate),
// over every particle and every triangle, candidates or not.
#include "solver/contact/step_filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "solver/certificate/exact_contact.h"
#include "solver/contact/candidates.h"
#include "solver/geometry/mesh_edges.h"
#include "solver/parallel/thread_limit.h"

namespace sluice::contact {
namespace {

struct MovingWorld {
  std::vector<Vec3f> particles_t0, particles_t1;
  std::vector<Vec3> vertices_t0, vertices_t1;
  std::vector<TriangleIndices> triangles;
  std::vector<EdgeIndices> edges;
  std::vector<std::int32_t> body_of_vertex;
  std::vector<std::uint8_t> touches_itself;

  /// Makes the triangles surfaces that touch each other; before, they touch particles alone.
  void become_bodies(std::vector<std::int32_t> bodies, std::vector<std::uint8_t> own) {
    edges = geometry::mesh_edges(triangles);
    body_of_vertex = std::move(bodies);
    touches_itself = std::move(own);
  }
  Surfaces surfaces() const { return {triangles, edges, body_of_vertex, touches_itself}; }
  bool can_touch(std::int32_t vertex, std::int32_t other) const {
    const auto body = body_of_vertex[std::size_t(vertex)];
    return body != body_of_vertex[std::size_t(other)] || touches_itself[std::size_t(body)] != 0;
  }

  PointsView t0() const { return {particles_t0, vertices_t0}; }
  PointsSpan t1() { return {particles_t1, vertices_t1}; }
};

// Whether boxes around the ways of points before and from `second` are apart: no need to ask.
bool are_boxes_apart(const certificate::Motion<4>& motion, std::size_t second) {
  for (Eigen::Index axis = 0; axis < 3; ++axis) {
    std::array<double, 2> low{1e9, 1e9}, high{-1e9, -1e9};
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t side = i < second ? 0 : 1;
      low[side] = std::min({low[side], motion.start[i][axis], motion.end[i][axis]});
      high[side] = std::max({high[side], motion.start[i][axis], motion.end[i][axis]});
    }
    if (high[0] < low[1] || high[1] < low[0]) return true;
  }
  return false;
}

bool meets(const MovingWorld& world, std::size_t particle, const TriangleIndices& t) {
  certificate::Motion<4> motion;
  motion.start[0] = world.particles_t0[particle].cast<double>();
  motion.end[0] = world.particles_t1[particle].cast<double>();
  for (std::size_t k = 0; k < 3; ++k) {
    motion.start[k + 1] = world.vertices_t0[std::size_t(t[k])];
    motion.end[k + 1] = world.vertices_t1[std::size_t(t[k])];
  }
  return !are_boxes_apart(motion, 1) && certificate::point_meets_triangle(motion);
}

std::int64_t count_contacts(const MovingWorld& world) {
  std::int64_t count = 0;
  for (std::size_t p = 0; p < world.particles_t0.size(); ++p) {
    for (const TriangleIndices& t : world.triangles)
      count += meets(world, p, t);
  }
  return count;
}

struct SolidContacts {
  std::int64_t of_points = 0, of_edges = 0;
  [[nodiscard]] std::int64_t total() const { return of_points + of_edges; }
};

certificate::Motion<4> motion_of(const MovingWorld& world,
                                 const std::array<std::int32_t, 4>& vertices) {
  certificate::Motion<4> motion;
  for (std::size_t k = 0; k < 4; ++k) {
    motion.start[k] = world.vertices_t0[std::size_t(vertices[k])];
    motion.end[k] = world.vertices_t1[std::size_t(vertices[k])];
  }
  return motion;
}

SolidContacts count_solid_contacts(const MovingWorld& world) {
  SolidContacts count;
  for (std::int32_t v = 0; v < std::int32_t(world.vertices_t0.size()); ++v) {
    for (const auto& [a, b, c] : world.triangles) {
      if (!world.can_touch(v, a) || v == a || v == b || v == c) continue;
      const auto motion = motion_of(world, {v, a, b, c});
      count.of_points += !are_boxes_apart(motion, 1) && certificate::point_meets_triangle(motion);
    }
  }
  for (std::size_t i = 0; i < world.edges.size(); ++i) {
    for (std::size_t j = i + 1; j < world.edges.size(); ++j) {
      const auto [a, b] = world.edges[i];
      const auto [c, d] = world.edges[j];
      if (!world.can_touch(a, c) || a == c || a == d || b == c || b == d) continue;
      const auto motion = motion_of(world, {a, b, c, d});
      count.of_edges += !are_boxes_apart(motion, 2) && certificate::edge_meets_edge(motion);
    }
  }
  return count;
}

// A wavy sheet of 2 n^2 triangles over the unit square, whose vertices move by up to `motion`, and
// particles near it on both sides that are shot at it by up to `speed`.
MovingWorld cloud_on_sheet(unsigned seed, int n, int particle_count, double motion, double speed) {
  std::mt19937_64 random{seed};
  std::uniform_real_distribution<double> uniform{-1, 1};
  const auto point = [&] { return Vec3{uniform(random), uniform(random), uniform(random)}; };
  MovingWorld world;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) {
      const double x = double(i) / n, y = double(j) / n;
      world.vertices_t0.push_back({x, y, 0.1 * std::sin(4 * x) * std::cos(5 * y)});
      world.vertices_t1.push_back(world.vertices_t0.back() + motion * point());
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const std::int32_t a = i * (n + 1) + j, b = a + n + 1;
      world.triangles.push_back({a, b, b + 1});
      world.triangles.push_back({a, b + 1, a + 1});
    }
  }
  for (int i = 0; i < particle_count; ++i) {
    const Vec3 place = 0.5 * Vec3{1, 1, 0} + 0.5 * point().cwiseProduct(Vec3{1, 1, 0.4});
    world.particles_t0.push_back(place.cast<float>());
    const Vec3 at_sheet = 0.5 * Vec3{1, 1, 0} + 0.5 * point().cwiseProduct(Vec3{1, 1, 0.2});
    world.particles_t1.push_back((place + speed * (at_sheet - place)).cast<float>());
  }
  return world;
}

FilterReport filter(MovingWorld& world, FilterMethod method, int threads = 1) {
  FilterReport report;
  parallel::ThreadLimit limit(threads);
  limit.run([&] {
    MotionBounds bounds;
    bounds.begin(world.t0(), world.t1(), 1e-3);
    Candidates candidates;
    CandidateFinder().find(bounds, world.surfaces(), 0, candidates);
    report = StepFilter().limit(bounds, {world.surfaces(), candidates}, method, world.t1());
  });
  return report;
}

TEST(StepFilter, lets_no_particle_touch_a_cloth) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    MovingWorld world = cloud_on_sheet(seed, 6, 100, seed % 3 * 0.05, 2);
    ASSERT_GT(count_contacts(world), 20);
    const FilterReport report = filter(world, FilterMethod::local);
    EXPECT_GT(report.limited_count, 0);
    EXPECT_EQ(count_contacts(world), 0) << "seed " << seed;
  }
}

TEST(StepFilter, step_after_step_keeps_every_particle_on_its_side) {
  // Gaps shrink to rounding: each step asks to go through again from where the last one stopped.
  MovingWorld world = cloud_on_sheet(1, 5, 80, 0.02, 3);
  const MovingWorld first = world;
  for (int step = 0; step < 25; ++step) {
    filter(world, FilterMethod::local);
    ASSERT_EQ(count_contacts(world), 0) << "step " << step;
    world.particles_t0 = world.particles_t1;
    world.vertices_t0 = world.vertices_t1;
    world.particles_t1 = first.particles_t1;
    world.vertices_t1 = step % 2 == 0 ? first.vertices_t1 : first.vertices_t0;
  }
}

TEST(StepFilter, global_method_stops_everything_at_the_first_contact) {
  MovingWorld world = cloud_on_sheet(1, 6, 150, 0.02, 2);
  const MovingWorld asked = world;
  filter(world, FilterMethod::global);
  EXPECT_EQ(count_contacts(world), 0);
  // Oracle: one common fraction, up to float rounding.
  double fraction = -1;
  for (std::size_t i = 0; i < world.particles_t0.size(); ++i) {
    const Vec3 way = (asked.particles_t1[i] - asked.particles_t0[i]).cast<double>();
    const Vec3 gone = (world.particles_t1[i] - asked.particles_t0[i]).cast<double>();
    if (fraction < 0) fraction = gone.norm() / way.norm();
    EXPECT_LT((gone - fraction * way).norm(), 1e-6);
  }
  EXPECT_LT(fraction, 1);
}

TEST(StepFilter, leaves_what_does_not_touch_as_it_is) {
  MovingWorld world = cloud_on_sheet(1, 10, 200, 0, 0.02);
  for (Vec3f& p : world.particles_t0)
    p.z() += 1;
  for (Vec3f& p : world.particles_t1)
    p.z() += 1;
  const MovingWorld asked = world;
  const FilterReport report = filter(world, FilterMethod::local);
  EXPECT_EQ(report.limited_count, 0);
  EXPECT_EQ(world.particles_t1, asked.particles_t1);
  EXPECT_EQ(world.vertices_t1, asked.vertices_t1);
}

TEST(StepFilter, one_contact_does_not_stall_the_rest) {
  MovingWorld world = cloud_on_sheet(1, 10, 400, 0, 1);
  for (std::size_t i = 1; i < world.particles_t0.size(); ++i) {  // All but one go up, above it.
    world.particles_t0[i].z() += 1;
    world.particles_t1[i] = world.particles_t0[i] + Vec3f{0, 0, 0.1F};
  }
  world.particles_t0[0] = {0.5F, 0.5F, 0.4F};
  world.particles_t1[0] = {0.5F, 0.5F, -0.4F};
  const MovingWorld asked = world;
  EXPECT_EQ(filter(world, FilterMethod::local).limited_count, 1);  // The sheet did not move.
  EXPECT_NE(world.particles_t1[0], asked.particles_t1[0]);
  EXPECT_EQ(std::vector(world.particles_t1.begin() + 1, world.particles_t1.end()),
            std::vector(asked.particles_t1.begin() + 1, asked.particles_t1.end()));
}

// Sheets and particles by turns, all falling on a sheet that stands still: the stop travels up by
// one layer a round, past the rounds of shortening.
TEST(StepFilter, stops_a_tall_stack_as_well) {
  MovingWorld world;
  constexpr int layers = 40;
  for (int layer = 0; layer < layers; ++layer) {
    const double z = 0.02 * layer, fall = layer == 0 ? 0 : 0.35;
    const auto first = std::int32_t(world.vertices_t0.size());
    for (const Vec3& corner : {Vec3{-1, -1, z}, Vec3{1, -1, z}, Vec3{0, 1, z}}) {
      world.vertices_t0.push_back(corner);
      world.vertices_t1.push_back(corner - Vec3{0, 0, fall});
    }
    world.triangles.push_back({first, first + 1, first + 2});
    world.particles_t0.push_back(Vec3f{0, 0, float(z + 0.01)});
    world.particles_t1.push_back(Vec3f{0, 0, float(z + 0.01 - 0.35)});
  }
  ASSERT_GT(count_contacts(world), 0);
  const FilterReport report = filter(world, FilterMethod::local);
  EXPECT_EQ(count_contacts(world), 0);
  EXPECT_GT(report.round_count, 16);
}

TEST(StepFilter, keeps_points_within_their_bounds) {
  MovingWorld world = cloud_on_sheet(1, 6, 200, 0.01, 0.1);
  const MovingWorld predicted = world;
  MotionBounds bounds;
  bounds.begin(world.t0(), world.t1(), 1e-3);
  for (Vec3f& p : world.particles_t1)
    p += Vec3f{0.3F, -0.2F, 1e-4F};
  for (Vec3& v : world.vertices_t1)
    v.z() -= 0.7;
  Candidates candidates;
  CandidateFinder().find(bounds, world.surfaces(), 0, candidates);
  StepFilter().limit(bounds, {world.surfaces(), candidates}, FilterMethod::local, world.t1());
  for (std::size_t i = 0; i < world.particles_t1.size(); ++i) {
    const auto box = bounds.particle_box(i);
    EXPECT_TRUE(
        Eigen::AlignedBox3d(box.lower, box.upper).contains(world.particles_t1[i].cast<double>()));
  }
  EXPECT_EQ(count_contacts(world), 0);
}

TEST(StepFilter, gives_the_same_bits_for_any_thread_count) {
  MovingWorld one = cloud_on_sheet(1, 12, 1500, 0.02, 2), four = one;
  filter(one, FilterMethod::local, 1);
  filter(four, FilterMethod::local, 4);
  EXPECT_EQ(one.particles_t1, four.particles_t1);
  EXPECT_EQ(one.vertices_t1, four.vertices_t1);
}

// A sheet that is asked to go through itself: each vertex to a random place, and all on to their
// mirror images.
TEST(StepFilter, lets_no_sheet_touch_itself) {
  for (unsigned seed = 0; seed < 3; ++seed) {
    MovingWorld world = cloud_on_sheet(seed, 5, 0, 0.25, 0);
    for (std::size_t v = 0; v < world.vertices_t1.size(); ++v) {
      if (seed == 2) world.vertices_t1[v].x() = 1 - world.vertices_t1[v].x();
    }
    world.become_bodies(std::vector<std::int32_t>(world.vertices_t0.size(), 0), {1});
    const SolidContacts asked = count_solid_contacts(world);
    ASSERT_GT(asked.of_points, 0);
    ASSERT_GT(asked.of_edges, 0);
    const MovingWorld start = world;
    for (int step = 0; step < 10; ++step) {
      filter(world, FilterMethod::local);
      ASSERT_EQ(count_solid_contacts(world).total(), 0) << "seed " << seed << ", step " << step;
      world.vertices_t0 = world.vertices_t1;
      world.vertices_t1 = start.vertices_t1;
    }
  }
}

// Two crossed bars: no vertex comes near a triangle of the other, only edges meet.
TEST(StepFilter, stops_edges_that_meet_edges) {
  MovingWorld world;
  world.vertices_t0 = {{-1, -0.1, 0},   {1, -0.1, 0},   {1, 0.1, 0},
                       {-0.1, -1, 0.5}, {-0.1, 1, 0.5}, {0.1, 1, 0.5}};
  world.vertices_t1 = world.vertices_t0;
  for (std::size_t v = 3; v < 6; ++v)
    world.vertices_t1[v].z() = -0.5;
  world.triangles = {{0, 1, 2}, {3, 4, 5}};
  world.become_bodies({0, 0, 0, 1, 1, 1}, {0, 0});
  for (const FilterMethod method : {FilterMethod::local, FilterMethod::global}) {
    MovingWorld filtered = world;
    const FilterReport report = filter(filtered, method);
    EXPECT_EQ(report.limited_count, method == FilterMethod::local ? 3 : 6);
    EXPECT_EQ(count_solid_contacts(filtered).total(), 0);
    EXPECT_NEAR(filtered.vertices_t1[3].z(), 0.5 - 0.8 * 0.5, 1e-3);  // Four fifths of the way.
  }
}

// Tetrahedra after the vertices of a sheet, each moved and turned.
class Tetrahedra final : public RigidMotion {
 public:
  Tetrahedra(unsigned seed, int count, MovingWorld& world)
      : world_(world), ranges_{std::int32_t(world.vertices_t0.size())} {
    std::mt19937_64 random{seed};
    std::uniform_real_distribution<double> uniform{-1, 1};
    const auto point = [&] { return Vec3{uniform(random), uniform(random), uniform(random)}; };
    for (int i = 0; i < count; ++i) {
      const Vec3 middle = 0.5 * Vec3{1, 1, 0} + 0.5 * point().cwiseProduct(Vec3{1, 1, 0.4});
      moves_.push_back({middle, 0.4 * point(), 2 * point()});
      const std::int32_t first = ranges_.back();
      for (const Vec3& corner : {Vec3{1, 1, 1}, Vec3{1, -1, -1}, Vec3{-1, 1, -1}, Vec3{-1, -1, 1}})
        world.vertices_t0.push_back(middle + 0.05 * corner);
      for (const TriangleIndices& t : {TriangleIndices{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}})
        world.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
      ranges_.push_back(first + 4);
      for (std::int32_t v = first; v < first + 4; ++v)
        world.vertices_t1.push_back(place(std::size_t(i), v, 1));
    }
  }
  [[nodiscard]] std::span<const std::int32_t> vertex_ranges() const override { return ranges_; }
  [[nodiscard]] Vec3 place(std::size_t body, std::int32_t vertex, double fraction) const override {
    const Vec3& start = world_.vertices_t0[std::size_t(vertex)];
    if (fraction == 0) return start;
    const auto& [middle, way, turn] = moves_[body];
    const Eigen::AngleAxisd turned(fraction * turn.norm(), turn.normalized());
    return middle + fraction * way + turned * (start - middle);
  }

 private:
  struct Move {
    Vec3 middle, way, turn;
  };
  const MovingWorld& world_;
  std::vector<std::int32_t> ranges_;
  std::vector<Move> moves_;
};

// The body of each vertex: the sheet's is 0.
std::vector<std::int32_t> bodies_of(const MovingWorld& world, const RigidMotion& rigid) {
  std::vector<std::int32_t> bodies(world.vertices_t0.size(), 0);
  const auto ranges = rigid.vertex_ranges();
  for (std::size_t v = std::size_t(ranges[0]); v < bodies.size(); ++v)
    bodies[v] = 1 + std::int32_t(v - std::size_t(ranges[0])) / 4;
  return bodies;
}

TEST(StepFilter, stops_rigid_bodies_whole_and_lets_them_not_touch) {
  for (const FilterMethod method : {FilterMethod::local, FilterMethod::global}) {
    for (unsigned seed = 0; seed < 3; ++seed) {
      MovingWorld world = cloud_on_sheet(seed, 4, 0, 0.05, 0);
      const Tetrahedra rigid(seed, 8, world);
      world.become_bodies(bodies_of(world, rigid), std::vector<std::uint8_t>(9, 0));
      const SolidContacts asked = count_solid_contacts(world);
      ASSERT_GT(asked.of_points, 0);
      ASSERT_GT(asked.of_edges, 0);
      MotionBounds bounds;
      bounds.begin(world.t0(), world.t1(), seed == 2 ? 0.0 : 1e-3);
      Candidates candidates;
      CandidateFinder().find(bounds, world.surfaces(), 0, candidates);
      const FilterReport report =
          StepFilter().limit(bounds, {world.surfaces(), candidates}, method, world.t1(), &rigid);
      EXPECT_EQ(count_solid_contacts(world).total(), 0) << "seed " << seed;
      EXPECT_GT(report.limited_count, 0);
      for (std::size_t b = 0; b < 8; ++b) {
        for (std::int32_t v = rigid.vertex_ranges()[b]; v < rigid.vertex_ranges()[b + 1]; ++v)
          EXPECT_EQ(world.vertices_t1[std::size_t(v)],
                    rigid.place(b, v, report.rigid_fractions[b]));
      }
    }
  }
}

TEST(StepFilter, keeps_rigid_bodies_within_their_bounds) {
  MovingWorld world;
  const Tetrahedra rigid(3, 5, world);
  MotionBounds bounds;
  bounds.begin(world.t0(), world.t0(), 0.05);  // Predicted to stand still.
  const FilterReport report =
      StepFilter().limit(bounds, {world.surfaces(), {}}, FilterMethod::local, world.t1(), &rigid);
  for (std::size_t v = 0; v < world.vertices_t1.size(); ++v)
    EXPECT_TRUE(bounds.allows(v, world.vertices_t1[v]));
  for (const double fraction : report.rigid_fractions)
    EXPECT_GT(fraction, 0.05);
}

}  // namespace
}  // namespace sluice::contact
