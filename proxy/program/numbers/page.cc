#include "proxy/program/numbers/page.h"

#include <algorithm>
#include <cmath>

#include "proxy/program/base/json_text.h"
#include "proxy/program/numbers/output.h"
#include "proxy/program/numbers/report.h"
#include "proxy/program/numbers/word_names.h"

namespace entente::numbers {
namespace {

constexpr std::size_t kMostTiles = 250'000;      // of a map
constexpr std::uint32_t kGroundSide = 128;       // samples of hilly ground, each way
constexpr double kSmallest = 1, kLargest = 1e6;  // metres, of a side

bool is_sane(const words::World& land) {
  for (const double bound : {land.west(), land.east(), land.south(), land.north()})
    if (!std::isfinite(bound) || std::abs(bound) > kLargest) return false;
  return land.east() - land.west() >= kSmallest && land.north() - land.south() >= kSmallest;
}

void number(double value, std::string& out) { append_number(std::round(value * 100) / 100, out); }

void solid(const words::Solid& solid, const std::string& team, std::string& out) {
  for (const double value : {solid.x(), solid.y(), solid.half_x(), solid.half_y(), solid.yaw()})
    if (!std::isfinite(value) || std::abs(value) > kLargest) return;
  out += out.ends_with('[') ? "[" : ",[";
  for (const double value : {solid.x(), solid.y(), solid.half_x(), solid.half_y()}) number(value, out), out += ',';
  append_number(std::round(solid.yaw() * 1e4) / 1e4, out);
  if (!team.empty()) out += ",\"" + team + "\"";
  out += ']';
}

void solids(const words::World& land, std::string& out) {
  out += ",\"solids\":[";
  std::size_t left = PagePlaces::kMostSolids;
  for (const auto& base : land.bases())
    if (left != 0) --left, solid(base.solid(), name_of(base.team()), out);
  for (const auto& one : land.solids())
    if (left != 0) --left, solid(one, "", out);
  for (const auto& one : land.teleporters())
    if (left != 0) --left, solid(one.frame(), "", out);
  out += ']';
}

void tiles(const words::World& land, std::string& out) {
  const std::string& all = land.tiles();
  if (all.empty() || all.size() > kMostTiles || all.size() != std::uint64_t{land.columns()} * land.rows()) return;
  out += ",\"tiles\":{\"columns\":" + std::to_string(land.columns()) + ",\"rows\":" + std::to_string(land.rows()) +
         ",\"walls\":\"";
  for (const char tile : all) out += (static_cast<unsigned char>(tile) & words::UNITS_PASS) != 0 ? '0' : '1';
  out += "\"}";
}

/// Samples of the ground's height in blocks, as hex.
void ground(const words::World& land, std::string& out) {
  const auto side = static_cast<std::uint32_t>(std::lround(std::sqrt(static_cast<double>(land.ground().size()))));
  if (side == 0 || std::size_t{side} * side != land.ground().size()) return;
  const std::uint32_t shown = std::min(side, kGroundSide);
  out += ",\"ground\":{\"side\":" + std::to_string(shown) + ",\"cells\":\"";
  constexpr const char* kDigits = "0123456789abcdef";
  for (std::uint32_t row = 0; row < shown; ++row)
    for (std::uint32_t column = 0; column < shown; ++column) {
      const std::size_t at = std::size_t{row} * side / shown * side + std::size_t{column} * side / shown;
      const auto height = static_cast<unsigned char>(land.ground()[at]);
      out += {kDigits[height >> 4U], kDigits[height & 15U]};
    }
  out += "\"}";
}

/// In a script element, only '<' could end it. JSON has it only in texts, where it may be written like this.
std::string for_script(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) c == '<' ? out += "\\u003c" : out += c;
  return out;
}

void moments(const Statistics& statistics, std::string& out) {
  out += ",\"moments\":[";
  for (const Moment& moment : statistics.moments()) {
    out += out.ends_with('[') ? "[" : ",\n[";
    append_number(std::round(moment.time_s * 1000) / 1000, out);
    out += moment.what == Moment::What::kDeath     ? ",\"death\","
           : moment.what == Moment::What::kCapture ? ",\"capture\","
                                                   : ",\"match\",";
    out += std::to_string(moment.player) + "," + std::to_string(moment.by) + ",";
    json_text(moment.text, out);
    out += moment.team_kill ? ",true]" : "]";
  }
  out += ']';
}

std::string_view asset(std::string_view name) {
  for (const Asset& file : page_files())
    if (file.name == name) return file.text;
  return "";
}

}  // namespace

