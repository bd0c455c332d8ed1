// SPDX-License-Identifier: Apache-2.0
// Oracle: Prometheus's text format 0.0.4.
#include "server/web/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::web {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Metrics, are_a_line_each) {
  Metrics metrics;
  metrics.request_answered(200);
  metrics.request_answered(200);
  metrics.request_answered(404);
  metrics.call_ended(grpc::StatusCode::UNAVAILABLE);
  metrics.sent(1000);
  metrics.open_connections().Increment();
  session::Census census;
  census.sessions = {{"PAUSED", 0}, {"RUNNING", 2}};
  census.frame_count = 1234567890123;
  census.solve_seconds = 0.5;
  census.worker_death_count = 3;
  const std::string text = metrics.text(census);
  for (const char* line : {
           "# TYPE sluice_http_requests_total counter\n",
           "sluice_http_requests_total{code=\"200\"} 2\n",
           "sluice_http_requests_total{code=\"404\"} 1\n",
           "sluice_grpc_web_calls_total{code=\"UNAVAILABLE\"} 1\n",
           "sluice_http_sent_bytes_total 1000\n",
           "sluice_http_connections 1\n",
           "# TYPE sluice_sessions gauge\n",
           "sluice_sessions{state=\"PAUSED\"} 0\n",
           "sluice_sessions{state=\"RUNNING\"} 2\n",
           "sluice_frames_total 1234567890123\n",
           "sluice_solver_seconds_total 0.5\n",
           "sluice_worker_deaths_total 3\n",
       }) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, HasSubstr("\nprocess_resident_memory_bytes "));
  EXPECT_THAT(text, Not(HasSubstr("process_resident_memory_bytes 0\n")));
}

}  // namespace
}  // namespace sluice::web
