// Converts our messages for a peer of another dialect. See dialect_translator.h.
#include <cmath>

#include "adapters/bzflag/translate/dialect_translator.h"
#include "proxy/core/chat.h"

namespace entente::bzflag {
namespace {

constexpr std::int16_t kRabbitTeam = 6, kHunterTeam = 7;
constexpr std::uint16_t kCaptureStyle = 1, kRabbitStyle = 0x200;
constexpr std::uint16_t kCapture = 1, kRabbitChase = 3;  // game types
constexpr std::size_t kChatSize = 128;

}  // namespace

std::uint16_t style_of(std::uint16_t game_type, std::uint16_t options) {
  const unsigned kind = game_type == kCapture ? kCaptureStyle : game_type == kRabbitChase ? kRabbitStyle : 0;
  return static_cast<std::uint16_t>(options | kind);
}
std::uint16_t game_type_of_style(std::uint16_t style) {
  if ((style & kCaptureStyle) != 0) return kCapture;
  return (style & kRabbitStyle) != 0 ? kRabbitChase : 0;
}
std::uint16_t options_of_style(std::uint16_t style) {
  return static_cast<std::uint16_t>(style & ~(kCaptureStyle | kRabbitStyle));
}

DialectTranslator::DialectTranslator(std::size_t dialect, wire::Way says)
    : dialect_(kDialects[dialect]),
      plain_(dialect == 0),
      sayable_(kinds_of(dialect, says)),
      addresses_(dialect_.address_ids),
      players_(plain_ ? 0 : 256),
      shots_(dialect_.death_flag ? 0 : 256) {}

std::span<const Message> DialectTranslator::say(const Message& message) {
  said_.clear();
  if (plain_) return {&message, 1};
  if (!dialect_.address_ids || !split(message)) translate(message);
  return said_;
}

/// Converts one message and appends it to said_, if the dialect can express it.
void DialectTranslator::translate(Message message) {
  bool possible = sayable_[message.index()];
  if (!possible) return;
  std::visit(
      [&](auto& m) {
        possible = translate_said(m);
        each_flag(m, [&](FlagKind& flag) { to_peer(flag); });
        if (dialect_.address_ids) each_id(m, [&](Id& id, std::uint8_t) { id.address = addresses_.address(id.byte); });
      },
      message);
  if (possible) said_.push_back(std::move(message));
}

// -- Lists, for which the page has one message for each item ---------------------------------------------------------

/// Splits a list into messages about one item. False: it is one message on the page, too.
bool DialectTranslator::split(const Message& message) {
  const auto lists = [&]<class List>(const List* list) {
    if (list != nullptr) split(*list);
    return list != nullptr;
  };
  return lists(std::get_if<TeamUpdate>(&message)) || lists(std::get_if<Score>(&message)) ||
         lists(std::get_if<FlagUpdate>(&message)) || lists(std::get_if<TransferFlag>(&message));
}

void DialectTranslator::split(const TeamUpdate& teams) {
  for (const auto& item : teams.teams) {
    const auto team = static_cast<std::int16_t>(item.team);
    if (team_there(team) == team) translate(OneTeamUpdate{item.team, item.size, item.size, item.won, item.lost});
  }
}

void DialectTranslator::split(const Score& scores) {
  for (const auto& item : scores.players) translate(OneScore{player_id(item.player), item.wins, item.losses});
}

void DialectTranslator::split(const FlagUpdate& flags) {
  for (const auto& flag : flags.flags) translate(OneFlagUpdate{flag});
}

/// The page has no theft of flags: a drop and a grab are sent instead.
void DialectTranslator::split(const TransferFlag& transfer) {
  translate(DropFlag{player_id(transfer.from), transfer.flag});
  translate(GrabFlag{player_id(transfer.to), transfer.flag});
}

// -- Joining ----------------------------------------------------------------------------------------------------------

bool DialectTranslator::translate_said(Welcome& welcome) {
  own_ = welcome.id;
  return true;
}

/// Keeps only the flags that programs of that dialect know.
bool DialectTranslator::translate_said(NegotiateFlags& flags) {
  if (dialect_.late_flags) return true;
  std::erase_if(flags.flags, [&](const Text<2>& letters) { return echo(letters.view()) != letters.view(); });
  for (auto& letters : flags.flags) {
    FlagKind flag;
    flag.letters = letters;
    to_peer(flag);
    letters = flag.letters;
  }
  return true;
}

bool DialectTranslator::translate_said(GameSettings& settings) {
  if (!dialect_.game_type) settings.options = style_of(settings.game_type, settings.options);
  return true;
}

bool DialectTranslator::translate_said(WorldChunk& chunk) {
  chunk.short_left = static_cast<std::uint16_t>(chunk.left);
  return true;
}

bool DialectTranslator::translate_said(GetWorld& wanted) {
  wanted.short_offset = static_cast<std::uint16_t>(wanted.offset);
  return true;
}

std::int16_t DialectTranslator::team_there(std::int16_t team) const {
  if (team == kHunterTeam && !dialect_.hunters) return 0;
  if (team == kRabbitTeam && !dialect_.rabbits) return 0;
  return team;
}

/// Converts type and team to that dialect.
template <class Joining>
void DialectTranslator::convert_type_and_team(Joining& one) const {
  using Team = decltype(one.team);
  one.team = static_cast<Team>(team_there(static_cast<std::int16_t>(one.team)));
  if (!dialect_.watcher_type) return;
  const bool watches = one.team == static_cast<Team>(kObserverTeam);
  one.type = watches ? kWatcherType : one.type == kRobotPlayer ? kLateRobotType : kTankPlayer;
  if (watches || one.team == static_cast<Team>(kAutomaticTeam)) one.team = 0;
}

bool DialectTranslator::translate_said(Enter& enter) {
  own_name_ = enter.callsign.view();
  enter.id = player_id(own_);
  convert_type_and_team(enter);
  return true;
}

bool DialectTranslator::translate_said(AddPlayer& added) {
  Known& known = players_[added.id.byte];
  known.name = added.callsign.view();
  known.team = static_cast<std::int16_t>(added.team);
  convert_type_and_team(added);
  return true;
}

bool DialectTranslator::translate_said(TeamUpdate& teams) {
  if (dialect_.hunters) return true;
  std::erase_if(teams.teams, [](const auto& item) { return item.team == kHunterTeam; });
  return true;
}

bool DialectTranslator::translate_said(ScoreOver& over) {
  over.team = static_cast<std::uint16_t>(team_there(static_cast<std::int16_t>(over.team)));
  return true;
}

// -- Life, death, shots -----------------------------------------------------------------------------------------------

bool DialectTranslator::translate_said(Alive& alive) {
  alive.forward = vec3(std::cos(alive.azimuth), std::sin(alive.azimuth), 0);
  return true;
}

namespace {

/// Before 2.0, water and drivers do not kill: such deaths become self-destruction.
void turn_reason(Death& death, const Dialect& dialect) {
  if (!dialect.death_flag && death.reason > death_reason(words::BY_ITSELF))
    death.reason = death_reason(words::BY_ITSELF);
}

}  // namespace

bool DialectTranslator::translate_said(KilledReport& report) {
  turn_reason(report.death, dialect_);
  return true;
}

bool DialectTranslator::translate_said(Killed& killed) {
  turn_reason(killed.death, dialect_);
  return true;
}

bool DialectTranslator::translate_said(ShotBegin& begin) {
  remember(begin);
  begin.team = team_there(begin.team);
  return true;
}

bool DialectTranslator::translate_said(GuidedUpdate& update) {
  update.team = team_there(update.team);
  return true;
}

// -- Words and numbers ------------------------------------------------------------------------------------------------

/// Converts the target of chat. False: that dialect has no such target. On the page, chat to rogues alone would reach
/// everybody.
bool DialectTranslator::translate_target(Id& to, std::uint16_t& team) const {
  const auto target = target_team(to.byte);
  if (!dialect_.message_team) {
    if (target) to.byte = static_cast<std::uint8_t>(dialect_.rogue_target - team_there(*target));
    return true;
  }
  if (to.byte == kAdmins || to.byte == kServerId || target == std::int16_t{0}) return false;
  team = target ? static_cast<std::uint16_t>(team_there(*target)) : 0;
  return !target || team != 0;
}

bool DialectTranslator::translate_said(ChatRequest& request) {
  if (!translate_target(request.to, request.team)) return false;
  std::string text(request.text.view());
  if (!dialect_.message_kind && !dialect_.marked_actions && text.starts_with(core::kAction))
    text = "* " + text.substr(core::kAction.size());  // servers there have no such command
  request.fixed_text.set(std::string_view(text).substr(0, kChatSize - 1));
  text.resize(kChatSize);
  request.text.chars = std::move(text);
  return true;
}

bool DialectTranslator::translate_said(Chat& chat) {
  if (!translate_target(chat.to, chat.team)) return false;
  std::string text(chat.text.view());
  if (chat.kind != 0 && !dialect_.message_kind) {
    text = ("* " + players_[chat.from.byte].name + " " + text).substr(0, kChatSize - 3);
    if (dialect_.marked_actions) text += "\t*";
  }
  chat.fixed_text.set(std::string_view(text).substr(0, kChatSize - 1));
  text.resize(dialect_.padded_chat ? kChatSize : text.size() + 1);
  chat.text.chars = std::move(text);
  return true;
}

/// Before 2.0, a stopped clock cannot be sent: the client's clock runs on until it is set again.
bool DialectTranslator::translate_said(TimeLeft& left) {
  if (dialect_.long_time) return true;
  left.seconds = static_cast<std::uint16_t>(std::clamp(left.long_seconds, 0, 65535));
  return left.long_seconds >= 0;
}

bool DialectTranslator::translate_said(GameAnswer& answer) {
  if (!dialect_.game_type) answer.options = style_of(answer.game_type, answer.options);
  return true;
}

}  // namespace entente::bzflag
