#include "proxy/program/config/config.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "proxy/core/texts.h"
#include "proxy/fleet/subjects.h"
#include "proxy/net/address.h"
#include "proxy/net/network.h"
#include "proxy/net/service_manager.h"
#include "proxy/net/socket.h"
#include "proxy/program/base/journal.h"
#include "proxy/program/config/config_reader.h"
#include "proxy/program/config/fleet_settings.h"
#include "proxy/program/config/loop.h"
#include "proxy/program/playback/arena_from_recording.h"
#include "proxy/program/settings/arena_rules.h"
#include "proxy/program/settings/ban_file.h"
#include "proxy/program/settings/hook.h"
#include "proxy/program/settings/lab.h"
#include "proxy/program/settings/limits.h"
#include "proxy/program/settings/public_list.h"
#include "proxy/program/settings/route.h"
#include "proxy/program/settings/rule_files.h"
#include "proxy/program/settings/token.h"
#include "proxy/program/settings/web.h"
#include "proxy/program/take_over/older_sockets.h"

namespace entente {
namespace {

constexpr std::size_t kLargestConfig = 1048576;  // bytes; a configuration is written by hand
constexpr std::size_t kLongestHost = 253;        // bytes
constexpr std::size_t kLongestRouteName = 40;    // bytes

// Checks the rules that the schema cannot express.
class Checker {
 public:
  Checker(Reading& reading, std::span<const wire::Game* const> known, const Machine* machine)
      : reading_(reading), known_(known), machine_(machine) {}

  /// REQUIRES: check().
  std::vector<Problem>& warnings() { return warnings_; }

  void check(const config::Config& config) {
    if (!reading_.places.contains("route") && !reading_.places.contains("arena") && !is_in_fleet(config))
      reading_.problems.push_back({{1, 1}, "there is no [[route]] and no [[arena]], so there is nothing to run"});
    for (const ListenEnd& listen : listeners_of(config, known_))
      if (!listen.address.v6()) v4_ports_.insert(listen.address.port());
    water("", config.limits());
    for (const auto& [key, text] :
         {std::pair("server_down", config.texts().server_down()),
          std::pair("server_away", config.texts().server_away()),
          std::pair("server_back", config.texts().server_back()),
          std::pair("server_full", config.texts().server_full()), std::pair("draining", config.texts().draining())})
      if (text.size() > core::kMostText)
        problem(std::string("texts.") + key, "has " + std::to_string(text.size()) +
                                                 " bytes; a text for players may have " +
                                                 std::to_string(core::kMostText));
    const std::string& host = config.public_host();
    const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '-' || c == ':'; };
    if (host.size() > kLongestHost || !std::all_of(host.begin(), host.end(), fits))
      problem("public_host", "expected a host name or an IP address, without a port");
    nets("access.", config.access());
    const std::string& ban_file = config.access().ban_file();
    if (has_folder("access.ban_file", ban_file) && reads("access.ban_file", ban_file)) {
      if (const auto bans = read_bans(ban_file, std::time(nullptr)); !bans)
        problem("access.ban_file", bans.error().text);
      writable_folder("access.ban_file", ban_file);  // also if the file is there: a new one replaces it
    }
    if (has_folder("log.file", config.log().file()) && opens_at_once("log.file", config.log().file()))
      writable("log.file", config.log().file());
    if (has_folder("control.socket", config.control().socket())) socket("control.socket", config.control().socket());
    if (const std::string& at = config.metrics().listen(); !at.empty()) {
      const auto address = net::Address::parse(at);
      if (address)
        bind("metrics.listen", *address, wire::Transport::kTcp, For::kPage);
      else
        problem("metrics.listen", address.error().text);
    }
    operator_page(config.operator_());
    hooks(config);
    lists(config);
    fleet(config.fleet());
    if (config.recording().to_fleet() != config::Recording::no && !is_in_fleet(config))
      problem("recording.to_fleet", "needs [fleet]");
    loops_ = loops_of(config, known_, machine_ != nullptr);
    for (int i = 0; i < config.route_size(); ++i) route(config, i);
    std::size_t number = static_cast<std::size_t>(config.route_size());  // of listeners before
    for (int i = 0; i < config.arena_size(); ++i) {
      arena(config, i, number + 1);
      number += static_cast<std::size_t>(config.arena(i).listen_size());
    }
  }

