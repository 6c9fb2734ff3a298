#include "proxy/program/numbers/report.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "proxy/base/text.h"
#include "proxy/program/base/json_text.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/numbers/output.h"

namespace entente::numbers {
namespace {

constexpr std::size_t kMostInMatrix = 12, kMostLines = 100, kMostPairsTold = 10;

/// Cells with their colours, in columns: the first to the left, the others to the right.
class TextTable {
 public:
  struct Cell {
    std::string text;
    const char* colour = "";
  };
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  std::string text(bool colours) const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_)
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (i == widths.size()) widths.push_back(0);
        widths[i] = std::max(widths[i], width(row[i].text));
      }
    std::string out;
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string space(widths[i] - width(row[i].text), ' ');
        const bool painted = colours && *row[i].colour != '\0';
        const std::string cell = painted ? row[i].colour + row[i].text + "\x1b[0m" : row[i].text;
        line += i == 0 ? cell + (row.size() > 1 ? space : "") : "  " + space + cell;
      }
      line.resize(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
    return out;
  }

 private:
  static std::size_t width(std::string_view text) {
    std::size_t characters = 0;
    for (; !text.empty(); ++characters) text.remove_prefix(std::max<std::size_t>(1, first_character(text)));
    return characters;
  }
  std::vector<std::vector<Cell>> rows_;
};

constexpr const char *kBold = "\x1b[1m", *kDim = "\x1b[2m";

const char* colour_of(const std::string& team) {
  constexpr std::pair<const char*, const char*> kColours[] = {{"red", "\x1b[31m"},    {"green", "\x1b[32m"},
                                                              {"blue", "\x1b[34m"},   {"purple", "\x1b[35m"},
                                                              {"yellow", "\x1b[33m"}, {"hunter", "\x1b[33m"}};
  for (const auto& [name, colour] : kColours)
    if (team == name) return colour;
  return "";
}

std::string shown_name(const PlayerCounts& line) { return line.name.empty() ? "(no name)" : screen_text(line.name); }

std::string count_text(std::int64_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string way_text(double metres) {
  return metres < 10'000 ? fmt::format("{:.0f} m", metres) : fmt::format("{:.1f} km", metres / 1000);
}

/// A column of the score board, which is left out if nobody has something in it.
struct BoardColumn {
  const char* name;
  std::function<std::string(const PlayerCounts&)> cell;
  bool always = false;
};

std::string number_or_nothing(std::int64_t number) { return number == 0 ? "" : std::to_string(number); }

std::vector<BoardColumn> board_columns(bool hits) {
  return {
      {"team", [](const PlayerCounts& line) { return line.role == "watch" ? "watches" : line.team; }},
      {"kills", [](const PlayerCounts& line) { return std::to_string(line.kills); }, true},
      {"deaths", [](const PlayerCounts& line) { return std::to_string(line.deaths); }, true},
      {"team kills", [](const PlayerCounts& line) { return number_or_nothing(line.team_kills); }},
      {"own deaths", [](const PlayerCounts& line) { return number_or_nothing(line.own_deaths); }},
      {"streak", [](const PlayerCounts& line) { return number_or_nothing(line.streak); }},
      {"captures", [](const PlayerCounts& line) { return number_or_nothing(line.captures); }},
      {"shots", [](const PlayerCounts& line) { return number_or_nothing(line.shots); }},
      {"hits", [](const PlayerCounts& line) { return number_or_nothing(line.hits); }},
      {"accuracy",
       [hits](const PlayerCounts& line) {
         return hits && line.shots > 0
                    ? fmt::format("{:.0f} %", 100.0 * static_cast<double>(line.hits) / static_cast<double>(line.shots))
                    : "";
       }},
      {"distance", [](const PlayerCounts& line) { return line.distance_m >= 0.5 ? way_text(line.distance_m) : ""; }},
      {"alive", [](const PlayerCounts& line) { return line.alive_s >= 0.5 ? clock_text(line.alive_s) : ""; }},
      {"longest life",
       [](const PlayerCounts& line) { return line.longest_life_s >= 0.5 ? clock_text(line.longest_life_s) : ""; }},
      {"ping",
       [](const PlayerCounts& line) {
         return std::isfinite(line.rtt_ms) ? fmt::format("{:.0f} ms", line.rtt_ms) : "";
       }},
      {"server's score",
       [](const PlayerCounts& line) {
         return line.scored ? std::to_string(line.wins) + "-" + std::to_string(line.losses) : "";
       }},
  };
}

std::string board(const Statistics& statistics, bool colours) {
  const auto& lines = statistics.players();
  std::vector<BoardColumn> columns = board_columns(statistics.tells_hits());
  std::erase_if(columns, [&](const BoardColumn& column) {
    return !column.always &&
           std::all_of(lines.begin(), lines.end(), [&](const PlayerCounts& line) { return column.cell(line).empty(); });
  });
  TextTable table;
  std::vector<TextTable::Cell> head{{"player", kBold}};
  for (const BoardColumn& column : columns) head.push_back({column.name, kBold});
  table.add(head);
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) {
    std::vector<TextTable::Cell> row{{shown_name(lines[i]), colour_of(lines[i].team)}};
    for (const BoardColumn& column : columns) row.push_back({column.cell(lines[i])});
    table.add(row);
  }
  std::string text = table.text(colours);
  if (lines.size() > kMostLines) text += "and " + std::to_string(lines.size() - kMostLines) + " more\n";
  return text;
}