void PagePlaces::land(const words::World& land) {
  const auto known = known_.find(land.hash());
  now_ = known != known_.end() ? known->second : kMostMaps;
  if (known != known_.end() || maps_.size() == kMostMaps || !is_sane(land)) return;
  Map map;
  map.west = land.west(), map.east = land.east(), map.south = land.south(), map.north = land.north();
  const double wide = map.east - map.west, high = map.north - map.south, cell = std::max(wide, high) / kCells;
  map.columns = std::clamp(static_cast<std::uint32_t>(std::ceil(wide / cell)), 1U, kCells);
  map.rows = std::clamp(static_cast<std::uint32_t>(std::ceil(high / cell)), 1U, kCells);
  std::string& plan = map.plan;
  plan = "\"name\":";
  if (land.name().empty())
    plan += "null";
  else
    json_text(land.name(), plan);
  for (const auto& [name, value] :
       {std::pair{"west", map.west}, {"east", map.east}, {"south", map.south}, {"north", map.north}}) {
    plan += std::string(",\"") + name + "\":";
    number(value, plan);
  }
  solids(land, plan);
  tiles(land, plan);
  ground(land, plan);
  known_[land.hash()] = now_ = maps_.size();
  maps_.push_back(std::move(map));
}

void PagePlaces::add(Grid Map::*grid, const Place& place) {
  if (now_ >= maps_.size()) return;
  Map& map = maps_[now_];
  const double column = (place.x - map.west) / (map.east - map.west) * map.columns,
               row = (map.north - place.y) / (map.north - map.south) * map.rows;
  if (!(column >= 0 && column < map.columns && row >= 0 && row < map.rows)) return;
  ++(map.*grid)[static_cast<std::uint32_t>(row) * map.columns + static_cast<std::uint32_t>(column)];
}

void PagePlaces::take(const Row& row) {
  if (const auto* position = std::get_if<Position>(&row)) add(&Map::drive, position->at);
  if (const auto* shot = std::get_if<Shot>(&row)) add(&Map::shoot, shot->at);
  const auto* death = std::get_if<Death>(&row);
  if (death == nullptr) return;
  add(&Map::die, death->at);
  if (death->killer.number != 0) add(&Map::kill, death->killer_at);
}

void PagePlaces::write(std::string& json) const {
  json += '[';
  for (const Map& map : maps_) {
    json += (&map == maps_.data() ? "\n{" : ",\n{") + map.plan +
            ",\"heat\":{\"columns\":" + std::to_string(map.columns) + ",\"rows\":" + std::to_string(map.rows);
    for (const auto& [name, grid] : {std::pair<const char*, const Grid&>{"drive", map.drive},
                                     {"die", map.die},
                                     {"kill", map.kill},
                                     {"shoot", map.shoot}}) {
      json += std::string(",\"") + name + "\":[";
      for (const auto& [cell, count] : grid)
        json += (json.ends_with('[') ? "" : ",") + std::to_string(cell) + "," + std::to_string(count);
      json += ']';
    }
    json += "}}";
  }
  json += ']';
}

Outcome<Done> write_page(const std::string& path, const Statistics& statistics, const PagePlaces& places,
                         const std::string& name) {
  std::string json = "{";
  report_json(statistics, name, json);
  moments(statistics, json);
  json += ",\"maps\":";
  places.write(json);
  json += '}';

  auto file = TextFile::create(path);
  if (!file) return file.error();
  std::string_view left = page_files().front().text;
  const std::pair<std::string_view, std::string> parts[] = {{"<!-- style -->", std::string(asset("stats.css"))},
                                                            {"<!-- data -->", for_script(json)},
                                                            {"<!-- script -->", std::string(asset("stats.js"))}};
  for (const auto& [mark, text] : parts) {
    const std::size_t at = left.find(mark);
    (file->text() += left.substr(0, at)) += text;
    left.remove_prefix(at + mark.size());
  }
  file->text() += left;
  return file->finish();
}

}  // namespace entente::numbers