 private:
  // Reports an error at the key, or at its nearest parent that the file has.
  void problem(const std::string& path, const std::string& text) {
    const Place* const place = place_of(reading_.places, path);
    reading_.problems.push_back({place != nullptr ? *place : Place{1, 1}, path + ": " + text});
  }

  /// Reports an error. It is only a warning if another process runs the file; `unless`: when it is no error there.
  /// REQUIRES: a machine.
  void problem_here(const std::string& path, const std::string& text, const std::string& unless) {
    if (!machine_->runs_elsewhere) return problem(path, text);
    const Place* const place = place_of(reading_.places, path);
    warnings_.push_back(
        {place != nullptr ? *place : Place{1, 1}, path + ": warning: " + text + " (unless " + unless + ")"});
  }

  /// Reports the error at the key that the file has.
  void water(const std::string& path, const config::Limits& limits) {
    const std::string low = std::to_string(limits.low_water()), high = std::to_string(limits.high_water());
    if (limits.low_water() < limits.high_water()) return;
    if (reading_.places.contains(path + "limits.low_water"))
      problem(path + "limits.low_water", "expected less than limits.high_water (" + high + " bytes), got " + low);
    else
      problem(path + "limits.high_water", "expected more than limits.low_water (" + low + " bytes), got " + high);
  }

  /// Checks that a route's name can be told from the other ways to call a route.
  void name(const std::string& path, const config::Config& config, const config::Route& route) {
    const std::string& name = route.name();
    if (name.empty()) return;
    const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.'; };
    if (name.size() > kLongestRouteName || !std::all_of(name.begin(), name.end(), fits))
      return problem(path + "name",
                     "expected up to " + std::to_string(kLongestRouteName) + " letters, digits, '-', '_' and '.'");
    if (std::none_of(name.begin(), name.end(), [](unsigned char c) { return std::isalpha(c) != 0; }))
      return problem(path + "name", "needs a letter: a number stands for a port");
    if (std::any_of(known_.begin(), known_.end(), [&](const wire::Game* game) { return game->name() == name; }))
      return problem(path + "name", "is the name of a game");
    const auto& arenas = config.arena();
    if (std::any_of(arenas.begin(), arenas.end(), [&](const config::Arena& one) { return one.name() == name; }))
      return problem(path + "name", "is the name of an arena");
    taken_twice(path + "name", "the name '" + name + "'");
  }

  void operator_page(const config::Operator& page) {
    if (page.listen().empty()) return;
    const auto address = net::Address::parse(page.listen());
    if (address)
      bind("operator.listen", *address, wire::Transport::kTcp, For::kPage);
    else
      problem("operator.listen", address.error().text);
    if (page.token_file().empty())
      problem("operator.token_file", "the page needs a token; to make one: (umask 077; openssl rand -hex 32 > FILE)");
    else if (reads("operator.token_file", page.token_file()))
      if (const auto token = read_token(page.token_file()); !token) problem("operator.token_file", token.error().text);
    for (int i = 0; i < page.forwarded_size(); ++i)
      net("operator.forwarded[" + std::to_string(i) + "]", page.forwarded(i));
  }

  void hooks(const config::Config& config) {
    if (config.hook_size() > static_cast<int>(HookSettings::kMostHooks))
      problem("hook", "there are more than " + std::to_string(HookSettings::kMostHooks) + " hooks");
    for (int i = 0; i < config.hook_size(); ++i) {
      const config::Hook& hook = config.hook(i);
      const std::string path = "hook[" + std::to_string(i) + "].";
      bool can_read = machine_ != nullptr;
      for (const auto& [key, file] : {std::pair("secret_file", hook.secret_file()),
                                      {"token_file", hook.token_file()},
                                      {"template", hook.template_()},
                                      {"ca_file", hook.ca_file()}})
        if (!file.empty()) can_read = reads(path + key, file) && can_read;
      for (const HookObjection& one : objections_to(hook, can_read)) {
        const bool is_required =
            one.key == "name" || one.key == "events";  // and if it is missing, that is said already
        if (!is_required || reading_.places.contains(path + one.key)) problem(path + one.key, one.why);
      }
      if (!hook.name().empty()) taken_twice(path + "name", "the hook '" + hook.name() + "'");
      for (int j = 0; j < hook.routes_size(); ++j)
        if (!has_route_or_arena(config, hook.routes(j)))
          problem(path + "routes[" + std::to_string(j) + "]",
                  "no route and no arena has the name '" + hook.routes(j) + "'");
    }
  }

