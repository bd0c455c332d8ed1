// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <google/protobuf/util/message_differencer.h>

#include <memory>
#include <string>
#include <utility>

#include "client/cli/certificate.h"
#include "client/cli/command_error.h"
#include "client/cli/commands/commands.h"
#include "client/cli/frame_difference.h"
#include "client/cli/interrupt.h"
#include "client/cli/output.h"
#include "client/cli/session_follow.h"
#include "client/cli/visible_text.h"
#include "sluice/error.h"
#include "sluice/session.h"

namespace sluice::cli {
namespace {

struct VerifyOptions {
  std::string session;
  bool replay{false};
};

/// The result for a session in the end.
struct Verdict {
  CertificateSum certificate;
  bool replayed{false};
  std::int64_t compared_count{0};  ///< Frames that were computed again.
  std::string first_difference;    ///< In words; empty if there is none.

  [[nodiscard]] bool is_clean() const { return certificate.is_clean() && first_difference.empty(); }
};

/// The same simulation once more, certified; deleted with the object.
class Replay {
 public:
  /// Starts a session for the first `frame_count` frames after the initial one.
  Replay(const client::Connection& connection, const v1::Session& original,
         std::int64_t frame_count)
      : connection_(connection) {
    client::CreateOptions options;
    options.display_name = "verify " + original.name().substr(original.name().find('/') + 1);
    options.run.set_frame_count(frame_count);
    options.run.set_checkpoint_interval_frames(original.options().checkpoint_interval_frames());
    options.run.set_certify(true);
    for (v1::RecordedCommand& command : client::list_commands(connection, original.name())) {
      if (command.frame_index() <= frame_count) {
        options.recorded_commands.push_back(std::move(command));
      }
    }
    session_ = client::create_session(
        connection, client::get_session_scene(connection, original.name()), options);
  }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;
  ~Replay() {
    try {
      client::delete_session(connection_, session_.name());
    } catch (const client::Error& error) {
      print_message(fmt::format("cannot delete the replay {}: {}", session_.name(), error.what()));
    }
  }

  [[nodiscard]] const v1::Session& session() const { return session_; }

