// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "client/render/camera.h"
#include "client/render/image.h"
#include "client/render/stage.h"

namespace sluice::render {

struct RenderOptions {
  int width{1280};                 ///< In pixels, in [64, 8192].
  int height{720};                 ///< In pixels, in [64, 8192].
  std::optional<Camera> camera{};  ///< If unset, the scene's or a fitted one.
  int thread_count{1};             ///< The picture does not depend on it.
  bool has_surfaces{false};        ///< Fluids as the surface around their particles.
};

/// Draws frames of one session: cloth as shaded triangles, fluid as lit balls coloured by speed or
/// as its surface, gas as a lit volume or, in two dimensions, as a picture on its plane, obstacles,
/// ground and the domain's edges. The same frame always gives the same
/// picture.
class Renderer {
 public:
  Renderer(const v1::Scene& scene, const RenderOptions& options);

  /// Draws a frame. The first one sets the scale of speed.
  [[nodiscard]] Image draw(const client::Frame& frame, const v1::Layout& layout);

 private:
  Stage stage_;
  RenderOptions options_;
  Camera camera_;
};

}  // namespace sluice::render