  void lists(const config::Config& config) {
    if (config.list_size() > static_cast<int>(PublicListSettings::kMostLists))
      problem("list", "there are more than " + std::to_string(PublicListSettings::kMostLists) + " lists");
    for (int i = 0; i < config.list_size(); ++i) {
      const config::List& list = config.list(i);
      const std::string path = "list[" + std::to_string(i) + "].";
      const bool can_read = reads(path + "key_file", list.key_file());
      for (const PublicListObjection& one : objections_to(list, config, can_read))
        if ((one.key != "of" && one.key != "title") || reading_.places.contains(path + one.key))
          problem(path + one.key, one.why);
      if (!list.of().empty()) taken_twice(path + "of", "the list entry of '" + list.of() + "'");
    }
  }

  static bool has_route_or_arena(const config::Config& config, const std::string& name) {
    const auto has_name = [&](const auto& one) { return one.name() == name; };
    return std::any_of(config.route().begin(), config.route().end(), has_name) ||
           std::any_of(config.arena().begin(), config.arena().end(), has_name);
  }

  void fleet(const config::Fleet& settings) {
    bool can_read = machine_ != nullptr;
    for (const auto& [key, file] :
         {std::pair("fleet.password_file", settings.password_file()), std::pair("fleet.ca", settings.ca()),
          std::pair("fleet.token_file", settings.token_file()), std::pair("fleet.cert", settings.cert()),
          std::pair("fleet.credentials", settings.credentials()), std::pair("fleet.key", settings.key())})
      if (!file.empty()) can_read = reads(key, file) && can_read;
    for (const auto& [key, why] : objections_to(settings, can_read)) problem("fleet." + key, why);
  }

  void route(const config::Config& config, int index) {
    const config::Route& route = config.route(index);
    const std::string path = "route[" + std::to_string(index) + "].";
    nets(path, route);
    name(path, config, route);
    if (route.limits().has_low_water() || route.limits().has_high_water())
      water(path, limits_for(config.limits(), route.limits()));
    if (const std::string& loop = loops_.at(static_cast<std::size_t>(index)); !loop.empty()) problem(path + "to", loop);
    const auto listen = endpoint(path + "listen", parse_listen(route.listen(), known_));
    const std::vector<std::string> servers(route.to().begin(), route.to().end());
    if (const auto arena = fleet_arena_of(route)) return fleet_route(path, config, index, *arena);
    if (servers.empty() && reading_.places.contains(path + "to")) problem(path + "to", "names no server");
    const auto to = servers.empty() ? std::nullopt : endpoint(path + "to", parse_servers(servers, known_));
    if (to) server_files(path + "to", to->first.web.value_or(WebSocketSettings{}));
    if (!listen) return;
    listener_files(path + "listen", listen->web.value_or(WebSocketSettings{}));
    if (route.hold_s() != 0 && listen->enet == relay::EnetMode::kDatagrams)
      problem(path + "hold_s", "is not for mode=datagrams: there, the client itself retries its connect");
    launch(path, route);
    Shared shared{path + "listen", "", &route};
    if (to) {
      const bool named = std::ranges::all_of(to->servers, [](const auto& one) { return one.dialect.has_value(); });
      shared.detects = !named && to->first.game->probe() == wire::Probe::kSilentConnection;
      if (const auto kind = route_kind(*listen, *to))
        shared.kind = *kind;
      else
        problem(path + "listen", kind.error().text);
    }
    if (!route.while_down().empty()) while_down(path, config, route, *listen, shared.kind);
    if (shared.kind)
      if (const auto lab = parse_lab(route.lab(), LabRoute(*listen, shared.kind)); !lab)
        problem(path + "lab", lab.error().text);
    rules(path + "rules", route.rules());
    if (shared.kind) relay_rules(path, route, *listen, *shared.kind);
    share(*listen, shared);
    watch(path, route.watch());
    for (int i = 0; i < route.watch_size(); ++i)
      if (route.watch(i).see() != config::Watch::public_)
        problem(path + "watch[" + std::to_string(i) + "].see",
                "teams is for arenas: a server tells a spectator no team's chat");
    if (to && route.watch_size() != 0)
      if (const auto why = objection_to_playing(to->first)) problem(path + "watch", why->text);
    if (!route.record().empty())
      recording(path + "record",
                recording_path(route.record(), config.recording().directory(),
                               {listen->game->name(), static_cast<std::size_t>(index) + 1, 0, 0, route.name()}));
  }

