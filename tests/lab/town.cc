#include "tests/lab/town.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/lab/kernel/disk.h"

namespace entente::lab {
namespace {

constexpr std::size_t kMostWorkers = 3;
constexpr Nanos kLinger = 10 * kSecond;  // a session that has ended may take so long to go

// Bytes on the heap of the proxy. The bounds of the manual (proxy/manual/bounds.md) are for peers that do their worst;
// these are four times what was measured, so that a queue that grows is noticed.
constexpr std::size_t kKiB = 1024, kMiB = 1024 * kKiB;
constexpr std::size_t kAtRest = 512 * kKiB, kEver = kMiB;  // for each session
constexpr std::size_t kMap = 8 * kMiB;                     // a map of Ace of Spades
constexpr std::size_t kAfterwards = 512 * kKiB;            // without sessions
constexpr std::size_t kTap = 2 * kMiB;                     // more, for the chunk that is being recorded
constexpr std::size_t kMapsToRecord = 128 * kMiB;          // for each worker, while the disk is slow (`buffer_mb`)
constexpr std::size_t kLeftAtEnd = kMiB;                   // of all programs: tables that are made once

}  // namespace

Town::Town(Plan& plan, Verdict& verdict)
    : Games(plan, verdict, 4),
      records_(plan.has("recording", 0.6)),
      few_places_(plan.has("few places", 0.3)),
      slow_disk_(plan.has("slow disk", 0.3)),
      proxy_({"proxy", kProxyHost, plan.draw("workers").number(1, kMostWorkers), &told_,
              [this](auto& its) { return open_proxy(its); }, [this](const auto& its) { sum_up(its); }}) {}

// -- The programs -----------------------------------------------------------------------------------------------------

relay::RouteOptions Town::through(const Way& way) {
  relay::RouteOptions options;
  if (way.into_arena) {
    options = route_into(way.clients, way.bound(), lobby_, "lobby");
  } else {
    options = route_to(way.clients, way.bound(), way.server, way.to);
    options.upstream.hold_ms = way.hold / kMilli;
    if (way.hold != 0) options.upstream.check_ms = 5'000;
    if (way.plays_meanwhile && way.hold != 0 && options.bridge) options.bridge->while_down = way_into("lobby");
  }
  options.name = way.name;
  options.tap = records_ ? static_cast<relay::Tap*>(&recorded_) : &followed_;
  options.announce = !options.bridge;
  if (few_places_) options.limits.sessions = options.limits.sessions_per_address = 8;
  return options;
}

bool Town::open_proxy(relay::ProxyServer& server) {
  told_.refusals = {};
  if (records_)
    recorded_.begin();
  else
    followed_.begin_life();
  lobby_ = server.add_shared_room(arena("lobby", 32));
  for (Way& way : ways_) {
    const auto added = server.add(through(way));
    if (!added) return wrong("the proxy does not start: " + added.error().text), false;
    way.routes = {added->route};
    if (way.plays_meanwhile) server.set_while_down_room(added->route, lobby_);
  }
  return true;
}

Way& Town::way_of(std::size_t route) {
  return *std::find_if(ways_.begin(), ways_.end(), [&](const Way& one) {
    return std::find(one.routes.begin(), one.routes.end(), route) != one.routes.end();
  });
}

// -- A life -----------------------------------------------------------------------------------------------------------

void Town::live() {
  Disk& disk = kernel().disk();
  disk.faults.short_write = plan_.often("short writes to the disk", 0.5);
  disk.faults.interrupt = plan_.often("interrupted writes to the disk", 0.2);
  disk.faults.fail = plan_.often("errors of the disk", 0.05, 0.2);
  if (slow_disk_) disk.faults.slow = plan_.draw("slow disk").time(1, 2'000);
  put_certificate(1);
  if (!server_.start() || !proxy_.start() || !players_.start()) return;
  std::thread keeping([this] { keep_players(); });
  std::vector<std::thread> acting;
  for (const Act& act : acts()) acting.emplace_back([this, act] { carry_out(act); });
  sleep(plan_.draw("length").time(5'000, 90'000));
  for (std::thread& one : acting) one.join();

  plan_.tell("all is calm");
  kernel().faults = Faults();
  kernel().disk().faults = {};
  await_all(true);
  over_ = true;
  keeping.join();
  rest();
  check_sights();
  check_memory_at_rest();
  if (!close()) return;
  check_reasons();
  if (records_) recorded_.check();
}

/// Ends the programs. False: one did not end.
bool Town::close() {
  std::vector<Program*> all{&players_, &proxy_, &server_};
  if (proxy_first_) std::swap(all[0], all[1]);
  std::size_t left = 0;
  for (Program* one : all) {
    if (one == &proxy_ && !proxy_first_) {
      kernel().wait([this] { return followed_.open() == 0; }, kernel().now() + kStopsWithin);
      if (followed_.open() != 0) wrong(std::to_string(followed_.open()) + " sessions go on without their players");
      sleep(kLinger);
      check_memory_without_players();
    }
    plan_.tell("stopping " + one->name());
    if (!one->stop(kStopsWithin)) return wrong(one->name() + " does not stop"), false;
    left += one->heap_left();
    if (const auto files = kernel().open_files(one->number()); files != 0)
      wrong(one->name() + " leaves " + std::to_string(files) + " descriptors");
    if (one != &proxy_) continue;
    if (proxy_first_) await_players_told();
    await_server_told(players_.runs() ? 1 : 0);
  }
  if (left > kLeftAtEnd + (has_maps() ? 2 * kMap : 0))
    wrong("programs that have ended leave " + std::to_string(left) + " bytes");
  return true;
}

// -- What must hold ---------------------------------------------------------------------------------------------------

/// What the proxy may keep without sessions. A worker keeps the last map for the next client.
std::size_t Town::kept() const { return kAfterwards + (records_ ? kTap : 0) + (has_maps() ? kMostWorkers * kMap : 0); }

/// What the program has for its sessions, at rest and at any time before.
void Town::check_memory_at_rest() {
  const std::size_t start = proxy_.heap_at_start(), now = proxy_.heap(), most = most_heap_of(proxy_.number());
  const std::size_t sessions = followed_.open(), most_sessions = followed_.most_open();
  const std::size_t each = has_maps() ? kMap : 0;
  plan_.tell("memory: " + std::to_string(start) + " bytes at the start, " + std::to_string(now) + " with " +
             std::to_string(sessions) + " sessions at rest, at most " + std::to_string(most) + " with " +
             std::to_string(most_sessions));
  if (now > start + kept() + sessions * (kAtRest + each))
    wrong("the proxy has " + std::to_string(now - start) + " bytes more than at its start, with " +
          std::to_string(sessions) + " sessions at rest");
  const std::size_t waits = records_ && slow_disk_ && has_maps() ? kMostWorkers * kMapsToRecord : 0;
  if (most > start + kept() + waits + most_sessions * (kEver + each))
    wrong("the proxy had " + std::to_string(most - start) + " bytes more than at its start, with " +
          std::to_string(most_sessions) + " sessions");
}

/// Everybody has left: the program is as it was at its start, but for tables that stay large.
void Town::check_memory_without_players() {
  const std::size_t start = proxy_.heap_at_start(), now = proxy_.heap();
  plan_.tell("memory: " + std::to_string(now) + " bytes without players");
  if (now > start + kept())
    wrong("the proxy has " + std::to_string(now - start) + " bytes more than at its start, without players");
}

/// Who keeps the rules is not accused of breaking them.
void Town::check_reasons() {
  using relay::Reason;
  constexpr Reason kAccusing[] = {Reason::kBadFrame,        Reason::kProtocolFault,  Reason::kBadRequest,
                                  Reason::kDialectMismatch, Reason::kDialectUnknown, Reason::kClientDialect,
                                  Reason::kBanned,          Reason::kNotAllowed,     Reason::kNotProxy};
  for (const auto& [link, session] : followed_.sessions()) {
    if (host_at(place(session.client)) != kPlayerHost) continue;
    const bool accused = std::any_of(std::begin(kAccusing), std::end(kAccusing),
                                     [&its = session](Reason one) { return its.reason == text(one); });
    const bool accuses = !lied_ && session.reason == text(Reason::kServerProtocolError);
    if (accused || accuses)
      wrong("life " + std::to_string(link.first) + ", route " + std::to_string(session.route) +
            ": a session ended: " + session.reason);
  }
}

/// The proxy has stopped.
void Town::sum_up(const relay::ProxyServer& proxy) {
  if (records_) recorded_.end();
  std::array<std::uint64_t, relay::kReasons> counted{};
  for (const Way& way : ways_)
    for (const std::size_t route : way.routes) {
      const relay::Totals totals = proxy.totals(route);
      check_totals(totals, way.name, verdict_);
      for (std::size_t reason = 0; reason < relay::kReasons; ++reason) counted[reason] += totals.ended[reason];
    }
  for (std::size_t i = 0; i < relay::kReasons; ++i)
    if (const auto reason = static_cast<relay::Reason>(i); relay::is_refusal(reason) && counted[i] != told_.refusals[i])
      wrong(std::string(text(reason)) + ": " + std::to_string(counted[i]) + " refusals were counted, and " +
            std::to_string(told_.refusals[i]) + " told");
}

void simulate_games(Plan& plan, Verdict& verdict) {
  Faults faults = some_faults(plan);
  faults.lose = plan.often("losses", 0.2);
  faults.repeat = plan.often("repeats", 0.2);
  // The milliseconds overflow 32 bits.
  const Nanos began = plan.has("clock overflows", 0.3) ? ((Nanos{1} << 32U) - 20'000) * kMilli : kSecond;
  Kernel simulated(plan.seed(), faults, began);
  Town town(plan, verdict);
  simulate(simulated, plan, verdict, [&] { town.live(); });
  verdict.sessions = town.sessions();
}

}  // namespace entente::lab
