#include "adapters/ogar/wire/stats.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "adapters/ogar/wire/conversions.h"
#include "adapters/ogar/wire/text.h"

namespace entente::ogar {
namespace {

using Members = google::protobuf::Map<std::string, google::protobuf::Value>;

constexpr std::size_t kLongest = 4096;  // bytes; servers send less than 600. A list of 1 MiB takes a second to parse

constexpr double kTickMs = static_cast<double>(kTick) / core::kMillisecond;  // "update" is the time of a tick

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : clean(text)) {  // no control characters
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string number(double value) {
  std::string text = std::to_string(std::isfinite(value) ? value : 0);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// The member with the first of these names that exists; null if none does.
const google::protobuf::Value* member(const Members& members, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const auto at = members.find(name); at != members.end()) return &at->second;
  return nullptr;
}

/// MultiOgarII writes one of its numbers as a text.
double number_of(const Members& members, std::initializer_list<const char*> names) {
  const auto* value = member(members, names);
  if (value == nullptr) return 0;
  const double number =
      value->has_string_value() ? std::strtod(value->string_value().c_str(), nullptr) : value->number_value();
  return std::isfinite(number) ? number : 0;
}

std::string member_text(const Members& members, std::initializer_list<const char*> names) {
  const auto* value = member(members, names);
  return value != nullptr ? value->string_value() : std::string();
}

}  // namespace

std::string stats_of(const WorldInfo& info) {
  std::string json = "{";
  const auto add = [&](const char* name, const std::string& value) {
    json += (json.size() > 1 ? ",\"" : "\"") + std::string(name) + "\":" + value;
  };
  const std::string tick_ms = number(info.load * kTickMs);
  const auto count = [](std::uint32_t n) { return std::to_string(n); };
  add("mode", quoted(info.mode.chars));
  add("update", tick_ms);
  add("playersTotal", count(info.external));
  add("playersAlive", count(info.playing));
  add("playersSpect", count(info.spectating));
  add("playersLimit", count(info.limit));
  add("limit", count(info.limit));
  add("internal", count(info.internal));
  add("external", count(info.external));
  add("playing", count(info.playing));
  add("spectating", count(info.spectating));
  add("name", quoted(info.server.chars));
  add("gamemode", quoted(info.mode.chars));
  add("loadTime", tick_ms);
  add("uptime", count(info.uptime));
  return json + "}";
}

bool read_stats(std::string_view json, WorldInfo& info) {
  google::protobuf::Struct stats;
  if (json.size() > kLongest) return false;
  if (!google::protobuf::util::JsonStringToMessage(std::string(json), &stats).ok()) return false;
  const Members& members = stats.fields();
  set(info.server, member_text(members, {"name"}));
  set(info.mode, member_text(members, {"mode", "gamemode"}));
  info.load = static_cast<float>(std::clamp(number_of(members, {"update", "loadTime"}) / kTickMs, 0.0, 1e6));
  info.uptime = static_cast<std::uint32_t>(std::clamp(number_of(members, {"uptime"}), 0.0, 4e9));
  info.four = 0;
  info.limit = to_u16(number_of(members, {"playersLimit", "limit"}));
  info.external = to_u16(number_of(members, {"playersTotal", "external"}));
  info.internal = to_u16(number_of(members, {"internal"}));
  info.playing = to_u16(number_of(members, {"playersAlive", "playing"}));
  info.spectating = to_u16(number_of(members, {"playersSpect", "spectating"}));
  return true;
}

}  // namespace entente::ogar