  /// Checks a route into an arena of the fleet.
  void fleet_route(const std::string& path, const config::Config& config, int index, const std::string& arena) {
    const config::Route& route = config.route(index);
    const auto listen = endpoint(path + "listen", parse_shared_listen(route.listen(), known_));
    if (listen) {
      listener_files(path + "listen", listen->web.value_or(WebSocketSettings{}));
      share(*listen, {path + "listen", "fleet:" + arena, &route});
    }
    if (!is_in_fleet(config)) problem(path + "to", "needs [fleet]");
    if (const auto why = fleet::objection_to_token(arena)) problem(path + "to", "the arena's name " + *why);
    if (!route.record().empty()) problem(path + "record", "the node that owns the arena records it");
    if (route.hold_s() != 0) problem(path + "hold_s", "is not for arenas: players wait for the next owner anyway");
    if (!route.while_down().empty()) problem(path + "while_down", "is for servers");
    if (!route.lab().empty()) problem(path + "lab", "is for relays");
    if (route.watch_size() != 0) problem(path + "watch", "belongs to the arena");
    if (route.rules_size() != 0) problem(path + "rules", "belong to the arena");
  }

  /// Checks the key `while_down`.
  void while_down(const std::string& path, const config::Config& config, const config::Route& route,
                  const ListenEnd& listen, std::optional<RouteKind> kind) {
    const std::string key = path + "while_down";
    const auto name = parse_while_down(route.while_down());
    if (!name) return problem(key, name.error().text);
    const auto& arenas = config.arena();
    const auto found =
        std::find_if(arenas.begin(), arenas.end(), [&](const config::Arena& one) { return one.name() == *name; });
    if (found == arenas.end())
      problem(key, "there is no arena '" + *name + "'");
    else if (found->fleet())
      problem(key, "the arena '" + *name + "' is of the fleet: players wait only in an arena without fleet = true");
    else if (found->lockstep())
      problem(key, "the arena '" + *name + "' has lockstep: its time stands still until its players ask for more");
    if (route.hold_s() == 0) problem(key, "needs hold_s: players wait if the arena is full");
    if (!kind) return;
    if (const auto why = objection_to_while_down(listen, *kind)) problem(key, why->text);
  }

  /// The commands that start and stop servers.
  void launch(const std::string& path, const config::Route& route) {
    if (!route.start().empty() && route.hold_s() == 0)
      problem(path + "start", "needs hold_s: the player waits while the server starts");
    if (!route.stop().empty() && route.stop_after_s() == 0) problem(path + "stop", "needs stop_after_s");
    if (route.stop().empty() && route.stop_after_s() != 0) problem(path + "stop_after_s", "needs stop");
  }

  /// Checks the access lists of [access] or of a route.
  template <class Lists>
  void nets(const std::string& path, const Lists& lists) {
    for (int i = 0; i < lists.allow_size(); ++i) net(path + "allow[" + std::to_string(i) + "]", lists.allow(i));
    for (int i = 0; i < lists.deny_size(); ++i) net(path + "deny[" + std::to_string(i) + "]", lists.deny(i));
  }

  void net(const std::string& path, const std::string& text) {
    if (const auto net = net::Network::parse(text); !net) problem(path, net.error().text);
  }

