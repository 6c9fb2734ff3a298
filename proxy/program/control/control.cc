#include "proxy/program/control/control.h"

#include <algorithm>

#include "proxy/program/screen_text.h"
#include "proxy/program/suggest.h"

namespace entente {
namespace {

constexpr std::string_view kSpaces = " \t";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

}  // namespace

std::string control_field(std::string_view text) {
  if (text.empty()) return "-";
  return screen_text(text);
}

void Control::add(std::string usage, std::string about, Run run) {
  std::string name = usage.substr(0, usage.find(' '));
  commands_.push_back({std::move(name), std::move(usage), std::move(about), std::move(run)});
}

std::string Control::answer(std::string_view line) const {
  line = trimmed(line);
  const std::size_t end = std::min(line.find_first_of(kSpaces), line.size());
  const std::string_view name = line.substr(0, end);
  if (name == "help") return "ok\n" + help();
  for (const Command& command : commands_) {
    if (command.name != name) continue;
    const auto told = command.run(trimmed(line.substr(end)));
    return told ? "ok\n" + *told : "error: " + screen_text(told.error().text) + "\n";
  }
  std::vector<std::string_view> names;
  for (const Command& command : commands_) names.emplace_back(command.name);
  return "error: no command '" + control_field(name) + "'" + did_you_mean(name, names) + "; commands: help, " +
         joined(names) + "\n";
}

std::string Control::help() const {
  std::string out = "help\tThis.\n";
  for (const Command& command : commands_) out += command.usage + "\t" + command.about + "\n";
  return out;
}

}  // namespace entente
