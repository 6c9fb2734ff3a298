#include "proxy/program/serve/reload.h"

#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <sstream>
#include <string_view>

#include "proxy/program/config/config_comment.h"
#include "proxy/program/config/fleet_settings.h"

namespace entente {
namespace {

using google::protobuf::Message;
using google::protobuf::util::MessageDifferencer;
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

constexpr std::string_view kModified = "modified: ";

/// In lines such as "limits.sessions: 200 -> 150", each after `changed`, or "added: access.deny[0]: …".
std::vector<std::string> changed_fields(const Message& before, const Message& fresh, std::string_view changed = "") {
  std::string text;
  MessageDifferencer differencer;
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
  for (const std::string& line : changed_fields(before, fresh)) lines.push_back(of + line);
}

/// The changes of the fleet's arenas, and of routes into them, that need a restart.
void add_fleet_changes(const config::Config& running, const config::Config& fresh, std::vector<std::string>& lines) {
  for (const config::Arena& before : running.arena()) {
    if (!before.fleet()) continue;
    const std::string of = "arena '" + before.name() + "': ";
    const auto found = std::find_if(fresh.arena().begin(), fresh.arena().end(), [&](const config::Arena& arena) {
      return arena.fleet() && arena.name() == before.name();
    });
    if (found != fresh.arena().end())
      add_changes(of, fixed(before), fixed(*found), lines);
    else
      lines.push_back(of + "this node may own it until then");
  }
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

/// How a reload treats those keys of [[route]] or [[arena]] that have no rule of their own.
template <class Table>
Reload rule_of_table() {
  const auto& tables = *config::Config::descriptor();
  for (int i = 0; i < tables.field_count(); ++i)
    if (tables.field(i)->message_type() == Table::descriptor())
      return reload_rule(*tables.field(i), config::Rule::never);
  return config::Rule::never;
}

template <class Table>
bool differs_only_in_running(Table before, Table fresh) {
  const auto while_it_runs = [](Reload reload) {
    return reload == config::Rule::at_once || reload == config::Rule::listeners;
  };
  for (Table* one : {&before, &fresh}) remove_keys(*one, while_it_runs, rule_of_table<Table>());
  return MessageDifferencer::Equals(before, fresh);
}

}  // namespace

bool goes_on_with(const config::Route& before, const config::Route& fresh) {
  return differs_only_in_running(before, fresh);
}

bool goes_on_with(const config::Arena& before, const config::Arena& fresh) {
  return differs_only_in_running(before, fresh);
}

std::vector<std::string> changed_keys(const config::Route& before, const config::Route& fresh) {
  std::vector<std::string> changed;
  const auto& keys = *config::Route::descriptor();
  for (int i = 0; i < keys.field_count(); ++i) {
    if (reload_rule(*keys.field(i), rule_of_table<config::Route>()) != config::Rule::at_once) continue;
    MessageDifferencer differencer;
    const auto fields = std::vector{keys.field(i)};
    if (!differencer.CompareWithFields(before, fresh, fields, fields)) changed.push_back(keys.field(i)->name());
  }
  return changed;
}

std::vector<std::string> applied_at_once(const config::Config& before, const config::Config& fresh) {
  return changed_fields(at_once(before), at_once(fresh), "changed: ");
}

config::Config served_until_restart(const config::Config& running, config::Config fresh) {
  remove_keys(fresh, [](Reload reload) { return reload == config::Rule::never; });
  fresh.MergeFrom(fixed(running));
  return fresh;
}

std::vector<std::string> takes_restart(const config::Config& running, const config::Config& fresh) {
  std::vector<std::string> lines;
  add_fleet_changes(running, fresh, lines);
  add_changes("", fixed(running), fixed(fresh), lines);
  return lines;
}

}  // namespace entente
