#include "proxy/relay/base/news.h"

#include <algorithm>
#include <utility>

namespace entente::relay {
namespace {

using Field = NewsField;
using Type = NewsFieldRow::Type;

constexpr NewsFieldRow kNewsFields[] = {
    {Field::kRoute, "route", Type::kText, "the route, as `entente ctl` calls it; of an arena, its listener"},
    {Field::kArena, "arena", Type::kText, "the arena; empty: the route leads to a server"},
    {Field::kGame, "game", Type::kText, "the client's game and dialect, such as `bzflag 2.4`"},
    {Field::kSession, "session", Type::kNumber, "the number of the session, as in the log; 0: there was none"},
    {Field::kPlayer, "player", Type::kText, "the player's name"},
    {Field::kAddress, "address", Type::kText, "the client's address and port", true},
    {Field::kPlayers, "players", Type::kNumber,
     "how many players are on the route or in the arena now, in this process"},
    {Field::kReason, "reason", Type::kText, "why, in the words of the log"},
    {Field::kDetail, "detail", Type::kText, "what exactly was wrong with what the client sent; may be empty"},
    {Field::kSeconds, "seconds", Type::kNumber, "how long it lasted; of a ban, how long it lasts; 0: for good"},
    {Field::kServer, "server", Type::kText, "the server, as the route names it"},
    {Field::kWinner, "winner", Type::kText, "the player who won; empty: a team or nobody did"},
    {Field::kWinningTeam, "winning_team", Type::kText, "the team that won; empty: a player or nobody did"},
    {Field::kScores, "scores", Type::kScores, "a list, the best first: `player`, `team`, `wins`, `losses`, `bot`"},
    {Field::kTeams, "teams", Type::kTeams, "a list, the best first: `team`, `wins`, `losses`"},
    {Field::kFile, "file", Type::kText, "the path of the file"},
    {Field::kBytes, "bytes", Type::kNumber, "the size of the file"},
    {Field::kNetwork, "network", Type::kText, "the address or network that is banned", true},
    {Field::kBy, "by", Type::kText,
     "who banned: `operator` (here or at another node), `rule` (a file of `rules`), or `server` (also a rule of the "
     "game itself)"},
    {Field::kWhere, "where", Type::kText, "the server or listener where the ban applies; empty: everywhere"},
    {Field::kRule, "rule", Type::kText, "the file of the rule"},
    {Field::kText, "note", Type::kText, "who sent the test"},
};

std::vector<NewsRow> make_rows() {
  return {
      {NewsKind::kJoin,
       "join",
       "a player joined",
       {Field::kRoute, Field::kArena, Field::kGame, Field::kSession, Field::kPlayer, Field::kAddress, Field::kPlayers}},
      {NewsKind::kLeave,
       "leave",
       "a player who had joined left",
       {Field::kRoute, Field::kArena, Field::kGame, Field::kSession, Field::kPlayer, Field::kAddress, Field::kPlayers,
        Field::kReason, Field::kSeconds}},
      {NewsKind::kEmpty, "empty", "the last player left", {Field::kRoute, Field::kArena}},
      {NewsKind::kRefused,
       "refused",
       "a client was refused",
       {Field::kRoute, Field::kArena, Field::kGame, Field::kSession, Field::kAddress, Field::kReason, Field::kDetail}},
      {NewsKind::kServerDown,
       "server_down",
       "a server of a route cannot be reached any more",
       {Field::kRoute, Field::kServer, Field::kReason}},
      {NewsKind::kServerUp, "server_up", "such a server is up again", {Field::kRoute, Field::kServer}},
      {NewsKind::kMatchBegun, "match_begun", "a round of an arena began, and people are in it", {Field::kArena}},
      {NewsKind::kMatchEnded,
       "match_ended",
       "this round is over",
       {Field::kArena, Field::kSeconds, Field::kWinner, Field::kWinningTeam, Field::kScores, Field::kTeams}},
      {NewsKind::kRecordingFinished,
       "recording_finished",
       "a recording is complete",
       {Field::kRoute, Field::kFile, Field::kBytes}},
      {NewsKind::kBan,
       "ban",
       "an address or a network was banned",
       {Field::kNetwork, Field::kSeconds, Field::kReason, Field::kBy, Field::kWhere}},
      {NewsKind::kRuleOff,
       "rule_off",
       "a rule failed and was switched off",
       {Field::kRoute, Field::kArena, Field::kRule, Field::kReason}},
      {NewsKind::kUpgradeFailed, "upgrade_failed", "an upgrade or a take-over failed", {Field::kReason}},
      {NewsKind::kTest, "test", "`entente ctl hooks test NAME` was called; it is not for the key `events`", {Field::kText}},
  };
}

}  // namespace

std::span<const NewsRow> news_rows() {
  static const std::vector<NewsRow> rows = make_rows();
  return rows;
}

std::span<const NewsFieldRow> news_fields() { return kNewsFields; }

News::News(NewsKind its_kind) : kind_(its_kind), at_(wall_now()) {
  values_.reserve(row_of(kind_).fields.size());
  for (const NewsField field : row_of(kind_).fields) {
    const Type type = row_of(field).type;
    if (type == Type::kText)
      values_.emplace_back(std::string());
    else if (type == Type::kNumber)
      values_.emplace_back(std::uint64_t{0});
    else
      values_.emplace_back(std::vector<NewsScore>());
  }
}

News::Value& News::find(NewsField field) {
  const auto& fields = row_of(kind_).fields;
  return values_[static_cast<std::size_t>(std::find(fields.begin(), fields.end(), field) - fields.begin())];
}

bool News::has(NewsField field) const {
  const auto& fields = row_of(kind_).fields;
  return std::find(fields.begin(), fields.end(), field) != fields.end();
}

const News::Value& News::operator[](NewsField field) const { return const_cast<News*>(this)->find(field); }

News& News::set(NewsField field, std::string text) {
  find(field) = std::move(text);
  return *this;
}

News& News::set(NewsField field, std::uint64_t number) {
  find(field) = number;
  return *this;
}

News& News::set(NewsField field, std::vector<NewsScore> scores) {
  find(field) = std::move(scores);
  return *this;
}

std::string_view News::text(NewsField field) const {
  if (!has(field)) return {};
  const auto* const text = std::get_if<std::string>(&(*this)[field]);
  return text != nullptr ? std::string_view(*text) : std::string_view();
}

std::size_t News::size() const {
  std::size_t bytes = sizeof *this + values_.size() * sizeof(Value);
  for (const Value& value : values_) {
    if (const auto* text = std::get_if<std::string>(&value)) bytes += text->size();
    if (const auto* scores = std::get_if<std::vector<NewsScore>>(&value))
      for (const NewsScore& one : *scores) bytes += sizeof one + one.player.size() + one.team.size();
  }
  return bytes;
}

News rule_off(std::string route, std::string arena, std::string rule, std::string why) {
  return News(NewsKind::kRuleOff)
      .set(NewsField::kRoute, std::move(route))
      .set(NewsField::kArena, std::move(arena))
      .set(NewsField::kRule, std::move(rule))
      .set(NewsField::kReason, std::move(why));
}

}  // namespace entente::relay
