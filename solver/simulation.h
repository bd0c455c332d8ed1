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
  surface,  ///< Triangles.
  volume,   ///< Tetrahedra, and the triangles of their surface.
  cells,    ///< Cells of a grid, which stay where they are.
};

/// A body, in the scene's order, fluids or the gas first. From frame to frame only `count` and
/// `ids` of fluids change.
struct BodyLayout {
  std::string name;
  BodyKind kind;
  std::int64_t count;                      ///< Particles, vertices or cells.
  std::vector<TriangleIndices> triangles;  ///< Of a surface, or around a volume, outwards.
  std::vector<Field> fields;               ///< That each frame has of it, in the order of fields().
  std::vector<geometry::TetIndices> tetrahedra = {};  ///< Of a volume.
  /// Of particles, which one each row is: 0, 1, ... in the order in which they came in, none twice;
  /// rising. Empty where they are 0, 1, ... up to `count`.
  std::vector<std::uint32_t> ids = {};
  std::optional<CellLattice> lattice = {};  ///< Of cells.
};

/// A frame's values of one field of one body.
struct FieldView {
  std::size_t body;  ///< Index into layout().
  Field field;
  std::span<const float>
      values;  ///< Shape [count, component_count(field)]; by particle, mesh vertex or cell.
};

/// How far an obstacle is from where the scene has it.
struct ObstacleOffset {
  std::string body;  ///< Its name.
  Vec3 offset;       ///< [m]
};

/// What a frame cost and how it went; sums over the frame's substeps unless said otherwise.
struct FrameStatistics {
  std::int64_t substep_count = 0;
  std::int64_t iteration_count = 0;  ///< of the coupled solve
  double residual = 0;               ///< largest at the end of a substep, relative
  double smallest_gap = 0;  ///< [m] smallest distance of a point and a triangle, or of two edges,
                            ///< seen; infinity without a pair in range
  std::int64_t contact_count = 0;      ///< pairs of those with a force in the last substep
  std::int64_t stopped_count = 0;      ///< points that the step filter stopped, each once a substep
  Vec3 filter_impulse = Vec3::Zero();  ///< [N s] of stopping points before a contact
  std::int64_t emitted_count = 0;      ///< particles that came in
  std::int64_t removed_count = 0;      ///< particles that went out
  std::int64_t particle_count = 0;     ///< at the end of the frame
  std::int64_t pressure_iteration_count = 0;  ///< of incompressible liquids and gases
  double pressure_residual = 0;   ///< largest at the end of a substep, over the divergence before
  double kinetic_energy = 0;      ///< [J] at the end of the frame
  double potential_energy = 0;    ///< [J] at the end of the frame; sluice.v1 says of what
  Vec3 momentum = Vec3::Zero();   ///< [kg m/s] at the end of the frame
  StageSeconds stage_seconds{};   ///< [s] by SimulationOptions::clock; all 0 without one
  std::vector<Warning> warnings;  ///< What went wrong; at most one of each kind and body.
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
  std::optional<Vec3> velocity;  ///< [m/s] not 0; without one, as it is
};
/// Paints into the gas along a line for `frame_count` frames: in the middle all of it, at `radius`
/// none.
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
  std::span<const TriangleIndices> triangles;  ///< Into the vertices.
  /// By row, which row a particle was in the substep before, or `no_row`; rising but for those.
  /// Empty if nothing has come in or gone out in between.
  std::span<const std::uint32_t> former_rows = {};
  /// [m] Along an axis that is periodic, how far fluid is put back that goes out; else 0. Between
  /// the substeps.
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
  /// How many frames have had other particles than the frame before.
  [[nodiscard]] virtual std::int64_t epoch() const = 0;

  /// The current frame, by body then field. Valid until the next non-const call.
  [[nodiscard]] virtual std::vector<FieldView> fields() const = 0;

  /// The obstacles that have moved, in the scene's order.
  [[nodiscard]] virtual std::vector<ObstacleOffset> obstacle_offsets() const = 0;

  /// Takes a command for the next frame, or says why not (`invalid_scene`: unknown body, value out
  /// of range).
  virtual Result<std::monostate> steer(const SteerCommand& command) = 0;

  /// The whole state, between frames.
  [[nodiscard]] virtual std::vector<std::byte> save() const = 0;
};

}  // namespace sluice
