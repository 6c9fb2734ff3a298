// The text of metrics.
#include "proxy/program/monitor/metrics.h"

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "proxy/net/named_thread.h"
#include "proxy/relay/base/reason.h"
#include "tests/program/asked.h"
#include "tests/program/source_tree.h"
#include "tests/support/paths.h"

namespace entente::metrics_test {
namespace {

TEST_CASE(
    "a histogram counts everything, also what is longer than its last bound, and adds up what has the same labels") {
  Metrics metrics;
  constexpr std::array<Millis, 2> kBounds{100, 1'000};
  constexpr std::array<std::uint64_t, 3> kCounts{1, 2, 4};
  const auto has = [&](const std::string& line) {
    return metrics.text().find("\nentente_length_seconds" + line + "\n") != std::string::npos;
  };
  metrics.durations("length_seconds", "Length", {{"route", "a"}}, kBounds, kCounts, 12'500, 1'000);
  CHECK(has(R"(_bucket{route="a",le="0.1"} 1)"));
  CHECK(has(R"(_bucket{route="a",le="1"} 3)"));
  CHECK(has(R"(_bucket{route="a",le="+Inf"} 7)"));
  CHECK(has(R"(_count{route="a"} 7)"));
  CHECK(has(R"(_sum{route="a"} 12.5)"));
  metrics.durations("length_seconds", "Length", {{"route", "a"}}, kBounds, kCounts, 500, 1'000);
  CHECK(has(R"(_bucket{route="a",le="1"} 6)"));
  CHECK(has(R"(_count{route="a"} 14)"));
  CHECK(has(R"(_sum{route="a"} 13)"));
}

TEST_CASE("the processors that the process may use are fewer than those of the machine, if it was limited to some") {
  Metrics metrics;
  bool limited = false;
  std::thread alone([&] {
    cpu_set_t all{}, one{};
    if (::sched_getaffinity(0, sizeof all, &all) != 0) return;
    std::size_t first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    CPU_SET(first, &one);
    limited = ::sched_setaffinity(0, sizeof one, &one) == 0;
    ThreadTimes times;
    metrics.add_threads(times);
  });
  alone.join();
  REQUIRE(limited);
  CHECK(metrics.text().find("\nentente_cores 1\n") != std::string::npos);
}

TEST_CASE(
    "the CPU time of a thread's name does not fall when the thread ends, and another one of its name adds to it") {
  ThreadTimes times;
  const std::string name = "brief";
  const auto use = [&](std::uint64_t more) {
    std::atomic<bool> ends{false};
    const std::uint64_t before = times.look()[name];
    auto thread = net::start_thread(name.c_str(), [&] {
      while (!ends) continue;
    });
    REQUIRE(thread.ok());
    std::uint64_t used = 0;
    const bool used_more = eventually([&] { return (used = times.look()[name]) >= before + more; });
    ends = true;
    thread->join();
    CHECK(used_more);
    CHECK(times.look()[name] >= used);
    return used;
  };
  const std::uint64_t once = use(3);
  CHECK(use(1) > once);
}

TEST_CASE("the CPU time of threads that cannot be read once, because no descriptor is left, is not counted twice") {
  ThreadTimes times;
  const auto of_this_one = [&] { return times.look()["worker 1"]; };
  std::uint64_t used = 0;
  while ((used = of_this_one()) < 20) continue;
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const int next = ::dup(STDOUT_FILENO);
  REQUIRE(next >= 0);
  ::close(next);
  // For no descriptor, and for that of the folder.
  for (const rlim_t left : {rlim_t{0}, rlim_t{1}}) {
    const rlimit few{static_cast<rlim_t>(next) + left, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
    const std::uint64_t unread = of_this_one();
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(unread == used);
    used = of_this_one();
    CHECK(used < unread + 20);
  }
}

TEST_CASE("the dashboard counts all ends of sessions but the ordinary ones as refused or failed") {
  const std::string dashboard =
      layout_test::text_of(layout_test::fs::path(testing::source_dir()) / "deploy/grafana.json");
  std::string ordinary;
  for (std::size_t i = 0; i < static_cast<std::size_t>(relay::Reason::kTooMany); ++i)
    ordinary += (i != 0 ? "|" : "") + std::string(relay::text(static_cast<relay::Reason>(i)));
  CHECK_MESSAGE(dashboard.find("reason!~\\\"" + ordinary + "\\\"") != std::string::npos, ordinary);
}

// -- What is measured -------------------------------------------------------------------------------------------------

/// Whether the text has this line, without "entente_".
bool has_line(const Metrics& metrics, const std::string& line) {
  return metrics.text().find("\nentente_" + line + "\n") != std::string::npos;
}

TEST_CASE("values with the same labels are added, others stay apart, and a counter's name ends with _total") {
  Metrics metrics;
  metrics.count("lines", "Lines", {{"route", "a"}}, 3);
  metrics.count("lines", "Lines", {{"route", "a"}}, 4);
  metrics.count("lines", "Lines", {{"route", "b"}}, 1);
  metrics.gauge("level", "Level", {}, 2.5);
  CHECK(has_line(metrics, "lines_total{route=\"a\"} 7"));
  CHECK(has_line(metrics, "lines_total{route=\"b\"} 1"));
  CHECK(has_line(metrics, "level 2.5"));
  const std::string text = metrics.text();
  CHECK(text.find("# TYPE entente_lines_total counter\n") != std::string::npos);
  CHECK(text.find("# TYPE entente_level gauge\n") != std::string::npos);
  CHECK(text.find("# HELP entente_lines_total Lines\n") != std::string::npos);
}

TEST_CASE("each counter of a route is its own metric, with the route's name") {
  relay::Totals totals;
  totals.begun = 30;
  totals.gone = 9;
  for (std::size_t i = 0; i < relay::kReasons; ++i) totals.ended[i] = 100 + i;
  for (std::size_t i = 0; i < relay::kDrops; ++i) totals.dropped[i] = 200 + i;
  totals.to_server = {1, 2, 3, 4};
  totals.to_client = {5, 6, 7, 8};
  totals.stalls = 10;
  totals.throttled = 11;
  totals.server_bans = 12;
  totals.held_back_lines = 13;
  totals.orphaned = 14;
  totals.held = 25;
  totals.holds_ended = 9;
  totals.brought_back = 8;
  totals.moved = 15;
  totals.opening.in[0] = 5;
  totals.opening.sum = 2'500;
  totals.length.in[1] = 6;
  totals.length.sum = 60'000;
  Metrics metrics;
  measure(metrics, "ctf", totals, {});
  const auto has = [&](const std::string& name, const std::string& value) {
    CHECK_MESSAGE(has_line(metrics, name + "{route=\"ctf\"} " + value), name << " is not " << value);
  };
  has("sessions", "21");
  has("sessions_opened_total", "30");
  has("stalls_total", "10");
  has("throttled_total", "11");
  has("server_bans_total", "12");
  has("log_lines_held_back_total", "13");
  has("facts_orphaned_total", "14");
  has("sessions_held", "16");
  has("sessions_held_total", "25");
  has("sessions_brought_back_total", "8");
  has("sessions_moved_total", "15");
  has("session_opening_seconds_count", "5");
  has("session_opening_seconds_sum", "2.5");
  has("session_seconds_count", "6");
  has("session_seconds_sum", "60");
  const auto by = [&](const std::string& name, const char* label, const std::string& of, std::size_t value) {
    const std::string labels = "{route=\"ctf\"," + std::string(label) + "=\"" + of + "\"} ";
    CHECK_MESSAGE(has_line(metrics, name + labels + std::to_string(value)), name << labels << value);
  };
  for (std::size_t i = 0; i < relay::kReasons; ++i)
    by("sessions_ended_total", "reason", relay::text(static_cast<relay::Reason>(i)), 100 + i);
  for (std::size_t i = 0; i < relay::kDrops; ++i)
    by("datagrams_dropped_total", "reason", relay::text(static_cast<relay::Drop>(i)), 200 + i);
  const char* const kTraffic[] = {"stream_bytes_total", "stream_frames_total", "datagrams_total",
                                  "datagram_bytes_total"};
  for (std::size_t i = 0; i < 4; ++i) {
    by(kTraffic[i], "direction", "to_server", 1 + i);
    by(kTraffic[i], "direction", "to_client", 5 + i);
  }
}

TEST_CASE("HTTP of a WebSocket listener and faults of a lab are measured only where there were some") {
  Metrics without;
  measure(without, "a", relay::Totals(), {});
  CHECK(without.text().find("http_") == std::string::npos);
  CHECK(without.text().find("lab_faults") == std::string::npos);
  relay::Totals totals;
  totals.http_connections = 9;
  totals.http_found = 3;
  totals.http_missing = 2;
  totals.http_later = 1;
  totals.lab.by[0][0] = 4;
  totals.lab.by[1][1] = 5;
  Metrics metrics;
  measure(metrics, "a", totals, {});
  CHECK(has_line(metrics, "http_connections_total{route=\"a\"} 9"));
  CHECK(has_line(metrics, "http_requests_total{route=\"a\",found=\"yes\"} 3"));
  CHECK(has_line(metrics, "http_requests_total{route=\"a\",found=\"no\"} 2"));
  CHECK(has_line(metrics, "http_requests_total{route=\"a\",found=\"later\"} 1"));
  const std::string first = relay::text(static_cast<relay::LabFault>(0)),
                    second = relay::text(static_cast<relay::LabFault>(1));
  const auto way = [&](std::size_t index) {
    return totals.lab.at(wire::Way::kToServer, static_cast<relay::LabFault>(index)) != 0 ? "to_server" : "to_client";
  };
  CHECK(has_line(metrics,
                 "lab_faults_total{route=\"a\",direction=\"" + std::string(way(0)) + "\",fault=\"" + first + "\"} 4"));
  CHECK(has_line(metrics,
                 "lab_faults_total{route=\"a\",direction=\"" + std::string(way(1)) + "\",fault=\"" + second + "\"} 5"));
}

TEST_CASE("a server that was never tried counts as up, and each has its own state") {
  using State = relay::Upstream::State;
  Metrics metrics;
  measure(metrics, "a",
          {{.name = "one", .state = State::kUp, .drained = true, .sessions = 3, .opened = 7},
           {.name = "two", .state = State::kDown, .always_on = true},
           {.name = "three", .state = State::kUnknown}},
          5);
  const auto has = [&](const std::string& name, const std::string& server, int value) {
    CHECK(has_line(metrics, name + "{route=\"a\",server=\"" + server + "\"} " + std::to_string(value)));
  };
  CHECK(has_line(metrics, "sessions_waiting{route=\"a\"} 5"));
  has("server_up", "one", 1);
  has("server_up", "two", 0);
  has("server_up", "three", 1);
  has("server_drained", "one", 1);
  has("server_drained", "two", 0);
  has("server_always_on", "one", 0);
  has("server_always_on", "two", 1);
  has("server_sessions", "one", 3);
  has("server_sessions_opened_total", "one", 7);
}

TEST_CASE("what a tap has decoded, missed and recorded is measured, each by itself") {
  relay::TapTotals tap;
  tap.messages = {{}};
  tap.messages[0].game = "toy";
  tap.messages[0].dialect = "big";
  tap.messages[0].name = "Hello";
  tap.messages[0].way = wire::Way::kToClient;
  tap.messages[0].frames = 3;
  tap.messages[0].bytes = 40;
  tap.faults = {{}};
  tap.faults[0].game = "toy";
  tap.faults[0].dialect = "big";
  tap.faults[0].way = wire::Way::kToServer;
  tap.faults[0].what = "too short";
  tap.faults[0].field = "x";
  tap.faults[0].count = 2;
  tap.dropped = 9;
  tap.dropped_bytes = 100;
  Metrics metrics;
  measure(metrics, tap);
  const std::string of = "{game=\"toy\",dialect=\"big\",direction=\"to_client\",message=\"Hello\"} ";
  CHECK(has_line(metrics, "messages_total" + of + "3"));
  CHECK(has_line(metrics, "message_bytes_total" + of + "40"));
  CHECK(has_line(metrics,
                 "faults_total{game=\"toy\",dialect=\"big\",direction=\"to_server\",what=\"too short\",field="
                 "\"x\"} 2"));
  CHECK(has_line(metrics, "unseen_total 9"));
  tap.recorded_frames = 11;
  tap.unrecorded_frames = 12;
  tap.unrecorded_bytes = 13;
  tap.file_bytes = 14;
  tap.files = 15;
  tap.rotations = 16;
  tap.failed_rotations = 17;
  tap.greetings = 18;
  measure(metrics, "ctf", tap);
  const auto has = [&](const std::string& name, int value) {
    CHECK_MESSAGE(has_line(metrics, name + "{route=\"ctf\"} " + std::to_string(value)), name);
  };
  has("recorded_frames_total", 11);
  has("unrecorded_frames_total", 12 + 9);  // what was never seen was not recorded, either
  has("unrecorded_bytes_total", 13 + 100);
  has("recording_bytes", 14);
  has("recording_files_total", 15);
  has("recording_rotations_total", 16);
  has("recording_failures_total", 17);
  has("recording_greetings_total", 18);
  has("recording_fails", 0);
  tap.recording_fails = true;
  Metrics fails;
  measure(fails, "ctf", tap);
  CHECK(has_line(fails, "recording_fails{route=\"ctf\"} 1"));
}

TEST_CASE("kept recordings, arenas and certificates are measured") {
  Metrics metrics;
  measure(metrics, Retention::Totals{.deleted = 1, .deleted_bytes = 2, .kept = 3, .kept_bytes = 4});
  CHECK(has_line(metrics, "recordings_deleted_total 1"));
  CHECK(has_line(metrics, "recordings_deleted_bytes_total 2"));
  CHECK(has_line(metrics, "recordings_kept 3"));
  CHECK(has_line(metrics, "recordings_kept_bytes 4"));
  relay::Attendance::Row row;
  row.game_dialect = "toy big";
  row.players = 5;
  row.present = 6;
  row.kills = 7;
  row.deaths = 8;
  measure(metrics, {row}, 9);
  CHECK(has_line(metrics, "arena_players{game=\"toy big\"} 6"));
  CHECK(has_line(metrics, "arena_players_came_total{game=\"toy big\"} 5"));
  CHECK(has_line(metrics, "arena_kills_total{game=\"toy big\"} 7"));
  CHECK(has_line(metrics, "arena_deaths_total{game=\"toy big\"} 8"));
  CHECK(has_line(metrics, "arena_facts_orphaned_total 9"));
  measure_certificate(metrics, "cert", "ctf", 1'800'000'000);
  measure_certificate(metrics, "fleet.cert", "", 1'800'000'001);
  measure_certificate(metrics, "ca", "ctf", std::nullopt);
  CHECK(metrics.text().find("entente_certificate_expires_seconds{key=\"cert\",route=\"ctf\"} 1") != std::string::npos);
  CHECK(metrics.text().find("entente_certificate_expires_seconds{key=\"fleet.cert\"} 1") != std::string::npos);
  CHECK(metrics.text().find("key=\"ca\"") == std::string::npos);
}

TEST_CASE("turns are measured in microseconds, round trips in milliseconds, both shown in seconds") {
  Metrics metrics;
  relay::DurationsOf<std::uint64_t, relay::kTurnBounds> turns;
  turns.in[0] = 2;
  turns.in.back() = 1;
  turns.sum = 1'500'000;
  measure(metrics, turns);
  CHECK(has_line(metrics, "turn_seconds_bucket{le=\"5e-05\"} 2"));
  CHECK(has_line(metrics, "turn_seconds_count 3"));
  CHECK(has_line(metrics, "turn_seconds_sum 1.5"));
  relay::TapThread::RoundTrips trips;
  trips.in[1] = 4;
  trips.sum = 500;
  measure(metrics, "ctf", trips);
  CHECK(has_line(metrics, "client_round_trip_seconds_bucket{route=\"ctf\",le=\"0.01\"} 0"));
  CHECK(has_line(metrics, "client_round_trip_seconds_bucket{route=\"ctf\",le=\"0.025\"} 4"));
  CHECK(has_line(metrics, "client_round_trip_seconds_sum{route=\"ctf\"} 0.5"));
}

}  // namespace
}  // namespace entente::metrics_test
