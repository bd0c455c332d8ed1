// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "client/render/camera.h"
#include "client/render/image.h"
#include "client/render/stage.h"

namespace sluice::render {

struct RenderOptions {
  int width{1280};                 ///< Width in pixels, in [64, 8192].
  int height{720};                 ///< Height in pixels, in [64, 8192].
  std::optional<Camera> camera{};  ///< If unset, the scene's camera or a fitted one.
  int thread_count{1};             ///< Number of threads; the picture does not depend on it.
  bool has_surfaces{false};        ///< Draw fluids as surfaces around their particles.
  bool has_cells{false};  ///< Draw the edges of a gas's cells, if frames have their levels.
};

/// Draws frames of one session: solids as shaded triangles, fluids as lit balls coloured by speed
/// or as surfaces, a gas as a lit volume or, if it is flat, as a picture on its plane; and the
/// obstacles, the ground and the domain's edges. The same frame always gives the same picture if
/// the first frame drawn is the same.
class Renderer {
 public:
  Renderer(const v1::Scene& scene, const RenderOptions& options);

  /// Draws a frame. The first frame sets the scale of speed.
  [[nodiscard]] Image draw(const client::Frame& frame, const v1::Layout& layout);

 private:
  Stage stage_;
  RenderOptions options_;
  Camera camera_;
};

}  // namespace sluice::render
