#include "proxy/program/monitor/metrics.h"

#include <prometheus/text_serializer.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

namespace entente {
namespace {

using prometheus::ClientMetric, prometheus::MetricType;

double cpu_seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

/// Of the machine's, those to which a cpuset or taskset has not limited us.
double usable_processors() {
  cpu_set_t all{};
  const bool known = ::sched_getaffinity(0, sizeof all, &all) == 0;
  return known ? static_cast<double>(CPU_COUNT(&all)) : static_cast<double>(std::thread::hardware_concurrency());
}

const char* name_of(wire::Way way) { return way == wire::Way::kToServer ? "to_server" : "to_client"; }

void traffic(Metrics& metrics, const std::string& route, wire::Way way, const relay::TrafficOf<std::uint64_t>& of) {
  const Metrics::Labels labels = {{"route", route}, {"direction", name_of(way)}};
  metrics.count("stream_bytes", "Bytes passed on by stream", labels, of.bytes);
  metrics.count("stream_frames", "Messages passed on by stream, if the stream is cut into messages", labels, of.frames);
  metrics.count("datagrams", "Datagrams passed on", labels, of.datagrams);
  metrics.count("datagram_bytes", "Bytes of datagrams passed on", labels, of.datagram_bytes);
}

/// Of a WebSocket listener.
void measure_http(Metrics& metrics, const std::string& route, const relay::Totals& totals) {
  metrics.count("http_connections", "Connections to a WebSocket listener, also those that became sessions",
                {{"route", route}}, totals.http_connections);
  metrics.count("http_requests", "HTTP requests for the page or a document of a WebSocket listener",
                {{"route", route}, {"found", "yes"}}, totals.http_found);
  metrics.count("http_requests", "HTTP requests for the page or a document of a WebSocket listener",
                {{"route", route}, {"found", "no"}}, totals.http_missing);
  metrics.count("http_requests", "HTTP requests for the page or a document of a WebSocket listener",
                {{"route", route}, {"found", "later"}}, totals.http_later);
}

}  // namespace

void Metrics::add(const std::string& name, const char* help, MetricType type, Labels labels, double value) {
  Family& family = families_.try_emplace(name, Family{help, type, {}}).first->second;
  family.values[std::move(labels)] += value;
}

void Metrics::count(const char* name, const char* help, Labels labels, std::uint64_t value) {
  add("entente_" + std::string(name) + "_total", help, MetricType::Counter, std::move(labels),
      static_cast<double>(value));
}

void Metrics::gauge(const char* name, const char* help, Labels labels, double value) {
  add("entente_" + std::string(name), help, MetricType::Gauge, std::move(labels), value);
}

void Metrics::durations(const char* name, const char* help, Labels labels, std::span<const Millis> bounds,
                        std::span<const std::uint64_t> counts, std::uint64_t sum, double per_second) {
  const auto family = families_.try_emplace("entente_" + std::string(name), Family{help, MetricType::Histogram, {}});
  ClientMetric::Histogram& histogram = family.first->second.histograms[std::move(labels)];
  histogram.bucket.resize(bounds.size());
  std::uint64_t up_to = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    up_to += counts[i];
    histogram.bucket[i].upper_bound = static_cast<double>(bounds[i]) / per_second;
    histogram.bucket[i].cumulative_count += up_to;
  }
  histogram.sample_count += up_to + counts.back();
  histogram.sample_sum += static_cast<double>(sum) / per_second;
}

void Metrics::add_process() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  add("process_cpu_seconds_total", "CPU time, in seconds", MetricType::Counter, {},
      cpu_seconds(usage.ru_utime) + cpu_seconds(usage.ru_stime));
  std::uint64_t size = 0, resident = 0;
  if (std::ifstream("/proc/self/statm") >> size >> resident)
    add("process_resident_memory_bytes", "Memory in use, in bytes", MetricType::Gauge, {},
        static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)));
}

