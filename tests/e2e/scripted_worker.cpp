// SPDX-License-Identifier: Apache-2.0
// A sluice-worker whose physics is a script, for tests of the server: small, fast and exact. The
// scene's name says what happens, as "slow=20 diverge=7": milliseconds a frame, the frame that
// cannot be computed, the frame whose memory cannot be had, `abort=` the frame where the process
// ends, `drift` for frames that depend on the process id, as no solver may, `cross=` the frame in
// which a particle falls through the first sheet, `stall=` the frame that takes minutes unless the
// worker was restored from a checkpoint, `warn=` the first of the frames that warn of the water,
// `unconverged=` the first of those whose solve of the sheet does not converge, `lost=` the frame
// in which 30 % of the water has no room, `pause=` the frame that takes two seconds.
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <new>
#include <sstream>
#include <thread>

#include "server/worker/worker_main.h"

namespace {

using namespace sluice;

struct Script {
  int slow_ms = 0;
  std::int64_t diverge = -1, memory = -1, abort = -1, cross = -1, stall = -1, warn = -1;
  std::int64_t unconverged = -1, lost = -1, pause = -1;
  bool drift = false;
};

Script read_script(const std::string& name) {
  Script script;
  std::istringstream words(name);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    const int value = equals == std::string::npos ? 0 : std::stoi(word.substr(equals + 1));
    const std::string key = word.substr(0, equals);
    if (key == "slow") script.slow_ms = value;
    if (key == "diverge") script.diverge = value;
    if (key == "memory") script.memory = value;
    if (key == "abort") script.abort = value;
    if (key == "drift") script.drift = true;
    if (key == "cross") script.cross = value;
    if (key == "stall") script.stall = value;
    if (key == "warn") script.warn = value;
    if (key == "unconverged") script.unconverged = value;
    if (key == "lost") script.lost = value;
    if (key == "pause") script.pause = value;
  }
  return script;
}

// Every number of a frame depends on all before it and on every command, so that a frame that was
// computed from a wrong state cannot look right.
class ScriptedSimulation final : public Simulation {
 public:
  ScriptedSimulation(const scene::Scene& scene, const SimulationOptions& options,
                     std::span<const std::byte> snapshot)
      : script_(read_script(scene.name)),
        frame_rate_(scene.frame_rate),
        observer_(options.observer) {
    for (const auto& fluid : scene.fluids) {
      layout_.push_back(
          {fluid.name, BodyKind::particles, 1000, {}, {Field::position, Field::velocity}});
    }
    for (const auto& cloth : scene.cloths) {
      layout_.push_back({cloth.name,
                         BodyKind::surface,
                         static_cast<std::int64_t>(cloth.mesh.vertices.size()),
                         cloth.mesh.triangles,
                         {Field::position, Field::velocity}});
    }
    for (const auto& body : layout_) {
      values_.emplace_back(static_cast<std::size_t>(body.count) * 3);
      values_.emplace_back(static_cast<std::size_t>(body.count) * 3);
    }
    if (!snapshot.empty()) {
      std::memcpy(&state_, snapshot.data(), sizeof state_);
      script_.stall = -1;
    }
    fill();
  }

  Result<FrameStatistics> advance_frame() override {
    std::this_thread::sleep_for(std::chrono::milliseconds(script_.slow_ms));
    const std::int64_t next = state_.frame + 1;
    if (next == script_.stall) {
      std::this_thread::sleep_for(std::chrono::minutes(5));
    }
    if (next == script_.pause) {
      std::this_thread::sleep_for(std::chrono::seconds(2));
    }
    if (next == script_.diverge) {
      return Error{ErrorCode::solver_diverged,
                   "frame " + std::to_string(next) + ": cloth 'sheet' has no finite state"};
    }
    if (next == script_.memory) {
      throw std::bad_alloc();
    }
    if (next == script_.abort) {
      _exit(42);
    }
    mix(script_.drift ? static_cast<std::uint64_t>(getpid()) : 1);
    state_.frame = next;
    fill();
    if (observer_ != nullptr) {
      show_substeps();
    }
    FrameStatistics statistics;
    statistics.substep_count = 2;
    if (script_.warn > 0 && next >= script_.warn) {
      statistics.warnings.push_back({WarningKind::volume_lost, "water",
                                     "20 % of the volume is lost, where 1 % may be",
                                     0.1 + 0.01 * static_cast<double>(next), 0.01});
    }
    if (script_.unconverged > 0 && next >= script_.unconverged) {
      statistics.warnings.push_back({WarningKind::not_converged, "sheet", "the residual is 0.5",
                                     0.5 + 0.01 * static_cast<double>(next), 0.1});
    }
    if (next == script_.lost) {
      statistics.warnings.push_back(
          {WarningKind::volume_lost, "water", "30 % of its volume has no room", 0.3, 0.05});
    }
    return statistics;
  }

