// Metrics for Prometheus, in its text format (version 0.0.4):
// https://prometheus.io/docs/instrumenting/exposition_formats/
// Invariant: a name has one meaning everywhere, and labels take few values: routes, messages, reasons; no players.
#pragma once

#include <prometheus/metric_family.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/base/time.h"
#include "proxy/core/ledger.h"
#include "proxy/program/storage/retention.h"
#include "proxy/relay/base/counters.h"
#include "proxy/relay/proxy_server.h"
#include "proxy/relay/base/attendance.h"
#include "proxy/relay/tap/tap.h"

namespace entente {

/// The CPU time of this process's threads, added up by their names. Invariant: no sum falls. Thread-safe.
class ThreadTimes {
 public:
  /// What the threads have used until now, in ticks of the system's clock. Of a thread that has ended, or that cannot
  /// be read now, what it had used at the look before.
  std::map<std::string, std::uint64_t> look();

 private:
  struct Thread {
    std::uint64_t began = 0, used = 0;  // began: numbers are used again
  };

  std::mutex mutex_;
  std::map<std::string, Thread> threads_;  // those of the last look, by their numbers
  std::map<std::string, std::uint64_t> ticks_;
};

class Metrics {
 public:
  using Labels = std::vector<prometheus::ClientMetric::Label>;

  /// Adds to an earlier value with the same labels. `name` without "entente_" and, for counters, "_total".
  void count(const char* name, const char* help, Labels labels, std::uint64_t value);
  void gauge(const char* name, const char* help, Labels labels, double value);
  /// A histogram. `bounds` and `sum` are in 1/`per_second` seconds; `counts` has one more: what is above all bounds.
  void durations(const char* name, const char* help, Labels labels, std::span<const Millis> bounds,
                 std::span<const std::uint64_t> counts, std::uint64_t sum, double per_second = 1e3);
  /// CPU time and memory of this process, by the usual names.
  void add_process();
  /// The CPU time of its threads by their names, and how many processors they may use. The first worker runs on the
  /// main thread.
  void add_threads(ThreadTimes& times);

  std::string text() const;

 private:
  struct Family {
    std::string help;
    prometheus::MetricType type;
    std::map<Labels, double> values;
    std::map<Labels, prometheus::ClientMetric::Histogram> histograms = {};
  };
  void add(const std::string& name, const char* help, prometheus::MetricType type, Labels labels, double value);

  std::map<std::string, Family> families_;
};

/// `route`: its name in the statistics.
void measure(Metrics& metrics, const std::string& route, const relay::Totals& totals,
             const std::vector<core::Ledger::Entry>& losses);
void measure(Metrics& metrics, const relay::TapTotals& tap);
void measure(Metrics& metrics, const std::string& route, const relay::TapTotals& recording);
/// The round trips of a route's clients, from a server's ping to its echo.
void measure(Metrics& metrics, const std::string& route, const relay::TapThread::RoundTrips& round_trips);
/// How long turns of the workers' loops took.
void measure(Metrics& metrics, const relay::DurationsOf<std::uint64_t, relay::kTurnBounds>& turns);
/// The servers of a route, and the sessions that wait for one. Nothing for a route into an arena.
void measure(Metrics& metrics, const std::string& route, const std::vector<relay::ProxyServer::UpstreamReport>& servers,
             std::size_t waiting);
/// When a certificate expires, in seconds since 1970; nothing: there is none. `key`: of the configuration; `route`: its
/// name in the statistics; "": the key is of no route.
void measure_certificate(Metrics& metrics, const char* key, const std::string& route,
                         std::optional<std::int64_t> expires);
/// The recordings that are kept.
void measure(Metrics& metrics, const Retention::Totals& kept);
/// The metrics of an arena.
void measure(Metrics& metrics, const std::vector<relay::Attendance::Row>& attendance, std::uint64_t orphaned);

}  // namespace entente
