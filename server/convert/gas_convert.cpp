// SPDX-License-Identifier: Apache-2.0
#include "server/convert/gas_convert.h"

#include "server/convert/chosen.h"
#include "server/convert/field_path.h"
#include "server/convert/opening_convert.h"
#include "server/convert/shape_convert.h"

// The rules and defaults are those that scene.proto documents.
namespace sluice::convert {
namespace {

scene::Carried convert_carried(v1::Carried what) {
  switch (what) {
    case v1::CARRIED_TEMPERATURE:
      return scene::Carried::temperature;
    case v1::CARRIED_DYE:
      return scene::Carried::dye;
    default:
      return scene::Carried::smoke;
  }
}

void convert_carries(const v1::Gas& gas, scene::Gas& to, ProblemSink& problems) {
  if (gas.carries().empty()) return;
  to.carries.clear();
  for (int i = 0; i < gas.carries_size(); ++i) {
    const std::string path = element_path("gas.carries", static_cast<std::size_t>(i));
    const auto given = static_cast<v1::Carried>(gas.carries(i));
    if (given == v1::CARRIED_UNSPECIFIED)
      problems.error(path, "must be CARRIED_SMOKE, CARRIED_TEMPERATURE or CARRIED_DYE");
    if (!chosen(given, path, problems)) continue;
    const scene::Carried what = convert_carried(given);
    if (to.has(what)) {
      problems.error(path, "is there already");
    } else {
      to.carries.push_back(what);
    }
  }
}

scene::Advection convert_advection(v1::Advection advection) {
  switch (advection) {
    case v1::ADVECTION_MACCORMACK:
      return scene::Advection::maccormack;
    case v1::ADVECTION_SEMI_LAGRANGIAN:
      return scene::Advection::semi_lagrangian;
    default:
      return scene::Advection::cubic;
  }
}

template <typename Message>
scene::GasContent required_content(const Message& from, const std::string& path,
                                   ProblemSink& problems) {
  const std::string content = child_path(path, "content");
  if (!from.has_content()) problems.error(content, "is required: what there is of the gas");
  return convert_content(from.content(), content, problems);
}

}  // namespace

scene::GasContent convert_content(const v1::GasContent& content, const std::string& path,
                                  ProblemSink& problems) {
  scene::GasContent to;
  to.velocity = problems.vector(content.velocity(), child_path(path, "velocity"));
  if (content.has_smoke()) to.smoke = content.smoke();
  if (content.has_temperature()) to.temperature = content.temperature();
  to.dye = problems.vector(content.dye(), child_path(path, "dye"));
  return to;
}

scene::Gas convert_gas(const v1::Gas& gas, ProblemSink& problems) {
  scene::Gas to;
  to.name = gas.name();
  convert_carries(gas, to, problems);
  to.velocity = problems.vector(gas.velocity(), "gas.velocity").value_or(Vec3::Zero());
  for (int i = 0; i < gas.regions_size(); ++i) {
    const std::string path = element_path("gas.regions", static_cast<std::size_t>(i));
    to.regions.push_back({required_shape(gas.regions(i), path, problems),
                          required_content(gas.regions(i), path, problems)});
  }
  for (int i = 0; i < gas.sources_size(); ++i) {
    const std::string path = element_path("gas.sources", static_cast<std::size_t>(i));
    to.sources.push_back({required_shape(gas.sources(i), path, problems),
                          required_content(gas.sources(i), path, problems),
                          convert_times(gas.sources(i))});
  }
  if (gas.has_density()) to.density = gas.density();
  if (gas.has_dynamic_viscosity()) to.dynamic_viscosity = gas.dynamic_viscosity();
  if (gas.has_ambient_temperature()) to.ambient_temperature = gas.ambient_temperature();
  if (gas.has_smoke_density()) to.smoke_density = gas.smoke_density();
  if (gas.has_fading()) to.fading = gas.fading();
  if (gas.has_cooling()) to.cooling = gas.cooling();
  if (gas.has_vorticity_confinement()) to.vorticity_confinement = gas.vorticity_confinement();
  if (chosen(gas.advection(), "gas.advection", problems))
    to.advection = convert_advection(gas.advection());
  return to;
}

}  // namespace sluice::convert
