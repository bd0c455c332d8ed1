// SPDX-License-Identifier: Apache-2.0
#include "server/session/run_slots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::session {
namespace {

using testing::ElementsAre;

class RunSlotsTest : public testing::Test {
 protected:
  void request(const std::string& id) {
    slots_.request(id, {[this, id] { events_.push_back(id + " granted"); },
                        [this, id] { events_.push_back(id + " asked"); }});
  }
  RunSlots slots_{2};
  std::vector<std::string> events_;
};

TEST_F(RunSlotsTest, first_come_first_served) {
  for (const char* const id : {"a", "b", "c", "d"})
    request(id);
  EXPECT_EQ(slots_.waiting_count(), 2);
  events_.clear();
  slots_.release("b");
  slots_.release("a");
  EXPECT_THAT(events_, ElementsAre("c granted", "d granted"));
  EXPECT_EQ(slots_.waiting_count(), 0);
}

TEST_F(RunSlotsTest, holders_are_asked_when_somebody_waits) {
  for (const char* const id : {"a", "b", "c"})
    request(id);
  EXPECT_THAT(events_, ElementsAre("a granted", "b granted", "a asked", "b asked"));
}

TEST_F(RunSlotsTest, who_gives_up_waiting_gets_nothing) {
  for (const char* const id : {"a", "b", "c"})
    request(id);
  slots_.release("c");
  events_.clear();
  slots_.release("a");
  EXPECT_TRUE(events_.empty());
  request("d");
  EXPECT_THAT(events_, ElementsAre("d granted"));
}

TEST_F(RunSlotsTest, asking_twice_takes_one_place) {
  request("a");
  request("a");
  request("b");
  EXPECT_EQ(slots_.waiting_count(), 0);
}

}  // namespace
}  // namespace sluice::session
