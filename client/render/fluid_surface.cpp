// SPDX-License-Identifier: Apache-2.0
#include "client/render/fluid_surface.h"

#include <openvdb/openvdb.h>
#include <openvdb/tools/Composite.h>
#include <openvdb/tools/Interpolation.h>
#include <openvdb/tools/LevelSetFilter.h>
#include <openvdb/tools/LevelSetRebuild.h>
#include <openvdb/tools/ParticlesToLevelSet.h>
#include <openvdb/tools/TopologyToLevelSet.h>
#include <openvdb/tools/ValueTransformer.h>
#include <openvdb/tools/VolumeToMesh.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "client/render/vdb_file.h"

namespace sluice::render {
namespace {

constexpr double ball_radius = 1.3;      // in spacings: neighbours' balls leave no dents
constexpr double particle_radius = 0.5;  // in spacings, of what a particle stands for
constexpr double voxel_size = 0.5;       // in spacings
constexpr double drop_radius = 0.62;     // in spacings: a ball of a particle's volume
constexpr double cover = 0.3;            // in spacings: what is less deep inside is a drop
constexpr int smoothing_steps = 2;
constexpr double flat = 0.05;  // Mesh: how far from the level set faces may be joined, in voxels.

/// The balls in the form that ParticlesToLevelSet wants, by its names.
// NOLINTBEGIN(readability-identifier-naming)
class Balls {
 public:
  using PosType = openvdb::Vec3R;

  Balls(std::vector<openvdb::Vec3R> centers, double radius)
      : radius_(radius), centers_(std::move(centers)) {}
  [[nodiscard]] std::size_t size() const { return centers_.size(); }
  void getPos(std::size_t n, openvdb::Vec3R& position) const { position = centers_[n]; }
  void getPosRad(std::size_t n, openvdb::Vec3R& position, openvdb::Real& radius) const {
    position = centers_[n];
    radius = radius_;
  }

