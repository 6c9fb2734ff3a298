#include "proxy/program/serve/service.h"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <utility>

#include "adapters/registry.h"
#include "proxy/net/service_manager.h"
#include "proxy/program/config/access.h"
#include "proxy/program/config/limits.h"
#include "proxy/program/config/route.h"
#include "proxy/program/config/web.h"
#include "proxy/program/control/control_bans.h"
#include "proxy/program/control/control_drain.h"
#include "proxy/program/control/control_server.h"
#include "proxy/program/control/control_servers.h"
#include "proxy/program/monitor/health.h"
#include "proxy/program/monitor/metrics.h"
#include "proxy/program/serve/signals.h"

namespace entente {
namespace {

/// Of recordings that begin by an order, on routes without `record`.
constexpr const char* kPattern = "{game}-{route}-{time}.mcap";

// A session needs two or three descriptors, and the usual soft limit is too low for thousands of sessions.
void use_all_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// "refused_bad_frame" for each reason with refusals. Blanks in the name become '_', and quotes are removed, for
/// scripts.
void add_refusals(const relay::Totals& totals, ReplyRow& row) {
  for (std::size_t i = 0; i < relay::kReasons; ++i) {
    const auto reason = static_cast<relay::Reason>(i);
    if (!relay::is_refusal(reason) || totals.by(reason) == 0) continue;
    std::string name = relay::text(reason);
    std::erase(name, '\'');
    std::replace(name.begin(), name.end(), ' ', '_');
    row.push_back(number_field("refused_" + name, totals.by(reason)));
  }
}

/// Whether an operator can give commands.
bool takes_commands(const config::Config& config) {
  return !config.control().socket().empty() || !config.operator_().listen().empty();
}

/// "1 route", "3 routes"
std::string counted(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void log_sockets_not_used() {
  for (const std::string& socket : net::passed_and_not_taken())
    spdlog::warn("the service manager passed a socket that no listener uses: {}", socket);
}

}  // namespace

Service::Service(const config::Config& config)
    : config_(config),
      taps_(config.recording(), [this] { give_up(); }),
      bans_(config.access().remember_bans_s()),
      kept_bans_(bans_, config.access().ban_file()),
      server_(config.workers(), events_),
      drainer_(server_, Millis{config.drain_s()} * 1000) {
  use_all_descriptors();
}

Outcome<relay::TapThread*> Service::tap(const std::string& pattern, std::string_view game) {
  const bool starts = !pattern.empty();
  if (!starts && !takes_commands(config_)) return taps_.counting();
  return taps_.recording({starts ? pattern : kPattern, std::string(game), routes_.size() + 1}, starts);
}

Outcome<relay::Listening> Service::add(relay::RouteOptions options, const std::string& name) {
  options.limits = limits_of(config_.limits());
  options.web.page = page_of(*options.game, options.listen_dialect.value_or(0));
  options.access.push_back(access_of(config_.access()));
  options.bans = &bans_;
  const auto added = server_.add(options);
  if (!added) return added.error();
  tell_page(options.web, added->address);
  const std::string where = added->address.port() != 0 ? " " + added->address.text() : "";
  relay::TapThread* recording = taps_.recording_of(options.tap);
  const auto tells_it = [&](const Route& route) { return route.recording == recording; };
  if (std::any_of(routes_.begin(), routes_.end(), tells_it)) recording = nullptr;
  const bool of_arena = options.bridge && options.bridge->shared_room;
  routes_.push_back({added->route, name + where, recording, options.bridge && !of_arena, of_arena});
  names_.push_back({added->route, name + where, std::string(options.game->name()),
                    of_arena ? options.servers.front().host : "", added->address});
  drainer_.add(added->route, name + where);
  return *added;
}

std::size_t Service::add_arena(const relay::SharedRoomOptions& options) {
  return arenas_.emplace_back(server_.add_shared_room(options));
}

Outcome<Done> Service::open_acceptors() {
  auto done = kept_bans_.load();
  if (done) done = open_control();
  if (done) done = open_metrics();
  if (done) done = open_operator_page();
  return done;
}

Outcome<Done> Service::open_metrics() {
  const std::string& listen = config_.metrics().listen();
  if (listen.empty()) return Done{};
  const auto at = net::Address::parse(listen);
  if (!at) return at.error();
  auto acceptor = net::HttpAcceptor::open(*at, [this](std::string_view path) { return answer(path); });
  if (!acceptor) return acceptor.error();
  metrics_acceptor_ = std::move(*acceptor);
  return Done{};
}

net::HttpAnswer Service::answer(std::string_view path) const {
  constexpr std::string_view kReady = "/ready";
  if (path == "/metrics") return {200, "text/plain; version=0.0.4; charset=utf-8", metrics()};
  if (path == "/live") return live_answer(server_);
  if (path == kReady) return ready("");
  if (path.starts_with("/ready/")) return ready(path.substr(kReady.size() + 1));
  return path == "/" ? index_page() : net::HttpAnswer{};
}

net::HttpAnswer Service::ready(std::string_view route) const {
  const auto routes = routes_called(names_, route);
  return routes ? ready_answer(server_, *routes, serving_) : net::HttpAnswer{};
}

Outcome<Done> Service::open_control() {
  if (!takes_commands(config_)) return Done{};
  add_server_commands(
      control_, server_, roster_, [this] { return names_; }, [this] { return statistics(); });
  add_servers_command(control_, server_, names_);
  add_ban_commands(control_, server_, roster_, bans_, kept_bans_);
  add_drain_commands(control_, server_, roster_, names_, drainer_);
  if (!recordables().empty()) add_record_commands(control_, [this] { return recordables(); });
  if (config_.control().socket().empty()) return Done{};
  auto acceptor = net::LocalAcceptor::open(
      config_.control().socket(), [this](auto line, const net::LocalPeer& by) { return control_.answer(line, by); });
  if (!acceptor) return acceptor.error();
  acceptor_ = std::move(*acceptor);
  return Done{};
}

Outcome<Done> Service::open_operator_page() {
  if (config_.operator_().listen().empty()) return Done{};
  auto page = OperatorPage::open(config_.operator_(), [this](std::string_view line, const std::string& by) {
    return control_.answer_json(line, by);
  });
  if (!page) return page.error();
  operator_page_ = std::move(*page);
  return Done{};
}

std::vector<Recordable> Service::recordables() const {
  std::vector<Recordable> all;
  for (std::size_t i = 0; i < routes_.size(); ++i)
    if (routes_[i].recording != nullptr) all.push_back({i + 1, routes_[i].name, routes_[i].recording});
  return all;
}

void Service::set_rules(const config::Config& config, const std::map<std::size_t, relay::Access>& own) {
  for (const Route& route : routes_) {
    server_.set_limits(route.number, limits_of(config.limits()));
    std::vector<relay::Access> access;
    if (const auto its = own.find(route.number); its != own.end()) access.push_back(its->second);
    access.push_back(access_of(config.access()));
    server_.set_access(route.number, std::move(access));
  }
}

std::string Service::metrics() const {
  Metrics all;
  for (const Route& route : routes_) {
    measure(all, route.name, server_.totals(route.number), server_.losses(route.number));
    measure(all, route.name, server_.servers(route.number), server_.waiting(route.number));
    if (route.recording == nullptr) continue;
    const relay::TapTotals recorded = route.recording->totals();
    if (recorded.recorded_ever()) measure(all, route.name, recorded);
  }
  for (const NamedRoute& route : names_)
    all.gauge("draining", "1 while the route takes no newcomers", {{"route", route.name}},
              server_.is_draining(route.number) ? 1 : 0);
  for (const relay::TapThread* tap : taps_.all()) measure(all, tap->totals());
  for (const std::size_t arena : arenas_) measure(all, server_.attendance(arena), server_.orphaned(arena));
  if (const auto kept = taps_.kept()) measure(all, *kept);
  if (operator_page_) operator_page_->measure(all);
  all.add_process();
  return all.text();
}

std::string Service::status() const {
  std::uint64_t players = 0;
  for (const Route& route : routes_) players += server_.totals(route.number).now();
  const auto arenas = static_cast<std::uint64_t>(
      std::count_if(routes_.begin(), routes_.end(), [](const Route& one) { return one.of_arena; }));
  std::string what;
  if (arenas < routes_.size() || arenas == 0) what = counted(routes_.size() - arenas, "route");
  if (!arenas_.empty()) what += (what.empty() ? "" : ", ") + counted(arenas_.size(), "arena");
  return "serving " + what + ", " + counted(players, "player") +
         (reload_failed_ ? "; the last reload failed, see the log" : "");
}

std::string Service::summary() const {
  std::string lines;
  for (const ReplyRow& row : statistics()) lines += record_text(row) + "\n";
  return lines;
}

/// A row for each route, and for each game whose players played in an arena.
std::vector<ReplyRow> Service::statistics() const {
  std::vector<ReplyRow> rows;
  for (const Route& route : routes_) rows.push_back(statistics(route));
  for (const std::size_t arena : arenas_)
    for (const relay::Attendance::Row& row : server_.attendance(arena)) {
      rows.push_back({text_field("played", row.speech), number_field("players", row.players),
                      number_field("present", row.present), number_field("kills", row.kills),
                      number_field("deaths", row.deaths), list_field("names", row.names)});
      if (row.players > row.names.size()) rows.back().back().text += ",…";
    }
  return rows;
}

std::uint64_t Service::undecoded(const Route& route) const {
  std::uint64_t sum = 0;
  for (const relay::TapThread* tap : taps_.all()) sum += tap->undecoded(route.number);
  return sum;
}

ReplyRow Service::statistics(const Route& route) const {
  const relay::Totals all = server_.totals(route.number);
  ReplyRow row = {text_field("served", route.name),
                  number_field("sessions", all.opened),
                  number_field("refused", all.refused()),
                  number_field("bytes", all.to_server.bytes + all.to_client.bytes),
                  number_field("messages", all.to_server.frames + all.to_client.frames),
                  number_field("datagrams", all.to_server.datagrams + all.to_client.datagrams),
                  number_field("dropped", std::accumulate(all.dropped.begin(), all.dropped.end(), 0ull)),
                  number_field("undecoded", undecoded(route))};
  std::uint64_t words_dropped = 0;
  for (const auto& one : server_.losses(route.number)) words_dropped += one.times;
  if (route.tells) row.push_back(number_field("words_dropped", words_dropped));
  const auto recorded = route.recording != nullptr ? route.recording->totals() : relay::TapTotals{};
  if (recorded.recorded_ever()) {
    row.push_back(number_field("recorded", recorded.recorded_frames));
    row.push_back(number_field("unrecorded", recorded.unrecorded_frames + recorded.dropped));
  }
  add_refusals(all, row);
  return row;
}

void Service::run(const std::function<void()>& announce) {
  const StopOnSignal signals(server_, drainer_);
  taps_.begin_retention();
  announce();
  if (metrics_acceptor_) {
    std::printf("metrics http://%s/metrics\n", metrics_acceptor_->address().text().c_str());
    std::fflush(stdout);
  }
  if (operator_page_) operator_page_->tell();
  log_sockets_not_used();
  notifier_ = std::make_unique<Notifier>(server_, [this] { return status(); });
  serving_ = true;
  server_.run();
  serving_ = false;
  notifier_->tell_stopping();
}

void Service::give_up() {
  gave_up_ = true;
  server_.stop();
}

void Service::abandon() {
  log_sockets_not_used();
  acceptor_.reset();
  metrics_acceptor_.reset();
  operator_page_.reset();
  taps_.abandon();
}

Outcome<Done> Service::close() {
  acceptor_.reset();
  metrics_acceptor_.reset();
  operator_page_.reset();
  auto closed = taps_.stop();
  notifier_.reset();
  if (closed.ok() && gave_up_) return Error{"stopped because a recording failed"};
  return closed;
}

}  // namespace entente
