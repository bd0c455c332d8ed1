// SPDX-License-Identifier: Apache-2.0
#include "server/convert/emitter_convert.h"

#include <fmt/format.h>

#include "server/convert/field_path.h"
#include "server/convert/shape_convert.h"

// As documented in scene.proto.
namespace sluice::convert {
namespace {

template <typename Message>
geometry::Shape convert_opening(const Message& from, const std::string& path,
                                ProblemSink& problems) {
  const std::string shape_path = child_path(path, "shape");
  if (!from.has_shape()) {
    problems.error(shape_path, "is required");
    return {};
  }
  return convert_shape(from.shape(), shape_path, problems);
}

template <typename Message>
scene::TimeSpan convert_times(const Message& from) {
  scene::TimeSpan times;
  if (from.has_start_seconds()) times.start = from.start_seconds();
  if (from.has_stop_seconds()) times.stop = from.stop_seconds();
  return times;
}

}  // namespace

scene::Emitter convert_emitter(const v1::Emitter& emitter, std::size_t index,
                               const std::string& path, ProblemSink& problems) {
  scene::Emitter converted;
  converted.name = emitter.name().empty() ? fmt::format("emitter{}", index) : emitter.name();
  converted.shape = convert_opening(emitter, path, problems);
  converted.velocity = problems.required_vector(emitter.velocity(), child_path(path, "velocity"))
                           .value_or(Vec3::UnitX());
  if (emitter.has_rate()) converted.rate = emitter.rate();
  converted.open = convert_times(emitter);
  return converted;
}

scene::Drain convert_drain(const v1::Drain& drain, const std::string& path, ProblemSink& problems) {
  return {convert_opening(drain, path, problems), convert_times(drain)};
}

}  // namespace sluice::convert
