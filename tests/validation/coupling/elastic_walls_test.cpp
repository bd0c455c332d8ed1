// SPDX-License-Identifier: Apache-2.0
// Water against elastic walls, in the plane: a slab four cells wide. Oracles: an experiment, codes
// of others, and the theory of plates.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "tests/validation/contact/watched.h"

namespace sluice::elastic_walls_test {
namespace {

/// A wall that bends in the x-z plane.
struct Wall {
  double young_modulus;  ///< [Pa]
  double poisson_ratio;
  double density;                    ///< [kg/m^3]
  double thickness;                  ///< [m]
  std::vector<Vec3> section;         ///< [m] Its middle line.
  std::vector<std::size_t> clamped;  ///< Points of it that are held.
  /// The part of its stiffness against stretching that the sheet has: where nothing pulls hard,
  /// less does as well, for longer substeps.
  double stretch_part = 1;
};

// On right-angled triangles a strip with free sides bends as softly as 4/5 of a plate
// (solid/bending_potential.h).
constexpr double stiffness_of_plate = 1.25;
// A wall is clamped by this part of a row of triangles inside of the inner one of two held rows:
// found without water, from the static deflection of a plate clamped at both ends, for 20, 40 and
// 80 rows.
constexpr double clamp_inside = 0.29;

/// A sheet in the scene's slab for `wall`. It is thinner than the wall, and as stiff and heavy, so
/// that contact sees its middle. It leaves room at the slab's sides for contact; water does not
/// pass there, but presses on it too: of which it is stiffer and heavier by as much.
scene::Cloth make_sheet(const scene::Scene& scene, const Wall& wall, double sheet_thickness) {
  const double width = scene.domain_upper.y();
  const double gap = sheet_thickness / 2 + scene.coupling.contact_distance + 1e-6;
  const double length = (wall.section[1] - wall.section.back()).norm();
  const double row = length / static_cast<double>(wall.section.size() - 2);
  const auto across = std::max(2, static_cast<int>(std::lround((width - 2 * gap) / row)) + 1);
  scene::Cloth sheet;
  sheet.name = "wall";
  for (const Vec3& point : wall.section) {
    for (int j = 0; j < across; ++j) {
      sheet.mesh.vertices.push_back(point + Vec3(0, gap + (width - 2 * gap) * j / (across - 1), 0));
    }
  }
  for (int k = 0; k + 1 < static_cast<int>(wall.section.size()); ++k) {
    for (int j = 0; j + 1 < across; ++j) {
      const int a = k * across + j, b = a + 1, c = b + across, d = a + across;
      if ((j + k) % 2 == 0) {
        sheet.mesh.triangles.insert(sheet.mesh.triangles.end(), {{a, b, d}, {b, c, d}});
      } else {
        sheet.mesh.triangles.insert(sheet.mesh.triangles.end(), {{a, b, c}, {a, c, d}});
      }
    }
  }
  const double share = width / (width - 2 * gap), thinner = wall.thickness / sheet_thickness;
  sheet.thickness = sheet_thickness;
  sheet.area_density = wall.density * wall.thickness * share;
  sheet.friction = 0;
  sheet.shell.emplace();
  sheet.shell->plane_strain = true;
  sheet.shell->material.young_modulus = wall.young_modulus * thinner * wall.stretch_part;
  sheet.shell->material.poisson_ratio = wall.poisson_ratio;
  sheet.shell->bend_scale = thinner * thinner * stiffness_of_plate * share / wall.stretch_part;
  std::vector<std::int32_t> held;
  for (const std::size_t point : wall.clamped) {
    for (int j = 0; j < across; ++j)
      held.push_back(static_cast<std::int32_t>(point) * across + j);
  }
  sheet.pins = {test::make_pin(held)};
  return sheet;
}

scene::Scene make_slab(double cell, double length, double height) {
  scene::Scene scene;
  scene.domain_lower = Vec3::Zero();
  scene.domain_upper = Vec3(length, 4 * cell, height);
  scene.grid.cell_size = cell;
  scene.coupling.max_substep = 1e-3;
  scene.coupling.contact_distance = cell / 4;  // Half of the particles' spacing.
  scene.solid_solver.integrator = scene::Integrator::newton;
  scene.solid_solver.tolerance = 1e-2;
  return scene;
}

void fill(scene::Scene& scene, const Vec3& lower, const Vec3& upper, double sound_speed) {
  scene.fluids.push_back({"water", {test::make_box(lower, upper)}});
  scene.fluids[0].sound_speed = sound_speed;
}

/// `count` points from `lower` up.
std::vector<Vec3> upright(const Vec3& lower, double height, int count) {
  std::vector<Vec3> points;
  for (int k = 0; k < count; ++k)
    points.push_back(lower + Vec3(0, 0, height * k / (count - 1)));
  return points;
}

/// Displacements of a vertex of the sheet, frame by frame, from frame 0 on.
std::vector<Vec3> track(const scene::Scene& scene, std::size_t vertex, int frame_count) {
  test::Watched watched(scene);
  const auto place = [&] { return test::positions(watched.simulation(), 1)[vertex]; };
  const Vec3 start = place();
  std::vector<Vec3> found{Vec3::Zero()};
  for (int frame = 0; frame < frame_count && !testing::Test::HasFatalFailure(); ++frame) {
    watched.advance(1);
    found.push_back(place() - start);
  }
  return found;
}

struct Sample {
  double time, value;  ///< [s], [m]
};

/// [m] Root of the mean square difference to a curve, by straight lines between frames.
template <std::size_t n>
double difference(const std::vector<Vec3>& track, double frame_rate, int axis,
                  const std::array<Sample, n>& curve) {
  double sum = 0;
  for (const Sample& sample : curve) {
    const double frame = std::max(0.0, sample.time * frame_rate);
    const auto first = std::min(static_cast<std::size_t>(frame), track.size() - 2);
    const double part = frame - static_cast<double>(first);
    const double value = (1 - part) * track[first][axis] + part * track[first + 1][axis];
    sum += (value - sample.value) * (value - sample.value);
  }
  return std::sqrt(sum / static_cast<double>(n));
}

// Antoci, Gallati and Sibilla 2007: water behind a rubber gate that is clamped at its top.
// Digitised from their experiment (github.com/dineshadepu/fsi_etvf). What rubber it was is told
// as 7.8 to 12 MPa; here as in SPHinXsys, whose tip is off by 3.98 and 1.76 mm; other codes by 8 to
// 16 mm.
constexpr std::array<Sample, 9> gate_x{{{0.0401544, 0.0125369},
                                        {0.0799228, 0.0339971},
                                        {0.119305, 0.0439528},
                                        {0.160618, 0.0463864},
                                        {0.200386, 0.044174},
                                        {0.239768, 0.0429941},
                                        {0.281081, 0.0411504},
                                        {0.321236, 0.0400442},
                                        {0.359846, 0.0373894}}};
constexpr std::array<Sample, 9> gate_z{{{0.0399683, 0.00110599},
                                        {0.0790598, 0.0100369},
                                        {0.119208, 0.0150691},
                                        {0.160041, 0.0170876},
                                        {0.20032, 0.0160092},
                                        {0.240552, 0.0138802},
                                        {0.281245, 0.0128295},
                                        {0.320715, 0.0120276},
                                        {0.360583, 0.0109493}}};

// The same of Khayyer et al. 2018, incompressible SPH with the rubber as here.
constexpr std::array<Sample, 10> gate_x_of_khayyer{{{0.0127413, 0.00147493},
                                                    {0.0343629, 0.0111357},
                                                    {0.0521236, 0.0233038},
                                                    {0.072973, 0.0343658},
                                                    {0.102317, 0.0417404},
                                                    {0.156757, 0.0400442},
                                                    {0.20888, 0.0337758},
                                                    {0.264479, 0.0297198},
                                                    {0.324324, 0.0291298},
                                                    {0.366409, 0.029646}}};
constexpr std::array<Sample, 6> gate_z_of_khayyer{{{0.0478694, 0.00290323},
                                                   {0.0931969, 0.0132166},
                                                   {0.141383, 0.0140461},
                                                   {0.207821, 0.00904147},
                                                   {0.276433, 0.00658065},
                                                   {0.345985, 0.00669124}}};

/// Displacements of the gate's free end, 100 frames a second, with substeps [s] of at most
/// `substep`.
std::vector<Vec3> gate_tip(double cell, int rows, double substep) {
  constexpr double sheet = 5e-4, gap = 0.0025, height = 0.079;
  scene::Scene scene = make_slab(cell, 0.4, 0.2);
  scene.frame_rate = 100;
  scene.coupling.max_substep = substep;
  scene.solid_solver.integrator = scene::Integrator::consensus_admm;
  fill(scene, Vec3::Zero(), {0.1, 4 * cell, 0.14}, 15);
  const double x = 0.1 + scene.coupling.contact_distance + sheet / 2;
  // From its free end to where it is clamped, and what is above.
  const double length = height / (1 - (1 - clamp_inside) / (rows - 1));
  const auto top = static_cast<std::size_t>(rows) - 1;
  const Wall gate{7.8e6,          0.47,    1100, 0.005, upright({x, 0, gap}, length, rows),
                  {top - 1, top}, 1.0 / 30};
  scene.cloths = {make_sheet(scene, gate, sheet)};
  // Behind which the water stands above the gate.
  scene::Obstacle above;
  above.name = "above";
  above.shape = test::make_box({x - sheet / 2 - scene.coupling.contact_distance, -1,
                                gap + length + 1.2 * scene.coupling.contact_distance + sheet},
                               {0.13, 1, 1});
  scene.obstacles = {above};
  return track(scene, 1, 37);
}

// With the longest substeps that water allows, more than twice these, the tip is off by 5.0 and 2.7
// mm: it falls back too early.
TEST(ElasticWalls, a_dam_breaks_through_a_gate_of_rubber) {
  const std::vector<Vec3> tip = gate_tip(0.005, 16, 5e-5);
  ASSERT_EQ(tip.size(), 38U);
  EXPECT_LT(difference(tip, 100, 0, gate_x), 4e-3);
  EXPECT_LT(difference(tip, 100, 2, gate_z), 2e-3);
  RecordProperty("rms_x_mm", std::to_string(1e3 * difference(tip, 100, 0, gate_x)));
  RecordProperty("rms_z_mm", std::to_string(1e3 * difference(tip, 100, 2, gate_z)));
}

// Finer grids do not approach the experiment (5.3 mm from it with cells of 3.6 mm, 6.7 with 2.5 mm)
// but what others find who give rubber one modulus for all strains: it falls back earlier than the
// real one. From theirs it is off by some 5 mm with cells of 5 mm, 3 with 3.6, 2 with 2.5.
TEST(ElasticWalls, a_gate_on_a_finer_grid_is_nearer_to_what_others_compute) {
  const std::vector<Vec3> tip = gate_tip(0.0036, 22, 4e-5);
  ASSERT_EQ(tip.size(), 38U);
  EXPECT_LT(difference(tip, 100, 0, gate_x_of_khayyer), 3.8e-3);
  EXPECT_LT(difference(tip, 100, 2, gate_z_of_khayyer), 2.5e-3);
  RecordProperty("rms_x_mm", std::to_string(1e3 * difference(tip, 100, 0, gate_x_of_khayyer)));
  RecordProperty("rms_z_mm", std::to_string(1e3 * difference(tip, 100, 2, gate_z_of_khayyer)));
}

// Walhorn 2005 and others: a dam breaks against an elastic wall. First peak of its top: 41 to 49
// mm, after 0.235 to 0.26 s.
TEST(ElasticWalls, a_dam_breaks_against_a_wall_that_bends) {
  constexpr double cell = 0.006, sheet = 1e-3, height = 0.08;
  constexpr int rows = 24;
  scene::Scene scene = make_slab(cell, 0.584, 0.4);
  scene.frame_rate = 200;
  fill(scene, Vec3::Zero(), {0.146, 4 * cell, 0.292}, 25);
  const double lowest = sheet / 2 + scene.coupling.contact_distance + 1e-6;
  const double x = 0.292 + lowest;
  // Clamped at the floor, as near as contact with it allows: two rows close to each other.
  std::vector<Vec3> section = upright({x, 0, lowest + 4e-4}, height - lowest - 4e-4, rows - 1);
  section.insert(section.begin(), Vec3(x, 0, lowest));
  scene.cloths = {make_sheet(scene, {1e6, 0, 2500, 0.012, section, {0, 1}}, sheet)};
  const std::size_t across = scene.cloths[0].mesh.vertices.size() / rows;
  const std::vector<Vec3> top = track(scene, across * (rows - 1), 60);
  const auto peak = std::ranges::max_element(top, {}, [](const Vec3& d) { return d.x(); });
  const double time = static_cast<double>(peak - top.begin()) / 200;
  EXPECT_NEAR(peak->x(), 0.0445, 0.0055);  // The others' 41 to 49 mm, and a little.
  EXPECT_GE(time, 0.235);
  EXPECT_LE(time, 0.26);
  RecordProperty("peak_mm", std::to_string(1e3 * peak->x()));
  RecordProperty("peak_s", std::to_string(time));
}

// Fourey et al. 2017: two metres of water on a plate of aluminium. Oracle: the plate's theory, for
// the water's weight and its own.
TEST(ElasticWalls, a_plate_under_water_at_rest_bends_as_in_theory) {
  constexpr double cell = 0.1, sheet = 0.01, thickness = 0.05, depth = 2, below = 6 * cell;
  constexpr double young_modulus = 67.5e9, poisson_ratio = 0.34, density = 2700, gravity = 9.81;
  constexpr int rows = 21;
  scene::Scene scene = make_slab(cell, 1, below + 2.4);
  scene.frame_rate = 50;
  scene.coupling.contact_distance = cell / 4 - sheet / 2 - 1e-6;
  scene.coupling.max_iterations = 100;
  scene.solid_solver.tolerance = 1e-4;
  fill(scene, {0, 0, below}, {1, 4 * cell, below + depth}, 40);
  constexpr double row = 1.0 / (rows - 1);
  std::vector<Vec3> section;
  for (int k = 0; k < rows; ++k)
    section.emplace_back(row * k, 0, below);
  scene.cloths = {make_sheet(
      scene,
      {young_modulus, poisson_ratio, density, thickness, section, {0, 1, rows - 2, rows - 1}},
      sheet)};
  scene.cloths[0].damping = 100;
  const std::size_t across = scene.cloths[0].mesh.vertices.size() / rows;
  const std::vector<Vec3> middle = track(scene, across * (rows / 2) + across / 2, 400);
  const double span = 1 - 2 * (1 - clamp_inside) * row;
  const double stiffness =
      young_modulus * std::pow(thickness, 3) / (12 * (1 - poisson_ratio * poisson_ratio));
  const double expected =
      gravity * (1000 * depth + density * thickness) * std::pow(span, 4) / (384 * stiffness);
  double least = 1, most = 0, mean = 0;
  for (std::size_t frame = 301; frame <= 400; ++frame) {  // Its bounces are over after six seconds.
    const double sag = -middle.at(frame).z();
    mean += sag / 100;
    least = std::min(least, sag);
    most = std::max(most, sag);
  }
  EXPECT_NEAR(mean, expected, 0.03 * expected);
  EXPECT_LT((most - least) / 2, 0.05 * expected);
  RecordProperty("over_theory", std::to_string(mean / expected));
}

}  // namespace
}  // namespace sluice::elastic_walls_test
