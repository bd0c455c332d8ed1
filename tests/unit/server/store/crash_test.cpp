// SPDX-License-Identifier: Apache-2.0
// A process that is killed with SIGKILL while it writes. It announces over a pipe what the store
// told it is durable; the oracle is that list: all of it must be there afterwards.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <random>

#include "server/store/database.h"
#include "server/store/frame_log.h"
#include "store_testing.h"
#include "temporary_directory.h"

namespace sluice::store {
namespace {

// Runs `work` in a child that gets a function to announce numbers with; kills it after it has
// announced `kill_after` of them and some microseconds more. Answers the last number announced.
std::uint64_t run_and_kill(
    std::uint64_t kill_after, std::uint64_t microseconds,
    const std::function<void(const std::function<void(std::uint64_t)>&)>& work) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    work([&](std::uint64_t number) {
      if (::write(ends[1], &number, sizeof number) != sizeof number) {
        ::_exit(3);
      }
    });
    ::_exit(2);
  }
  ::close(ends[1]);
  std::uint64_t last = 0;
  std::uint64_t number = 0;
  std::uint64_t count = 0;
  while (::read(ends[0], &number, sizeof number) == sizeof number) {
    last = number;
    if (++count == kill_after) {
      ::usleep(static_cast<useconds_t>(microseconds));
      ::kill(child, SIGKILL);
    }
  }
  ::close(ends[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the child ended by itself: " << status;
  return last;
}

TEST(Crash, no_announced_frame_is_lost) {
  test::TemporaryDirectory temporary;
  std::mt19937 random(1);
  std::uint64_t next = 0;
  for (int round = 0; round < 25; ++round) {
    // Half of the rounds with fsync: it differs in when the directory and the file are synced.
    SegmentLogOptions options{.durability = round % 2 == 0 ? Durability::os : Durability::fsync};
    options.segment_bytes = 200'000;
    const std::uint64_t last =
        run_and_kill(5 + random() % 20, random() % 3000, [&](const auto& announce) {
          const auto log = FrameLog::open(temporary.path() / "frames", options, OpenMode::write);
          if (!log) {
            ::_exit(4);
          }
          for (std::uint64_t index = next;; ++index) {
            const std::string text = noise(index, 20'000);
            const ByteView slice = view_of(text);
            if (!(*log)->append(index, 0, std::span(&slice, 1))) {
              ::_exit(5);
            }
            announce(index);
          }
        });
    const auto log = must(FrameLog::open(temporary.path() / "frames", options, OpenMode::write));
    const FrameRange range = log->range();
    ASSERT_EQ(range.first, 0U);
    ASSERT_GT(range.next, last);
    ASSERT_EQ(range.next, range.stored_end);
    for (std::uint64_t index = next; index < range.next; ++index) {
      ASSERT_EQ(text_of(must(log->read(index))), noise(index, 20'000)) << index;
    }
    next = range.next;
    if (round % 3 == 0) {
      // Let the next crash meet an index that is missing.
      std::filesystem::remove(temporary.path() / "frames" / "index");
    }
  }
}

TEST(Crash, no_fact_is_lost) {
  test::TemporaryDirectory temporary;
  const auto path = temporary.path() / "sluice.db";
  {
    const auto database = must(Database::open(path));
    SessionRecord session;
    session.id = "s";
    must(database->insert_session(session));
  }
  std::mt19937 random(2);
  for (int round = 0; round < 15; ++round) {
    const std::uint64_t last =
        run_and_kill(5 + random() % 20, random() % 2000, [&](const auto& announce) {
          const auto database = Database::open(path);
          if (!database) {
            ::_exit(4);
          }
          while (true) {
            const auto sequence = (*database)->append_command(
                {.session_id = "s", .sequence = 0, .frame_index = 1, .payload_bytes = "push"});
            if (!sequence) {
              ::_exit(5);
            }
            announce(static_cast<std::uint64_t>(*sequence));
          }
        });
    const auto database = must(Database::open(path));
    const auto commands = must(database->list_commands("s", 0));
    ASSERT_GE(commands.size(), last);
    for (std::size_t i = 0; i < commands.size(); ++i) {
      ASSERT_EQ(commands[i].sequence, static_cast<std::int64_t>(i) + 1);
    }
  }
}

}  // namespace
}  // namespace sluice::store
