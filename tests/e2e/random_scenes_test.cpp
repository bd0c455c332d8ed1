// SPDX-License-Identifier: Apache-2.0
// Three hundred small scenes at random (random_scene.h) through the real binaries, each substep
// certified. Oracle: the certificate, and what must hold of any frame's numbers and statistics: a
// session that does not keep to it and says nothing has a fault. A scene that gives up with words
// has none, but few may. The seed that a failure names makes the same scene again.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "server/convert/scene_load.h"
#include "tests/e2e/cli_process.h"
#include "tests/e2e/random_scene.h"

namespace sluice::e2e::random_scenes_test {
namespace {

constexpr std::uint32_t scenes_a_test = 10;
constexpr double most_frame_seconds = 60;

struct DrawnScene {
  std::string json;
  v1::Scene message;
  scene::Scene scene;
};

/// The first scene of a seed that validation neither refuses nor warns of. Very small and large
/// domains are what is wanted here.
DrawnScene draw(std::uint32_t seed) {
  for (std::uint32_t attempt = 0; attempt < 100; ++attempt) {
    DrawnScene drawn;
    drawn.json = random_scene(seed, attempt);
    const convert::ParsedScene parsed = convert::parse_scene(drawn.json);
    convert::LoadedScene loaded = convert::load_scene(
        parsed.scene,
        [](std::string_view name) -> Result<convert::AssetFile> {
          return Error{ErrorCode::invalid_scene, std::string(name)};
        },
        {}, parsed.problems);
    const bool is_sound = std::ranges::all_of(loaded.problems, [](const scene::Problem& problem) {
      return problem.severity != scene::Severity::error && problem.path == "domain";
    });
    if (!is_sound) continue;
    drawn.message = parsed.scene;
    drawn.scene = std::move(loaded.scene);
    return drawn;
  }
  throw std::runtime_error("seed " + std::to_string(seed) + " draws no valid scene");
}

/// One frame of a session, as the API gives it.
struct ReadFrame {
  v1::FrameHeader header;
  std::map<std::string, std::vector<Vec3f>> positions;  ///< [m] By body.
};

std::vector<ReadFrame> read_frames(ServerProcess& server, const std::string& session) {
  v1::StreamFramesRequest request;
  request.set_session(session);
  request.set_existing_only(true);
  request.mutable_selection()->add_fields(v1::FIELD_POSITION);
  grpc::ClientContext context;
  const auto stream = server.frames->Stream(&context, request);
  std::vector<ReadFrame> frames;
  v1::StreamFramesResponse message;
  while (stream->Read(&message)) {
    if (message.has_header()) frames.push_back({message.header(), {}});
    if (!message.has_chunk()) continue;
    ReadFrame& frame = frames.back();
    const auto& array = frame.header.arrays(message.chunk().array());
    std::vector<Vec3f>& values = frame.positions[array.body()];
    values.resize(static_cast<std::size_t>(array.count()));
    std::memcpy(reinterpret_cast<char*>(values.data()) + message.chunk().offset(),
                message.chunk().data().data(), message.chunk().data().size());
  }
  return frames;
}

/// What became of a scene.
class Outcome {
 public:
  Outcome(const DrawnScene& drawn, v1::Session session, std::vector<ReadFrame> frames)
      : drawn_(drawn), session_(std::move(session)), frames_(std::move(frames)) {}

  /// In words, what a user would not have been told of; nothing if all is well.
  [[nodiscard]] std::string fault() const {
    for (const auto check :
         {&Outcome::end, &Outcome::warnings, &Outcome::certificates, &Outcome::times,
          &Outcome::particles, &Outcome::energy, &Outcome::volume, &Outcome::residuals}) {
      if (std::string found = (this->*check)(); !found.empty()) return found;
    }
    return {};
  }

 private:
  [[nodiscard]] bool warns_of(v1::WarningKind kind) const {
    return std::ranges::any_of(session_.warnings(), [&](const v1::SessionWarning& warning) {
      return warning.warning().kind() == kind;
    });
  }

