#include "proxy/program/control/control.h"

#include <algorithm>

#include "proxy/program/base/screen_text.h"
#include "proxy/program/base/suggest.h"
#include "proxy/program/control/arguments.h"
#include "proxy/program/log/say.h"

namespace entente {
namespace {

/// "by uid 1000, pid 4242"
std::string by_text(const net::LocalPeer& by) {
  return "by uid " + std::to_string(by.uid) + ", pid " + std::to_string(by.pid);
}

}  // namespace

void Control::add(std::string usage, std::string about, Run run) {
  std::string name = usage.substr(0, usage.find(' '));
  commands_.push_back({std::move(name), std::move(usage), std::move(about), std::move(run), false});
}

void Control::add_order(std::string usage, std::string about, Run run, std::function<void()> when_refused) {
  add(std::move(usage), std::move(about), std::move(run));
  commands_.back().order = true;
  commands_.back().when_refused = std::move(when_refused);
}

std::string Control::answer(std::string_view line, const net::LocalPeer& by, Orders orders) const {
  line = trimmed(line);
  std::string_view rest = line;
  const bool json = first_word(rest) == "--json";
  return answer_any(json ? rest : line, json, by_text(by), orders);
}

std::string Control::answer_json(std::string_view line, const std::string& by) const {
  std::string json = answer_any(trimmed(line), true, by, Orders::kUnlessRefused);
  json.pop_back();
  return json;
}

std::string Control::answer_as(std::string_view line, bool json, const std::string& by) const {
  const std::lock_guard alone(*running_);
  return answer_alone(line, json, by, Orders::kUnlessRefused);
}

std::optional<std::string> Control::try_answer_as(std::string_view line, bool json, const std::string& by) const {
  const std::unique_lock alone(*running_, std::try_to_lock);
  return alone ? std::optional(answer_alone(line, json, by, Orders::kUnlessRefused)) : std::nullopt;
}

std::string Control::answer_alone(std::string_view line, bool json, const std::string& by, Orders orders) const {
  const Reply told = reply(line, by, orders);
  return json ? told.json() : told.text();
}

std::string Control::answer_any(std::string_view line, bool json, const std::string& by, Orders orders) const {
  std::string_view rest = line;
  if (first_word(rest) != "--fleet") {
    const std::lock_guard alone(*running_);
    return answer_alone(line, json, by, orders);
  }
  if (fleet_) return fleet_(rest, json, by);
  const Reply told(Error{"this program is in no fleet; to join one, add [fleet] to its configuration"});
  return json ? told.json() : told.text();
}

bool Control::is_order(std::string_view name) const {
  return std::any_of(commands_.begin(), commands_.end(),
                     [&](const Command& one) { return one.order && one.name == name; });
}

Reply Control::reply(std::string_view line, const std::string& by, Orders orders) const {
  std::string_view rest = line;
  const std::string_view name = first_word(rest);
  if (name == "help") return help();
  for (const Command& command : commands_) {
    if (command.name != name) continue;
    const bool may_refuse = command.order && orders != Orders::kAll && objection_;
    const std::string why = may_refuse ? objection_() : "";
    if (!why.empty() && command.when_refused) command.when_refused();
    const Reply told = why.empty() ? command.run(rest) : Reply(Error{why});
    if (command.order)
      log_at(told.has_changed() ? LogLevel::kInfo : LogLevel::kDebug, "control: {} ({}): {}", screen_text(line), by,
             told.summary());
    return told;
  }
  std::vector<std::string_view> names{"help"};
  for (const Command& command : commands_) names.emplace_back(command.name);
  return Error{unknown_name("command", control_field(name), names)};
}

Reply Control::help() const {
  std::vector<ReplyRow> rows = {{text_field("usage", "help"), text_field("about", "Prints this list.")}};
  for (const Command& command : commands_)
    rows.push_back({text_field("usage", command.usage), text_field("about", command.about)});
  return Reply::list(rows);
}

}  // namespace entente