/// The killers down, the victims across.
std::string matrix(const Statistics& statistics, std::size_t size, bool colours) {
  TextTable table;
  std::vector<TextTable::Cell> head{{"killed", kBold}};
  for (std::size_t i = 0; i < size; ++i) {
    const std::string name = shown_name(statistics.players()[i]);
    head.push_back({fitted(name, 10), colour_of(statistics.players()[i].team)});
  }
  table.add(head);
  for (std::size_t killer = 0; killer < size; ++killer) {
    const PlayerCounts& line = statistics.players()[killer];
    std::vector<TextTable::Cell> row{{shown_name(line), colour_of(line.team)}};
    for (std::size_t victim = 0; victim < size; ++victim) {
      const auto at = statistics.pairs().find({killer, victim});
      const bool none = at == statistics.pairs().end();
      row.push_back({none ? "." : std::to_string(at->second), none || killer == victim ? kDim : ""});
    }
    table.add(row);
  }
  return table.text(colours);
}

/// The most frequent.
std::string duels(const Statistics& statistics, bool colours) {
  std::vector<std::pair<std::int64_t, std::pair<std::size_t, std::size_t>>> all;
  for (const auto& [pair, times] : statistics.pairs())
    if (pair.first != pair.second) all.push_back({times, pair});
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  TextTable table;
  table.add({{"most frequent", kBold}, {"kills", kBold}});
  for (std::size_t i = 0; i < std::min(all.size(), kMostPairsTold); ++i) {
    const auto& [killer, victim] = all[i].second;
    table.add({{shown_name(statistics.players()[killer]) + " killed " + shown_name(statistics.players()[victim])},
               {std::to_string(all[i].first)}});
  }
  return table.text(colours);
}

std::string winner_of(const Statistics& statistics, const Match& match) {
  const std::size_t place = statistics.place_of(match.winner);
  if (place != 0) return shown_name(statistics.players()[place - 1]);
  return match.winning_team;
}

std::string matches_text(const Statistics& statistics) {
  std::string text;
  const auto& matches = statistics.matches();
  if (matches.size() < 2 && (matches.empty() || !matches.front().over)) return text;
  text += "\n";
  for (std::size_t i = 0; i < std::min(matches.size(), kMostLines); ++i) {
    const Match& match = matches[i];
    const std::string winner = winner_of(statistics, match);
    text += "match " + std::to_string(match.match) + "  " + clock_text(match.began_s) + " to " +
            clock_text(match.ended_s) + (match.map.empty() ? "" : "  " + screen_text(match.map)) +
            (winner.empty() ? "" : "  won by " + winner) + "\n";
  }
  return text;
}

class Json {
 public:
  explicit Json(std::string& out) : out_(out) {}
  void text(const char* name, std::string_view value) {
    if (value.empty()) return member(name, "null");
    member(name, "");
    json_text(value, out_);
  }
  void number(const char* name, double value) {
    if (!std::isfinite(value)) return member(name, "null");
    member(name, "");
    append_number(std::round(value * 1000) / 1000, out_);
  }
  void count(const char* name, std::int64_t value) { member(name, std::to_string(value)); }
  void place(const char* name, std::size_t value) { member(name, value == 0 ? "null" : std::to_string(value)); }
  void yes(const char* name, bool value) { member(name, value ? "true" : "false"); }
  template <class All, class Write>
  void list(const char* name, const All& all, Write&& write) {
    member(name, "[");
    bool first = true;
    for (const auto& one : all) {
      out_ += std::exchange(first, false) ? "\n{" : ",\n{";
      Json inner(out_);
      write(inner, one);
      out_ += '}';
    }
    out_ += ']';
  }

 private:
  void member(const char* name, const std::string& value) {
    if (!std::exchange(first_, false)) out_ += ',';
    (((out_ += '"') += name) += "\":") += value;
  }
  std::string& out_;
  bool first_ = true;
};