  [[nodiscard]] std::string end() const {
    if (session_.state() == v1::SESSION_STATE_SUCCEEDED) {
      return session_.frame_count() == session_.total_frame_count() ? "" : "frames are missing";
    }
    const bool gave_up = session_.state() == v1::SESSION_STATE_FAILED &&
                         (session_.reason() == v1::SESSION_REASON_SOLVER_DIVERGED ||
                          session_.reason() == v1::SESSION_REASON_WARNING_LIMIT);
    return gave_up && !session_.message().empty() ? ""
                                                  : "ended without words: " + session_.message();
  }

  [[nodiscard]] std::string warnings() const {
    for (const v1::SessionWarning& warning : session_.warnings()) {
      const v1::WarningKind kind = warning.warning().kind();
      if (kind == v1::WARNING_KIND_PARTICLES_LOST || kind == v1::WARNING_KIND_CROSSING)
        return warning.warning().message();
    }
    return {};
  }

  [[nodiscard]] std::string certificates() const {
    for (const ReadFrame& frame : frames_) {
      if (frame.header.cursor().index() == 0) continue;
      const v1::Certificate& certificate = frame.header.statistics().certificate();
      if (certificate.substep_count() != frame.header.statistics().substep_count())
        return "substeps without a certificate";
      if (certificate.crossing_count() + certificate.jump_count() > 0)
        return "crossings without a warning";
    }
    return {};
  }

  [[nodiscard]] std::string times() const {
    for (const ReadFrame& frame : frames_) {
      const double seconds = frame.header.statistics().solve_seconds();
      if (!(seconds < most_frame_seconds)) return "a frame took " + std::to_string(seconds) + " s";
    }
    return {};
  }

  [[nodiscard]] std::string particles() const {
    std::int64_t count = -1;
    for (const ReadFrame& frame : frames_) {
      const v1::FrameStatistics& statistics = frame.header.statistics();
      std::int64_t found = 0;
      for (const auto& [body, positions] : frame.positions) {
        const bool is_fluid = std::ranges::any_of(
            drawn_.scene.fluids, [&](const scene::Fluid& fluid) { return fluid.name == body; });
        if (is_fluid) found += static_cast<std::int64_t>(positions.size());
        for (const Vec3f& x : positions) {
          if (!x.allFinite()) return body + " is not finite";
        }
      }
      if (count >= 0) {
        count +=
            statistics.emitted_count() - statistics.removed_count() + statistics.settled_count();
        if (found != count) return "particles are lost and no warning says so";
      }
      count = found;
    }
    return {};
  }

  /// Five times what a warning begins at, so that what is found here was overlooked there.
  [[nodiscard]] std::string energy() const {
    const v1::Scene& scene = drawn_.message;
    const bool is_open =
        scene.has_gas() || scene.has_wind() || scene.drains_size() > 0 ||
        scene.domain().open_sides_size() > 0 || scene.domain().periodic_axes_size() > 0 ||
        std::ranges::any_of(scene.fluids(), [](const auto& f) { return f.emitters_size() > 0; }) ||
        std::ranges::any_of(scene.rigid_bodies(),
                            [](const auto& b) { return b.script_size() > 0; });
    if (is_open || warns_of(v1::WARNING_KIND_ENERGY_GREW)) return {};
    double lowest = 0, largest_kinetic = 0, least = 0, most = 0;
    bool is_first = true;
    for (const ReadFrame& frame : frames_) {
      const v1::FrameStatistics& statistics = frame.header.statistics();
      if (frame.header.cursor().index() == 0) continue;
      const double kinetic = statistics.kinetic_energy(), potential = statistics.potential_energy();
      if (!std::isfinite(kinetic + potential)) return "the energy is not finite";
      lowest = is_first ? kinetic + potential : std::min(lowest, kinetic + potential);
      least = is_first ? potential : std::min(least, potential);
      most = is_first ? potential : std::max(most, potential);
      largest_kinetic = std::max(largest_kinetic, kinetic);
      is_first = false;
      const double in_play = std::max(largest_kinetic, most - least);
      const double negligible = 5e-3 * std::max(std::abs(least), std::abs(most));
      if (kinetic + potential - lowest > 0.05 * in_play + negligible)
        return "the energy grew and no warning says so";
    }
    return {};
  }

