#include "proxy/program/serve/service.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

#include "adapters/registry.h"
#include "proxy/base/text.h"
#include "proxy/net/process/own_program.h"
#include "proxy/net/service_manager.h"
#include "proxy/net/socket.h"
#include "proxy/net/udp_twin.h"
#include "proxy/program/base/counted.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/control/arguments.h"
#include "proxy/program/control/control_access.h"
#include "proxy/program/control/control_bans.h"
#include "proxy/program/control/control_drain.h"
#include "proxy/program/control/control_lab.h"
#include "proxy/program/control/control_move.h"
#include "proxy/program/control/control_server.h"
#include "proxy/program/control/control_servers.h"
#include "proxy/program/control/older_orders.h"
#include "proxy/program/log/log.h"
#include "proxy/program/log/log_format.h"
#include "proxy/program/log/say.h"
#include "proxy/program/monitor/health.h"
#include "proxy/program/monitor/metrics.h"
#include "proxy/program/serve/signals.h"
#include "proxy/program/settings/access.h"
#include "proxy/program/settings/route.h"
#include "proxy/program/settings/web.h"
#include "proxy/program/take_over/older_sockets.h"
#include "proxy/program/take_over/socket_name.h"
#include "proxy/program/take_over/take_over.h"

namespace entente {
namespace {

/// The file name of recordings that an operator starts on routes without `record`.
constexpr const char* kPattern = "{game}-{route}-{time}.mcap";

// A session needs two or three descriptors, and the usual soft limit is too low for thousands of sessions.
void use_all_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

constexpr const char* kAboutUpgrade =
    "Starts the program anew, as it is installed now, with the same arguments. The new process takes the newcomers; "
    "this "
    "one serves its players to their end.";

constexpr Millis kOlderEvery = 3'000;     // how often processes from before an upgrade are asked for their sessions
constexpr Millis kTellAgain = 1'000;      // after the process that has taken over was being replaced itself
constexpr std::size_t kLongestWhy = 300;  // bytes of an error in the status line

/// How long to wait at a stop until NATS has stored the ends of recordings.
constexpr Millis kUploadsLast = 5'000;

/// Link numbers reserved for clients that were accepted before a take-over and have no number yet.
constexpr relay::LinkId kLinksOnTheWay = 1000;

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

/// Whether the ban file has the same line for both. REQUIRES: they have the same network.
bool share_a_line(const relay::Ban& one, const relay::Ban& other) {
  constexpr std::time_t kRounding = 1;  // seconds: each process rounds the time by which the wall clock is ahead
  return std::abs(one.until - other.until) <= kRounding && one.why == other.why;
}

/// Whether an operator can give commands.
bool takes_commands(const config::Config& config) {
  return !config.control().socket().empty() || !config.operator_().listen().empty();
}

/// `of`: "route ctf" or "arena 'lobby'".
relay::News news_of_rule(const std::string& of, const std::string& rule, const std::string& why) {
  constexpr std::string_view kRoute = "route ", kArena = "arena '";
  if (!of.starts_with(kArena)) return relay::rule_off(of.substr(std::min(of.size(), kRoute.size())), "", rule, why);
  return relay::rule_off("", of.substr(kArena.size(), of.size() - kArena.size() - 1), rule, why);
}

void log_sockets_not_used() {
  for (const std::string& socket : net::passed_by_manager_and_not_taken())
    log_warn("the service manager passed a socket that no listener uses: {}", socket);
}

void warn_of_lab(const std::string& route, const relay::LabPlan& lab, wire::Transport transport) {
  log_warn("{}: the lab makes faults on purpose: {}", route, screen_text(lab.text()));
  if (const std::string idle = lab.without_effect(transport); !idle.empty()) log_warn("{}: {}", route, idle);
}

}  // namespace

Service::Service(const config::Config& config)
    : config_(config),
      taps_(config.recording(), [this] { give_up(); }),
      bans_(config.access().remember_bans_s()),
      kept_bans_(bans_, listed_, config.access().ban_file(), files_),
      server_(config.workers(), events_),
      drainer_(server_, Millis{config.drain_s()} * 1000, housekeeping_) {
  use_all_descriptors();
  set_general(config);
  taps_.tell(told_by_taps());
  rule_orders_.when_switched_off([this](const std::string& of, const std::string& rule, const std::string& why) {
    if (hooks_.wants(relay::NewsKind::kRuleOff)) hooks_.post(news_of_rule(of, rule, why));
  });
}

// -- What hooks are told ----------------------------------------------------------------------------------------------

/// A room knows its players itself; of a relay's sessions, taps know them.
Taps::Told Service::told_by_taps() {
  using relay::NewsField, relay::NewsKind;
  const auto is_of_relay = [this](const relay::LinkInfo& info) {
    return info.session == 0 && !info.health_check && !server_.options(info.route)->bridge;
  };
  Taps::Told told;
  told.joined = [this, is_of_relay](const relay::LinkInfo& info, const std::string& player) {
    if (is_of_relay(info)) hooks_.post(server_.news_of(NewsKind::kJoin, info, player));
  };
  told.left = [this, is_of_relay](const relay::LinkInfo& info, const std::string& player, std::string_view reason,
                                  WallTime length) {
    if (is_of_relay(info))
      hooks_.post(server_.news_of(NewsKind::kLeave, info, player)
                      .set(NewsField::kReason, std::string(reason))
                      .set(NewsField::kSeconds, length / 1'000'000'000));
  };
  told.completed = [this](const std::string& route, const std::string& file) {
    if (!hooks_.wants(NewsKind::kRecordingFinished)) return;
    std::error_code none;  // a recording that is only in the fleet has no file
    const auto bytes = std::filesystem::file_size(file, none);
    hooks_.post(relay::News(NewsKind::kRecordingFinished)
                    .set(NewsField::kRoute, route)
                    .set(NewsField::kFile, file)
                    .set(NewsField::kBytes, none ? 0 : static_cast<std::uint64_t>(bytes)));
  };
  return told;
}

void Service::tell_ban(const relay::Ban& ban) {
  // The process that has taken over is told of all bans but servers', and tells of them.
  if (!hand_over_.given() || ban.by_server) post_ban(ban);
}

void Service::post_ban(const relay::Ban& ban) {
  using relay::NewsField, relay::NewsKind;
  if (!hooks_.wants(NewsKind::kBan)) return;
  const std::time_t lasts = ban.until == relay::Ban::kForGood ? 0 : ban.until - std::time(nullptr);
  hooks_.post(relay::News(NewsKind::kBan)
                  .set(NewsField::kNetwork, ban.who.text())
                  .set(NewsField::kSeconds, static_cast<std::uint64_t>(std::max<std::time_t>(lasts, 0)))
                  .set(NewsField::kReason, ban.why)
                  .set(NewsField::kBy, ban.by_server ? "server"
                                       : ban.by_rule ? "rule"
                                                     : "operator")
                  .set(NewsField::kWhere, ban.where));
}

/// Its listeners that take players now.
std::vector<PublicServer> Service::public_servers(const std::string& of) const {
  std::vector<PublicServer> all;
  if (!serving_ || server_.stopping()) return all;
  for (const ServedRoute& route : routes_.served()) {
    const NamedRoute& its = route.named;
    if ((its.name != of && its.room != of) || its.listener.port() == 0 || server_.is_draining(its.number)) continue;
    PublicServer server{its.name, its.game, server_.options(its.number)->listen_dialect,
                        server_.port_for_players(its.number)};
    server.players = static_cast<std::uint32_t>(server_.totals(route.numbers()).current_sessions());
    const std::uint32_t sessions = server_.most_sessions(its.number);
    server.most_players = route.seats == 0 || sessions == 0 ? route.seats + sessions : std::min(route.seats, sessions);
    server.map = its.room.empty() ? of : its.room;
    server.mode = route.of_arena() ? "arena" : "game";
    all.push_back(std::move(server));
  }
  return all;
}

void Service::take_over_failed(const std::string& why) {
  hooks_.post(relay::News(relay::NewsKind::kUpgradeFailed).set(relay::NewsField::kReason, why));
}

Outcome<Done> Service::join_fleet() {
  if (!is_in_fleet(config_)) return Done{};
  auto fleet = Fleet::join(config_.fleet());
  if (!fleet) return fleet.error();
  fleet_ = std::move(*fleet);
  if (config_.recording().to_fleet() == config::Recording::no) return Done{};
  uploads_ = std::make_unique<RecordingUploads>(*fleet_, Millis{config_.recording().fleet_keep_s()} * 1'000);
  taps_.upload_by([this](const std::string& path) { return uploads_->begin(path); });
  return Done{};
}

Outcome<relay::TapThread*> Service::tap(const std::string& pattern, std::string_view game, std::size_t position,
                                        const std::string& name) {
  const bool starts = !pattern.empty();
  if (!starts && !takes_commands(config_)) return taps_.counting();
  return taps_.recording({starts ? pattern : kPattern, std::string(game), position, name}, starts);
}

void Service::discard(relay::TapThread& tap) {
  if (taps_.recording_of(&tap) == nullptr) return;
  taps_.discard(tap, [this] { settle(); });
}

void Service::end_retired_taps() {
  taps_.end_retired([this] { settle(); });
}

/// Returns once no worker uses what it has used before.
void Service::settle() {
  if (serving_) server_.wait_for_workers();
}

/// The options of a route, with what is this service's own.
relay::RouteOptions Service::connected(const Added& route) {
  relay::RouteOptions options = route.description->options;
  options.tap = route.tap;
  options.bans = &bans_;
  if (options.upstream.hold_ms != 0)
    for (relay::UpstreamOptions& server : options.servers) server.slots = slot_queues_.of(server);
  // A server must not be stopped while another process, or a route from before a reload, may have players on it.
  options.upstream.launch.may_stop = [this] {
    return !hand_over_.given() && !server_.has_retired_sessions() && (older_beside_.empty() || !older_may_be_there_);
  };
  return options;
}

Outcome<relay::Listening> Service::add(RouteDescription description, relay::Tap* tap) {
  const auto added = change({{std::make_shared<const RouteDescription>(std::move(description)), tap}}, {});
  if (!added) return added.error();
  return added->front();
}

Outcome<std::vector<relay::Listening>> Service::change(const std::vector<Added>& added,
                                                       const std::vector<std::size_t>& retired) {
  relay::RouteChanges changes;
  for (const Added& one : added) changes.added.push_back({connected(one), one.instead_of});
  changes.retired = retired;
  std::map<std::size_t, std::string> names;
  for (const NamedRoute& one : routes_.names()) names[one.number] = one.name;
  auto listening = server_.change(changes);
  if (!listening) return listening;
  for (std::size_t i = 0; i < added.size(); ++i) {
    serve(added[i], (*listening)[i]);
    if (added[i].instead_of) retire(*added[i].instead_of, names[*added[i].instead_of], {});
  }
  for (const std::size_t number : retired) {
    if (drain_time())
      for (const std::size_t older : numbers_of(number))
        if (older != number) drainer_.limit(older, drain_time());
    routes_.retire(number);
    retire(number, names[number], drain_time());
  }
  return listening;
}

void Service::set_lab(std::size_t route, const std::shared_ptr<const relay::LabPlan>& lab) {
  for (const ListedRoute& one : routes_.listed()) {
    if (std::find(one.numbers.begin(), one.numbers.end(), route) == one.numbers.end()) continue;
    for (const std::size_t number : one.numbers) server_.set_lab(number, lab);
    const bool goes_on = !one.retired && one.named.number == route;  // a route that begins was told of
    if (lab && goes_on) warn_of_lab(one.named.name, *lab, server_.options(route)->game->transport());
  }
}

void Service::serve(const Added& route, const relay::Listening& at) {
  const RouteDescription& its = *route.description;
  const relay::RouteOptions& options = its.options;
  log_page_address(options.web, at.address);
  const std::string name = its.named(at.address);
  const bool of_arena = options.bridge && options.bridge->shared_room;
  ServedRoute served{
      {at.route, name, std::string(options.game->name()), of_arena ? options.servers.front().host : "", at.address},
      its.position,
      taps_.recording_of(route.tap),
      options.bridge && !of_arena,
      {},
      its.seats};
  served.for_players = at.address.port() != 0 && !its.watch;
  if (options.lab) warn_of_lab(name, *options.lab, options.game->transport());
  const bool drained = !route.instead_of && is_drained(served, its.watch);
  drainer_.add(at.route, name, route.instead_of);
  if (drained) {
    drainer_.drain(at.route, std::nullopt);
    log_info("{} is added, and drained as the others are", name);
  }
  if (!route.instead_of) keep_older(served.named);
  routes_.add(std::move(served), route.instead_of);
}

/// Whether an operator drains what a new listener belongs to: all routes, or all listeners of its arena.
bool Service::is_drained(const ServedRoute& added, bool watch) const {
  if (added.named.listener.port() == 0) return false;  // an observer's
  const auto all_drain = [this](const auto& counts) {
    std::size_t all = 0, drained = 0;
    for (const ServedRoute& one : routes_.served())
      if (one.named.listener.port() != 0 && counts(one)) ++all, drained += server_.is_draining(one.named.number);
    return all != 0 && drained == all;
  };
  if (all_drained_ && all_drain([](const ServedRoute&) { return true; })) return true;
  return added.of_arena() && !watch &&
         all_drain([&](const ServedRoute& one) { return one.named.room == added.named.room; });
}

Drainer::Time Service::drain_time() const {
  return config_.drain_s() > 0 ? Drainer::Time(Millis{config_.drain_s()} * 1000) : Drainer::Time();
}

/// The route gets no more newcomers.
void Service::retire(std::size_t number, const std::string& name, Drainer::Time time) {
  const bool tells = sessions(number) != 0;
  drainer_.retire(number, time, [=, this] {
    if (tells) log_info("the last session of {} that began before a reload has ended", name);
    over(number);
  });
}

std::vector<std::size_t> Service::numbers_of(std::size_t number) const {
  for (const ServedRoute& one : routes_.served())
    if (one.named.number == number) return one.numbers();
  return {number};
}

void Service::keep_older(const NamedRoute& route) {
  for (const ServedRoute& older : routes_.retired()) {
    if (older.named.name != route.name) continue;
    const auto numbers = older.numbers();
    for (const std::size_t number : numbers) drainer_.keep(number);
    if (const auto there = server_.totals(numbers).current_sessions(); there != 0)
      log_info("{} is back; {}", route.name, sessions_go_on(there));
  }
}

void Service::over(std::size_t number) {
  const auto route = routes_.forget(number);
  if (!route) return;
  if (route->tap == nullptr || routes_.uses(route->tap)) return;
  taps_.retire(*route->tap);
  ending_taps_.news();
}

std::size_t Service::add_arena(const relay::SharedRoomOptions& options, std::optional<std::size_t> beside) {
  const std::size_t number = server_.add_shared_room(options, beside);
  const std::lock_guard lock(mutex_);
  return arenas_.emplace_back(ArenaRoom{number}).number;
}

void Service::lead_to_arenas(const std::function<std::optional<std::size_t>(const std::string& arena)>& room_of) {
  for (const ListedRoute& route : routes_.listed())
    for (const std::size_t number : route.numbers)
      if (const auto options = server_.options(number); options->bridge && options->bridge->while_down)
        server_.set_while_down_room(number, room_of(options->bridge->while_down->arena));
}

void Service::abandon_arena(std::size_t shared_room) {
  retire_arena(shared_room);
  const std::lock_guard lock(mutex_);
  std::erase_if(arenas_, [&](const ArenaRoom& one) { return one.number == shared_room; });
}

void Service::retire_arena(std::size_t shared_room) {
  server_.retire_shared_room(shared_room);
  const std::lock_guard lock(mutex_);
  for (ArenaRoom& one : arenas_) one.retired |= one.number == shared_room;
}

std::vector<Service::ArenaRoom> Service::arenas() const {
  const std::lock_guard lock(mutex_);
  return arenas_;
}

/// An answer of one acceptor may need the others, so none starts before all are open.
Outcome<Done> Service::open_acceptors(const ConfigPlaces& places) {
  const std::pair<const char*, Outcome<Done> (Service::*)()> steps[] = {
      {"access.ban_file", &Service::load_bans},
      {"control.socket", &Service::open_control},
      {"metrics.listen", &Service::open_metrics},
      {"operator.listen", &Service::open_operator_page}};
  for (const auto& [key, step] : steps)
    if (const auto done = (this->*step)(); !done) return with_place(places.before(key), done.error());
  return Done{};
}

Outcome<Done> Service::load_bans() {
  auto loaded = kept_bans_.load();
  bans_.tell_added([this](const relay::Ban& ban) { tell_ban(ban); });
  return loaded;
}

ReplyRow Service::node_row() const {
  const auto served = served_only(routes_.listed());
  const bool draining = !served.empty() && std::all_of(served.begin(), served.end(), [this](const ListedRoute& one) {
    return server_.is_draining(one.named.number);
  });
  return {text_field("version", ENTENTE_VERSION), number_field("seconds", (steady_now() - began_) / 1'000),
          number_field("sessions", open_sessions() + older_players()), flag_field("draining", draining)};
}

/// Applies the bans and unbans of other nodes. Hooks are not told of old bans: they were when those were made.
void Service::learn(const std::vector<relay::Ban>& bans, const std::vector<net::Network>& lifted, bool old) {
  for (const net::Network& who : lifted) bans_.remove(who);
  for (const relay::Ban& ban : bans) (void)(old ? bans_.restore(ban) : bans_.add(ban));
  kept_bans_.save_soon();
  const auto gone = end_sessions_of(server_, roster_, bans);
  if (!gone.empty()) log_info("fleet: bans of other nodes ended {}", attendees_text(gone));
}

/// Applies the networks that other nodes have allowed and denied.
void Service::learn_listed(const std::vector<relay::ListedNetwork>& listed, const std::vector<net::Network>& unlisted) {
  for (const net::Network& who : unlisted) listed_.remove(who);
  for (const relay::ListedNetwork& one : listed)
    if (!listed_.put(one))
      log_error("fleet: {} of the fleet is ignored: {} networks are listed", one.who.text(),
                relay::ListedNetworks::kMost);
  kept_bans_.save_soon();
}

void Service::start_acceptors() {
  if (fleet_)
    fleet_control_ = std::make_unique<FleetControl>(
        *fleet_, control_, slot_queues_, static_cast<FleetBans::User&>(*this),
        FleetBans::Before{{bans_.all(), listed_.all()}, std::exchange(handed_over_, {})});
  if (!older_beside_.empty()) counting_older_.emplace(files_, [this] { return count_older_players(); });
  if (acceptor_) acceptor_->start();
  if (metrics_acceptor_) metrics_acceptor_->start();
  if (traffic_history_) traffic_history_->start(housekeeping_);
  if (operator_page_) operator_page_->start();
}

Outcome<Done> Service::open_metrics() {
  const std::string& listen = config_.metrics().listen();
  if (listen.empty()) return Done{};
  const auto at = net::Address::parse(listen);
  if (!at) return at.error();
  auto acceptor = net::HttpAcceptor::open(requests_, *at, [this](std::string_view path) { return answer(path); });
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
  const auto served = served_only(routes_.listed());
  const auto routes = routes_called(served, route);
  return routes ? ready_answer(server_, *routes, serving_) : net::HttpAnswer{};
}

Outcome<Done> Service::open_control() {
  if (!takes_commands(config_) && !fleet_) return Done{};
  const RouteLister routes = [this] { return routes_.listed(); };
  rule_orders_.add_commands(control_);
  add_server_commands(control_, server_, roster_, routes, [this] { return statistics(); });
  add_servers_command(control_, server_, routes);
  add_hooks_command(control_, hooks_);
  add_lists_command(control_, public_lists_);
  add_lab_command(control_, server_, roster_, routes);
  add_ban_commands(control_, server_, roster_, bans_, kept_bans_);
  add_access_commands(control_, listed_, kept_bans_, [this] {
    const std::lock_guard lock(mutex_);
    return access_;
  });
  add_move_commands(control_, server_, roster_, routes, config_.public_host());
  add_drain_commands(control_, server_, roster_, routes, drainer_, [this](bool on) {
    public_lists_.look_soon();
    all_drained_ = on;
    if (drains_all_) drains_all_(on);
  });
  if (can_upgrade_ || !recordables().empty())  // a reload may add one
    add_record_commands(control_, [this] { return recordables(); });
  if (can_upgrade_)
    control_.add_order("upgrade", kAboutUpgrade, [](std::string_view) -> Reply {
      return Error{"upgrade stands alone, and is for the control socket"};  // on the socket, the hand-over answers
    });
  if (fleet_) {
    control_.add("node", "Prints this node's name in the fleet, version, age, sessions, and whether it is draining.",
                 [this](std::string_view rest) {
                   if (!rest.empty()) return Reply(Error{"node takes no arguments"});
                   return Reply::table({"version", "seconds", "sessions", "draining"}, {node_row()});
                 });
    control_.set_fleet([this](std::string_view line, bool json, const std::string& by) {
      return fleet_control_->answer(line, json, by);
    });
    kept_bans_.share_with(
        [this](const net::Network& who, const relay::Ban* ban) {
          if (fleet_control_) fleet_control_->changed(who, ban);
        },
        [this](const net::Network& who, const relay::ListedNetwork* network) {
          if (fleet_control_) fleet_control_->changed(who, network);
        });
  }
  // Orders that come here for the process that takes over would not reach it. Those for this one have a socket of
  // their own.
  control_.refuse_orders_when([this] {
    return hand_over_.given() ? "another process has taken over" + std::string(kTryAgain) : hand_over_.objection();
  });
  if (config_.control().socket().empty()) return Done{};
  if (const auto why = objection_to_control_path(config_.control().socket())) return *why;
  auto acceptor = open_control_at(config_.control().socket(), Control::Orders::kUnlessRefused);
  if (!acceptor) return acceptor.error();
  acceptor_ = std::move(*acceptor);
  return Done{};
}

Outcome<std::unique_ptr<net::LocalAcceptor>> Service::open_control_at(const std::string& path, Control::Orders orders) {
  return net::LocalAcceptor::open(
      requests_, path, [this, orders](auto line, const net::LocalPeer& by) { return answer_control(line, by, orders); },
      [this](auto line, const net::LocalPeer& by, net::Fd& client) { hand_over_.adopt(line, by, client); });
}

/// Opens the control socket that this process has once another one has taken over, and accepts nobody there yet. If the
/// service manager made the control socket, its folder may be one in which this process can make nothing. Then there is
/// no such socket: `entente ctl` does not reach the players here, but the other process knows by its connection that
/// this one is there.
Outcome<Done> Service::open_own_control() {
  const std::string path = older_socket(config_.control().socket(), net::own_pid());
  auto own = open_control_at(path, Control::Orders::kAll);
  // Under its own name it would be asked, by this process too, before it answers.
  if (own && !(*own)->rename(path + ".new")) own = Error{"cannot rename " + path};
  if (own)
    own_acceptor_ = std::move(*own);
  else if (acceptor_->removes())
    return Error{"the running process needs a control socket of its own for its players: " + own.error().text};
  else
    log_warn("after the take-over, `entente ctl` does not reach the players of this process: {}", own.error().text);
  return Done{};
}

Outcome<Done> Service::open_operator_page() {
  if (config_.operator_().listen().empty()) return Done{};
  auto page = OperatorPage::open(requests_, config_.operator_(), [this](std::string_view line, const std::string& by) {
    return answer_page(line, by);
  });
  if (!page) return page.error();
  operator_page_ = std::move(*page);
  traffic_history_ = std::make_unique<TrafficHistory>(server_, [this] { return routes_.listed(); });
  control_.add(
      "history",
      "Lists what each route had in the last ten minutes, every five seconds: sessions, clients refused so far, "
      "bytes so far in each direction.",
      [this](std::string_view rest) {
        return rest.empty() ? traffic_history_->table(steady_now()) : Error{"history takes no arguments"};
      });
  operator_guard_ = operator_page_->guard();
  return Done{};
}

/// Commands of the operator page go to the processes from before an upgrade, too. What they list is in the answer to
/// `older`.
std::string Service::answer_page(std::string_view line, const std::string& by) const {
  const bool alone = older_beside_.empty() || hand_over_.given();
  if (line == "older") return alone ? "[]" : older_as_json(older_beside_);
  std::string own = control_.answer_json(line, by);
  const bool orders = control_.is_order(line.substr(0, line.find(' '))) && is_for_older(line);
  return alone || !orders ? own : ask_older(older_beside_, std::string(line), std::move(own));
}

Outcome<std::optional<std::string>> Service::read_operator_token(const config::Config& fresh) const {
  const config::Operator& page = fresh.operator_();
  if (!operator_guard_ || page.listen().empty()) return std::optional<std::string>();
  auto token = read_token(page.token_file());
  if (!token) return token.error();
  return std::optional(std::move(*token));
}

std::vector<Recordable> Service::recordables() const {
  std::vector<Recordable> all;
  for (const auto& [route, retired] : routes_.recordings())
    all.push_back({route.position, route.named.name, route.tap, retired, route.named.room});
  return all;
}

void Service::set_general(const config::Config& config) {
  const config::Texts& texts = config.texts();
  server_.set_texts(
      {texts.server_down(), texts.server_away(), texts.server_back(), texts.server_full(), texts.draining()});
  const std::lock_guard lock(mutex_);
  access_ = access_of(config.access());
  access_.listed = &listed_;
}

void Service::measure_routes(Metrics& all) const {
  const auto served = routes_.served();
  auto any = routes_.retired();
  any.insert(any.end(), served.begin(), served.end());
  for (const ServedRoute& route : any)
    for (const std::size_t number : route.numbers())
      measure(all, route.named.name, server_.totals(number), server_.losses(number));
  for (const ServedRoute& route : any) {
    if (ping_message(*find_game(route.named.game)).empty()) continue;
    for (const std::size_t number : route.numbers())
      for (const relay::TapThread* tap : taps_.all()) measure(all, route.named.name, tap->round_trips(number));
  }
  for (const ServedRoute& route : served) {
    const NamedRoute& its = route.named;
    auto servers = server_.servers(its.number);
    for (auto& older : older_servers_of(server_, {its, route.numbers()})) servers.push_back(std::move(older));
    measure(all, its.name, servers, server_.waiting(its.number));
    measure_certificate(all, "listen", its.name, server_.certificate_expires(its.number));
    measure_certificate(all, "to", its.name, server_.authorities_expire(its.number));
    all.gauge("draining", "1 while the route takes no newcomers", {{"route", its.name}},
              server_.is_draining(its.number) ? 1 : 0);
  }
  for (const ServedRoute& route : any) {
    const relay::TapTotals its = recorded(route);
    if (its.recorded_ever()) measure(all, route.named.name, its);
  }
}

std::string Service::metrics() const {
  Metrics all;
  measure_routes(all);
  for (const relay::TapThread* tap : taps_.all()) measure(all, tap->totals());
  // Counters do not fall, so those that have ended are counted, too.
  for (const ArenaRoom& arena : arenas())
    measure(all, server_.attendance(arena.number), server_.orphaned(arena.number));
  if (const auto kept = taps_.kept()) measure(all, *kept);
  measure(all, server_.turn_times());
  rule_orders_.measure(all);
  all.count("log_lines_lost", "log lines that were lost, because they came faster than they could be written", {},
            lost_log_lines());
  all.gauge("older_sessions", "Open sessions of processes that this one has taken over from", {},
            static_cast<double>(older_players()));
  all.count("take_overs_failed", "take-overs by another process that failed or were refused", {},
            hand_over_.failures());
  hooks_.measure(all);
  public_lists_.measure(all);
  if (operator_page_) operator_page_->measure(all);
  if (fleet_) fleet_->measure(all);
  if (fleet_control_) fleet_control_->measure(all);
  if (uploads_) uploads_->measure(all);
  if (measure_also_) measure_also_(all);
  all.add_process();
  all.add_threads(thread_times_);
  return all.text();
}

std::uint64_t Service::open_sessions(bool of_players) const {
  std::uint64_t sum = 0;
  for (const auto& routes : {routes_.served(), routes_.retired()})
    for (const ServedRoute& route : routes)
      if (!of_players || route.for_players) sum += server_.totals(route.numbers()).current_sessions();
  return sum;
}

Millis Service::count_older_players() {
  if (hand_over_.given()) return kOlderEvery;
  // First: the process before this one may end meanwhile.
  const bool has_connection = taken_ != nullptr && !taken_->is_over();
  const OlderProcesses older = older_processes(older_beside_);
  if (older.sessions) older_players_ = *older.sessions;
  older_may_be_there_ = has_connection || older.may_be_there;
  hooks_.hold_empty(has_connection || older.sessions != std::size_t{0});
  return kOlderEvery;
}

void Service::set_reload_failure(const std::string& why) {
  const std::lock_guard lock(mutex_);
  reload_failure_ = why;
}

/// What the last reload and the last upgrade failed for, for one line of text.
std::string Service::failures() const {
  std::string reload, text;
  {
    const std::lock_guard lock(mutex_);
    reload = reload_failure_;
  }
  for (const auto& [what, why] : {std::pair("reload", reload), std::pair("upgrade", hand_over_.last_failure())})
    if (!why.empty())
      text.append("; the last ")
          .append(what)
          .append(" failed: ")
          .append(whole_characters(screen_text(why), kLongestWhy));
  return text;
}

std::string Service::status() const {
  std::uint64_t routes = 0;
  std::set<std::string> rooms;
  for (const ServedRoute& route : routes_.served()) {
    if (!route.for_players) continue;
    if (route.of_arena())
      rooms.insert(route.named.room);
    else
      ++routes;
  }
  std::string what;
  if (routes != 0 || rooms.empty()) what = counted(routes, "route");
  if (!rooms.empty()) what += (what.empty() ? "" : ", ") + counted(rooms.size(), "arena");
  const std::size_t older = older_players();
  return "serving " + what + ", " + counted(open_sessions(true), "player") +
         (older != 0 ? ", and " + std::to_string(older) + " in the process from before the upgrade" : "") + failures();
}

std::string Service::summary() const {
  std::string lines;
  for (const ReplyRow& row : statistics()) lines += record_text(row) + "\n";
  return lines;
}

/// A row for each route that is served or whose sessions go on, and for each game whose players played in an arena that
/// is served or in which somebody still plays.
std::vector<ReplyRow> Service::statistics() const {
  std::vector<ReplyRow> rows;
  for (const ServedRoute& route : routes_.served()) rows.push_back(statistics(route));
  for (const ServedRoute& route : routes_.retired()) rows.push_back(statistics(route));
  for (const ArenaRoom& arena : arenas()) {
    const auto attendance = server_.attendance(arena.number);
    if (arena.retired && std::ranges::all_of(attendance, [](const auto& row) { return row.present == 0; })) continue;
    for (const relay::Attendance::Row& row : attendance) {
      rows.push_back({text_field("played", row.game_dialect), number_field("players", row.players),
                      number_field("present", row.present), number_field("kills", row.kills),
                      number_field("deaths", row.deaths), list_field("names", row.names)});
      if (row.players > row.names.size()) rows.back().back().text += ",…";
    }
  }
  return rows;
}

std::uint64_t Service::undecoded(const ServedRoute& route) const {
  std::uint64_t sum = 0;
  for (const relay::TapThread* tap : taps_.all())
    for (const std::size_t number : route.numbers()) sum += tap->undecoded(number);
  return sum;
}

/// What the taps of the route have recorded. Those that have ended have no files that are being recorded.
relay::TapTotals Service::recorded(const ServedRoute& route) const {
  relay::TapTotals sum;
  for (const relay::TapThread* tap : route.counted_taps) {
    const relay::TapTotals one = tap->totals();
    sum.dropped += one.dropped;
    sum.dropped_bytes += one.dropped_bytes;
    sum.recorded_frames += one.recorded_frames;
    sum.unrecorded_frames += one.unrecorded_frames;
    sum.unrecorded_bytes += one.unrecorded_bytes;
    sum.files += one.files;
    sum.rotations += one.rotations;
    sum.failed_rotations += one.failed_rotations;
    sum.greetings += one.greetings;
    sum.recording |= one.recording;
    if (taps_.recording_of(tap) == nullptr) continue;
    sum.file_bytes += one.file_bytes;
    sum.recording_fails |= one.recording_fails;
  }
  return sum;
}

ReplyRow Service::statistics(const ServedRoute& route) const {
  const relay::Totals all = server_.totals(route.numbers());
  ReplyRow row = {text_field("served", route.named.name),
                  number_field("sessions", all.begun),
                  number_field("refused", all.refused()),
                  number_field("bytes", all.to_server.bytes + all.to_client.bytes),
                  number_field("messages", all.to_server.frames + all.to_client.frames),
                  number_field("datagrams", all.to_server.datagrams + all.to_client.datagrams),
                  number_field("dropped", std::accumulate(all.dropped.begin(), all.dropped.end(), 0ull)),
                  number_field("undecoded", undecoded(route))};
  std::uint64_t words_dropped = 0;
  for (const std::size_t number : route.numbers())
    for (const auto& one : server_.losses(number)) words_dropped += one.times;
  if (route.shows_words_dropped) row.push_back(number_field("words_dropped", words_dropped));
  const relay::TapTotals its = recorded(route);
  if (its.recorded_ever()) {
    row.push_back(number_field("recorded", its.recorded_frames));
    row.push_back(number_field("unrecorded", its.unrecorded_frames + its.dropped));
  }
  add_refusals(all, row);
  return row;
}

Outcome<Done> Service::run(const std::function<void()>& announce, TakeOver* take_over) {
  const StopOnSignal signals(server_, drainer_);
  if (take_over != nullptr) {
    const auto link = take_over->ready();
    if (!link) return link.error();
    server_.begin_links_after(*link);
    const auto known = take_over->restrictions();
    if (!known)
      log_warn("the running program does not hand over bans that are not in access.ban_file: {}", known.error().text);
    if (known && restore(*known)) (void)kept_bans_.save();  // by begin()
    taken_ = take_over;
    older_beside_ = take_over->path();
    hooks_.hold_empty(true);
    if (const auto taken = take_over->take(); !taken) return taken;
  }
  if (const auto kept = kept_bans_.begin(); !kept)
    log_error("bans of the program that ran before are not kept: {}", kept.error().text);
  rule_orders_.start();
  start_acceptors();
  taps_.begin_retention(files_);
  log_sockets_not_used();
  notifier_ = std::make_unique<Notifier>(server_, [this] { return status(); });
  serving_ = true;  // before announce(): a reader of its lines may start an upgrade at once
  public_lists_.look_soon();
  announce();
  if (metrics_acceptor_) {
    std::printf("metrics http://%s/metrics\n", metrics_acceptor_->address().text().c_str());
    std::fflush(stdout);
  }
  if (operator_page_) operator_page_->announce();
  server_.run();
  serving_ = false;
  notifier_->tell_stopping();
  public_lists_.stop();
  return Done{};
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

// -- A take-over by another process -----------------------------------------------------------------------------------

Outcome<std::vector<net::NamedFd>> Service::offer() {
  if (is_stopping()) return Error{"the program is stopping"};
  if (!serving_) return Error{"the program is starting or stopping"};
  auto listeners = server_.offer_listeners();
  if (!listeners) return listeners.error();
  std::vector<net::NamedFd> all;
  for (relay::OfferedSocket& one : *listeners)
    all.push_back({SocketName{SocketName::Kind::kListener, one.bound}.text(), std::move(one.fd)});
  const auto kind = acceptor_->removes() ? SocketName::Kind::kOwnControl : SocketName::Kind::kControl;
  std::vector<std::pair<SocketName, int>> own = {{SocketName{kind}, acceptor_->listening()}};
  if (metrics_acceptor_)
    own.emplace_back(SocketName{SocketName::Kind::kListener, metrics_acceptor_->address()},
                     metrics_acceptor_->listening());
  if (operator_page_)
    own.emplace_back(SocketName{SocketName::Kind::kListener, operator_page_->address()}, operator_page_->listening());
  for (const auto& [name, listening] : own) {
    net::Fd copy = net::copy_of(listening);
    if (!copy) return net::lack_error("cannot pass on the socket '" + name.text() + "'", errno);
    all.push_back({name.text(), std::move(copy)});
  }
  if (taken_ == nullptr) return all;
  auto older = taken_->connections();
  if (!older) return older.error();
  for (net::Fd& one : *older) all.push_back({SocketName{SocketName::Kind::kOlder}.text(), std::move(one)});
  return all;
}

/// Whoever asked it to stop would find the newcomers in another process.
bool Service::is_stopping() const { return drainer_.is_stopping() || server_.stopping(); }

Outcome<relay::LinkId> Service::release_newcomers() {
  if (is_stopping()) return Error{"the program is stopping"};
  if (const auto opened = open_own_control(); !opened) return opened.error();
  kept_bans_.begin_leaving();  // a rule may still ban
  if (at_take_over_.begins) at_take_over_.begins();
  const auto released = server_.release_newcomers();
  if (!released) return released.error();
  return server_.last_link() + kLinksOnTheWay;
}

/// Commands, and the question of a process that takes over.
std::string Service::answer_control(std::string_view line, const net::LocalPeer& by, Control::Orders orders) {
  return line == kAskForRestrictions ? restrictions_answer() : control_.answer(line, by, orders);
}

std::string Service::restrictions_answer() {
  std::vector<bus::SharedBan> of_fleet;  // first: all of them are in force in what follows
  if (fleet_control_) {
    auto shared = fleet_control_->known_bans();
    if (!shared) log_warn("changes of the fleet's bans are not handed over: {}", shared.error().text);
    if (shared) of_fleet = std::move(*shared);
  }
  const Restrictions known{bans_.all(), listed_.all(), std::move(of_fleet), kept_bans_.stale_file()};
  RestrictionsAnswer answer = answer_with(known, net::kLongestLocalAnswer);
  if (answer.left_out != 0)
    log_warn("{} are not handed over, because there are too many", counted(answer.left_out, "ban"));
  return std::move(answer.bytes);
}

/// Forgets what this process has read from its ban file and operators have lifted. Returns whether that was anything.
/// REQUIRES: the file is the stale one.
bool Service::forget_lifted(const Restrictions& known) {
  std::unordered_set<net::Network, net::NetworkHash> bans, listed;
  for (const relay::Ban& ban : known.bans)
    if (!ban.by_server) bans.insert(ban.who);
  for (const relay::ListedNetwork& network : known.listed) listed.insert(network.who);
  bool forgot = false;
  for (const relay::Ban& ban : bans_.all())
    if (!bans.contains(ban.who)) forgot |= bans_.remove(ban.who);
  for (const relay::ListedNetwork& network : listed_.all())
    if (!listed.contains(network.who)) forgot |= listed_.remove(network.who);
  return forgot;
}

/// Returns whether the ban file differs.
bool Service::restore(const Restrictions& known) {
  bool lacks = !known.stale_file.empty() && known.stale_file == config_.access().ban_file() && forget_lifted(known);
  // What the file has is older than what the fleet has lifted.
  for (const bus::SharedBan& change : known.shared) {
    const auto who = net::Network::parse(change.network());
    if (!fleet_ || !change.lifted() || !who) continue;
    lacks |= change.kind() == bus::SharedBan::ban ? bans_.remove(*who) : listed_.remove(*who);
  }
  for (const relay::Ban& ban : known.bans) {
    if (ban.by_server && config_.access().remember_bans_s() == 0) continue;
    const auto in_file = bans_.restore(ban);
    lacks |= !ban.by_server && !(in_file && share_a_line(*in_file, ban));
  }
  const std::size_t listed = listed_.all().size();
  for (const relay::ListedNetwork& network : known.listed) (void)listed_.put(network);
  handed_over_ = known.shared;
  return lacks || listed_.all().size() != listed;
}

void Service::take_back() {
  own_acceptor_.reset();
  kept_bans_.stay();
  if (at_take_over_.failed) at_take_over_.failed();
  server_.cancel_take_over();
}

void Service::give(std::int32_t pid, bool own) {
  telling_bans_ = std::make_unique<Housekeeping::Work>(files_, [this] { return tell_bans(); });
  kept_bans_.leave_file([this](const relay::Ban& ban) {
    const std::lock_guard lock(mutex_);
    untold_bans_.push_back(ban);
    if (telling_bans_) telling_bans_->news();
    return Done{};
  });
  acceptor_->leave();
  left_acceptor_ = std::move(acceptor_);
  if (at_take_over_.done) at_take_over_.done();
  hooks_.stop_telling_empty();
  server_.complete_take_over();
  name_process_in_lines(net::own_pid());  // both may write to one journal
  log_info("process {} has taken over; {} here{}", pid, sessions_go_on(open_sessions()),
           for_at_most(config_.drain_s()));
  public_lists_.abandon();
  acceptor_ = std::move(own_acceptor_);
  if (acceptor_) {
    const std::string path = older_socket(config_.control().socket(), net::own_pid());
    if (!acceptor_->rename(path)) log_error("`entente ctl` does not reach the players here: {} cannot be made", path);
    acceptor_->start();
  }
  if (metrics_acceptor_) metrics_acceptor_->stop_listening();
  if (operator_page_) operator_page_->stop_listening();
  if (fleet_control_) fleet_control_->leave();
  if (own) notifier_->give(pid);  // the service manager follows only processes of its service
  drainer_.begin_retirement();
}

bool Service::can_be_asked() const { return acceptor_ != nullptr; }

/// Not on the thread for commands: the other process may be waiting for the answer to the command that made the ban.
Millis Service::tell_bans() {
  std::vector<relay::Ban> bans;
  {
    const std::lock_guard lock(mutex_);
    bans.swap(untold_bans_);
  }
  Millis again = Housekeeping::kIdle;
  for (const relay::Ban& ban : bans) {
    const auto told = tell_successor(ban);
    if (told) continue;
    if (told.error().text.find(kTryAgain) == std::string::npos) {
      keep_untold(ban, told.error().text);
      continue;
    }
    again = kTellAgain;
    const std::lock_guard lock(mutex_);
    untold_bans_.push_back(ban);
  }
  return again;
}

/// Tries once more, because this process ends.
void Service::tell_last_bans() {
  std::unique_ptr<Housekeeping::Work> telling;
  {
    const std::lock_guard lock(mutex_);
    telling = std::move(telling_bans_);
  }
  if (!telling) return;
  telling.reset();  // a try may be under way
  (void)tell_bans();
  std::vector<relay::Ban> bans;
  {
    const std::lock_guard lock(mutex_);
    bans.swap(untold_bans_);
  }
  for (const relay::Ban& ban : bans) keep_untold(ban, "this process ends, and the one that has taken over is replaced");
}

/// The process that has taken over is not told of this ban.
void Service::keep_untold(const relay::Ban& ban, const std::string& why) {
  log_error("the ban of {} holds in this process only: {}", ban.who.text(), why);
  post_ban(ban);
}

/// Passes a ban that was made here on to the process that has taken over. There, one that lasts longer than the command
/// can say is permanent.
Outcome<Done> Service::tell_successor(const relay::Ban& ban) const {
  std::string line = "ban " + ban.who.text() + " --yes";  // who made it here was asked
  if (ban.by_rule) line += " --by-rule";
  const std::time_t lasts = std::max<std::time_t>(ban.until - std::time(nullptr), 1);
  if (ban.until != relay::Ban::kForGood && lasts <= kLongestBan) line += " --for " + std::to_string(lasts) + "s";
  if (!ban.why.empty()) line += " --why " + as_argument(ban.why);
  const auto answer = net::ask_local(config_.control().socket(), line);
  if (!answer) return answer.error();
  if (!answer->starts_with("ok")) return Error{"the process that has taken over refuses the ban: " + *answer};
  return Done{};
}

/// Those who have asked something are answered.
void Service::end_requests() {
  const auto each = [this](auto&& act) {
    for (const auto& one : {std::ref(acceptor_), std::ref(left_acceptor_)})
      if (one.get()) act(*one.get());
    if (metrics_acceptor_) act(*metrics_acceptor_);
    if (operator_page_) act(*operator_page_);
  };
  each([](auto& one) { one.stop_listening(); });
  each([](auto& one) { one.finish(); });
  acceptor_.reset();
  left_acceptor_.reset();
  metrics_acceptor_.reset();
  operator_page_.reset();
}

Outcome<Done> Service::close() {
  hand_over_.stop();
  counting_older_.reset();
  end_requests();
  tell_last_bans();
  fleet_control_.reset();  // after the acceptors, which use it
  auto closed = taps_.stop();
  hooks_.stop();
  if (uploads_ && !uploads_->finish(kUploadsLast))
    log_error("the fleet lacks the end of recordings: NATS does not take it");
  notifier_.reset();
  if (closed.ok() && gave_up_) return Error{"stopped because a recording failed"};
  return closed;
}

}  // namespace entente