  void arena(const config::Config& config, int index, std::size_t number) {
    const config::Arena& arena = config.arena(index);
    const std::string path = "arena[" + std::to_string(index) + "].";
    if (arena.name() == kAudiences) problem(path + "name", "is what commands call all audiences; choose another name");
    if (arena.fleet()) {
      if (!is_in_fleet(config)) problem(path + "fleet", "needs [fleet]");
      if (const auto why = fleet::objection_to_token(arena.name())) problem(path + "name", *why);
      for (int i = 0; i < arena.watch_size(); ++i)
        if (arena.watch(i).see() != config::Watch::public_)
          problem(path + "watch[" + std::to_string(i) + "].see",
                  "teams is not for arenas of a fleet: a node hears what its own players' teams say");
    }
    for (const ArenaObjection& one : objections_to(arena))
      if (one.key != "listen" || reading_.places.contains(path + one.key)) problem(path + one.key, one.why);
    for (int i = 0; i < arena.listen_size(); ++i) {
      const std::string at = path + "listen[" + std::to_string(i) + "]";
      const auto listen = endpoint(at, parse_shared_listen(arena.listen(i), known_));
      if (!listen) continue;
      listener_files(at, listen->web.value_or(WebSocketSettings{}));
      share(*listen, {at, path, nullptr});
    }
    watch(path, arena.watch());
    rules(path + "rules", arena.rules());
    if (!arena.from().empty()) this->from(path + "from", arena);
    if (names_each_session(arena.record()))
      problem(path + "record", "{link} is for routes: an arena is one session for all of its players");
    if (!arena.record().empty())
      recording(path + "record", recording_path(arena.record(), config.recording().directory(), {"arena", number, 0}));
  }

  /// Checks whether a relay can have its rules.
  void relay_rules(const std::string& path, const config::Route& route, const ListenEnd& listen, RouteKind kind) {
    const bool relay = kind == RouteKind::kRelay;
    if (route.rewrite() && (!relay || route.rules_size() == 0))
      return problem(path + "rewrite", relay ? "is for relays with `rules`"
                                             : "is for relays: rules of a bridge may drop messages anyway");
    if (route.rewrite() && listen.enet == relay::EnetMode::kDatagrams)
      problem(path + "rewrite",
              "needs mode=packets in `listen`: datagrams of ENet pass untouched, and cannot be dropped");
    if (route.rules_size() == 0 || !relay) return;
    if (const auto why = objection_to_relay_rules(listen)) problem(path + "rules", why->text);
  }

  /// Checks the files with rules, by running them.
  void rules(const std::string& path, const google::protobuf::RepeatedPtrField<std::string>& files) {
    if (machine_ == nullptr || files.empty()) return;
    if (const auto read = read_rules(files); !read) problem(path, read.error().text);
  }

  /// Checks the recording that an arena begins with.
  void from(const std::string& path, const config::Arena& arena) {
    if (!is_readable(path, arena.from())) return;
    constexpr int kNothing = std::ifstream::traits_type::eof();
    errno = 0;
    if (std::ifstream(arena.from()).peek() == kNothing)
      return problem(path, "the recording '" + arena.from() +
                               "' cannot be read: " + (errno != 0 ? std::strerror(errno) : "it is empty"));
    if (machine_ == nullptr || !objections_to(arena).empty() || (machine_->plays && machine_->plays(arena))) return;
    if (const auto opened = open_arena(arena); !opened) problem(path, opened.error().text);
  }

  /// Checks the listeners for viewers.
  void watch(const std::string& owner, const google::protobuf::RepeatedPtrField<config::Watch>& all) {
    for (int i = 0; i < all.size(); ++i) {
      const std::string path = owner + "watch[" + std::to_string(i) + "].";
      if (all[i].listen().empty() && reading_.places.contains(path + "listen"))
        problem(path + "listen", "must have at least one URL");
      for (int j = 0; j < all[i].listen_size(); ++j) {
        const std::string at = path + "listen[" + std::to_string(j) + "]";
        const auto listen = endpoint(at, parse_shared_listen(all[i].listen(j), known_));
        if (!listen) continue;
        listener_files(at, listen->web.value_or(WebSocketSettings{}));
        share(*listen, {at, path, nullptr});
      }
    }
  }

  template <class End>
  std::optional<End> endpoint(const std::string& path, const Outcome<End>& parsed) {
    if (!reading_.places.contains(path)) return {};  // the missing key was reported already
    if (parsed) return *parsed;
    problem(path, parsed.error().text);
    return {};
  }

