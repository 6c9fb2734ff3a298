#include "proxy/program/serve/reload.h"

#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>

#include "adapters/registry.h"
#include "proxy/program/fleet/fleet.h"
#include "proxy/program/settings/endpoint.h"

namespace entente {
namespace {

/// Removes what can change without a restart.
void fix(config::Config& config) {
  config.clear_limits();
  config.clear_texts();
  config.mutable_log()->clear_level();
  config.mutable_access()->clear_allow();
  config.mutable_access()->clear_deny();
  config.mutable_operator_()->clear_token_file();
  config.clear_route();
  config.clear_arena();
}

bool is_enet_url(const std::string& listen) {
  const auto at = parse_endpoint(listen, games(), EndpointRole::kListen);
  return at && at->game->transport() == wire::Transport::kEnet && at->enet != relay::EnetMode::kDatagrams;
}

bool listens_by_enet(const config::Config& config) {
  for (const config::Route& route : config.route())
    if (is_enet_url(route.listen())) return true;
  for (const config::Arena& arena : config.arena())
    if (std::any_of(arena.listen().begin(), arena.listen().end(), is_enet_url)) return true;
  return false;
}

/// ENet cannot accept more peers than it was opened with.
std::optional<std::string> lacks_places(const config::Config& running, const config::Config& fresh) {
  const auto places = [](const config::Config& config) { return config.limits().sessions() - 1; };  // 0: the most
  if (places(fresh) <= places(running) || !listens_by_enet(running)) return std::nullopt;
  return "limits.sessions: " + std::to_string(running.limits().sessions()) + " -> " +
         std::to_string(fresh.limits().sessions()) + " (for ENet listeners; other listeners use the new value now)";
}

constexpr std::string_view kModified = "modified: ";

/// In lines such as "limits.sessions: 200 -> 150", each after `changed`, or "added: access.deny[0]: …".
std::vector<std::string> differences(const google::protobuf::Message& before, const google::protobuf::Message& fresh,
                                     std::string_view changed = "") {
  std::string text;
  google::protobuf::util::MessageDifferencer differencer;
  differencer.ReportDifferencesToString(&text);
  differencer.Compare(before, fresh);
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(kModified)) line.replace(0, kModified.size(), changed);
    lines.push_back(line);
  }
  return lines;
}

void add_changes(const std::string& of, const google::protobuf::Message& before, const google::protobuf::Message& fresh,
                 std::vector<std::string>& lines) {
  for (const std::string& line : differences(before, fresh)) lines.push_back(of + line);
}

/// The keys of an arena of the fleet that a reload does not apply.
config::Arena fixed(config::Arena arena) {
  arena.clear_listen();
  arena.clear_watch();
  return arena;
}

/// The changes of the fleet's arenas, and of routes into them, that need a restart.
void add_fleet_changes(const config::Config& running, const config::Config& fresh, std::vector<std::string>& lines) {
  for (const config::Arena& before : running.arena())
    for (const config::Arena& arena : fresh.arena())
      if (before.fleet() && arena.fleet() && before.name() == arena.name())
        add_changes("arena '" + arena.name() + "': ", fixed(before), fixed(arena), lines);
  for (const config::Route& before : running.route())
    for (const config::Route& route : fresh.route())
      if (fleet_arena_of(before) && fleet_arena_of(route) && before.listen() == route.listen())
        add_changes("route '" + route.listen() + "': ", before, route, lines);
}

/// Keeps only the keys that applied_at_once() reports.
config::Config at_once(const config::Config& config) {
  config::Config kept;
  *kept.mutable_limits() = config.limits();
  *kept.mutable_texts() = config.texts();
  kept.mutable_log()->set_level(config.log().level());
  *kept.mutable_access()->mutable_allow() = config.access().allow();
  *kept.mutable_access()->mutable_deny() = config.access().deny();
  return kept;
}

}  // namespace

std::vector<std::string> applied_at_once(const config::Config& before, const config::Config& fresh) {
  return differences(at_once(before), at_once(fresh), "changed: ");
}

std::vector<std::string> takes_restart(config::Config running, config::Config fresh) {
  std::vector<std::string> lines;
  if (const auto places = lacks_places(running, fresh)) lines.push_back(*places);
  add_fleet_changes(running, fresh, lines);
  fix(running);
  fix(fresh);
  add_changes("", running, fresh, lines);
  return lines;
}

}  // namespace entente