void line_json(Json& to, const PlayerCounts& line, std::size_t place, bool hits) {
  to.place("player", place);
  to.text("name", line.name);
  to.text("team", line.team);
  to.text("role", line.role);
  to.count("stays", line.stays);
  to.number("joined_s", line.joined_s);
  to.number("left_s", line.there ? kUnknown : line.left_s);
  to.count("kills", line.kills);
  to.count("deaths", line.deaths);
  to.count("team_kills", line.team_kills);
  to.count("own_deaths", line.own_deaths);
  to.count("streak", line.streak);
  to.count("captures", line.captures);
  to.count("shots", line.shots);
  to.count("hits", line.hits);
  to.number("accuracy",
            hits && line.shots > 0 ? static_cast<double>(line.hits) / static_cast<double>(line.shots) : kUnknown);
  to.number("distance_m", line.distance_m);
  to.number("alive_s", line.alive_s);
  to.number("longest_life_s", line.longest_life_s);
  to.number("rtt_ms", line.rtt_ms);
  to.number("wins", line.scored ? static_cast<double>(line.wins) : kUnknown);
  to.number("losses", line.scored ? static_cast<double>(line.losses) : kUnknown);
}

}  // namespace

std::string clock_text(double seconds) {
  const auto all = static_cast<std::int64_t>(std::clamp(seconds, 0.0, 1e9));  // as time_text()
  return all < 3600 ? fmt::format("{}:{:02}", all / 60, all % 60)
                    : fmt::format("{}:{:02}:{:02}", all / 3600, all / 60 % 60, all % 60);
}

std::string report_text(const Statistics& statistics, const std::string& name, bool colours) {
  const auto bold = [&](const std::string& text) { return colours ? kBold + text + "\x1b[0m" : text; };
  std::string text = bold(screen_text(name)) + ": " + clock_text(statistics.length_s());
  if (!statistics.game().empty()) text += ", " + screen_text(statistics.game());
  if (!statistics.matches().empty() && !statistics.matches().front().mode.empty())
    text += ", " + screen_text(statistics.matches().front().mode);
  text += ", " + count_text(static_cast<std::int64_t>(statistics.players().size()), "player", "players") + ", " +
          count_text(statistics.kills(), "kill", "kills") + ", " + count_text(statistics.deaths(), "death", "deaths");
  if (statistics.captures() != 0) text += ", " + count_text(statistics.captures(), "capture", "captures");
  text += "\n" + matches_text(statistics);
  if (!statistics.players().empty()) text += "\n" + board(statistics, colours);
  std::size_t fighters = 0;  // those with a kill or a death come first
  while (fighters < statistics.players().size() &&
         statistics.players()[fighters].kills + statistics.players()[fighters].deaths != 0)
    ++fighters;
  if (statistics.deaths() != 0 && fighters <= kMostInMatrix) text += "\n" + matrix(statistics, fighters, colours);
  if (fighters > kMostInMatrix) text += "\n" + duels(statistics, colours);
  if (!statistics.causes().empty()) {
    text += "\ndeaths by";
    const char* comma = " ";
    for (const auto& [why, count] : statistics.causes())
      text += comma + why + " " + std::to_string(count), comma = ", ";
    text += "\n";
  }
  for (const auto& [team, score] : statistics.teams())
    if (score.wins + score.losses != 0)
      text += "team " + team + ": " + std::to_string(score.wins) + "-" + std::to_string(score.losses) + "\n";
  if (statistics.beyond() != 0)
    text += std::to_string(statistics.beyond()) +
            " events are not shown: there are more players, teams or causes than can be told apart\n";
  return text;
}

void report_json(const Statistics& statistics, const std::string& name, std::string& out) {
  Json json(out);
  const auto& lines = statistics.players();
  const bool hits = statistics.tells_hits();
  json.text("recording", name);
  json.text("game", statistics.game());
  json.text("began_utc", statistics.matches().empty() ? "" : statistics.matches().front().began_utc);
  json.number("length_s", statistics.length_s());
  json.number("ended_s", statistics.ended_s());
  json.count("kills", statistics.kills());
  json.count("deaths", statistics.deaths());
  json.count("captures", statistics.captures());
  json.count("events_left_out", statistics.beyond());
  json.list("matches", statistics.matches(), [&](Json& to, const Match& match) {
    to.count("match", match.match);
    to.number("began_s", match.began_s);
    to.number("ended_s", match.ended_s);
    to.text("map", match.map);
    to.text("mode", match.mode);
    to.yes("over", match.over);
    to.place("winner", statistics.place_of(match.winner));
    to.text("winning_team", match.winning_team);
  });
  json.list("teams", statistics.teams(), [&](Json& to, const auto& team) {
    to.text("team", team.first);
    to.count("wins", team.second.wins);
    to.count("losses", team.second.losses);
  });
  std::size_t place = 0;
  json.list("players", lines, [&](Json& to, const PlayerCounts& line) { line_json(to, line, ++place, hits); });
  json.list("killed", statistics.pairs(), [&](Json& to, const auto& pair) {
    const auto& [killer, victim] = pair.first;
    to.place("killer", killer == victim ? 0 : killer + 1);
    to.place("victim", victim + 1);
    to.count("times", pair.second);
  });
  json.list("causes", statistics.causes(), [&](Json& to, const auto& cause) {
    to.text("why", cause.first);
    to.count("deaths", cause.second);
  });
}

}  // namespace entente::numbers
