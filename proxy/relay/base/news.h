// What happened, for hooks: each event, while the log shows only as many as somebody can read.
// Invariant: an event has exactly the fields of its row in news_rows(). No field has a password or a line of chat.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "proxy/base/time.h"

namespace entente::relay {

/// The order of news_rows().
enum class NewsKind : std::uint8_t {
  kJoin,
  kLeave,
  kEmpty,
  kRefused,
  kServerDown,
  kServerUp,
  kMatchBegun,
  kMatchEnded,
  kRecordingFinished,
  kBan,
  kRuleOff,
  kUpgradeFailed,
  kTest,
};
inline constexpr std::size_t kNewsKinds = static_cast<std::size_t>(NewsKind::kTest) + 1;

/// The order of news_fields().
enum class NewsField : std::uint8_t {
  kRoute,
  kArena,
  kGame,
  kSession,
  kPlayer,
  kAddress,
  kPlayers,
  kReason,
  kDetail,
  kSeconds,
  kServer,
  kWinner,
  kWinningTeam,
  kScores,
  kTeams,
  kFile,
  kBytes,
  kNetwork,
  kBy,
  kWhere,
  kRule,
  kText,
};

/// A player or, with an empty `player`, a team, at the end of a match.
struct NewsScore {
  std::string player, team;
  std::uint32_t wins = 0, losses = 0;
  bool bot = false;
};

struct NewsFieldRow {
  enum class Type : std::uint8_t { kText, kNumber, kScores, kTeams };
  NewsField field;
  const char* name;
  Type type;
  const char* about;
  bool is_address = false;  ///< of a person: a hook leaves it empty unless its `addresses` is true
};

struct NewsRow {
  NewsKind kind;
  const char* name;
  const char* about;
  std::vector<NewsField> fields;
};

std::span<const NewsRow> news_rows();
std::span<const NewsFieldRow> news_fields();
inline const NewsRow& row_of(NewsKind kind) { return news_rows()[static_cast<std::size_t>(kind)]; }
inline const NewsFieldRow& row_of(NewsField field) { return news_fields()[static_cast<std::size_t>(field)]; }

class News {
 public:
  using Value = std::variant<std::string, std::uint64_t, std::vector<NewsScore>>;

  /// With empty texts, zeros, and the time now.
  explicit News(NewsKind its_kind);

  /// REQUIRES: the kind has this field, of this type.
  News& set(NewsField field, std::string text);
  News& set(NewsField field, std::uint64_t number);
  News& set(NewsField field, std::vector<NewsScore> scores);
  const Value& operator[](NewsField field) const;
  bool has(NewsField field) const;
  /// Of a text field; "": the kind has no such field.
  std::string_view text(NewsField field) const;

  NewsKind kind() const { return kind_; }
  WallTime at() const { return at_; }
  /// The bytes that it keeps.
  std::size_t size() const;

 private:
  Value& find(NewsField field);

  NewsKind kind_;
  WallTime at_;
  std::vector<Value> values_;  // in the order of its row's fields
};

/// A rule was switched off: of this route or arena, for this reason.
News rule_off(std::string route, std::string arena, std::string rule, std::string why);

}  // namespace entente::relay