  [[nodiscard]] std::int64_t frame_index() const override { return state_.frame; }
  [[nodiscard]] double time() const override {
    return static_cast<double>(state_.frame) / frame_rate_;
  }
  [[nodiscard]] const std::vector<BodyLayout>& layout() const override { return layout_; }
  [[nodiscard]] std::int64_t epoch() const override { return 0; }
  [[nodiscard]] std::vector<FieldView> fields() const override {
    std::vector<FieldView> views;
    views.reserve(values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i) {
      views.push_back({i / 2, i % 2 == 0 ? Field::position : Field::velocity, values_[i]});
    }
    return views;
  }
  [[nodiscard]] std::vector<ObstacleOffset> obstacle_offsets() const override { return {}; }
  Result<std::monostate> steer(const SteerCommand& command) override {
    if (const auto* gravity = std::get_if<SetGravity>(&command)) {
      mix(static_cast<std::uint64_t>(gravity->gravity.z() * 1e6));
      return std::monostate{};
    }
    return Error{ErrorCode::invalid_scene, "only gravity is in the script"};
  }
  [[nodiscard]] std::vector<std::byte> save() const override {
    std::vector<std::byte> bytes(3'000'000);  // More than two pieces.
    std::memcpy(bytes.data(), &state_, sizeof state_);
    return bytes;
  }

 private:
  /// Two, in which a drop stands over or under a triangle, or falls through it. A restored worker
  /// has not seen it fall, and must say the same of later frames.
  void show_substeps() const {
    const auto height = [&](bool after) { return after ? -1.0F : 1.0F; };
    const Vec3f start{0.25F, 0.25F, height(state_.frame > script_.cross && script_.cross > 0)};
    const Vec3f end{0.25F, 0.25F, height(state_.frame >= script_.cross && script_.cross > 0)};
    const std::vector<Vec3> sheet{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const TriangleIndices triangle{0, 1, 2};
    for (const auto& [from, to] : {std::pair(start, start), std::pair(start, end)}) {
      observer_->on_substep({time(), 0.5 / frame_rate_, std::span(&from, 1), std::span(&to, 1),
                             sheet, sheet, std::span(&triangle, 1)});
    }
  }

  struct State {
    std::int64_t frame = 0;
    std::uint64_t seed = 88172645463325252U;
  };
  void mix(std::uint64_t value) {
    state_.seed ^= value * 0x9E3779B97F4A7C15U;
    state_.seed ^= state_.seed << 13U;
    state_.seed ^= state_.seed >> 7U;
    state_.seed ^= state_.seed << 17U;
  }
  void fill() {
    std::uint64_t x = state_.seed;
    for (auto& array : values_) {
      for (float& value : array) {
        x = x * 6364136223846793005U + 1442695040888963407U;
        value = static_cast<float>(x >> 40U) * 0x1p-24F;
      }
    }
  }

  Script script_;
  double frame_rate_;
  SubstepObserver* observer_;
  std::vector<BodyLayout> layout_;
  std::vector<std::vector<float>> values_;
  State state_;
};

}  // namespace

int main(int argc, char** argv) {
  return worker::worker_main(
      argc, argv,
      [](const scene::Scene& scene, const SimulationOptions& options,
         std::span<const std::byte> snapshot) -> Result<std::unique_ptr<Simulation>> {
        return std::unique_ptr<Simulation>(
            std::make_unique<ScriptedSimulation>(scene, options, snapshot));
      });
}
