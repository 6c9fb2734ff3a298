#include "proxy/program/numbers/tables.h"

#include <array>
#include <cmath>

namespace entente::numbers {
namespace {

constexpr double kMostExact = 1e9;

Cell cell_of(std::int64_t number) { return number; }
/// To the microsecond and the micrometre: what a float has more is noise.
Cell cell_of(double number) {
  if (!std::isfinite(number)) return {};
  return std::abs(number) < kMostExact ? std::round(number * 1e6) / 1e6 : number;
}
Cell cell_of(bool yes) { return yes; }
Cell cell_of(const std::string& text) { return text.empty() ? Cell() : Cell(std::string_view(text)); }
Cell cell_of(Ref ref) { return ref.number == 0 ? Cell() : Cell(ref.number); }

template <class T>
constexpr Type type_of() {
  if constexpr (std::is_same_v<T, double>) return Type::kReal;
  if constexpr (std::is_same_v<T, bool>) return Type::kBoolean;
  if constexpr (std::is_same_v<T, std::string>) return Type::kText;
  return Type::kInteger;
}

template <class R, class T>
Column column_of(const char* name, const char* about, const char* refers, Cell (*cell)(const Row&)) {
  return {name, type_of<T>(), !std::is_same_v<T, std::int64_t> && !std::is_same_v<T, bool>, about, refers, cell};
}

template <auto Member>
struct Of;
template <class R, class T, T R::*Member>
struct Of<Member> {
  static Column column(const char* name, const char* about, const char* refers = "") {
    return column_of<R, T>(name, about, refers, [](const Row& row) { return cell_of(std::get<R>(row).*Member); });
  }
  /// One coordinate of a place.
  template <double Place::*Axis>
  static Column axis(const char* name, const char* about) {
    return column_of<R, double>(name, about, "",
                                [](const Row& row) { return cell_of((std::get<R>(row).*Member).*Axis); });
  }
};

template <auto Member>
Column column(const char* name, const char* about, const char* refers = "") {
  return Of<Member>::column(name, about, refers);
}
template <auto Member, double Place::*Axis>
Column axis(const char* name, const char* about) {
  return Of<Member>::template axis<Axis>(name, about);
}

constexpr const char* kWhen = "when";
constexpr const char* kMatch = "the match in which it happened";

const Column kMatches[] = {
    column<&Match::match>("match", "number of the match; the first is 1"),
    column<&Match::began_s>("began_s", "when it began"),
    column<&Match::ended_s>("ended_s", "when the next match began, or the recording ended"),
    column<&Match::began_utc>("began_utc", "date and time at which it began"),
    column<&Match::game>("game", "game of the server, as `entente games` names it, or `arena`"),
    column<&Match::room>("room", "name of the server"),
    column<&Match::mode>("mode", "rules, as the server names them"),
    column<&Match::map>("map", "name of the map"),
    column<&Match::winner>("winner", "the player who won", "players"),
    column<&Match::winning_team>("winning_team", "the team that won"),
    column<&Match::over>("over", "the server said that it is over"),
};

const Column kPlayers[] = {
    column<&Player::player>("player", "number of this stay; a player who leaves and returns has two"),
    column<&Player::id>("id", "id of the player in the recording's words"),
    column<&Player::name>("name", "name, as last told"),
    column<&Player::team>("team", "team, as last told"),
    column<&Player::role>("role", "play, watch or robot"),
    column<&Player::joined_s>("joined_s", "when the recording first knew the player"),
    column<&Player::left_s>("left_s", "when the player left; null: still there at the end"),
    column<&Player::wins>("wins", "wins, as the server last reported them"),
    column<&Player::losses>("losses", "losses, as the server last reported them"),
    column<&Player::team_kills>("team_kills", "team kills, as the server last reported them"),
};

const Column kLives[] = {
    column<&Life::life>("life", "number of the life"),
    column<&Life::match>("match", "the match in which it ended", "matches"),
    column<&Life::player>("player", "who lived", "players"),
    column<&Life::unit>("unit", "id of the tank or man; of cells, of the first"),
    column<&Life::began_s>("began_s", "when it began, or was first seen"),
    column<&Life::ended_s>("ended_s", "when it ended"),
    column<&Life::length_s>("length_s", "time alive"),
    axis<&Life::from, &Place::x>("began_x_m", "where it began"),
    axis<&Life::from, &Place::y>("began_y_m", "the same"),
    axis<&Life::to, &Place::x>("ended_x_m", "where it ended"),
    axis<&Life::to, &Place::y>("ended_y_m", "the same"),
    column<&Life::distance_m>("distance_m",
                              "way over the ground, without teleports; of cells, of the one that is steered"),
    column<&Life::kills>("kills", "players killed in this life"),
    column<&Life::shots>("shots", "shots fired in this life"),
    column<&Life::end>("end",
                       "died, left, gone (the unit disappeared), unknown (not recorded), or recording (it ended, or "
                       "has a gap of more than 5 s here)"),
};

const Column kPositions[] = {
    column<&Position::time_s>("time_s", kWhen),
    column<&Position::match>("match", kMatch, "matches"),
    column<&Position::player>("player", "whose unit it is", "players"),
    column<&Position::unit>("unit", "id of the unit"),
    axis<&Position::at, &Place::x>("x_m", "place, by dead reckoning from the last one told"),
    axis<&Position::at, &Place::y>("y_m", "the same"),
    axis<&Position::at, &Place::z>("z_m", "the same"),
    column<&Position::speed_mps>("speed_mps", "speed over the ground"),
    column<&Position::yaw_rad>("yaw_rad", "direction, counter-clockwise from east"),
    column<&Position::radius_m>("radius_m", "radius of a cell"),
    column<&Position::health>("health", "health, in points of the game"),
};

const Column kShots[] = {
    column<&Shot::time_s>("time_s", kWhen),
    column<&Shot::match>("match", kMatch, "matches"),
    column<&Shot::player>("player", "who fired", "players"),
    column<&Shot::shot>("shot", "the shooter's number for it"),
    column<&Shot::kind>("kind", "ball, ray, guided, melee or grenade"),
    column<&Shot::weapon>("weapon", "what fired it: the letters of BZFlag's flag, or a number of the game"),
    axis<&Shot::at, &Place::x>("x_m", "where it was fired"),
    axis<&Shot::at, &Place::y>("y_m", "the same"),
    axis<&Shot::at, &Place::z>("z_m", "the same"),
    column<&Shot::vx_mps>("vx_mps", "velocity; of a ray, its direction"),
    column<&Shot::vy_mps>("vy_mps", "the same"),
    column<&Shot::vz_mps>("vz_mps", "the same"),
    column<&Shot::life_s>("life_s", "how long it flies at most"),
    column<&Shot::range_m>("range_m", "how far it flies at most"),
};

const Column kHits[] = {
    column<&Hit::time_s>("time_s", kWhen),
    column<&Hit::match>("match", kMatch, "matches"),
    column<&Hit::victim>("victim", "who was hit", "players"),
    column<&Hit::shooter>("shooter", "who hit", "players"),
    column<&Hit::damage>("damage", "health lost, in points of the game; null: not told"),
    column<&Hit::health>("health", "health left"),
    column<&Hit::deadly>("deadly", "the victim died of it"),
    axis<&Hit::at, &Place::x>("x_m", "where the victim was"),
    axis<&Hit::at, &Place::y>("y_m", "the same"),
    axis<&Hit::at, &Place::z>("z_m", "the same"),
    axis<&Hit::shooter_at, &Place::x>("shooter_x_m", "where the shooter was"),
    axis<&Hit::shooter_at, &Place::y>("shooter_y_m", "the same"),
    axis<&Hit::shooter_at, &Place::z>("shooter_z_m", "the same"),
};

const Column kDeaths[] = {
    column<&Death::time_s>("time_s", kWhen),
    column<&Death::match>("match", kMatch, "matches"),
    column<&Death::life>("life", "the life that ended", "lives"),
    column<&Death::victim>("victim", "who died", "players"),
    column<&Death::killer>("killer", "who killed; null: nobody, or the server", "players"),
    column<&Death::why>("why",
                        "shot, touch, capture, genocide, itself, fall, water, server, headshot, melee, grenade, "
                        "driver or unknown"),
    column<&Death::weapon>("weapon", "weapon of the shot, as in shots"),
    axis<&Death::at, &Place::x>("x_m", "where the victim was"),
    axis<&Death::at, &Place::y>("y_m", "the same"),
    axis<&Death::at, &Place::z>("z_m", "the same"),
    axis<&Death::killer_at, &Place::x>("killer_x_m", "where the killer was"),
    axis<&Death::killer_at, &Place::y>("killer_y_m", "the same"),
    axis<&Death::killer_at, &Place::z>("killer_z_m", "the same"),
    column<&Death::distance_m>("distance_m", "distance over the ground between the two"),
    column<&Death::team_kill>("team_kill", "both were of the same team"),
    column<&Death::implied>("implied", "the game's messages only imply this death"),
};

const Column kItems[] = {
    column<&Item::time_s>("time_s", kWhen),
    column<&Item::match>("match", kMatch, "matches"),
    column<&Item::item>("item", "id of the flag, intel or base"),
    column<&Item::kind>("kind", "flag, team_flag, intel or base"),
    column<&Item::code>("code", "the game's name of what it does"),
    column<&Item::team>("team", "its team"),
    column<&Item::event>("event", "taken, dropped, captured or told (its state was told)"),
    column<&Item::state>("state", "nowhere, ground, carried, flying, coming or going"),
    column<&Item::why>("why", "of a drop: wished, killed, timeout, score or unknown"),
    column<&Item::player>("player", "who took, dropped, captured or carries it", "players"),
    column<&Item::from_player>("from_player", "the player from whom it was taken", "players"),
    axis<&Item::at, &Place::x>("x_m", "where it is"),
    axis<&Item::at, &Place::y>("y_m", "the same"),
    axis<&Item::at, &Place::z>("z_m", "the same"),
};

const Column kCaptures[] = {
    column<&Capture::time_s>("time_s", kWhen),
    column<&Capture::match>("match", kMatch, "matches"),
    column<&Capture::player>("player", "who captured", "players"),
    column<&Capture::item>("item", "id of what was captured"),
    column<&Capture::team>("team", "whose it was"),
    column<&Capture::winning>("winning", "it ended the match"),
    axis<&Capture::at, &Place::x>("x_m", "where the player was"),
    axis<&Capture::at, &Place::y>("y_m", "the same"),
    axis<&Capture::at, &Place::z>("z_m", "the same"),
};

const Column kChat[] = {
    column<&Chat::time_s>("time_s", kWhen),
    column<&Chat::match>("match", kMatch, "matches"),
    column<&Chat::player>("player", "who spoke; null: the server", "players"),
    column<&Chat::name>("name", "name of the speaker"),
    column<&Chat::scope>("scope", "everybody, my_team, one, moderators or server"),
    column<&Chat::to_player>("to_player", "to whom, if to one", "players"),
    column<&Chat::to_team>("to_team", "to which team, if to one"),
    column<&Chat::kind>("kind", "chat, action or command"),
    column<&Chat::text>("text", "what was said"),
};

const Column kScores[] = {
    column<&Score::time_s>("time_s", kWhen),
    column<&Score::match>("match", kMatch, "matches"),
    column<&Score::player>("player", "whose score", "players"),
    column<&Score::wins>("wins", "wins, as the server counts them"),
    column<&Score::losses>("losses", "losses, as the server counts them"),
    column<&Score::team_kills>("team_kills", "team kills, as the server counts them"),
};

const Column kTeamScores[] = {
    column<&TeamScore::time_s>("time_s", kWhen),
    column<&TeamScore::match>("match", kMatch, "matches"),
    column<&TeamScore::team>("team", "the team"),
    column<&TeamScore::wins>("wins", "wins, as the server counts them"),
    column<&TeamScore::losses>("losses", "losses, as the server counts them"),
    column<&TeamScore::size>("size", "number of its players"),
};

const Column kLatency[] = {
    column<&Latency::time_s>("time_s", kWhen),
    column<&Latency::match>("match", kMatch, "matches"),
    column<&Latency::player>("player", "whose connection", "players"),
    column<&Latency::rtt_ms>("rtt_ms", "round trip between server and player, as the server tells it"),
};

const Table kTables[] = {
    {"matches", "A match ends when the server says that it is over, or loads another map.", true, kMatches},
    {"players", "One row for each stay of a player.", true, kPlayers},
    {"lives", "From a spawn to a death. In games of cells, all cells of a player are one life.", true, kLives},
    {"positions", "Where each unit of a player was, at a fixed rate (`--every`).", false, kPositions},
    {"shots", "Shots that were fired.", false, kShots},
    {"hits",
     "Damage by another player, and deaths by a shot. A server of Ace of Spades tells only the recorded "
     "player's health, so hits on others are only those that killed.",
     false, kHits},
    {"deaths", "Deaths of players, with both places.", false, kDeaths},
    {"items", "What became of flags, intel and bases.", false, kItems},
    {"captures", "Captured flags and intel.", false, kCaptures},
    {"chat", "What was said, as far as the recorded player heard it.", false, kChat},
    {"scores", "Each change of a player's score. The first row of a player is the score when the recording began.",
     false, kScores},
    {"team_scores", "Each change of a team's score.", false, kTeamScores},
    {"latency", "Each measurement that the server told.", false, kLatency},
};
static_assert(std::size(kTables) == std::variant_size_v<Row>);

}  // namespace

std::span<const Table> tables() { return kTables; }

const char* name_of(Type type) {
  switch (type) {
    case Type::kInteger:
      return "integer";
    case Type::kReal:
      return "real";
    case Type::kBoolean:
      return "boolean";
    case Type::kText:
      break;
  }
  return "text";
}

std::string_view unit_of(std::string_view column) {
  constexpr std::array<std::string_view, 5> kUnits = {"s", "ms", "m", "mps", "rad"};
  const std::size_t line = column.rfind('_');
  if (line == std::string_view::npos) return "";
  for (const std::string_view unit : kUnits)
    if (column.substr(line + 1) == unit) return unit;
  return "";
}

std::string tables_in_markdown() {
  std::string out;
  for (const Table& table : tables()) {
    out += std::string("**`") + table.name + "`**: " + table.about + "\n\n| column | type | meaning |\n|---|---|---|\n";
    const char* before = "";
    for (const Column& column : table.columns) {
      const std::string about = std::string("the same") == column.about ? before : column.about;
      out += std::string("| `") + column.name + "` | " + name_of(column.type) + " | " + about +
             (*column.refers == '\0' ? "" : std::string(" (→ `") + column.refers + "`)") + " |\n";
      if (std::string("the same") != column.about) before = column.about;
    }
    out += "\n";
  }
  return out;
}

}  // namespace entente::numbers
