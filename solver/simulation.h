// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "solver/cell_lattice.h"
#include "solver/field.h"
#include "solver/geometry/tet_mesh.h"
#include "solver/result.h"
#include "solver/scene/scene.h"
#include "solver/stages.h"
#include "solver/types.h"
#include "solver/warning.h"

namespace sluice {

enum class BodyKind {
  particles,
  surface,  ///< A mesh of triangles.
  volume,   ///< A mesh of tetrahedra, and the triangles of its surface.
  cells,    ///< Cells of a grid, which stay where they are.
};

/// A body, in the scene's order, fluids or the gas first. From frame to frame only `count` and
/// `ids` of fluids change.
struct BodyLayout {
  std::string name;
  BodyKind kind;
  std::int64_t count;                      ///< Number of particles, vertices or cells, by kind.
  std::vector<TriangleIndices> triangles;  ///< Surface mesh; around a volume it faces outwards.
  std::vector<Field> fields;               ///< Fields in each frame, in the order of fields().
  std::vector<geometry::TetIndices> tetrahedra = {};  ///< The tetrahedra of a volume.
  /// The particles' ids by row, given as 0, 1, ... in the order in which particles came in: unique
  /// and ascending. Empty where they are 0, 1, ..., `count` - 1.
  std::vector<std::uint32_t> ids = {};
  std::optional<CellLattice> lattice = {};  ///< The grid of a body of cells.
};

/// A frame's values of one field of one body.
struct FieldView {
  std::size_t body;  ///< Index into layout().
  Field field;
  std::span<const float>
      values;  ///< Shape [count, component_count(field)]; by particle, mesh vertex or cell.
};

/// The displacement of an obstacle from where the scene has it.
struct ObstacleOffset {
  std::string body;  ///< Name of the obstacle.
  Vec3 offset;       ///< [m]
};

/// Cost and outcome of a frame; sums over the frame's substeps unless said otherwise.
struct FrameStatistics {
  std::int64_t substep_count = 0;
  std::int64_t iteration_count = 0;  ///< iterations of the coupled solve
  double residual = 0;               ///< largest relative residual at the end of a substep
  double smallest_gap = 0;  ///< [m] smallest distance of a point and a triangle, or of two edges,
                            ///< seen; infinity without a pair in range
  std::int64_t contact_count = 0;      ///< such pairs that have a force in the last substep
  std::int64_t stopped_count = 0;      ///< points that the step filter stopped, each once a substep
  Vec3 filter_impulse = Vec3::Zero();  ///< [N s] impulse on all bodies by stopping these
  std::int64_t emitted_count = 0;      ///< particles that came in
  /// particles that came out of cells without particles, less those that went in
  std::int64_t settled_count = 0;
  /// the number of particles that would stand for the liquid in such cells
  std::int64_t interior_count = 0;
  std::int64_t removed_count = 0;             ///< particles that went out
  std::int64_t particle_count = 0;            ///< at the end of the frame
  std::int64_t pressure_iteration_count = 0;  ///< pressure iterations in incompressible fluids
  std::vector<std::int64_t> cell_counts;      ///< at the end of the frame: fluid::DividesCells
  double pressure_residual = 0;   ///< largest one left by a substep, over the divergence before
  double kinetic_energy = 0;      ///< [J] at the end of the frame
  double potential_energy = 0;    ///< [J] at the end of the frame; sluice.v1 says what is in it
  Vec3 momentum = Vec3::Zero();   ///< [kg m/s] at the end of the frame
  StageSeconds stage_seconds{};   ///< [s] by SimulationOptions::clock; all 0 without one
  std::vector<Warning> warnings;  ///< Faults of the frame; at most one of each kind and body.
};

/// Things a person does to a running simulation. Applied at the start of the next frame.
struct SetGravity {
  Vec3 gravity;  ///< [m/s^2]
};
/// Pulls the vertices of a solid within `radius` of `from` towards `to` by a spring
/// each, for `frame_count` frames. Each keeps its offset: a vertex at x is pulled to x + to - from.
struct DragBody {
  std::string body;
  Vec3 from, to;             ///< [m]
  double radius;             ///< [m], > 0
  double stiffness;          ///< [N/m] a vertex, >= 0
  std::int64_t frame_count;  ///< > 0
};
/// Accelerates the fluid or gas within `radius` of `center` for `frame_count` frames.
struct PushFluid {
  Vec3 center;               ///< [m]
  double radius;             ///< [m], > 0
  Vec3 acceleration;         ///< [m/s^2]
  std::int64_t frame_count;  ///< > 0
};
/// Gives a pin of a body a new velocity, until told otherwise.
struct MovePin {
  std::string body, pin;
  Vec3 velocity;  ///< [m/s]
};
/// Gives an obstacle a velocity, until told otherwise. It stops at the domain's sides.
struct MoveObstacle {
  std::string body;
  Vec3 velocity;  ///< [m/s]
};
/// Opens or shuts an emitter, until told otherwise; its times count for nothing from then on.
struct SetEmitter {
  std::string body, emitter;
  bool is_open;
  std::optional<Vec3> velocity;  ///< [m/s] new velocity, not 0; without one it stays as it is
};
/// Paints `content` into the gas along a line for `frame_count` frames: in full on the line itself,
/// less and less of it up to `radius`.
struct StrokeGas {
  Vec3 from, to;  ///< [m]
  double radius;  ///< [m], > 0
  scene::GasContent content;
  std::int64_t frame_count;  ///< > 0
};
using SteerCommand =
    std::variant<SetGravity, DragBody, PushFluid, MovePin, MoveObstacle, SetEmitter, StrokeGas>;

/// The states around one substep, exactly as the solver holds them; trajectories in between are
/// straight lines.
struct SubstepStates {
  double time;                                        ///< [s] at the end
  double duration;                                    ///< [s]
  std::span<const Vec3f> particles_t0, particles_t1;  ///< Row by row, all fluids in order.
  /// All cloths, then soft bodies, then rigid bodies, in order.
  std::span<const Vec3> vertices_t0, vertices_t1;
  std::span<const TriangleIndices> triangles;  ///< Corners as indices into the vertices.
  /// By row, the row that the same particle had in the substep before, or `no_row`; ascending but
  /// for `no_row`. Empty if nothing has come in or gone out in between.
  std::span<const std::uint32_t> former_rows = {};
  /// [m] Length of the domain along a periodic axis, else 0: fluid that goes out is put back by it
  /// between the substeps.
  Vec3 period = Vec3::Zero();
  /// The scene's obstacles where they are at the end, with the velocities they had in the substep.
  std::span<const scene::Obstacle> obstacles = {};
  /// [m] The box that neither particles nor vertices leave; infinite at a side that fluid goes
  /// through.
  Vec3 lower = Vec3::Constant(-std::numeric_limits<double>::infinity());
  Vec3 upper = Vec3::Constant(std::numeric_limits<double>::infinity());
  double contact_distance = 0;  ///< [m] of the scene
};

/// Sees every substep; for certificates and tests.
class SubstepObserver {
 public:
  virtual ~SubstepObserver() = default;
  virtual void on_substep(const SubstepStates& states) = 0;
};

struct SimulationOptions {
  int thread_count = 1;                 ///< >= 1. Changes the time, never the bits.
  SubstepObserver* observer = nullptr;  ///< Not owned; may be null.
  Clock clock = {};                     ///< Times the stages; may be empty.
};

/// A running simulation: the whole of what the rest of Sluice knows about the physics.
///
/// Not thread-safe: one thread owns a Simulation. `advance_frame` is where all the time goes.
/// Same scene, same commands at the same frames, same binary: the same bits, whatever the number of
/// threads, and whether or not the run was saved and restored on the way.
/// No exception crosses this interface but std::bad_alloc, after which a Simulation is good for
/// nothing but its end.
class Simulation {
 public:
  /// Checks `scene` (scene/validate.h) and builds its state at frame 0; `invalid_scene` lists what
  /// is wrong.
  static Result<std::unique_ptr<Simulation>> create(const scene::Scene& scene,
                                                    const SimulationOptions& options);