  /// The part of liquids that is beyond what boxes of two cells hold.
  [[nodiscard]] std::string volume() const {
    if (frames_.empty() || warns_of(v1::WARNING_KIND_VOLUME_LOST)) return {};
    const scene::Scene& scene = drawn_.scene;
    const bool is_flat = scene.grid.dimensions == 2;
    const double room = std::pow(2 * scene.grid.particles_per_axis, is_flat ? 2 : 3);
    std::map<std::array<int, 3>, double> filled;
    double count = 0;
    for (const scene::Fluid& fluid : scene.fluids) {
      const bool is_liquid = std::ranges::any_of(drawn_.message.fluids(), [&](const v1::Fluid& f) {
        return f.name() == fluid.name && !f.has_jelly() && !f.has_sand() && !f.has_snow();
      });
      if (!is_liquid) continue;
      const auto found = frames_.back().positions.find(fluid.name);
      if (found == frames_.back().positions.end()) continue;
      for (const Vec3f& x : found->second) {
        const Vec3 cells = (x.cast<double>() - scene.domain_lower) / (2 * scene.grid.cell_size);
        ++filled[{static_cast<int>(std::floor(cells.x())),
                  is_flat ? 0 : static_cast<int>(std::floor(cells.y())),
                  static_cast<int>(std::floor(cells.z()))}];
        ++count;
      }
    }
    double beyond = 0;
    for (const auto& [box, particles] : filled)
      beyond += std::max(0.0, particles - 1.25 * room);
    return beyond > 0.2 * count ? "a liquid lost its room and no warning says so" : "";
  }

  [[nodiscard]] std::string residuals() const {
    const double most = 1000 * drawn_.scene.grid.pressure.tolerance;
    for (const ReadFrame& frame : frames_) {
      if (!(frame.header.statistics().pressure_residual() <= most) &&
          !warns_of(v1::WARNING_KIND_NOT_CONVERGED))
        return "the pressure was not solved for and no warning says so";
    }
    return {};
  }

  const DrawnScene& drawn_;
  v1::Session session_;
  std::vector<ReadFrame> frames_;
};

/// Runs scenes one after the other, each on a server of its own, and reads what is left of them.
class RandomScenes : public testing::TestWithParam<std::uint32_t> {};

TEST_P(RandomScenes, keep_what_is_promised_or_say_that_they_do_not) {
  const TemporaryDirectory folder;
  const std::string data = (folder.path() / "data").string();
  const std::string file = (folder.path() / "scene.json").string();
  std::map<std::uint32_t, DrawnScene> drawn;
  std::map<std::uint32_t, std::string> names;
  const std::uint32_t first = scenes_a_test * GetParam();
  for (std::uint32_t seed = first; seed < first + scenes_a_test; ++seed) {
    drawn[seed] = draw(seed);
    std::ofstream(file) << drawn[seed].json;
    const CliEnd end = sluice_command(
        {"run", file, "--certify", "--data-dir", data, "--threads", "1", "--web", "off", "--json"},
        "sluice-worker");
    const auto answer = nlohmann::json::parse(end.out, nullptr, false);
    if (end.exit_code > 1 || !answer.is_object()) {
      ADD_FAILURE() << "scene " << seed << ": exit code " << end.exit_code << ", " << end.error
                    << drawn[seed].json;
      continue;
    }
    names[seed] = answer["session"]["name"].get<std::string>();
  }
  ServerProcess server(data);
  int failed = 0;
  for (const auto& [seed, name] : names) {
    const v1::Session session = get(server, name);
    failed += session.state() == v1::SESSION_STATE_FAILED ? 1 : 0;
    const std::string fault = Outcome(drawn[seed], session, read_frames(server, name)).fault();
    EXPECT_EQ(fault, "") << "scene " << seed << '\n' << drawn[seed].json;
  }
  EXPECT_LE(failed, 2) << "scenes that give up, of " << scenes_a_test;
}

INSTANTIATE_TEST_SUITE_P(AHundred, RandomScenes, testing::Range(0U, 10U));
INSTANTIATE_TEST_SUITE_P(TwoHundredMore, RandomScenes, testing::Range(10U, 30U));

}  // namespace
}  // namespace sluice::e2e::random_scenes_test
