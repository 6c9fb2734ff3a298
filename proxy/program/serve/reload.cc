#include "proxy/program/serve/reload.h"

#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>

#include "adapters/registry.h"
#include "proxy/program/config/config_comment.h"
#include "proxy/program/config/fleet_settings.h"
#include "proxy/program/settings/endpoint.h"

namespace entente {
namespace {

using google::protobuf::Message;
using Reload = config::Rule::Reload;

/// Removes the keys whose changes a reload treats in a way for which `is` returns true. `table`: how it treats those of
/// this table that have no rule of their own.
template <class Is>
void remove_keys(Message& of, const Is& is, Reload table = config::Rule::never) {
  const auto& reflection = *of.GetReflection();
  const auto& keys = *of.GetDescriptor();
  for (int i = 0; i < keys.field_count(); ++i) {
    const auto* key = keys.field(i);
    const Reload reload = reload_rule(*key, table);
    // A table that is there only on one side would be a difference by itself.
    if (key->message_type() != nullptr && !key->is_repeated())
      remove_keys(*reflection.MutableMessage(&of, key), is, reload);
    else if (is(reload))
      reflection.ClearField(&of, key);
  }
}

/// The keys that only a restart applies.
template <class Part>
Part fixed(Part part) {
  remove_keys(part, [](Reload reload) { return reload != config::Rule::never; });
  return part;
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
std::vector<std::string> differences(const Message& before, const Message& fresh, std::string_view changed = "") {
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

void add_changes(const std::string& of, const Message& before, const Message& fresh, std::vector<std::string>& lines) {
  for (const std::string& line : differences(before, fresh)) lines.push_back(of + line);
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

/// The keys that a reload applies at once.
config::Config at_once(config::Config config) {
  remove_keys(config, [](Reload reload) { return reload != config::Rule::at_once; });
  return config;
}

}  // namespace

std::vector<std::string> applied_at_once(const config::Config& before, const config::Config& fresh) {
  return differences(at_once(before), at_once(fresh), "changed: ");
}

std::vector<std::string> takes_restart(const config::Config& running, const config::Config& fresh) {
  std::vector<std::string> lines;
  if (const auto places = lacks_places(running, fresh)) lines.push_back(*places);
  add_fleet_changes(running, fresh, lines);
  add_changes("", fixed(running), fixed(fresh), lines);
  return lines;
}

}  // namespace entente