void Metrics::add_threads(ThreadTimes& times) {
  gauge("cores", "Processors that this process may use", {}, usable_processors());
  for (const auto& [thread, ticks] : times.look())
    add("entente_thread_cpu_seconds_total", "CPU time of threads, in seconds", MetricType::Counter,
        {{"thread", thread}}, static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

std::map<std::string, std::uint64_t> ThreadTimes::look() {
  const std::lock_guard lock(mutex_);
  std::map<std::string, Thread> threads;
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const std::string number = task.path().filename();
    const auto before = threads_.find(number);
    std::string name, stat;
    std::getline(std::ifstream(task.path() / "comm"), name);
    std::getline(std::ifstream(task.path() / "stat"), stat);
    if (name.empty() || stat.rfind(')') == std::string::npos) {  // it has just ended, or no descriptor is left
      if (before != threads_.end()) threads.insert(*before);
      continue;
    }
    if (number == std::to_string(::getpid())) name = "worker 1";
    std::istringstream fields(stat.substr(stat.rfind(')') + 1));
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;
    std::uint64_t user = 0, system = 0, began = 0;
    fields >> user >> system;
    for (int i = 0; i < 6; ++i) fields >> skipped;
    fields >> began;
    const std::uint64_t now = user + system;
    const bool is_known = before != threads_.end() && before->second.began == began;
    ticks_[name] += now - (is_known ? std::min(before->second.used, now) : 0);
    threads[number] = {began, now};
  }
  if (!error) threads_ = std::move(threads);
  return ticks_;
}

std::string Metrics::text() const {
  std::vector<prometheus::MetricFamily> all;
  for (const auto& [name, family] : families_) {
    auto& one = all.emplace_back(prometheus::MetricFamily{name, family.help, family.type, {}});
    for (const auto& [labels, histogram] : family.histograms) {
      ClientMetric& metric = one.metric.emplace_back();
      metric.label = labels;
      metric.histogram = histogram;
    }
    for (const auto& [labels, value] : family.values) {
      ClientMetric& metric = one.metric.emplace_back();
      metric.label = labels;
      (family.type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
    }
  }
  return prometheus::TextSerializer().Serialize(all);
}

void measure(Metrics& metrics, const std::string& route, const relay::Totals& totals,
             const std::vector<core::Ledger::Entry>& losses) {
  metrics.gauge("sessions", "Sessions that are open", {{"route", route}},
                static_cast<double>(totals.current_sessions()));
  metrics.count("sessions_opened", "Sessions opened", {{"route", route}}, totals.begun);
  for (std::size_t i = 0; i < relay::kReasons; ++i)
    metrics.count("sessions_ended", "Sessions that ended, and clients turned away, by reason",
                  {{"route", route}, {"reason", relay::text(static_cast<relay::Reason>(i))}}, totals.ended[i]);
  metrics.durations("session_opening_seconds", "Time from accepting a client until its session is open",
                    {{"route", route}}, relay::kOpeningBounds, totals.opening.in, totals.opening.sum);
  metrics.durations("session_seconds", "Length of sessions that were open and have ended", {{"route", route}},
                    relay::kSessionBounds, totals.length.in, totals.length.sum);
  traffic(metrics, route, wire::Way::kToServer, totals.to_server);
  traffic(metrics, route, wire::Way::kToClient, totals.to_client);
  for (std::size_t i = 0; i < relay::kDrops; ++i)
    metrics.count("datagrams_dropped", "Datagrams that were not passed on, by reason",
                  {{"route", route}, {"reason", relay::text(static_cast<relay::Drop>(i))}}, totals.dropped[i]);
  metrics.count("stalls", "Times that reading paused because the other peer was slow", {{"route", route}},
                totals.stalls);
  metrics.count("throttled", "Times that reading a client or a server paused because it exceeded a rate limit",
                {{"route", route}}, totals.throttled);
  metrics.gauge("sessions_held", "Players of bridges who lost their server, or found it full, and wait",
                {{"route", route}}, static_cast<double>(totals.held_now()));
  metrics.count("sessions_held", "Times that a player of a bridge lost the server, or found it full, and was kept",
                {{"route", route}}, totals.held);
  metrics.count("sessions_brought_back", "Times that such a player was brought back on a server", {{"route", route}},
                totals.brought_back);
  if (totals.http_connections != 0) measure_http(metrics, route, totals);
  metrics.count("sessions_moved", "Players who were moved to the server or arena of another route", {{"route", route}},
                totals.moved);
  metrics.count("server_bans", "Players banned by a server", {{"route", route}}, totals.server_bans);
  for (const wire::Way way : {wire::Way::kToServer, wire::Way::kToClient})
    for (std::size_t i = 0; i < relay::kLabFaults; ++i)
      if (const auto fault = static_cast<relay::LabFault>(i); totals.lab.at(way, fault) != 0)
        metrics.count("lab_faults", "Faults that the lab of a route has made on purpose",
                      {{"route", route}, {"direction", name_of(way)}, {"fault", relay::text(fault)}},
                      totals.lab.at(way, fault));
  metrics.count("log_lines_held_back", "Log lines that were delayed or only counted", {{"route", route}},
                totals.held_back_lines);
  metrics.count("facts_orphaned",
                "Facts that a bridge's room did not keep: about unknown players or units, or more than it holds",
                {{"route", route}}, totals.orphaned);
  for (const core::Ledger::Entry& one : losses)
    metrics.count("words_dropped", "What bridges did not forward, by word and reason, in sessions that ended",
                  {{"route", route}, {"what", one.what()}, {"reason", one.reason()}}, one.times);
}

void measure(Metrics& metrics, const std::string& route, const std::vector<relay::ProxyServer::UpstreamReport>& servers,
             std::size_t waiting) {
  metrics.gauge("sessions_waiting", "Sessions in the queue for a server", {{"route", route}},
                static_cast<double>(waiting));
  for (const relay::ProxyServer::UpstreamReport& one : servers) {
    const Metrics::Labels labels = {{"route", route}, {"server", one.name}};
    metrics.gauge("server_up", "1 if the server is up or was never tried, 0 if it is down", labels,
                  one.state == relay::Upstream::State::kDown ? 0 : 1);
    metrics.gauge("server_always_on", "1 if the server is checked, and Entente does not start and stop it", labels,
                  one.always_on ? 1 : 0);
    metrics.gauge("server_drained", "1 if the server gets no new sessions", labels, one.drained ? 1 : 0);
    metrics.gauge("server_sessions", "Sessions of the server", labels, one.sessions);
    metrics.count("server_sessions_opened", "Sessions that were sent to the server", labels, one.opened);
  }
}

void measure(Metrics& metrics, const std::string& route, const relay::TapThread::RoundTrips& round_trips) {
  metrics.durations("client_round_trip_seconds", "Time from a server's ping until the client's echo, measured here",
                    {{"route", route}}, relay::kRoundTripBounds, round_trips.in, round_trips.sum);
}

void measure(Metrics& metrics, const relay::DurationsOf<std::uint64_t, relay::kTurnBounds>& turns) {
  metrics.durations("turn_seconds", "Time from receiving until everything is sent on, of one turn of a worker in 16",
                    {}, relay::kTurnBounds, turns.in, turns.sum, 1e6);
}

void measure(Metrics& metrics, const relay::TapTotals& tap) {
  for (const relay::MessageCount& one : tap.messages) {
    const Metrics::Labels labels = {{"game", std::string(one.game)},
                                    {"dialect", std::string(one.dialect)},
                                    {"direction", name_of(one.way)},
                                    {"message", std::string(one.name)}};
    metrics.count("messages", "Messages that were decoded", labels, one.frames);
    metrics.count("message_bytes", "Bytes of messages that were decoded", labels, one.bytes);
  }
  for (const relay::FaultCount& one : tap.faults)
    metrics.count("faults", "Messages that did not decode, by fault and field",
                  {{"game", std::string(one.game)},
                   {"dialect", std::string(one.dialect)},
                   {"direction", name_of(one.way)},
                   {"what", std::string(one.what)},
                   {"field", std::string(one.field)}},
                  one.count);
  metrics.count("unseen", "Messages passed on, but neither decoded nor recorded, because Entente could not keep up", {},
                tap.dropped);
}

void measure(Metrics& metrics, const std::string& route, const relay::TapTotals& recording) {
  const Metrics::Labels labels = {{"route", route}};
  metrics.count("recorded_frames", "Frames that were recorded", labels, recording.recorded_frames);
  metrics.count("unrecorded_frames", "Frames that could not be recorded", labels,
                recording.unrecorded_frames + recording.dropped);
  metrics.count("unrecorded_bytes", "Bytes of frames, words and worlds that could not be recorded", labels,
                recording.unrecorded_bytes + recording.dropped_bytes);
  metrics.gauge("recording_bytes", "Size of the files that are being recorded", labels,
                static_cast<double>(recording.file_bytes));
  metrics.count("recording_files", "Files that recordings have begun", labels, recording.files);
  metrics.count("recording_rotations", "Files that were continued in a new one", labels, recording.rotations);
  metrics.count("recording_failures", "Files that could not be begun or completed", labels, recording.failed_rotations);
  metrics.count("recording_greetings", "Sessions that got no file, because their clients did no more than greet",
                labels, recording.greetings);
  metrics.gauge("recording_fails", "1 while the recording cannot be written, for example because the disk is full",
                labels, recording.recording_fails ? 1 : 0);
}

void measure_certificate(Metrics& metrics, const char* key, const std::string& route,
                         std::optional<std::int64_t> expires) {
  if (!expires) return;
  Metrics::Labels labels{{"key", key}};
  if (!route.empty()) labels.push_back({"route", route});
  metrics.gauge("certificate_expires_seconds", "When a certificate of the configuration expires, in seconds since 1970",
                std::move(labels), static_cast<double>(*expires));
}

void measure(Metrics& metrics, const Retention::Totals& kept) {
  metrics.gauge("recordings_kept", "Files of all recordings of this configuration", {}, static_cast<double>(kept.kept));
  metrics.gauge("recordings_kept_bytes", "Size of these files", {}, static_cast<double>(kept.kept_bytes));
  metrics.count("recordings_deleted", "Recordings that were deleted because of their age, or for space", {},
                kept.deleted);
  metrics.count("recordings_deleted_bytes", "Size of the recordings that were deleted", {}, kept.deleted_bytes);
}

void measure(Metrics& metrics, const std::vector<relay::Attendance::Row>& attendance, std::uint64_t orphaned) {
  for (const relay::Attendance::Row& row : attendance) {
    const Metrics::Labels labels = {{"game", row.game_dialect}};
    metrics.gauge("arena_players", "Players in arenas, by game", labels, static_cast<double>(row.present));
    metrics.count("arena_players_came", "Players who joined arenas, by game", labels, row.players);
    metrics.count("arena_kills", "Kills in arenas, by the killer's game", labels, row.kills);
    metrics.count("arena_deaths", "Deaths in arenas, by the victim's game", labels, row.deaths);
  }
  metrics.count("arena_facts_orphaned",
                "Facts that arenas did not keep: about unknown players or units, or more than they hold", {}, orphaned);
}

}  // namespace entente