  /// Builds the state that `save` wrote. `scene` must be the one it was created from: else
  /// `invalid_snapshot`.
  static Result<std::unique_ptr<Simulation>> restore(const scene::Scene& scene,
                                                     const SimulationOptions& options,
                                                     std::span<const std::byte> snapshot);

  virtual ~Simulation() = default;

  /// Advances to the next frame. On `solver_diverged` the state is the one before the call, and the
  /// message begins with the frame.
  virtual Result<FrameStatistics> advance_frame() = 0;

  [[nodiscard]] virtual std::int64_t frame_index() const = 0;  ///< 0 at first.
  [[nodiscard]] virtual double time() const = 0;               ///< [s]
  [[nodiscard]] virtual const std::vector<BodyLayout>& layout() const = 0;
  /// Number of frames so far that had other particles than the frame before.
  [[nodiscard]] virtual std::int64_t epoch() const = 0;

  /// The current frame, by body then field. Valid until the next non-const call.
  [[nodiscard]] virtual std::vector<FieldView> fields() const = 0;

  /// The obstacles that have moved, in the scene's order.
  [[nodiscard]] virtual std::vector<ObstacleOffset> obstacle_offsets() const = 0;

  /// Takes a command for the next frame, or says why not (`invalid_scene`: unknown body, value out
  /// of range).
  virtual Result<std::monostate> steer(const SteerCommand& command) = 0;

  /// Returns the whole state, for `restore`; to be called between frames.
  [[nodiscard]] virtual std::vector<std::byte> save() const = 0;
};

}  // namespace sluice