 private:
  double radius_;
  std::vector<openvdb::Vec3R> centers_;
};
// NOLINTEND(readability-identifier-naming)

std::vector<openvdb::Vec3R> finite_points(std::span<const float> positions) {
  std::vector<openvdb::Vec3R> points;
  for (std::size_t i = 0; i + 2 < positions.size(); i += 3) {
    const openvdb::Vec3R point(positions[i], positions[i + 1], positions[i + 2]);
    if (point.isFinite()) points.push_back(point);
  }
  return points;
}

// The points that are not well inside `body`: a flat surface has its outermost points half a
// spacing inside.
std::vector<openvdb::Vec3R> uncovered(const openvdb::FloatGrid& body,
                                      std::span<const openvdb::Vec3R> points, double spacing) {
  const openvdb::tools::GridSampler<openvdb::FloatGrid, openvdb::tools::BoxSampler> distance(body);
  std::vector<openvdb::Vec3R> found;
  std::ranges::copy_if(points, std::back_inserter(found), [&](const openvdb::Vec3R& point) {
    return static_cast<double>(distance.wsSample(point)) > -cover * spacing;
  });
  return found;
}

// [voxels] on each side: the band holds the surface still when it is moved by the difference of the
// radii.
float band_width() {
  return static_cast<float>((ball_radius - particle_radius) / voxel_size +
                            double{openvdb::LEVEL_SET_HALF_WIDTH});
}

// Their union.
openvdb::FloatGrid::Ptr join(const Balls& balls, double spacing) {
  const double voxel = voxel_size * spacing;
  auto grid = openvdb::createLevelSet<openvdb::FloatGrid>(voxel);
  openvdb::tools::ParticlesToLevelSet<openvdb::FloatGrid> raster(*grid);
  raster.setRmin(0);
  if (balls.size() > 0) raster.rasterizeSpheres(balls);
  raster.finalize();
  return grid;
}

// Adds full cells, `beyond` their sides: as far as balls reach beyond what particles stand for.
void add(std::span<const float> cells, double beyond, openvdb::FloatGrid& body) {
  openvdb::MaskGrid inside(false);
  inside.setTransform(body.transform().copy());
  for (std::size_t i = 0; i + 3 < cells.size(); i += 4) {
    const openvdb::Vec3d middle(cells[i], cells[i + 1], cells[i + 2]);
    const openvdb::Vec3d half(0.5 * static_cast<double>(cells[i + 3]));
    if (!middle.isFinite() || !half.isFinite()) continue;
    inside.sparseFill(openvdb::CoordBBox(openvdb::Coord::ceil(body.worldToIndex(middle - half)),
                                         openvdb::Coord::floor(body.worldToIndex(middle + half))),
                      true, true);
  }
  if (inside.empty()) return;
  const int half_width = static_cast<int>(std::ceil(band_width()));
  const openvdb::FloatGrid::Ptr full =
      openvdb::tools::topologyToLevelSet(inside, half_width, 0, 0, 0);
  openvdb::tools::foreach (full->beginValueOn(), [beyond](const auto& voxel) {
    voxel.setValue(*voxel - static_cast<float>(beyond));
  });
  openvdb::tools::csgUnion(body, *full);
}

}  // namespace

struct FluidSurface::LevelSet {
  openvdb::FloatGrid::Ptr grid;
};

FluidSurface::FluidSurface(std::span<const float> positions, double spacing,
                           std::span<const float> interior)
    : level_set_(std::make_unique<LevelSet>()) {
  openvdb::initialize();
  const double shrink = (ball_radius - particle_radius) * spacing;
  const std::vector<openvdb::Vec3R> points = finite_points(positions);
  openvdb::FloatGrid::Ptr body = join(Balls(points, ball_radius * spacing), spacing);
  add(interior, shrink, *body);
  openvdb::tools::LevelSetFilter<openvdb::FloatGrid> filter(*body);
  for (int n = 0; n < smoothing_steps; ++n)
    filter.meanCurvature();
  // Inside, what was joined has the distance to the nearest ball: measured anew, from the surface.
  body = openvdb::tools::levelSetRebuild(
      *body, 0.0F, static_cast<float>(openvdb::LEVEL_SET_HALF_WIDTH + 1), band_width());
  openvdb::tools::foreach (body->beginValueOn(), [shrink](const auto& voxel) {
    voxel.setValue(*voxel + static_cast<float>(shrink));
  });
  // The smoothing has removed drops of a few particles, which are smaller than it reaches.
  const openvdb::FloatGrid::Ptr drops =
      join(Balls(uncovered(*body, points, spacing), drop_radius * spacing), spacing);
  openvdb::tools::csgUnion(*body, *drops);
  body->setName("surface");
  level_set_->grid = body;
}

FluidSurface::FluidSurface(FluidSurface&&) noexcept = default;
FluidSurface& FluidSurface::operator=(FluidSurface&&) noexcept = default;
FluidSurface::~FluidSurface() = default;

SurfaceMesh FluidSurface::mesh() const {
  openvdb::tools::VolumeToMesh mesher(0.0, flat);
  mesher(*level_set_->grid);
  SurfaceMesh mesh;
  mesh.positions.reserve(3 * mesher.pointListSize());
  for (std::size_t i = 0; i < mesher.pointListSize(); ++i) {
    for (int axis = 0; axis < 3; ++axis)
      mesh.positions.push_back(mesher.pointList()[i][axis]);
  }
  const auto add = [&](openvdb::Index32 a, openvdb::Index32 b, openvdb::Index32 c) {
    for (const openvdb::Index32 vertex : {a, b, c})
      mesh.triangles.push_back(static_cast<std::int32_t>(vertex));
  };
  for (std::size_t pool = 0; pool < mesher.polygonPoolListSize(); ++pool) {
    const openvdb::tools::PolygonPool& polygons = mesher.polygonPoolList()[pool];
    // Its polygons are clockwise from outside.
    for (std::size_t n = 0; n < polygons.numTriangles(); ++n) {
      const openvdb::Vec3I& corners = polygons.triangle(n);
      add(corners[0], corners[2], corners[1]);
    }
    for (std::size_t n = 0; n < polygons.numQuads(); ++n) {
      const openvdb::Vec4I& corners = polygons.quad(n);
      add(corners[0], corners[2], corners[1]);
      add(corners[0], corners[3], corners[2]);
    }
  }
  return mesh;
}

void FluidSurface::write_vdb(const std::filesystem::path& path) const {
  write_vdb_file(path, {level_set_->grid});
}

}  // namespace sluice::render
