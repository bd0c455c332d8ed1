// SPDX-License-Identifier: Apache-2.0
// A program as a user writes it against the installed library.
#include <cstdio>

#include "sluice/error.h"
#include "sluice/frame_stream.h"
#include "sluice/scene_file.h"
#include "sluice/session.h"

int main(int argument_count, char** arguments) try {
  const sluice::client::Connection server(argument_count > 1 ? arguments[1] : "127.0.0.1:1");
  const auto file =
      sluice::client::read_scene_file(argument_count > 2 ? arguments[2] : "scene.json");
  const auto checked = sluice::client::check_scene(server, file);
  const auto session = sluice::client::create_session(server, checked.scene);
  sluice::client::FrameStream frames(server, {.session = session.name()});
  while (const auto frame = frames.next()) {
    std::printf("%lld %s\n", static_cast<long long>(frame->index), digest(*frame).c_str());
  }
} catch (const sluice::client::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return static_cast<int>(error.kind());
}