  /// Checks the certificate files that a URL names.
  void listener_files(const std::string& path, const WebSocketSettings& web) {
    if (!is_readable(path, web.certificates) || !is_readable(path, web.key)) return;
    if (const auto loaded = web_options(web, {}); !loaded) problem(path, loaded.error().text);
  }
  void server_files(const std::string& path, const WebSocketSettings& web) {
    if (!is_readable(path, web.authorities)) return;
    if (const auto loaded = web_options({}, web); !loaded) problem(path, loaded.error().text);
  }

  struct Shared {
    std::string path, into;              // the key; the arena's key, or empty for a route
    const config::Route* route;          // has the access lists; null: the listener leads into an arena
    std::optional<RouteKind> kind = {};  // nullopt: it leads into an arena, or the kind is not known
    bool detects = false;                // whether the server's dialect is detected
    WebSocketSettings web = {};
    net::TrustedProxies proxies = {};
  };

  // WebSocket routes may share an address if their paths differ and the rest of the listener is the same. So may the
  // listeners of one arena. Everything that ProxyServer::add would refuse is refused here.
  void share(const ListenEnd& listen, Shared one) {
    if (listen.address.port() == 0) return;
    const std::string& path = one.path;
    const std::string address = listen.address.text();
    const auto other = listeners_.find(address);
    if (other == listeners_.end() || !listen.web) {
      bind(path, listen.address, listen.game->transport());
      if (!listen.web) return;
      one.web = *listen.web;
      one.proxies = listen.proxies;
      listeners_.emplace(address, one);
    } else if (!same_tls(*listen.web, other->second.web)) {
      problem(path, "shares " + address + " with " + other->second.path + ", but the TLS settings differ");
    } else if (listen.proxies != other->second.proxies) {
      problem(path, "shares " + address + " with " + other->second.path + ", but proxy_protocol or forwarded differs");
    } else if (one.into != other->second.into) {
      problem(path, "cannot share " + address + " with " + other->second.path + ", which leads elsewhere");
    } else if (one.kind && other->second.kind && one.kind != other->second.kind) {
      problem(path, "cannot share " + address + " with " + other->second.path +
                        ": one is a relay, the other a bridge; give one of them another port");
    } else if (one.detects || other->second.detects) {
      problem(path, "shares " + address + " with " + other->second.path +
                        ", so both routes must name the dialect of their server: add ?dialect= to each `to`");
    } else if (one.route != nullptr && !same_nets(*one.route, *other->second.route)) {
      problem(path, "shares " + address + " with " + other->second.path + ", but allow and deny differ");
    }
    if (listen.web) taken_twice(path, address + (listen.web->path.empty() ? " for any path" : listen.web->path));
  }

  static bool same_tls(const WebSocketSettings& a, const WebSocketSettings& b) {
    return a.tls == b.tls && a.certificates == b.certificates && a.key == b.key;
  }

  static bool same_nets(const config::Route& a, const config::Route& b) {
    const auto same = [](const auto& one, const auto& other) { return std::ranges::equal(one, other); };
    return same(a.allow(), b.allow()) && same(a.deny(), b.deny());
  }

  /// Who uses a port: players, or programs and operators.
  enum class For : bool { kPlayers, kPage };
  struct Bound {
    std::string path;  // the key that took it
    net::Address at;
    bool tcp, udp;
    For use;
  };

  // Refuses what bind() would refuse at the start: a port that another listener has on the same address or on all
  // addresses.
  void bind(const std::string& path, const net::Address& at, wire::Transport transport, For use = For::kPlayers) {
    if (at.port() == 0) return;
    const bool tcp = transport != wire::Transport::kEnet;
    const bool udp = !tcp || transport == wire::Transport::kTcpAndUdp;
    const Bound fresh{path, at, tcp, udp, use};
    for (const Bound& other : bound_) {
      if (at.port() != other.at.port()) continue;
      const bool by_v4_too = clash_in_v4(fresh, other) || clash_in_v4(other, fresh);
      if (!by_v4_too && !clash(fresh, other)) continue;
      const std::string of = at == other.at ? "" : ", which listens on " + other.at.text();
      const std::string too = by_v4_too ? "; a listener on [::] takes IPv4, too" : "";
      return problem(path, at.text() + " is taken by " + other.path + " already" + of + too);
    }
    bound_.push_back(fresh);
    if (machine_ == nullptr || runs_at(at) || net::is_passed(at)) return;
    if (const auto why = net::objection_to_address(at)) return problem(path, why->text);
    if (const auto why = net::objection_to_port(at))
      problem_here(path, why->text, "the program that runs the file has this right");
  }

