// SPDX-License-Identifier: Apache-2.0
#include "server/convert/wall_convert.h"

#include "server/convert/chosen.h"

namespace sluice::convert {

scene::WallCondition convert_wall(v1::WallCondition wall, const std::string& path,
                                  ProblemSink& problems) {
  if (!chosen(wall, path, problems)) return scene::WallCondition::slip;
  switch (wall) {
    case v1::WALL_CONDITION_NO_SLIP:
      return scene::WallCondition::no_slip;
    case v1::WALL_CONDITION_FRICTION:
      return scene::WallCondition::friction;
    default:
      return scene::WallCondition::slip;
  }
}

}  // namespace sluice::convert
