#include "proxy/program/hooks/event_text.h"

#include <algorithm>
#include <ctime>
#include <utility>
#include <variant>
#include <vector>

#include "proxy/base/text.h"
#include "proxy/program/base/counted.h"
#include "proxy/program/base/json_text.h"
#include "proxy/program/settings/ban_file.h"

namespace entente {
namespace {

using Field = relay::NewsField;
using Kind = relay::NewsKind;

constexpr std::size_t kMostInSentence = 10;  // players of a score board
constexpr std::size_t kMostText = 1500;      // bytes of a sentence; Discord takes 2000 characters

std::string time_of(const relay::News& news) { return until_text(static_cast<std::time_t>(news.at() / 1'000'000'000)); }

std::string text_of(const relay::News& news, const HookView& view, Field field) {
  if (relay::row_of(field).is_address && !view.addresses) return "";
  return clean(news.text(field));
}

std::uint64_t number_of(const relay::News& news, Field field) { return std::get<std::uint64_t>(news[field]); }

const std::vector<relay::NewsScore>& scores_of(const relay::News& news, Field field) {
  return std::get<std::vector<relay::NewsScore>>(news[field]);
}

/// "anna 5:1, bob 3:2"
std::string board(const relay::News& news, Field field) {
  std::string text;
  std::size_t shown = 0;
  for (const relay::NewsScore& one : scores_of(news, field)) {
    if (shown++ == kMostInSentence) return text + ", …";
    text += (text.empty() ? "" : ", ") + clean(one.player.empty() ? one.team : one.player) + " " +
            std::to_string(one.wins) + ":" + std::to_string(one.losses);
  }
  return text;
}

/// `text` after `before`; nothing without it.
std::string after(const char* before, const std::string& text) { return text.empty() ? "" : before + text; }

class Sentence {
 public:
  Sentence(const relay::News& news, const HookView& view) : news_(news), view_(view) {}

  std::string text() const {
    switch (news_.kind()) {
      case Kind::kJoin:
        return of(Field::kPlayer) + " joined " + place() + " (" + counted(number(Field::kPlayers), "player") + ")";
      case Kind::kLeave:
        return of(Field::kPlayer) + " left " + place() + " (" + counted(number(Field::kPlayers), "player") +
               "): " + of(Field::kReason);
      case Kind::kEmpty:
        return "the last player left " + place();
      case Kind::kRefused:
        return "a client of " + of(Field::kGame) + after(" from ", of(Field::kAddress)) + " was refused at " + place() +
               ": " + of(Field::kReason) + after(": ", of(Field::kDetail));
      case Kind::kServerDown:
        return "server " + of(Field::kServer) + " of " + place() + " is down" + after(": ", of(Field::kReason));
      case Kind::kServerUp:
        return "server " + of(Field::kServer) + " of " + place() + " is up again";
      case Kind::kMatchBegun:
        return "a match began in " + place();
      case Kind::kMatchEnded:
        return match();
      case Kind::kRecordingFinished:
        return "the recording " + of(Field::kFile) + " is complete";
      case Kind::kBan:
        return after("", of(Field::kNetwork).empty() ? "an address" : of(Field::kNetwork)) + " was banned" +
               (number(Field::kSeconds) != 0 ? " for " + std::to_string(number(Field::kSeconds)) + " s" : "") +
               (of(Field::kBy) == "rule" ? " by a rule" : " by the " + of(Field::kBy)) +
               after(": ", of(Field::kReason));
      case Kind::kRuleOff:
        return "the rule " + of(Field::kRule) + " of " + place() + " is switched off: " + of(Field::kReason);
      case Kind::kUpgradeFailed:
        return "an upgrade failed: " + of(Field::kReason);
      case Kind::kTest:
        return "this is a test" + after(" ", of(Field::kText));
    }
    return "";
  }

 private:
  std::string of(Field field) const { return text_of(news_, view_, field); }
  std::uint64_t number(Field field) const { return number_of(news_, field); }
  std::string place() const {
    const std::string arena = of(Field::kArena);
    return arena.empty() ? of(Field::kRoute) : arena;
  }
  std::string match() const {
    const std::string player = of(Field::kWinner), team = of(Field::kWinningTeam);
    const std::string teams = board(news_, Field::kTeams), players = board(news_, Field::kScores);
    return "a match ended in " + place() + ": " +
           (!player.empty() ? player + " won"
            : !team.empty() ? team + " won"
                            : "nobody won") +
           after(". Teams: ", teams) + after(". Players: ", players);
  }

  const relay::News& news_;
  const HookView& view_;
};

void add_scores(const std::vector<relay::NewsScore>& scores, bool teams, std::string& out) {
  out += '[';
  for (const relay::NewsScore& one : scores) {
    if (out.back() != '[') out += ',';
    out += '{';
    if (!teams) {
      out += "\"player\":";
      json_text(clean(one.player), out);
      out += ',';
    }
    out += "\"team\":";
    json_text(one.team, out);
    out += ",\"wins\":" + std::to_string(one.wins) + ",\"losses\":" + std::to_string(one.losses);
    if (!teams) out += std::string(",\"bot\":") + (one.bot ? "true" : "false");
    out += '}';
  }
  out += ']';
}

}  // namespace

std::string event_sentence(const relay::News& news, const HookView& view) {
  return fitted(Sentence(news, view).text(), kMostText);
}

std::string event_json(const HookEvent& event, const HookView& view) {
  const relay::News& news = event.news;
  const relay::NewsRow& row = relay::row_of(news.kind());
  std::string out = "{\"event\":";
  json_text(row.name, out);
  json_member("id", event.id, out);
  json_member("time", time_of(news), out);
  out += ",\"lost\":" + std::to_string(view.lost);
  json_member("text", event_sentence(news, view), out);
  for (const Field field : row.fields) {
    const relay::NewsFieldRow& its = relay::row_of(field);
    if (its.type == relay::NewsFieldRow::Type::kText) {
      json_member(its.name, text_of(news, view, field), out);
      continue;
    }
    out += std::string(",\"") + its.name + "\":";
    if (its.type == relay::NewsFieldRow::Type::kNumber)
      out += std::to_string(number_of(news, field));
    else
      add_scores(scores_of(news, field), its.type == relay::NewsFieldRow::Type::kTeams, out);
  }
  return out + "}";
}

std::string event_value(const HookEvent& event, const HookView& view, std::string_view name) {
  const relay::News& news = event.news;
  if (name == "text") return event_sentence(news, view);
  if (name == "event") return relay::row_of(news.kind()).name;
  if (name == "id") return event.id;
  if (name == "time") return time_of(news);
  if (name == "lost") return std::to_string(view.lost);
  for (const relay::NewsFieldRow& row : relay::news_fields()) {
    if (name != row.name || !news.has(row.field)) continue;
    if (row.type == relay::NewsFieldRow::Type::kText) return text_of(news, view, row.field);
    return row.type == relay::NewsFieldRow::Type::kNumber ? std::to_string(number_of(news, row.field))
                                                          : board(news, row.field);
  }
  return "";
}

std::string hook_events_table() {
  std::string table = "| event | when | its fields |\n|---|---|---|\n";
  for (const relay::NewsRow& row : relay::news_rows()) {
    table += std::string("| `") + row.name + "` | " + row.about + " |";
    for (const Field field : row.fields)
      table += std::string(field == row.fields.front() ? " `" : ", `") + relay::row_of(field).name + "`";
    table += " |\n";
  }
  return table;
}

std::string hook_fields_table() {
  std::string table = "| field | JSON | meaning |\n|---|---|---|\n";
  for (const relay::NewsFieldRow& row : relay::news_fields()) {
    const char* const type = row.type == relay::NewsFieldRow::Type::kText     ? "string"
                             : row.type == relay::NewsFieldRow::Type::kNumber ? "number"
                                                                              : "array";
    table += std::string("| `") + row.name + "` | " + type + " | " + row.about +
             (row.is_address ? "; empty unless `addresses` is true" : "") + " |\n";
  }
  return table;
}

}  // namespace entente