  static bool clash(const Bound& one, const Bound& other) {
    if (one.at.family() != other.at.family()) return false;
    if (!one.at.same_ip(other.at) && !one.at.wildcard() && !other.at.wildcard()) return false;
    return (one.tcp && other.tcp) || (one.udp && other.udp);
  }

  /// Whether `six` listens on [::], and takes IPv4 where `four` listens, too. A listener for players leaves IPv4 to
  /// other listeners for players. One that was passed, or that runs beside the other, may be for IPv6 only.
  bool clash_in_v4(const Bound& six, const Bound& four) const {
    if (!six.at.v6() || !six.at.wildcard() || four.at.v6() || !six.tcp || !four.tcp) return false;
    if (six.use == For::kPlayers && v4_ports_.contains(six.at.port())) return false;
    if (machine_ == nullptr) return true;
    return !net::is_passed(six.at) && !(runs_at(six.at) && runs_at(four.at));
  }

  bool runs_at(const net::Address& at) const { return machine_->listens && machine_->listens(at); }

  void recording(const std::string& path, const std::string& file) {
    taken_twice(path, file);
    if (!has_folder(path, file)) return;
    std::error_code ignored;  // treated as missing
    if (machine_ == nullptr || (machine_->records && machine_->records(file))) return;
    if (std::filesystem::exists(file, ignored))
      problem(path, "'" + file + "' exists already: move it away, or put {time} into the name");
    else if (const std::string part = file + ".part"; std::filesystem::exists(part, ignored))
      problem_here(path,
                   "'" + part +
                       "' exists already: a recording was not closed; repair it with `entente recover`, or "
                       "move it away",
                   "a program is writing it");
    else
      writable(path, file);
  }

  /// Checks that a file can be there: its folder exists, and the file is not a folder.
  bool has_folder(const std::string& path, const std::string& file) {
    if (machine_ == nullptr || file.empty()) return true;
    const auto folder = std::filesystem::path(file).parent_path();
    std::error_code ignored;
    const bool lacks_folder = !folder.empty() && !std::filesystem::is_directory(folder, ignored);
    if (!lacks_folder && !std::filesystem::is_directory(file, ignored)) return true;
    problem(path, lacks_folder ? "there is no folder '" + folder.string() + "'" : "'" + file + "' is a folder");
    return false;
  }

  /// Checks that this process may write the file. Creates nothing. REQUIRES: has_folder().
  void writable(const std::string& path, const std::string& file) {
    if (machine_ == nullptr || file.empty()) return;
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) return writable_folder(path, file);
    if (::access(file.c_str(), W_OK) != 0) problem(path, "cannot write '" + file + "': " + std::strerror(errno));
  }

  /// Checks that this process may make files in the folder of this file. REQUIRES: has_folder().
  void writable_folder(const std::string& path, const std::string& file) {
    const auto parent = std::filesystem::path(file).parent_path();
    const std::string folder = parent.empty() ? "." : parent.string();
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
      problem(path, "cannot write into the folder '" + folder + "': " + std::strerror(errno));
  }

  /// Checks that a socket can be made there. One that is there may be that of the running program.
  void socket(const std::string& path, const std::string& file) {
    if (const auto why = file.empty() ? std::nullopt : objection_to_control_path(file)) return problem(path, why->text);
    std::error_code ignored;
    const auto there = std::filesystem::status(file, ignored);
    if (machine_ == nullptr || file.empty() || std::filesystem::is_socket(there)) return;
    if (std::filesystem::exists(there))
      problem(path, "'" + file + "' exists, and is not a socket");
    else
      writable(path, file);
  }

  /// Whether opening the file waits for nobody. Named pipes and sockets are files in a folder; the pipe behind
  /// /dev/stderr, which is open already, is not.
  bool opens_at_once(const std::string& path, const std::string& file) {
    std::error_code ignored;
    return machine_ == nullptr || file.empty() || std::filesystem::canonical(file, ignored).empty() ||
           is_readable(path, file);
  }

