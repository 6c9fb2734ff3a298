#include "proxy/program/serve/routes.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "adapters/registry.h"
#include "proxy/program/base/counted.h"
#include "proxy/program/log/log.h"
#include "proxy/program/log/say.h"
#include "proxy/program/serve/signals.h"
#include "proxy/program/settings/limits.h"
#include "proxy/program/settings/rule_files.h"
#include "proxy/program/take_over/take_over.h"
#include "proxy/program/watch/watch_room.h"

namespace entente {
namespace {

constexpr const char* kAboutReload =
    "Reads the configuration again, as SIGHUP does. Routes and arenas are added, changed and removed; sessions go on "
    "as they began. Certificates are read again, and the log file is opened again. Keys that need a restart are "
    "listed.";

/// Whether both listen for the same clients, so that one can replace the other.
bool same_listener(const RouteDescription& one, const std::string& url, const ListenEnd& other) {
  if (!one.listen) return false;
  if (one.listen->address.port() == 0 || other.address.port() == 0) return one.url == url;
  return one.listen->game == other.game && one.listen->enet == other.enet && one.listen->address == other.address &&
         one.listen->path() == other.path();
}

/// The faults that a route makes on purpose from the beginning; "": none.
std::string lab_text(const RouteDescription& route) { return route.options.lab ? route.options.lab->text() : ""; }

/// Whether an observer of the one route can go on as that of the other.
bool same_servers(const config::Route& one, const config::Route& other) {
  return std::ranges::equal(one.to(), other.to()) && one.policy() == other.policy() && one.listen() == other.listen();
}

std::optional<std::size_t> room_of(const RouteDescription& one) {
  return one.options.bridge ? one.options.bridge->shared_room : std::nullopt;
}

/// The key of the recording of the route at this position.
std::string record_of(std::size_t position) { return "route[" + std::to_string(position - 1) + "].record"; }

std::string name_of(const config::Route& route) { return "route " + route.listen(); }

std::shared_ptr<relay::Broadcast> broadcast_of(const config::Route& route,
                                               const std::shared_ptr<relay::Broadcast>& before) {
  if (route.watch_size() == 0) return nullptr;
  return before ? before : new_broadcast(name_of(route));
}

bool same_audience(const config::Watch& one, const config::Watch& other) {
  return one.delay_s() == other.delay_s() && one.see() == other.see();
}

std::string name_of(const config::Arena& arena) { return "arena '" + arena.name() + "'"; }

/// The numbers from `first` to before `end`.
std::vector<std::size_t> numbers_from(std::size_t first, std::size_t end) {
  std::vector<std::size_t> all(end - first);
  std::iota(all.begin(), all.end(), first);
  return all;
}

template <class One, class Is>
std::optional<One> take(std::vector<One>& from, Is is) {
  const auto found = std::find_if(from.begin(), from.end(), is);
  if (found == from.end()) return std::nullopt;
  One one = std::move(*found);
  from.erase(found);
  return one;
}

/// Whether `gone` must close before `added` can listen.
bool clash(const RouteDescription& gone, const RouteDescription& added) {
  if (!gone.listen || !added.listen) return false;
  const net::Address &one = gone.listen->address, &other = added.listen->address;
  if (one.port() == 0 || one.port() != other.port()) return false;
  if (one == other) return !added.listen->web;
  return gone.listen->game == added.listen->game && one.v6() == other.v6() && (one.wildcard() || other.wildcard());
}

/// Whether it listens on [::], and takes IPv4, too, unless another listener does.
bool can_take_v4(const RouteDescription& one) {
  return one.listen && one.listen->address.v6() && one.listen->address.wildcard() &&
         one.listen->game->transport() != wire::Transport::kEnet;
}

/// Whether the places of its socket limit its sessions.
bool has_places(const RouteDescription& one) {
  return one.listen && one.listen->game->transport() == wire::Transport::kEnet &&
         one.options.enet != relay::EnetMode::kDatagrams;
}

/// Whether the one takes IPv4 on the port on which the other listens by IPv4.
bool clash_in_v4(const RouteDescription& one, bool only_v6, const RouteDescription& other) {
  if (only_v6 || !can_take_v4(one) || !other.listen || other.listen->address.v6()) return false;
  const std::uint16_t port = one.listen->address.port();
  if (port == 0 || port != other.listen->address.port()) return false;
  const bool udp = one.listen->game->transport() == wire::Transport::kTcpAndUdp;
  return udp || other.listen->game->transport() != wire::Transport::kEnet;
}

/// One of the routes that these listeners replace, as `beside` of ProxyServer::add_shared_room.
template <class Listeners>
std::optional<std::size_t> beside(const Listeners& listeners) {
  std::optional<std::size_t> found;
  for (const auto& one : listeners)
    if (one.before && (!found || one.end.game->transport() == wire::Transport::kEnet)) found = one.before->number;
  return found;
}

}  // namespace

Routes::Routes(const LoadedConfig& loaded, Reread reread)
    : config_(loaded.config),
      places_(loaded.places),
      reread_(std::move(reread)),
      service_(loaded.config),
      current_(loaded.config) {}

// -- At the start -----------------------------------------------------------------------------------------------------

Outcome<Done> Routes::open() {
  Outcome<Done> done = service_.join_fleet();
  if (Fleet* const fleet = done ? service_.fleet() : nullptr) {
    fleet_arenas_ = std::make_unique<FleetArenas>(*fleet, service_.server(), limits_of(config_.limits()));
    service_.measure_also([this](Metrics& metrics) { fleet_arenas_->measure(metrics); });
    service_.when_all_drain([this](bool on) { fleet_arenas_->step_back(on); });
  }
  service_.when_taken_over({[this] { tell_documents(&LiveDocuments::hold); },
                            [this] { tell_documents(&LiveDocuments::go_on); }, [this] { end_broadcasts(); }});
  Plan plan{places_, service_.describer(config_, places_), true};
  const auto hooks = hook_settings(config_);
  const auto lists = public_list_settings(config_);
  if (done && !hooks) done = hooks.error();
  if (done && !lists) done = lists.error();
  if (done) done = apply(config_, plan);
  if (done) (void)serve_hooks(config_, *hooks);
  if (done) (void)service_.public_lists().set(*lists);
  lines_ = plan.lines;
  if (reread_) service_.allow_upgrades();
  if (reread_)
    service_.control().add_order(
        "reload", kAboutReload,
        [this](std::string_view rest) { return rest.empty() ? reload() : Error{"reload takes no arguments"}; },
        [this] {
          const std::lock_guard lock(reloading_);
          (void)reopen_log();
        });
  if (done) done = service_.open_acceptors(places_);
  if (!done) service_.abandon();
  return done;
}

Outcome<Done> Routes::run(TakeOver* take_over) {
  std::optional<CallOnHangUp> hang_up;
  if (reread_)
    hang_up.emplace([this] {
      const auto alone = service_.control().alone();
      (void)reload();  // the result is in the log
    });
  const auto announce = [this] {
    std::fputs(lines_.c_str(), stdout);
    std::fflush(stdout);
  };
  if (fleet_arenas_) fleet_arenas_->start();
  auto done = service_.run(announce, take_over);
  if (fleet_arenas_) fleet_arenas_->stop();
  if (!done) service_.abandon();
  return done;
}

void Routes::sum_up() const {
  std::fputs(service_.summary().c_str(), stdout);
  std::fflush(stdout);
}

// -- Reload -----------------------------------------------------------------------------------------------------------

Outcome<std::string> Routes::reload() {
  const std::lock_guard lock(reloading_);
  const auto reopened = reopen_log();  // first, so that the new file also has why a reload is refused
  if (service_.hand_over().given()) return tell_reopened(reopened);
  if (const std::string why = service_.hand_over().objection(); !why.empty()) {
    log_error("configuration not reloaded: {}", why);
    return Error{"configuration not reloaded: " + why};
  }
  const Notifier::Reloading reloading;
  const auto fresh = reread_(machine());
  const auto changed = fresh ? change(*fresh) : Outcome<Done>(Error{fresh.error().front()});
  service_.set_reload_failure(changed ? "" : changed.error().text);
  if (!changed) {
    const ConfigErrors errors = fresh ? ConfigErrors{changed.error().text} : fresh.error();
    for (const std::string& error : errors) log_error("configuration not reloaded: {}", error);
    const std::string more =
        errors.size() == 1 ? "" : " (and " + counted(errors.size() - 1, "more error") + "; the log has all)";
    return Error{"configuration not reloaded: " + errors.front() + more};
  }
  service_.server().forget_lookups();
  return tell_rest(fresh->config, reopened);
}

/// A reload changes the level only.
config::Log Routes::running_log() const {
  config::Log log = config_.log();
  log.set_level(current_.log().level());
  return log;
}

Outcome<Done> Routes::reopen_log() const {
  auto reopened = renew_log(running_log());
  if (!reopened) log_error("{}", reopened.error().text);
  return reopened;
}

/// Another process reads the configuration now. Both write to the log file.
Outcome<std::string> Routes::tell_reopened(const Outcome<Done>& reopened) const {
  if (!reopened) return reopened.error();
  const std::string did = config_.log().file().empty() ? "has no log file to reopen" : "reopened the log file";
  log_info("{}; another process has the configuration", did);
  return did + "; another process has the configuration\n";
}

/// What runs now, and a new configuration may keep.
Machine Routes::machine() const {
  return {[this](const std::string& file) { return service_.records(file); },
          [this](const config::Arena& arena) {
            return std::any_of(arenas_.begin(), arenas_.end(), [&](const RunningArena& one) {
              return one.settings.name() == arena.name() && goes_on_with(one.settings, arena);
            });
          },
          [this](const net::Address& at) {
            for (const std::string& page : {config_.metrics().listen(), config_.operator_().listen()})
              if (const auto its = net::Address::parse(page); its && *its == at) return true;
            return std::any_of(running_.begin(), running_.end(),
                               [&](const Running& one) { return one.is->listen && one.is->listen->address == at; });
          }};
}

Outcome<Done> Routes::change(const LoadedConfig& loaded) {
  const config::Config fresh = served_until_restart(config_, loaded.config);
  auto token = service_.read_operator_token(fresh);
  if (!token) return with_place(loaded.places.before("operator.token_file"), token.error());
  const auto hooks = hook_settings(fresh);
  if (!hooks) return hooks.error();
  const auto lists = public_list_settings(fresh);
  if (!lists) return lists.error();
  Plan plan{loaded.places, service_.describer(fresh, loaded.places), false};
  if (const auto done = apply(fresh, plan); !done) return done;
  service_.set_general(fresh);
  for (const Running& one : running_) service_.server().set_rules(one.number, one.is->options);
  if (fleet_arenas_) fleet_arenas_->set_limits(limits_of(fresh.limits()));
  for (const auto& [number, lab] : plan.labs) service_.set_lab(number, lab);
  for (const auto& [used, read] : plan.certificates) used->renew(*read);
  for (const auto& prepared : plan.kept) prepared->renew();
  if (*token && service_.renew_operator_token(std::move(**token))) plan.told += "changed: operator.token_file\n";
  told_ = "";
  for (const std::string& line : applied_at_once(current_, fresh)) told_ += line + "\n";
  told_ += plan.told + serve_hooks(fresh, *hooks) + service_.public_lists().set(*lists);
  current_ = fresh;
  return Done{};
}

std::string Routes::serve_hooks(const config::Config& config, const std::vector<HookSettings>& hooks) {
  for (const config::Hook& hook : config.hook())
    if (const std::string warning = warning_about(hook); !warning.empty()) log_warn("{}", warning);
  return service_.hooks().set(hooks);
}

Outcome<Done> Routes::apply(const config::Config& fresh, Plan& plan) {
  auto done = this->plan(fresh, plan);
  if (done) done = carry_out(plan);
  if (!done) abandon(plan);
  return done;
}

Outcome<Done> Routes::plan(const config::Config& fresh, Plan& plan) {
  plan.before = running_;
  plan.arenas_before = arenas_;
  plan.watches_before = watches_;
  Outcome<Done> done = Done{};
  std::size_t position = 0;
  for (const config::Route& route : fresh.route())
    if (done) done = plan_route(route, ++position, plan);
  for (const config::Arena& arena : fresh.arena()) {
    if (done) done = plan_arena(arena, position + 1, plan);
    position += static_cast<std::size_t>(arena.listen_size());
  }
  return done ? objection_to_moves(plan) : done;
}

Outcome<Done> Routes::plan_route(const config::Route& route, std::size_t position, Plan& plan) {
  if (const auto arena = fleet_arena_of(route)) {
    Urls urls;
    *urls.Add() = route.listen();
    return plan_fleet_listeners(urls, *arena, 0, position, route, plan);
  }
  auto fresh = plan.describer.route(route, position);
  if (!fresh) return fresh.error();
  const auto has_listener = [&](const Running& one) { return same_listener(*one.is, fresh->url, *fresh->listen); };
  const auto is_same = [&](const Running& one) {
    return has_listener(one) && one.is->keys && goes_on_with(*one.is->keys, route) &&
           one.is->options.relay_rules.has_value() == fresh->options.relay_rules.has_value();
  };
  if (auto kept = take(plan.before, is_same)) {
    for (const std::string& key : changed_keys(*kept->is->keys, route))
      plan.told += "changed: " + key + " of " + kept->name + "\n";
    if (lab_text(*kept->is) != lab_text(*fresh)) {
      plan.labs.emplace_back(kept->number, fresh->options.lab);
      if (kept->is->keys->lab() == route.lab()) plan.told += "changed: the file of lab of " + kept->name + "\n";
    }
    if (const auto book = kept->is->rule_book()) {
      fresh->keep_rules_in(book);
      plan_rules(book, fresh->rules, plan);
    }
    kept->broadcast = broadcast_of(route, kept->broadcast);
    keep(*kept, std::move(*fresh), plan);
    return plan_observer(Running(plan.after.back()), plan);
  }
  const auto before = take(plan.before, has_listener);
  plan_book(route, before, *fresh, plan);
  if (before && !before->is->options.bridge && lab_text(*before->is) != lab_text(*fresh)) {
    plan.labs.emplace_back(before->number, fresh->options.lab);
    plan.told += "changed: lab of " + before->name + "\n";
  }
  Running running;
  running.broadcast = broadcast_of(route, before ? before->broadcast : nullptr);
  const auto& keys = before ? before->is->keys : std::nullopt;
  if (keys && keys->record() == route.record() && keys->name() == route.name()) {
    running.tap = before->tap;
  } else {
    plan.taps.push_back({route.record(),
                         std::string(fresh->listen->game->name()),
                         position,
                         route.name(),
                         plan.places.before(record_of(position)),
                         {plan.after.size()}});
  }
  add(std::move(running), std::move(*fresh), before, plan);
  return plan_observer(Running(plan.after.back()), plan);
}

/// Rooms from before the change get the new rules, too, and those of later reloads.
void Routes::plan_book(const config::Route& route, const std::optional<Running>& before, RouteDescription& fresh,
                       Plan& plan) {
  const std::string of = route.name().empty() ? name_of(route) : "route " + route.name();
  const auto known = before ? before->is->rule_book() : nullptr;
  fresh.keep_rules_in(known ? known : service_.rule_orders().new_book(of));
  const auto book = fresh.rule_book();
  if (book == nullptr) return;
  if (book != known) return book->set(fresh.rules);  // nobody uses it yet
  plan_rules(book, fresh.rules, plan);
  if (book->of() != of) plan.books_renamed.emplace_back(book, of);
}

/// Plans the observer and the audiences of a watched route.
Outcome<Done> Routes::plan_observer(const Running& of, Plan& plan) {
  if (!of.broadcast) return Done{};
  const config::Route& keys = *of.is->keys;
  const auto is_same = [&](const Running& one) {
    return one.observer && one.broadcast == of.broadcast && same_servers(*one.is->keys, keys);
  };
  const auto before = take(plan.before, is_same);
  Running observer{.broadcast = of.broadcast, .observer = before ? before->observer : Observers::new_crowd()};
  auto fresh = Observers::describe(plan.describer, *of.is, observer.observer, of.broadcast);
  if (!fresh) return fresh.error();
  if (before) {
    keep(*before, std::move(*fresh), plan);
  } else {
    const auto tap = service_.counting_tap();
    if (!tap) return tap.error();
    observer.tap = *tap;
    add(std::move(observer), std::move(*fresh), std::nullopt, plan);
  }
  return plan_watches(keys.watch(), name_of(keys), of.broadcast, of.is->position, plan);
}

/// Listeners whose clients play in an arena of the fleet. They stay as they are until a restart.
Outcome<Done> Routes::plan_fleet_listeners(const Urls& urls, const std::string& arena, std::uint32_t seats,
                                           std::size_t position, const std::optional<config::Route>& keys, Plan& plan) {
  const auto tap = service_.counting_tap();
  if (!tap) return tap.error();
  for (const std::string& url : urls) {
    const auto before = take(plan.before, [&](const Running& one) { return one.is->url == url; });
    if (!before && !plan.starts)
      return Error{plan.places.before_listener(url) + "'" + url + "': a listener of the fleet is added by a restart"};
    const SharedRoomEntry room =
        before ? SharedRoomEntry{*room_of(*before->is), before->is->options.servers.front().host, true}
               : SharedRoomEntry{fleet_arenas_->local_room_for(arena).room, arena, true, seats};
    auto fresh = plan.describer.into(room, url, position++, before ? before->is->keys : keys);
    if (!fresh) return fresh.error();
    if (before)
      keep(*before, std::move(*fresh), plan);
    else
      add({.tap = *tap}, std::move(*fresh), std::nullopt, plan);
  }
  return Done{};
}

Outcome<Routes::RoomListeners> Routes::take_listeners(const Urls& urls, Plan& plan) const {
  RoomListeners found;
  for (const std::string& url : urls) {
    const auto end = parse_shared_listen(url, games());
    if (!end) return end.error();
    found.push_back(
        {url, *end, take(plan.before, [&](const Running& one) { return same_listener(*one.is, url, *end); })});
  }
  return found;
}

/// This node may own the arena. Its listeners lead to the node that owns the arena.
Outcome<Done> Routes::plan_fleet_arena(const config::Arena& settings, std::size_t position, Plan& plan) {
  const std::string& name = settings.name();
  auto& book = fleet_rules_[name];
  if (book == nullptr) book = service_.rule_orders().new_book(name_of(settings));
  if (const auto done = plan_rules(settings, book, plan); !done) return done;
  if (plan.starts) {
    const auto tap = service_.tap(settings.record(), "arena", position);
    if (!tap) return with_place(plan.places.before_arena(name, "record"), tap.error());
    fleet_arenas_->stand_for(name, {[settings, tap = *tap, secrets = keeps_secrets(), book] {
                                      auto arena = configured(settings, secrets, tap);
                                      if (arena) arena->room.rules = book;
                                      return arena;
                                    },
                                    [this](const relay::SharedRoomOptions& room) { return service_.add_arena(room); },
                                    [this](std::size_t room) { service_.retire_arena(room); }});
    (void)fleet_arenas_->local_room_for(name);
  }
  const FleetArenas::LocalFleetRoom* local = fleet_arenas_ ? fleet_arenas_->find_local_room(name) : nullptr;
  if (local == nullptr)
    return Error{plan.places.before_arena(name, "fleet") + "an arena of the fleet is added by a restart"};
  if (auto done = plan_fleet_listeners(settings.listen(), name, settings.seats(), position, {}, plan); !done)
    return done;
  return plan_watches(settings.watch(), name_of(settings), local->broadcast, position, plan);
}

Outcome<Done> Routes::plan_arena(const config::Arena& settings, std::size_t position, Plan& plan) {
  if (settings.fleet()) return plan_fleet_arena(settings, position, plan);
  const auto listeners = take_listeners(settings.listen(), plan);
  if (!listeners) return listeners.error();
  const auto has_name = [&](const RunningArena& one) { return one.settings.name() == settings.name(); };
  const auto has_listener = [&](const RunningArena& one) {
    return has_name(one) && std::any_of(listeners->begin(), listeners->end(), [&](const RoomListener& listener) {
             return listener.before && !listener.before->is->keys && room_of(*listener.before->is) == one.room;
           });
  };
  auto known = take(plan.arenas_before, has_listener);
  if (!known) known = take(plan.arenas_before, has_name);
  const bool same = known && goes_on_with(known->settings, settings);
  RunningArena arena{settings, same ? known->room : 0, same ? known->tap : nullptr,
                     known ? known->broadcast : new_broadcast(name_of(settings)),
                     known ? known->rules : service_.rule_orders().new_book(name_of(settings))};
  if (const auto done = plan_rules(settings, arena.rules, plan); !done) return done;
  const std::size_t first = plan.after.size();
  const SharedRoomEntry room{arena.room, settings.name(), true, settings.seats()};
  if (!same) {
    auto made = configured(settings, keeps_secrets(), nullptr);
    if (!made) return with_place(plan.places.before_arena(settings.name(), "from"), made.error());
    made->room.broadcast = arena.broadcast;
    made->room.rules = arena.rules;
    plan.rooms.push_back({std::move(made->room), beside(*listeners), plan.taps.size(), plan.arenas_after.size()});
    plan.told += (known ? "changed: " : "added: ") + name_of(settings) + "\n";
  }
  const auto planned = plan_listeners(*listeners, room, arena.tap, same, position, nullptr, plan);
  if (!planned) return planned.error();
  if (!same) {
    const auto& added = plan.rooms.back().listeners = numbers_from(first, plan.after.size());
    plan.taps.push_back(
        {settings.record(), "arena", position, "", plan.places.before_arena(settings.name(), "record"), added});
  }
  plan.arenas_after.push_back(arena);
  return plan_watches(settings.watch(), name_of(settings), arena.broadcast, position, plan);
}

/// `same`: the room was there before. `watch`: the audience whose room it is; null: it is an arena's room.
Outcome<Done> Routes::plan_listeners(const RoomListeners& listeners, const SharedRoomEntry& room, relay::TapThread* tap,
                                     bool same, std::size_t position, const RunningWatch* watch, Plan& plan) const {
  for (std::size_t i = 0; i < listeners.size(); ++i) {
    const auto& [url, end, before] = listeners[i];
    auto fresh = plan.describer.into(room, url, watch == nullptr ? position + i : position);
    if (!fresh) return fresh.error();
    fresh->watch = watch != nullptr;
    if (watch != nullptr) fresh->options.web.documents = served(watch->documents);
    if (same && before && !before->is->keys && room_of(*before->is) == room.shared_room && before->is->url == url)
      keep(*before, std::move(*fresh), plan);
    else
      add({.tap = tap}, std::move(*fresh), before, plan);
  }
  return Done{};
}

Outcome<Done> Routes::plan_watches(const Watches& watches, const std::string& of,
                                   const std::shared_ptr<relay::Broadcast>& broadcast, std::size_t position,
                                   Plan& plan) {
  for (const config::Watch& settings : watches) {
    const auto tap = service_.counting_tap();
    if (!tap) return tap.error();
    const auto listeners = take_listeners(settings.listen(), plan);
    if (!listeners) return listeners.error();
    auto known = take(plan.watches_before, [&](const RunningWatch& one) {
      return one.broadcast == broadcast && same_audience(one.settings, settings);
    });
    const bool same = known.has_value();
    if (!same) {
      known = RunningWatch{settings, broadcast, view_of(*broadcast, settings)};
      known->documents = std::make_shared<LiveDocuments>(known->view);
      plan.rooms.push_back({watch_room(of, known->view), beside(*listeners), std::nullopt, plan.watches_after.size()});
    }
    known->settings = settings;
    const std::size_t first = plan.after.size();
    const auto planned = plan_listeners(*listeners, {known->room, kAudiences}, *tap, same, position, &*known, plan);
    if (!planned) return planned.error();
    if (!same) plan.rooms.back().listeners = numbers_from(first, plan.after.size());
    plan.watches_after.push_back(std::move(*known));
  }
  return Done{};
}

/// They apply with the rest of the plan. A room reads its rules when its first player enters.
Outcome<Done> Routes::plan_rules(const config::Arena& arena, const std::shared_ptr<relay::RuleBook>& book, Plan& plan) {
  auto rules = read_rules(arena.rules());
  if (!rules) return with_place(plan.places.before_arena(arena.name(), "rules"), rules.error());
  plan_rules(book, std::move(*rules), plan);
  return Done{};
}

void Routes::plan_rules(const std::shared_ptr<relay::RuleBook>& book, std::shared_ptr<const rules::RuleSet> fresh,
                        Plan& plan) {
  if (book == nullptr) return;
  const auto before = book->get();
  const auto same_file = [](const rules::RuleFile& one, const rules::RuleFile& other) {
    return one.name == other.name && one.source == other.source;
  };
  static const rules::RuleSet none;
  const rules::RuleSet &old = before ? *before : none, &now = fresh ? *fresh : none;
  if (book->version() != 0 && !std::ranges::equal(old, now, same_file))
    plan.told += "changed: the files of rules of " + book->of() + "\n";
  plan.rules.emplace_back(book, std::move(fresh));
}

/// The listener goes on. Its sessions have the certificates that it has now; those that were read will renew them. It
/// has the faces that it has now, too; what they share will be read again.
void Routes::keep(Running running, RouteDescription fresh, Plan& plan) const {
  for (const auto tls : {&relay::WebOptions::client_tls, &relay::WebOptions::server_tls}) {
    auto& read = fresh.options.web.*tls;
    const auto& used = running.is->options.web.*tls;
    if (used && read) plan.certificates.emplace_back(used, std::exchange(read, used));
  }
  fresh.prepared = running.is->prepared;
  plan.kept.insert(plan.kept.end(), fresh.prepared.begin(), fresh.prepared.end());
  running.is = std::make_shared<const RouteDescription>(std::move(fresh));
  plan.after.push_back(std::move(running));
}

void Routes::add(Running running, RouteDescription fresh, const std::optional<Running>& instead_of, Plan& plan) const {
  running.only_v6 = instead_of ? instead_of->only_v6 : fresh.options.only_v6;
  running.places = instead_of ? instead_of->places : fresh.options.limits.sessions;
  running.is = std::make_shared<const RouteDescription>(std::move(fresh));
  Service::Added added{running.is, running.tap, {}};
  if (instead_of) {
    added.instead_of = instead_of->number;
    plan.told += "changed: " + instead_of->name + sessions_go_on(*instead_of) + "\n";
  }
  plan.added_at.push_back(plan.after.size());
  plan.added.push_back(std::move(added));
  plan.after.push_back(std::move(running));
}

/// A listener keeps its game, and a WebSocket its path, until its route is removed.
Outcome<Done> Routes::objection_to_moves(const Plan& plan) const {
  for (std::size_t i = 0; i < plan.added.size(); ++i) {
    const Running& added = plan.after[plan.added_at[i]];
    if (plan.added[i].instead_of) continue;
    const auto objection_to = [&](const Running& there) {
      return Error{
          plan.places.before_listener(added.is->url) + "'" + added.is->url + "': " + there.name +
          " still listens there; restart, or, if the file has other routes or arenas, reload twice: first without "
          "this route, then with it"};
    };
    for (const Running& gone : plan.before)
      if (clash(*gone.is, *added.is)) return objection_to(gone);
    for (const Running& there : running_)
      if (clash_in_v4(*there.is, there.only_v6, *added.is) || clash_in_v4(*added.is, added.only_v6, *there.is))
        return objection_to(there);
  }
  return Done{};
}

/// Ends what is not in the plan's new lists.
void Routes::end_removed(Plan& plan) {
  for (const RunningArena& arena : arenas_)
    if (std::none_of(plan.arenas_after.begin(), plan.arenas_after.end(),
                     [&](const RunningArena& one) { return one.room == arena.room; }))
      service_.retire_arena(arena.room);
  for (const RunningArena& gone : plan.arenas_before) plan.told += "removed: " + name_of(gone.settings) + "\n";
  for (const Running& gone : plan.before)
    if (gone.observer) observers_.dismiss(gone.number);
  for (const RunningWatch& gone : plan.watches_before) close_watch_room(service_.server(), gone.room);
}

/// Makes the planned taps, which have threads.
Outcome<Done> Routes::open_taps(Plan& plan) {
  for (const PlannedTap& one : plan.taps) {
    const auto tap = service_.tap(one.pattern, one.game, one.position, one.name);
    if (!tap) return with_place(one.place, tap.error());
    plan.taps_added.push_back(*tap);
    for (const std::size_t at : one.used_by) plan.after[at].tap = *tap;
  }
  for (std::size_t i = 0; i < plan.added.size(); ++i) plan.added[i].tap = plan.after[plan.added_at[i]].tap;
  return Done{};
}

/// Opens the planned rooms. REQUIRES: open_taps().
void Routes::open_rooms(Plan& plan) {
  for (PlannedRoom& one : plan.rooms) {
    std::size_t& room = one.tap ? plan.arenas_after[one.of].room : plan.watches_after[one.of].room;
    if (one.tap) {
      one.options.tap = plan.arenas_after[one.of].tap = plan.taps_added[*one.tap];
      room = service_.add_arena(one.options, one.beside);
    } else {
      room = service_.server().add_shared_room(one.options, one.beside);
    }
    plan.rooms_added.push_back(room);
    for (const std::size_t at : one.listeners) {
      auto leads = std::make_shared<RouteDescription>(*plan.after[at].is);
      leads->options.bridge->shared_room = room;
      plan.after[at].is = std::move(leads);
    }
  }
  for (std::size_t i = 0; i < plan.added.size(); ++i) plan.added[i].description = plan.after[plan.added_at[i]].is;
}

Outcome<Done> Routes::carry_out(Plan& plan) {
  if (const auto opened = open_taps(plan); !opened) return opened;
  open_rooms(plan);
  std::vector<std::size_t> retired;
  for (const Running& one : plan.before) {
    retired.push_back(one.number);
    if (one.observer) continue;
    const std::string going_on = sessions_go_on(one);
    const bool limited = !going_on.empty() && !one.is->watch;
    plan.told += "removed: " + one.name + going_on + (limited ? for_at_most(config_.drain_s()) : "") + "\n";
  }
  const auto listening = service_.change(plan.added, retired);
  if (!listening) return listening.error();
  for (std::size_t i = 0; i < listening->size(); ++i) {
    Running& one = plan.after[plan.added_at[i]];
    const net::Address& at = (*listening)[i].address;
    one.number = (*listening)[i].route;
    one.name = one.is->named(at);
    if (one.observer) {
      observers_.look_after(one.number, one.observer);
      continue;
    }
    const std::string& name = one.is->options.name;
    plan.lines += "listening " + one.is->subject + " " + at.text() + (name.empty() ? "" : " (" + name + ")") + "\n";
    if (!plan.added[i].instead_of) plan.told += "added: " + one.name + "\n";
    if (one.is->keys && !room_of(*one.is)) log_remarks(*one.is);
  }
  end_removed(plan);
  for (const Running& one : plan.after) service_.move(one.number, one.is->position);
  for (const auto& [book, rules] : plan.rules)
    if (book != nullptr) book->set(rules);
  for (const auto& [book, of] : plan.books_renamed) book->rename(of);
  running_ = std::move(plan.after);
  arenas_ = std::move(plan.arenas_after);
  watches_ = std::move(plan.watches_after);
  service_.lead_to_arenas([this](const std::string& name) {
    const auto found = std::find_if(arenas_.begin(), arenas_.end(),
                                    [&](const RunningArena& one) { return one.settings.name() == name; });
    return found != arenas_.end() ? std::optional(found->room) : std::nullopt;
  });
  return Done{};
}

/// Also waits for a reload that is in progress.
void Routes::tell_documents(void (LiveDocuments::*what)()) {
  const std::lock_guard lock(reloading_);
  for (const RunningWatch& watch : watches_) (*watch.documents.*what)();
}

/// The observers leave. Their audiences see what was broadcast so far, and are sent to the other process. HTTP caches
/// are sent there at once, because it uses the numbers of fragments from now on.
void Routes::end_broadcasts() {
  observers_.give_up();
  tell_documents(&LiveDocuments::end);
  const std::lock_guard lock(reloading_);
  for (const RunningWatch& watch : watches_) {
    const auto feeds = [&](const Running& one) { return one.observer && one.broadcast == watch.broadcast; };
    if (std::any_of(running_.begin(), running_.end(), feeds))
      observers_.end_audience(watch.room, Millis{watch.settings.delay_s()} * 1000);
  }
}

void Routes::abandon(const Plan& plan) {
  for (const std::size_t room : plan.rooms_added) service_.abandon_arena(room);
  for (relay::TapThread* tap : plan.taps_added) service_.discard(*tap);
}

/// Describes what becomes of the listener's sessions. Viewers are disconnected, because they may see only what the new
/// configuration allows.
std::string Routes::sessions_go_on(const Running& listener) const {
  const std::uint64_t sessions = service_.all_sessions(listener.number);
  if (sessions != 0 && listener.is->watch) return "; its viewers must join again";
  return sessions == 0 ? "" : "; " + entente::sessions_go_on(sessions);
}

/// Applies the level of the log, and reports what changed. `reopened`: whether the log file was.
std::string Routes::tell_rest(const config::Config& fresh, const Outcome<Done>& reopened) const {
  set_log_level(fresh.log());
  std::string told = "reloaded the configuration\n" + told_;
  for (std::size_t at = 0; at < told.size(); at = told.find('\n', at) + 1)
    log_info("{}", told.substr(at, told.find('\n', at) - at));
  if (!reopened) told += reopened.error().text + "; the log still goes to the old file\n";
  std::vector<std::string> lines = takes_restart(config_, fresh);
  for (const Running& one : running_) {
    if (one.only_v6 && !one.is->options.only_v6 && can_take_v4(*one.is))
      lines.push_back(one.name + ": it takes no IPv4 until then");
    const std::uint32_t sessions = one.is->options.limits.sessions;
    if (has_places(*one.is) && sessions - 1 > one.places - 1)  // 0: the most
      lines.push_back("limits.sessions: " + std::to_string(one.places) + " -> " + std::to_string(sessions) +
                      " (for the ENet listener " + one.name + ")");
  }
  for (const std::string& line : lines) {
    log_warn("needs a restart: {}", line);
    told += "needs a restart: " + line + "\n";
  }
  return told;
}

}  // namespace entente
