// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "solver/scene/scene.h"

/// The one table of what works together: which solids each coupling method allows in which fluid,
/// and which conditions at walls. Checks of scenes, defaults and the README's table come from it.
namespace sluice::scene {

/// Which solids a scene has. Cloths and soft bodies deform.
enum class SolidKinds { none, deforming, rigid, both };

/// A set of values of an enumeration that has few.
template <typename Enum>
class SetOf {
 public:
  constexpr SetOf() = default;
  template <typename... Enums>
  constexpr explicit SetOf(Enums... values)
      : bits_((0U | ... | (1U << static_cast<unsigned>(values)))) {}

  [[nodiscard]] constexpr bool has(Enum value) const {
    return ((bits_ >> static_cast<unsigned>(value)) & 1U) != 0;
  }
  constexpr SetOf& operator|=(const SetOf& other) {
    bits_ |= other.bits_;
    return *this;
  }

 private:
  unsigned bits_ = 0;
};

/// The abilities of a coupling method in one kind of fluid.
struct InFluid {
  SetOf<SolidKinds> solids;              ///< Allowed in three dimensions.
  SetOf<SolidKinds> flat_solids;         ///< Allowed in two dimensions.
  SetOf<WallCondition> deforming_walls;  ///< Allowed `wall` of a cloth or soft body.
  SetOf<WallCondition> rigid_walls;      ///< Allowed `wall` of a rigid body.
  bool has_viscosity;                    ///< Whether fluid beside solids may be viscous.
};

/// A row of the table: a coupling method.
struct MethodRow {
  CouplingMethod method;
  const char* name;                                  ///< The name in scenes.
  const char* works_by;                              ///< How it works, in a line for people.
  std::array<InFluid, fluid_solver_count> in_fluid;  ///< By FluidSolver.
  bool has_free_rigid_bodies;                        ///< Else rigid bodies move by scripts alone.
  bool has_integrators;     ///< Else solids have no `solid_solver` of their own.
  bool lets_fluid_through;  ///< Whether fluid passes through solids, and drags them.
  bool is_in_pressure;      ///< Whether what deforms is in the fluid's pressure system.
};

/// The settings of a FluidGrid that only some solvers have.
enum class GridSetting {
  particles,        ///< `particles_per_axis` and `max_particles`
  kernel,           ///< `kernel`
  transfer,         ///< `transfer` and `flip_ratio`
  pressure,         ///< `pressure`
  path_integrator,  ///< `path_integrator`
  adaptive,         ///< `adaptive`
};

/// A row of the table: a kind of fluid.
struct FluidRow {
  FluidSolver solver;
  const char* name;                     ///< For people: "`gas`".
  const char* value;                    ///< The name in scenes, of FluidGrid.solver; else empty.
  SetOf<WallCondition> walls;           ///< Allowed walls of the domain and of obstacles.
  bool has_periodic_sides_with_solids;  ///< Else sides are periodic in scenes without solids.
  SetOf<GridSetting> settings;          ///< The others have no use.
  /// Whether it is compressible: sound has a speed, which limits the substep.
  bool has_sound;
  double cfl;                ///< The default of FluidGrid::cfl.
  double dynamic_viscosity;  ///< [Pa s] The default of a Newtonian liquid's.
};

/// All methods. A scene that names none gets the first one that is for it.
[[nodiscard]] std::span<const MethodRow> method_rows();
[[nodiscard]] const MethodRow& row_of(CouplingMethod method);
[[nodiscard]] std::span<const FluidRow> fluid_rows();
[[nodiscard]] const FluidRow& row_of(FluidSolver solver);
/// Returns the row of the scene's fluid; that of FluidSolver::none where it has none.
[[nodiscard]] const FluidRow& fluid_row_of(const Scene& scene);

/// The properties of a scene that decide which methods are for it.
struct Situation {
  FluidSolver fluid = FluidSolver::none;
  int dimensions = 3;  ///< Dimensions of the fluid's grid; 3 without fluid.
  SolidKinds solids = SolidKinds::none;
  bool has_free_rigid_bodies = false;  ///< Whether a rigid body has no script.
};
[[nodiscard]] Situation situation_of(const Scene& scene);

/// Whether fluid moves without the answer of the solids that it moves, which is unstable where it
/// weighs much more than they do: by COUPLING_METHOD_WEAK, with a fluid and solids.
[[nodiscard]] bool is_weakly_coupled(const Scene& scene);

/// Returns the abilities of the scene's method in its fluid.
[[nodiscard]] const InFluid& in_fluid_of(const Scene& scene);

/// Whether the method allows the situation's solids in its fluid. Rigid bodies that move freely are
/// not all methods' (MethodRow::has_free_rigid_bodies), which this does not look at.
[[nodiscard]] bool is_for(const MethodRow& row, const Situation& situation);
/// Returns the method of a scene that names none; nothing where none is for it.
[[nodiscard]] std::optional<CouplingMethod> default_method(const Situation& situation);

/// For people: "rigid bodies in `gas` in two dimensions".
[[nodiscard]] std::string describe(const Situation& situation);
/// For people: the names of the methods that are for it, as "A, B or C"; empty if none is.
[[nodiscard]] std::string methods_for(const Situation& situation, bool is_viscous = false);
/// For people: the fluids in which some method has these solids, as "A or B"; empty if there are
/// none.
[[nodiscard]] std::string fluids_for(SolidKinds solids, int dimensions);
/// For people: the fluids that have the setting, as "A or B".
[[nodiscard]] std::string fluids_with(GridSetting setting);
/// For people: the conditions of a set, as "WALL_CONDITION_SLIP or WALL_CONDITION_NO_SLIP".
[[nodiscard]] std::string describe(SetOf<WallCondition> walls);
[[nodiscard]] const char* name_of(WallCondition wall);

}  // namespace sluice::scene