  /// Whether a file can be read without waiting for anybody: it is no named pipe, for example.
  bool is_readable(const std::string& path, const std::string& file) {
    std::error_code ignored;  // whoever reads the file reports it
    const auto status = std::filesystem::status(file, ignored);
    if (!std::filesystem::is_fifo(status) && !std::filesystem::is_socket(status)) return true;
    problem(path, "'" + file + "' is not a file");
    return false;
  }

  /// Whether a file of this machine is to be read, and can be.
  bool reads(const std::string& path, const std::string& file) {
    return machine_ != nullptr && !file.empty() && is_readable(path, file);
  }

  // Reports a WebSocket path or a file that another key has taken already.
  void taken_twice(const std::string& path, const std::string& what) {
    const auto [first, fresh] = taken_.try_emplace(what, path);
    if (!fresh) problem(path, what + " is taken by " + first->second + " already");
  }

  Reading& reading_;
  std::span<const wire::Game* const> known_;
  const Machine* const machine_;              // null: only the text is judged
  std::map<std::string, std::string> taken_;  // to the key that took it
  std::vector<Bound> bound_;
  std::set<std::uint16_t> v4_ports_;         // of listeners for players
  std::vector<std::string> loops_;           // of each route: why it leads to itself
  std::map<std::string, Shared> listeners_;  // of WebSockets: the first that took it
  std::vector<Problem> warnings_;
};

ConfigErrors told(std::vector<Problem> problems, std::string_view name) {
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
  });
  ConfigErrors errors;
  for (const Problem& problem : problems) errors.push_back(place_text(std::string(name), problem.place) + problem.text);
  return errors;
}

}  // namespace

void print_errors(const ConfigErrors& errors) {
  for (const std::string& error : errors) print_error(error);
}

namespace {

/// The files of rules are in the folder of the configuration.
void find_rules(config::Config& config, const std::filesystem::path& folder) {
  const auto find = [&](auto& table) {
    for (std::string& file : *table.mutable_rules()) file = (folder / file).string();
  };
  for (config::Route& route : *config.mutable_route()) find(route);
  for (config::Arena& arena : *config.mutable_arena()) find(arena);
}

Expected<LoadedConfig, ConfigErrors> checked_config(std::string_view toml, std::string_view name,
                                                    std::span<const wire::Game* const> known, const Machine* machine) {
  config::Config config;
  Reading reading = read_toml(toml, config);
  find_rules(config, std::filesystem::path(name).parent_path());
  Checker checker(reading, known, machine);
  if (!reading.syntax_error) checker.check(config);
  if (!reading.problems.empty()) return told(std::move(reading.problems), name);
  auto warnings = told(std::move(checker.warnings()), name);
  ConfigPlaces places(std::string(name), std::move(reading.places), config);
  return LoadedConfig{std::move(config), std::move(places), std::move(warnings)};
}

}  // namespace

Expected<config::Config, ConfigErrors> parse_config(std::string_view toml, std::string_view name,
                                                    std::span<const wire::Game* const> known, const Machine* machine) {
  auto loaded = checked_config(toml, name, known, machine);
  if (!loaded) return loaded.error();
  return std::move(loaded->config);
}

Expected<LoadedConfig, ConfigErrors> load_config(const std::string& path, std::span<const wire::Game* const> known,
                                                 const Machine* machine, Pipes pipes) {
  const auto text = read_beginning(path, kLargestConfig + 1, pipes);
  const int error = text ? 0 : text.error().error;
  if (text ? text->size() > kLargestConfig : error == EISDIR)
    return ConfigErrors{path + " is a folder, or larger than 1 MiB; expected a configuration file"};
  if (!text && error == 0)
    return ConfigErrors{text.error().text(path) + ", and can be read only once; to change the settings, restart"};
  if (!text)
    return ConfigErrors{path + ": cannot be read: " + std::strerror(error) +
                        (error == ENOENT ? "; `entente check --example` prints a file to start from" : "")};
  return checked_config(*text, path, known, machine);
}

config::Config default_config() {
  config::Config config;
  set_defaults(config);
  return config;
}

}  // namespace entente
