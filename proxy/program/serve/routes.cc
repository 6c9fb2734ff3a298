#include "proxy/program/serve/routes.h"

#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <cstdio>

#include "adapters/registry.h"
#include "proxy/program/base/counted.h"
#include "proxy/program/log/log.h"
#include "proxy/program/log/say.h"
#include "proxy/program/serve/shared_room.h"
#include "proxy/program/serve/signals.h"
#include "proxy/program/settings/access.h"
#include "proxy/program/settings/limits.h"
#include "proxy/program/take_over/take_over.h"
#include "proxy/program/watch/watch_room.h"

namespace entente {
namespace {

using google::protobuf::util::MessageDifferencer;

constexpr const char* kAboutReload =
    "Reads the configuration again, as SIGHUP does. Routes and arenas are added, changed and removed; sessions go on "
    "as they began. Certificates are read again, and the log file is opened again. Keys that need a restart are "
    "listed.";

/// Whether both listen for the same clients, so that one can replace the other.
bool same_listener(const std::string& url, const ListenEnd& one, const std::string& other_url, const ListenEnd& other) {
  if (one.address.port() == 0 || other.address.port() == 0) return url == other_url;
  const auto path = [](const ListenEnd& end) { return end.web ? end.web->path : std::string(); };
  return one.game == other.game && one.enet == other.enet && one.address == other.address && path(one) == path(other);
}

/// Ignores access lists, limits and audiences, which can change on a running route.
bool same_settings(config::Route one, config::Route other) {
  for (config::Route* route : {&one, &other}) {
    route->clear_allow();
    route->clear_deny();
    route->clear_limits();
    route->clear_watch();
  }
  return MessageDifferencer::Equals(one, other);
}

/// The settings of a route that its observer depends on.
config::Route observed(const config::Route& route) {
  config::Route known;
  known.set_listen(route.listen());
  *known.mutable_to() = route.to();
  known.set_policy(route.policy());
  return known;
}

std::shared_ptr<relay::Broadcast> broadcast_of(const config::Route& route,
                                               const std::shared_ptr<relay::Broadcast>& before) {
  if (route.watch_size() == 0) return nullptr;
  return before ? before : new_broadcast();
}

/// The key of the recording of the route at this position.
std::string record_of(std::size_t position) { return "route[" + std::to_string(position - 1) + "].record"; }

std::string name_of(const config::Route& route) { return "route " + route.listen(); }

/// Ignores the listeners and the audiences.
bool same_settings(config::Arena one, config::Arena other) {
  for (config::Arena* arena : {&one, &other}) {
    arena->clear_listen();
    arena->clear_watch();
  }
  return MessageDifferencer::Equals(one, other);
}

bool same_audience(const config::Watch& one, const config::Watch& other) {
  return one.delay_s() == other.delay_s() && one.see() == other.see();
}

std::string name_of(const config::Arena& arena) { return "arena '" + arena.name() + "'"; }

template <class One, class Is>
std::optional<One> take(std::vector<One>& from, Is is) {
  const auto found = std::find_if(from.begin(), from.end(), is);
  if (found == from.end()) return std::nullopt;
  One one = std::move(*found);
  from.erase(found);
  return one;
}

/// Whether `gone` must close before `added` can listen.
bool clash(const ListenEnd& gone, const ListenEnd& added) {
  const net::Address &one = gone.address, &other = added.address;
  if (one.port() == 0 || one.port() != other.port()) return false;
  if (one == other) return !added.web;
  return gone.game == added.game && one.v6() == other.v6() && (one.wildcard() || other.wildcard());
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
  std::size_t position = 0;
  for (const config::Route& route : config_.route())
    if (done) done = add(route, ++position);
  for (const config::Arena& arena : config_.arena()) {
    if (done) done = add(arena, position + 1);
    position += static_cast<std::size_t>(arena.listen_size());
  }
  lead_to_arenas();
  if (reread_) service_.allow_upgrades();
  if (reread_)
    service_.control().add_order("reload", kAboutReload, [this](std::string_view rest) {
      return rest.empty() ? reload() : Error{"reload takes no arguments"};
    });
  if (done) done = service_.open_acceptors(places_);
  if (!done) service_.abandon();
  return done;
}

Outcome<Routes::Running> Routes::add(Running running, Service::NewRoute made) {
  made.options.place = places_.before_listener(running.url);
  const auto listening = service_.add(std::move(made));
  if (!listening) return listening.error();
  running.number = listening->route;
  const std::string at = running.listen.dialect_text() + " " + listening->address.text();
  const std::string name = running.route ? running.route->name() : "";
  running.name = name.empty() ? at : name;
  lines_ += "listening " + at + (name.empty() ? "" : " (" + name + ")") + "\n";
  return running;
}

Outcome<Done> Routes::add(const config::Route& route, std::size_t position) {
  if (const auto arena = fleet_arena_of(route)) {
    Urls urls;
    *urls.Add() = route.listen();
    return add_listeners(urls, *arena, position, route);
  }
  auto made = configured(route, keeps_secrets());
  if (!made) return made.error();
  const auto tap = service_.tap(route.record(), made->listen.game->name(), position, route.name());
  if (!tap) return with_place(places_.before(record_of(position)), tap.error());
  made->made.options.tap = *tap;
  made->made.position = position;
  auto added = add({route.listen(), made->listen, 0, "", *tap, made->made.options.web, route, 0, position}, made->made);
  if (!added) return added.error();
  log_dialects(route, *made);
  added->broadcast = broadcast_of(route, nullptr);
  running_.push_back(*added);
  if (const auto observed = add_observer(*added); !observed) return observed.error();
  return add(route.watch(), name_of(route), added->broadcast, position);
}

/// Adds the observer of a watched route; does nothing for other routes.
Outcome<Done> Routes::add_observer(const Running& of) {
  if (!of.broadcast) return Done{};
  auto observer = new_observer(of);
  if (!observer) return observer.error();
  auto& [running, made] = *observer;
  const auto listening = service_.add(std::move(made));
  if (!listening) return listening.error();
  running.number = listening->route;
  observers_.look_after(running.number, running.observer);
  running_.push_back(std::move(running));
  return Done{};
}

Outcome<std::pair<Routes::Running, Service::NewRoute>> Routes::new_observer(const Running& of) {
  Running observer{"", {}, 0, "", nullptr, {}, observed(*of.route), 0, of.position};
  observer.broadcast = of.broadcast;
  observer.observer = Observers::new_crowd();
  auto made = Observers::route_of(*observer.route, observer.observer, of.broadcast);
  if (!made) return made.error();
  made->position = of.position;
  made->options.tap = service_.counting_tap();
  observer.name = made->name;
  return std::pair(std::move(observer), std::move(*made));
}

/// Adds the listeners whose clients play in an arena of the fleet.
Outcome<Done> Routes::add_listeners(const Urls& urls, const std::string& arena, std::size_t position,
                                    const std::optional<config::Route>& settings) {
  const SharedRoomEntry entry{fleet_arenas_->local_room_for(arena).room, arena, service_.counting_tap(), true};
  for (const std::string& url : urls) {
    const auto end = parse_shared_listen(url, games());
    if (!end) return end.error();
    auto route = route_into(entry, *end);
    if (!route) return route.error();
    route->position = position++;
    if (settings) route->options.access.push_back(access_of(*settings));
    auto added =
        add({url, *end, 0, "", entry.tap, route->options.web, settings, entry.shared_room, route->position}, *route);
    if (!added) return added.error();
    running_.push_back(std::move(*added));
  }
  return Done{};
}

/// This node may own the arena. Its listeners lead to the node that owns the arena.
Outcome<Done> Routes::stand_for(const config::Arena& settings, std::size_t position) {
  const auto tap = service_.tap(settings.record(), "arena", position);
  if (!tap) return with_place(places_.before_arena(settings.name(), "record"), tap.error());
  fleet_arenas_->stand_for(
      settings.name(),
      {[settings, tap = *tap, secrets = keeps_secrets()] { return configured(settings, secrets, tap); },
       [this](const relay::SharedRoomOptions& room) { return service_.add_arena(room); },
       [this](std::size_t room) { service_.retire_arena(room); }});
  if (auto done = add_listeners(settings.listen(), settings.name(), position, {}); !done) return done;
  return add(settings.watch(), name_of(settings), fleet_arenas_->local_room_for(settings.name()).broadcast, position);
}

/// The fleet's listeners stay as they are until a restart.
Outcome<Done> Routes::keep_listeners(const Urls& urls, Plan& plan) const {
  for (const std::string& url : urls) {
    const auto before = take(plan.before, [&](const Running& one) { return one.url == url; });
    if (!before)
      return Error{plan.places.before_listener(url) + "'" + url + "': a listener of the fleet is added by a restart"};
    plan.after.push_back(*before);
  }
  return Done{};
}

Outcome<Done> Routes::add(const config::Arena& settings, std::size_t position) {
  if (settings.fleet()) return stand_for(settings, position);
  RunningArena arena{settings};
  arena.broadcast = new_broadcast();
  if (const auto opened = open_room(arena, places_, position); !opened) return opened.error();
  const std::size_t first = position;
  for (const std::string& url : settings.listen()) {
    const auto end = parse_shared_listen(url, games());
    if (!end) return end.error();
    auto route = route_into({arena.room, settings.name(), arena.tap, true}, *end);
    if (!route) return route.error();
    route->position = position++;
    auto added = add({url, *end, 0, "", arena.tap, route->options.web, {}, arena.room, route->position}, *route);
    if (!added) return added.error();
    running_.push_back(std::move(*added));
  }
  arenas_.push_back(std::move(arena));
  return add(settings.watch(), name_of(settings), arenas_.back().broadcast, first);
}

Outcome<Done> Routes::add(const Watches& watches, const std::string& of,
                          const std::shared_ptr<relay::Broadcast>& broadcast, std::size_t position) {
  for (const config::Watch& settings : watches) {
    const RunningWatch watch = open_watch(settings, of, broadcast);
    for (const std::string& url : settings.listen()) {
      const auto end = parse_shared_listen(url, games());
      if (!end) return end.error();
      auto route = route_into({watch.room, "watch", service_.counting_tap()}, *end);
      if (!route) return route.error();
      route->position = position;
      route->options.web.documents = watch.documents;
      auto added = add({url, *end, 0, "", nullptr, route->options.web, {}, watch.room, position, true}, *route);
      if (!added) return added.error();
      running_.push_back(std::move(*added));
    }
    watches_.push_back(watch);
  }
  return Done{};
}

Routes::RunningWatch Routes::open_watch(const config::Watch& settings, const std::string& of,
                                        const std::shared_ptr<relay::Broadcast>& broadcast,
                                        std::optional<std::size_t> beside) {
  RunningWatch watch{settings, broadcast, view_of(*broadcast, settings)};
  watch.room = service_.server().add_shared_room(watch_room(of, watch.view), beside);
  watch.documents = live_documents(watch.view);
  return watch;
}

Outcome<Done> Routes::open_room(RunningArena& arena, const ConfigPlaces& places, std::size_t position,
                                std::optional<std::size_t> beside) {
  const std::string& name = arena.settings.name();
  const auto tap = service_.tap(arena.settings.record(), "arena", position);
  if (!tap) return with_place(places.before_arena(name, "record"), tap.error());
  arena.tap = *tap;
  auto options = configured(arena.settings, keeps_secrets(), *tap);
  if (!options) return service_.discard(**tap), with_place(places.before_arena(name, "from"), options.error());
  options->room.broadcast = arena.broadcast;
  arena.room = service_.add_arena(options->room, beside);
  return Done{};
}

Outcome<Done> Routes::run(TakeOver* take_over) {
  std::optional<CallOnHangUp> hang_up;
  if (reread_) hang_up.emplace([this] { (void)reload(); });  // the result is in the log
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
  return tell_rest(fresh->config);
}

/// What runs now, and a new configuration may keep.
Machine Routes::machine() const {
  return {[this](const std::string& file) { return service_.records(file); },
          [this](const config::Arena& arena) {
            return std::any_of(arenas_.begin(), arenas_.end(), [&](const RunningArena& one) {
              return one.settings.name() == arena.name() && same_settings(one.settings, arena);
            });
          },
          [this](const net::Address& at) {
            return std::any_of(running_.begin(), running_.end(),
                               [&](const Running& one) { return one.listen.address == at; });
          }};
}

/// All of it, or nothing.
Outcome<Done> Routes::change(const LoadedConfig& loaded) {
  const config::Config& fresh = loaded.config;
  auto token = service_.read_operator_token(fresh);
  if (!token) return with_place(loaded.places.before("operator.token_file"), token.error());
  service_.set_rules(fresh);
  Plan plan{loaded.places};
  auto done = this->plan(fresh, plan);
  if (done) done = carry_out(plan);
  if (!done) {
    abandon(plan);
    service_.set_rules(current_);
    return done;
  }
  std::map<std::size_t, Service::OwnRules> own;
  for (const Running& one : running_)
    if (one.route) own[one.number] = {access_of(*one.route), one.route->limits()};
  service_.apply_rules(own);
  for (const auto& [used, read] : plan.certificates) used->renew(*read);
  if (*token && service_.renew_operator_token(std::move(**token))) plan.told += "changed: operator.token_file\n";
  told_ = "";
  for (const std::string& line : applied_at_once(current_, fresh)) told_ += line + "\n";
  told_ += plan.told;
  current_ = fresh;
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
  if (fleet_arena_of(route)) {
    Urls urls;
    *urls.Add() = route.listen();
    return keep_listeners(urls, plan);
  }
  auto made = configured(route, keeps_secrets());
  if (!made) return made.error();
  const auto has_listener = [&](const Running& one) {
    return same_listener(route.listen(), made->listen, one.url, one.listen);
  };
  const auto is_same = [&](const Running& one) {
    return has_listener(one) && one.route && same_settings(*one.route, route);
  };
  Running running{route.listen(), made->listen, 0, "", nullptr, made->made.options.web, route, 0, position};
  auto before = take(plan.before, is_same);
  if (before) {
    Running kept = *before;
    if (!MessageDifferencer::Equals(kept.route->limits(), route.limits()))
      plan.told += "changed: limits of " + kept.name + "\n";
    kept.route = route;
    kept.position = position;
    kept.broadcast = broadcast_of(route, kept.broadcast);
    keep(kept, running.web, plan);
    return plan_observer(kept, plan);
  }
  before = take(plan.before, has_listener);
  if (before && before->route && before->route->record() == route.record()) {
    running.tap = before->tap;
  } else {
    const auto tap = service_.tap(route.record(), made->listen.game->name(), position, route.name());
    if (!tap) return with_place(plan.places.before(record_of(position)), tap.error());
    plan.taps_added.push_back(*tap);
    running.tap = *tap;
  }
  made->made.options.tap = running.tap;
  made->made.position = position;
  running.broadcast = broadcast_of(route, before ? before->broadcast : nullptr);
  const Running added = running;
  add(std::move(running), std::move(made->made), before, plan);
  plan.logs.emplace_back([route, made = *made] { log_dialects(route, made); });
  return plan_observer(added, plan);
}

/// Plans the observer and the audiences of a watched route.
Outcome<Done> Routes::plan_observer(const Running& of, Plan& plan) {
  if (!of.broadcast) return Done{};
  const config::Route server = observed(*of.route);
  auto before = take(plan.before, [&](const Running& one) {
    return one.observer && one.broadcast == of.broadcast && MessageDifferencer::Equals(*one.route, server);
  });
  if (before) {
    before->position = of.position;
    plan.after.push_back(std::move(*before));
  } else {
    auto observer = new_observer(of);
    if (!observer) return observer.error();
    add(std::move(observer->first), std::move(observer->second), std::nullopt, plan);
  }
  return plan_watches(of.route->watch(), name_of(*of.route), of.broadcast, of.position, plan);
}

Outcome<Routes::RoomListeners> Routes::listeners(const Urls& urls, Plan& plan) const {
  RoomListeners found{urls};
  for (const std::string& url : urls) {
    const auto end = parse_shared_listen(url, games());
    if (!end) return end.error();
    found.ends.push_back(*end);
    found.before.push_back(
        take(plan.before, [&](const Running& one) { return same_listener(url, *end, one.url, one.listen); }));
  }
  return found;
}

std::optional<std::size_t> Routes::RoomListeners::beside() const {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < ends.size(); ++i)
    if (before[i] && (!found || ends[i].game->transport() == wire::Transport::kEnet)) found = before[i]->number;
  return found;
}

Outcome<Done> Routes::plan_arena(const config::Arena& settings, std::size_t position, Plan& plan) {
  if (settings.fleet()) {
    const FleetArenas::LocalFleetRoom* local =
        fleet_arenas_ ? fleet_arenas_->find_local_room(settings.name()) : nullptr;
    if (local == nullptr)
      return Error{plan.places.before_arena(settings.name(), "fleet") + "an arena of the fleet is added by a restart"};
    if (auto kept = keep_listeners(settings.listen(), plan); !kept) return kept;
    return plan_watches(settings.watch(), name_of(settings), local->broadcast, position, plan);
  }
  const auto listeners = this->listeners(settings.listen(), plan);
  if (!listeners) return listeners.error();
  const auto& before = listeners->before;
  const auto has_name = [&](const RunningArena& one) { return one.settings.name() == settings.name(); };
  const auto has_listener = [&](const RunningArena& one) {
    return has_name(one) && std::any_of(before.begin(), before.end(), [&](const auto& listener) {
             return listener && !listener->route && listener->room == one.room;
           });
  };
  auto known = take(plan.arenas_before, has_listener);
  if (!known) known = take(plan.arenas_before, has_name);
  const bool same = known && same_settings(known->settings, settings);
  RunningArena arena{settings, same ? known->room : 0, same ? known->tap : nullptr,
                     known ? known->broadcast : new_broadcast()};
  if (!same) {
    if (const auto opened = open_room(arena, plan.places, position, listeners->beside()); !opened)
      return opened.error();
    plan.rooms_added.push_back(arena.room);
    plan.taps_added.push_back(arena.tap);
    plan.told += (known ? "changed: " : "added: ") + name_of(settings) + "\n";
  }
  const auto planned =
      plan_listeners(*listeners, {arena.room, settings.name(), arena.tap, true}, same, position, nullptr, plan);
  if (!planned) return planned.error();
  plan.arenas_after.push_back(arena);
  return plan_watches(settings.watch(), name_of(settings), arena.broadcast, position, plan);
}

/// `same`: the room was there before. `watch`: the audience whose room it is; null: it is an arena's room.
Outcome<Done> Routes::plan_listeners(const RoomListeners& listeners, const SharedRoomEntry& entry, bool same,
                                     std::size_t position, const RunningWatch* watch, Plan& plan) {
  for (std::size_t i = 0; i < listeners.ends.size(); ++i) {
    const std::string& url = listeners.urls[static_cast<int>(i)];
    auto before = listeners.before[i];
    auto made = route_into(entry, listeners.ends[i]);
    if (!made) return made.error();
    made->position = watch == nullptr ? position + i : position;
    if (watch != nullptr) made->options.web.documents = watch->documents;
    if (same && before && !before->route && before->room == entry.shared_room && before->url == url) {
      before->position = made->position;
      keep(*before, made->options.web, plan);
    } else {
      Running running{url,
                      listeners.ends[i],
                      0,
                      "",
                      watch == nullptr ? entry.tap : nullptr,
                      made->options.web,
                      {},
                      entry.shared_room,
                      made->position,
                      watch != nullptr};
      add(std::move(running), std::move(*made), before, plan);
    }
  }
  return Done{};
}

Outcome<Done> Routes::plan_watches(const Watches& watches, const std::string& of,
                                   const std::shared_ptr<relay::Broadcast>& broadcast, std::size_t position,
                                   Plan& plan) {
  for (const config::Watch& settings : watches) {
    const auto listeners = this->listeners(settings.listen(), plan);
    if (!listeners) return listeners.error();
    auto known = take(plan.watches_before, [&](const RunningWatch& one) {
      return one.broadcast == broadcast && same_audience(one.settings, settings);
    });
    const bool same = known.has_value();
    if (!same) {
      known = open_watch(settings, of, broadcast, listeners->beside());
      plan.rooms_added.push_back(known->room);
    }
    known->settings = settings;
    const auto planned =
        plan_listeners(*listeners, {known->room, "watch", service_.counting_tap()}, same, position, &*known, plan);
    if (!planned) return planned.error();
    plan.watches_after.push_back(std::move(*known));
  }
  return Done{};
}

void Routes::keep(Running running, const relay::WebOptions& fresh, Plan& plan) const {
  if (running.web.client_tls) plan.certificates.emplace_back(running.web.client_tls, fresh.client_tls);
  if (running.web.server_tls) plan.certificates.emplace_back(running.web.server_tls, fresh.server_tls);
  plan.after.push_back(std::move(running));
}

void Routes::add(Running running, Service::NewRoute made, const std::optional<Running>& instead_of, Plan& plan) const {
  if (instead_of) {
    made.instead_of = instead_of->number;
    plan.told += "changed: " + instead_of->name + sessions_go_on(*instead_of) + "\n";
  }
  made.options.place = plan.places.before_listener(running.url);
  plan.added_at.push_back(plan.after.size());
  plan.added.push_back(std::move(made));
  plan.after.push_back(std::move(running));
}

/// A listener keeps its game, and a WebSocket its path, until its route is removed.
Outcome<Done> Routes::objection_to_moves(const Plan& plan) const {
  for (std::size_t i = 0; i < plan.added.size(); ++i) {
    const Running& added = plan.after[plan.added_at[i]];
    if (plan.added[i].instead_of) continue;
    for (const Running& gone : plan.before)
      if (clash(gone.listen, added.listen))
        return Error{plan.places.before_listener(added.url) + "'" + added.url + "': " + gone.name +
                     " still listens there; remove it, reload, and then add this route; or restart"};
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

Outcome<Done> Routes::carry_out(Plan& plan) {
  std::vector<std::size_t> retired;
  for (const Running& one : plan.before) {
    retired.push_back(one.number);
    if (one.observer) continue;
    const std::string going_on = sessions_go_on(one);
    const bool limited = !going_on.empty() && !one.watch;
    plan.told += "removed: " + one.name + going_on + (limited ? for_at_most(config_.drain_s()) : "") + "\n";
  }
  const auto listening = service_.change(plan.added, retired);
  if (!listening) return listening.error();
  for (std::size_t i = 0; i < listening->size(); ++i) {
    Running& one = plan.after[plan.added_at[i]];
    one.number = (*listening)[i].route;
    if (one.observer) {
      observers_.look_after(one.number, one.observer);
      continue;
    }
    one.name = one.route && !one.route->name().empty()
                   ? one.route->name()
                   : one.listen.dialect_text() + " " + (*listening)[i].address.text();
    if (!plan.added[i].instead_of) plan.told += "added: " + one.name + "\n";
  }
  end_removed(plan);
  for (const Running& one : plan.after) service_.move(one.number, one.position);
  for (const auto& log : plan.logs) log();
  running_ = std::move(plan.after);
  arenas_ = std::move(plan.arenas_after);
  watches_ = std::move(plan.watches_after);
  lead_to_arenas();
  return Done{};
}

/// Sets the room of each route with `while_down` to the room that its arena has now.
void Routes::lead_to_arenas() {
  for (const Running& one : running_) {
    if (!one.route || one.route->while_down().empty()) continue;
    const auto name = parse_while_down(one.route->while_down());
    const auto arena = std::find_if(arenas_.begin(), arenas_.end(),
                                    [&](const RunningArena& its) { return name && its.settings.name() == *name; });
    service_.set_while_down_room(one.number, arena != arenas_.end() ? std::optional(arena->room) : std::nullopt);
  }
}

void Routes::abandon(const Plan& plan) {
  for (const std::size_t room : plan.rooms_added) service_.retire_arena(room);
  for (relay::TapThread* tap : plan.taps_added) service_.discard(*tap);
}

/// Describes what becomes of the listener's sessions. Viewers are disconnected, because they may see only what the new
/// configuration allows.
std::string Routes::sessions_go_on(const Running& listener) const {
  const std::uint64_t sessions = service_.all_sessions(listener.number);
  if (sessions != 0 && listener.watch) return "; its viewers must join again";
  return sessions == 0 ? "" : "; " + entente::sessions_go_on(sessions);
}

/// Reopens the log, and reports what changed.
std::string Routes::tell_rest(const config::Config& fresh) const {
  config::Log log = config_.log();
  log.set_level(fresh.log().level());
  const auto renewed = renew_log(log);
  std::string told = "reloaded the configuration\n" + told_;
  for (std::size_t at = 0; at < told.size(); at = told.find('\n', at) + 1)
    log_info("{}", told.substr(at, told.find('\n', at) - at));
  if (!renewed) {
    log_error("{}", renewed.error().text);
    told += renewed.error().text + "; the log still goes to the old file\n";
  }
  for (const std::string& line : takes_restart(config_, fresh)) {
    log_warn("needs a restart: {}", line);
    told += "needs a restart: " + line + "\n";
  }
  return told;
}

}  // namespace entente