 private:
  const client::Connection& connection_;
  v1::Session session_;
};

/// Adds the certificates of the frames that are there.
void read_certificates(const client::Connection& connection, const v1::Session& session,
                       const std::stop_token& stop, CertificateSum& certificate) {
  client::FrameStream frames(connection, {.session = session.name(), .existing_only = true}, stop);
  while (const auto frame = frames.next()) {
    certificate.add(*frame);
    if (!certificate.is_complete()) {
      return;  // The rest is computed again as well.
    }
  }
}

/// Whether two sessions have the same bodies and topology.
bool have_same_layout(const client::Connection& connection, const std::string& one,
                      const std::string& other) {
  return google::protobuf::util::MessageDifferencer::Equals(
      client::get_layout(connection, one, 0), client::get_layout(connection, other, 0));
}

/// Computes the first `frame_count` frames after the initial one again and compares.
void replay(const client::Connection& connection, const v1::Session& session,
            std::int64_t frame_count, const std::stop_token& stop, Verdict& verdict) {
  verdict.replayed = true;
  verdict.certificate = {};
  const Replay again(connection, session, frame_count);
  Progress progress;
  {
    WarningLog warnings;
    const ProgressThread shown(connection, again.session().name(), warnings, progress);
    client::FrameStream stored(connection, {.session = session.name(), .existing_only = true},
                               stop);
    client::FrameStream computed(connection, {.session = again.session().name()}, stop);
    while (const auto frame = computed.next()) {
      const auto original = stored.next();
      if (!original && !stop.stop_requested()) {
        throw CommandError(ExitCode::refused, fmt::format("frame {} of {} is not stored any more",
                                                          frame->index, session.name()));
      }
      if (!original) {
        break;
      }
      if (verdict.compared_count == 0 &&
          !have_same_layout(connection, session.name(), again.session().name())) {
        verdict.first_difference = "bodies or their topology are others when computed again";
      }
      ++verdict.compared_count;
      verdict.certificate.add(*frame);
      if (verdict.first_difference.empty()) {
        verdict.first_difference = first_difference(*original, *frame).value_or("");
      }
      if (!verdict.first_difference.empty()) {
        break;  // Differences that follow from it are no news.
      }
    }
  }
  progress.finish();
  if (stop.stop_requested() || !verdict.first_difference.empty()) {
    return;
  }
  if (verdict.compared_count != frame_count + 1) {
    const v1::Session end = client::get_session(connection, again.session().name());
    throw CommandError(
        ExitCode::failed,
        fmt::format("only {} of {} frames could be computed again, the session {}: {}",
                    verdict.compared_count, frame_count + 1, short_name(end.state()),
                    visible(end.message())));
  }
}

void print_verdict(const Program& program, const v1::Session& session, const Verdict& verdict) {
  const v1::Certificate& sum = verdict.certificate.sum();
  if (program.json) {
    print_json({{"session", session.name()},
                {"clean", verdict.is_clean()},
                {"replayed", verdict.replayed},
                {"frame_count", verdict.certificate.frame_count()},
                {"compared_frame_count", verdict.compared_count},
                {"first_difference", verdict.first_difference},
                {"substep_count", sum.substep_count()},
                {"pair_count", sum.pair_count()},
                {"exact_count", sum.exact_count()},
                {"crossing_count", sum.crossing_count()},
                {"jump_count", sum.jump_count()},
                {"first_crossing", sum.first_crossing()}});
    return;
  }
  print_data(visible(in_words(verdict.certificate)));
  if (!verdict.first_difference.empty()) {
    print_data("not the same: " + visible(verdict.first_difference));
  } else if (verdict.replayed) {
    print_data(
        fmt::format("replay: {} frames, each the same, bit for bit", verdict.compared_count));
  }
}

ExitCode verify(const Program& program, const VerifyOptions& options) {
  const client::Connection connection = program.connect();
  const std::stop_token stop = stop_on_interrupt();
  const v1::Session session =
      client::get_session(connection, session_resource_name(options.session));
  const std::int64_t frame_count = session.frame_count() - 1;
  if (frame_count < 1) {
    throw CommandError(ExitCode::failed, session.name() +
                                             " has no frame after the initial one yet: "
                                             "there is nothing to verify");
  }
  if (!client::is_terminal(session.state())) {
    print_message(
        fmt::format("{} goes on; these are its {} frames so far", session.name(), frame_count));
  }
  Verdict verdict;
  if (!options.replay) {
    read_certificates(connection, session, stop, verdict.certificate);
  }
  if (options.replay || !verdict.certificate.is_complete()) {
    replay(connection, session, frame_count, stop, verdict);
  }
  if (was_interrupted()) {
    return ExitCode::interrupted;
  }
  print_verdict(program, session, verdict);
  return verdict.is_clean() ? ExitCode::done : ExitCode::unverified;
}

}  // namespace

void add_verify_command(Command root, Program& program) {
  const Command command = root.add_command(
      "verify",
      "Says whether anything passed through anything in a session, by every substep's certificate. "
      "A session that was run without --certify is computed again on its server, commands "
      "included, "
      "and each frame compared bit by bit.");
  command.examples(
      "  sluice verify sessions/4f2a9c01\n"
      "  sluice verify 4f2a9c01 --replay          compute it again though it has certificates\n"
      "  sluice verify 4f2a9c01 --json\n"
      "\n"
      "Exit code 4: something met, or a frame is not the same. A replay shows the same bits with\n"
      "the build of the server that computed the session, and with no other.");
  const auto options = std::make_shared<VerifyOptions>();
  command.add_option("session", options->session, "Name of the session").required();
  command.add_flag("--replay", options->replay,
                   "Compute every frame again, also of a session that has certificates");
  command.on_parsed([&program, options] {
    program.action = [&program, options] { return verify(program, *options); };
  });
}

}  // namespace sluice::cli
