// SPDX-License-Identifier: Apache-2.0
#include "server/convert/emitter_convert.h"

#include <fmt/format.h>

#include "server/convert/field_path.h"
#include "server/convert/opening_convert.h"

// The rules and defaults are those that scene.proto documents.
namespace sluice::convert {

scene::Emitter convert_emitter(const v1::Emitter& emitter, std::size_t index,
                               const std::string& path, ProblemSink& problems) {
  scene::Emitter converted;
  converted.name = emitter.name().empty() ? fmt::format("emitter{}", index) : emitter.name();
  converted.shape = required_shape(emitter, path, problems);
  converted.velocity = problems.required_vector(emitter.velocity(), child_path(path, "velocity"))
                           .value_or(Vec3::UnitX());
  if (emitter.has_rate()) converted.rate = emitter.rate();
  converted.open = convert_times(emitter);
  return converted;
}

scene::Drain convert_drain(const v1::Drain& drain, const std::string& path, ProblemSink& problems) {
  return {required_shape(drain, path, problems), convert_times(drain)};
}

}  // namespace sluice::convert
