// SPDX-License-Identifier: Apache-2.0
#include "server/web/metrics.h"

#include <prometheus/text_serializer.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

namespace sluice::web {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

template <typename Make>
auto& one(prometheus::Registry& registry, Make&& make, const char* name, const char* help) {
  return make().Name(name).Help(help).Register(registry).Add({});
}

void add(std::vector<MetricFamily>& families, MetricType type, const char* name, const char* help,
         double value) {
  ClientMetric metric;
  (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  families.push_back({name, help, type, {metric}});
}

std::vector<MetricFamily> families_of(const session::Census& census) {
  std::vector<MetricFamily> families;
  MetricFamily sessions{
      "sluice_sessions", "Sessions that are kept, by state.", MetricType::Gauge, {}};
  for (const auto& [state, count] : census.sessions) {
    ClientMetric metric;
    metric.label = {{"state", state}};
    metric.gauge.value = static_cast<double>(count);
    sessions.metric.push_back(metric);
  }
  families.push_back(std::move(sessions));
  const auto gauge = [&](const char* name, const char* help, auto value) {
    add(families, MetricType::Gauge, name, help, static_cast<double>(value));
  };
  const auto counter = [&](const char* name, const char* help, auto value) {
    add(families, MetricType::Counter, name, help, static_cast<double>(value));
  };
  gauge("sluice_stored_frames", "Frames that can be read.", census.stored_frame_count);
  gauge("sluice_stored_bytes", "Bytes of frames and checkpoints on disk.",
        census.stored_byte_count);
  gauge("sluice_free_disk_bytes", "Bytes that are free where the data directory is.",
        census.free_disk_byte_count);
  gauge("sluice_streams", "Streams of frames and events that are open, over gRPC and gRPC-Web.",
        census.stream_count);
  counter("sluice_frames_total", "Frames stored since the start.", census.frame_count);
  counter("sluice_frame_bytes_total", "Bytes of those frames.", census.frame_byte_count);
  counter("sluice_solver_substeps_total", "Steps of the solvers for those frames.",
          census.substep_count);
  counter("sluice_solver_seconds_total", "Seconds that the solvers took for those frames.",
          census.solve_seconds);
  counter("sluice_checkpoints_total", "Checkpoints stored since the start.",
          census.checkpoint_count);
  counter("sluice_steering_commands_total", "Steering commands applied since the start.",
          census.steer_count);
  counter("sluice_worker_starts_total", "Workers started since the start.",
          census.worker_start_count);
  counter("sluice_worker_deaths_total", "Workers that ended without having been told to.",
          census.worker_death_count);
  return families;
}

double resident_bytes() {
  std::ifstream stream("/proc/self/statm");
  double total = 0;
  double resident = 0;
  stream >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double open_files() {
  std::error_code error;
  double count = 0;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    ++count;
  }
  return count;
}

// Named as Prometheus's own client libraries name them.
void add_process(std::vector<MetricFamily>& families) {
  add(families, MetricType::Gauge, "process_resident_memory_bytes", "Resident memory of sluiced.",
      resident_bytes());
  add(families, MetricType::Counter, "process_cpu_seconds_total",
      "Processor time of sluiced, without its workers.", processor_seconds());
  add(families, MetricType::Gauge, "process_open_fds", "Open files and sockets of sluiced.",
      open_files());
}

}  // namespace

Metrics::Metrics()
    : requests_(prometheus::BuildCounter()
                    .Name("sluice_http_requests_total")
                    .Help("Requests over HTTP that were answered, by status.")
                    .Register(registry_)),
      calls_(prometheus::BuildCounter()
                 .Name("sluice_grpc_web_calls_total")
                 .Help("Calls over gRPC-Web that ended, by code.")
                 .Register(registry_)),
      refused_(one(registry_, prometheus::BuildCounter, "sluice_http_connections_refused_total",
                   "Connections that were one too many.")),
      sent_bytes_(one(registry_, prometheus::BuildCounter, "sluice_http_sent_bytes_total",
                      "Bytes sent over HTTP.")),
      received_bytes_(one(registry_, prometheus::BuildCounter, "sluice_http_received_bytes_total",
                          "Bytes of bodies received over HTTP.")),
      connections_(one(registry_, prometheus::BuildGauge, "sluice_http_connections",
                       "Connections over HTTP that are open.")),
      calls_open_(one(registry_, prometheus::BuildGauge, "sluice_grpc_web_calls_open",
                      "Calls over gRPC-Web that are open.")) {}

void Metrics::request_answered(unsigned http_status) {
  requests_.Add({{"code", std::to_string(http_status)}}).Increment();
}

void Metrics::call_ended(grpc::StatusCode code) {
  calls_.Add({{"code", code_name(code)}}).Increment();
}

std::string Metrics::text(const session::Census& census) const {
  std::vector<MetricFamily> families = registry_.Collect();
  for (MetricFamily& family : families_of(census)) {
    families.push_back(std::move(family));
  }
  add_process(families);
  return prometheus::TextSerializer().prometheus::Serializer::Serialize(families);
}

std::string code_name(grpc::StatusCode code) {
  constexpr std::array<std::string_view, 17> names = {"OK",
                                                      "CANCELLED",
                                                      "UNKNOWN",
                                                      "INVALID_ARGUMENT",
                                                      "DEADLINE_EXCEEDED",
                                                      "NOT_FOUND",
                                                      "ALREADY_EXISTS",
                                                      "PERMISSION_DENIED",
                                                      "RESOURCE_EXHAUSTED",
                                                      "FAILED_PRECONDITION",
                                                      "ABORTED",
                                                      "OUT_OF_RANGE",
                                                      "UNIMPLEMENTED",
                                                      "INTERNAL",
                                                      "UNAVAILABLE",
                                                      "DATA_LOSS",
                                                      "UNAUTHENTICATED"};
  const auto index = static_cast<std::size_t>(code);
  return index < names.size() ? std::string(names[index]) : std::to_string(code);
}

}  // namespace sluice::web
