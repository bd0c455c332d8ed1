// SPDX-License-Identifier: Apache-2.0
// Small scenes at random through the real server and its workers, certified. Oracles: what must
// hold in any scene whatever is in it: nothing crosses, no particle is lost, energy does not grow
// from nowhere, and whatever goes wrong is said. SLUICE_RANDOM_SCENES=300 tries 300 instead of a
// hundred, in four parts; SLUICE_RANDOM_FIRST=n begins with seed n.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "tests/e2e/random_scene.h"
#include "tests/e2e/server_process.h"

namespace sluice::e2e {
namespace {

int from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

bool has_warning(const v1::FrameStatistics& statistics, v1::WarningKind kind) {
  return std::ranges::any_of(statistics.warnings(),
                             [&](const v1::Warning& warning) { return warning.kind() == kind; });
}

/// What a frame says, and the positions of its particles.
struct SeenFrame {
  v1::FrameStatistics statistics;
  std::int64_t outside_count = 0;  ///< Particles outside of the domain, or not finite.
};

constexpr int part_count = 4;

class RandomScenes : public testing::TestWithParam<int> {
 protected:
  /// Empty if the scene may run, else what validation said.
  std::string refusal(const v1::Scene& scene) {
    v1::ValidateSceneRequest request;
    *request.mutable_scene() = scene;
    v1::ValidateSceneResponse response;
    grpc::ClientContext context;
    const grpc::Status status = server.scenes->Validate(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    for (const v1::SceneProblem& problem : response.problems()) {
      if (problem.severity() == v1::SceneProblem::SEVERITY_ERROR)
        return problem.field() + ": " + problem.message();
    }
    return {};
  }

  std::vector<SeenFrame> frames_of(const v1::Session& session, const v1::Scene& scene) {
    std::vector<SeenFrame> seen;
    for (std::int64_t index = 0; index < session.frame_count(); ++index) {
      v1::GetFrameRequest request;
      request.set_session(session.name());
      request.mutable_cursor()->set_index(index);
      request.mutable_selection()->add_fields(v1::FIELD_POSITION);
      v1::Frame frame;
      grpc::ClientContext context;
      const grpc::Status status = server.frames->Get(&context, request, &frame);
      EXPECT_TRUE(status.ok()) << status.error_message();
      seen.push_back({frame.header().statistics(), outside_count(frame, scene)});
    }
    return seen;
  }

  static std::int64_t outside_count(const v1::Frame& frame, const v1::Scene& scene) {
    std::int64_t count = 0;
    if (scene.domain().open_sides_size() > 0) return 0;
    for (const v1::FrameChunk& chunk : frame.chunks()) {
      const auto* values = reinterpret_cast<const float*>(chunk.data().data());
      for (std::size_t i = 0; i < chunk.data().size() / sizeof(float); ++i) {
        const int axis = static_cast<int>(i % 3);
        const double upper = scene.domain().upper(axis);
        if (!(values[i] >= -1e-5 * upper && values[i] <= (1 + 1e-5) * upper)) ++count;
      }
    }
    return count;
  }

  /// What is wrong with a session that was not refused, in words.
  std::vector<std::string> faults_of(const v1::Session& session, const v1::Scene& scene) {
    std::vector<std::string> faults;
    const auto say = [&](std::int64_t frame, const std::string& what) {
      faults.push_back("frame " + std::to_string(frame) + ": " + what);
    };
    const std::vector<SeenFrame> frames = frames_of(session, scene);
    for (std::size_t i = 1; i < frames.size(); ++i) {
      const v1::FrameStatistics& now = frames[i].statistics;
      const auto index = static_cast<std::int64_t>(i);
      if (now.certificate().crossing_count() > 0) say(index, now.certificate().first_crossing());
      if (now.certificate().jump_count() > 0) say(index, "jumps");
      if (frames[i].outside_count > 0) say(index, "something is outside of the domain");
      if (i > 1) {
        const std::int64_t expected =
            frames[i - 1].statistics.particle_count() + now.emitted_count() - now.removed_count();
        if (now.particle_count() != expected) say(index, "particles are lost");
      }
      if (now.solve_seconds() > 60) say(index, "took longer than a minute");
    }
    const bool is_closed =
        !scene.has_gas() && (scene.fluids_size() == 0 || scene.fluids(0).emitters_size() == 0);
    if (is_closed) check_energy(frames, scene, say);
    return faults;
  }

  /// Energy that grows by a tenth of what is in play, or lifts all by a hundredth of the domain,
  /// must have been said: ten times what the server's own check allows, so that this one may be
  /// coarse.
  template <typename Say>
  static void check_energy(const std::vector<SeenFrame>& frames, const v1::Scene& scene,
                           const Say& say) {
    double lowest = INFINITY, kinetic = 0, least = INFINITY, most = -INFINITY;
    for (std::size_t i = 1; i < frames.size(); ++i) {
      const v1::FrameStatistics& now = frames[i].statistics;
      const double total = now.kinetic_energy() + now.potential_energy();
      kinetic = std::max(kinetic, now.kinetic_energy());
      least = std::min(least, now.potential_energy());
      most = std::max(most, now.potential_energy());
      const double weight = std::abs(most) / scene.domain().upper(2);
      const double allowed =
          0.1 * std::max(kinetic, most - least) + 0.01 * weight * scene.domain().upper(2);
      if (total - lowest > allowed && !has_warning(now, v1::WARNING_KIND_ENERGY_GREW))
        say(static_cast<std::int64_t>(i), "energy grew, and nothing was said");
      lowest = std::min(lowest, total);
    }
  }

  TemporaryDirectory data;
  ServerProcess server{
      data.path(),
      {"--worker", (binary_directory() / "sluice-worker").string(), "--max-running-sessions", "1"}};
};

TEST_P(RandomScenes, LoseNothingAndSayWhatGoesWrong) {
  const int count = from_environment("SLUICE_RANDOM_SCENES", 100) / part_count;
  const int first = from_environment("SLUICE_RANDOM_FIRST", 1) + GetParam() * count;
  int refused_count = 0, failed_count = 0, warned_count = 0;
  for (int seed = first; seed < first + count; ++seed) {
    const v1::Scene scene = random_scene(static_cast<unsigned>(seed));
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::string refused = refusal(scene);
    if (!refused.empty()) {
      ++refused_count;
      std::cout << "seed " << seed << " refused: " << refused << '\n';
      continue;
    }
    auto request = create_request(scene, 4);
    request.mutable_session()->mutable_options()->set_certify(true);
    request.mutable_session()->mutable_options()->set_thread_count(1);
    const std::string name = create(server, request).name();
    const v1::Session session = wait_until(
        server, name,
        [](const v1::Session& now) {
          return now.state() == v1::SESSION_STATE_SUCCEEDED ||
                 now.state() == v1::SESSION_STATE_FAILED;
        },
        5 * usual_patience);
    if (session.state() == v1::SESSION_STATE_FAILED) {
      ++failed_count;
      EXPECT_FALSE(session.message().empty());
      EXPECT_TRUE(session.reason() == v1::SESSION_REASON_SOLVER_DIVERGED ||
                  session.reason() == v1::SESSION_REASON_WARNING_LIMIT)
          << session.ShortDebugString();
      std::cout << "seed " << seed << " failed: " << session.message() << '\n';
    }
    for (const v1::SessionWarning& warning : session.warnings())
      std::cout << "seed " << seed << " warned: " << warning.warning().message() << '\n';
    warned_count += session.warnings_size() > 0 ? 1 : 0;
    for (const std::string& fault : faults_of(session, scene))
      ADD_FAILURE() << fault;
  }
  std::cout << count << " scenes: " << refused_count << " refused, " << failed_count << " failed, "
            << warned_count << " with warnings\n";
  EXPECT_LE(refused_count, count / 2);
  EXPECT_LE(failed_count, 1 + count / 20);
}

INSTANTIATE_TEST_SUITE_P(, RandomScenes, testing::Range(0, part_count));

}  // namespace
}  // namespace sluice::e2e
