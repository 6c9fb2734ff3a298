// Converts messages from a peer of another dialect to the first dialect. See dialect_translator.h.
#include <cmath>

#include "adapters/bzflag/translate/dialect_translator.h"

namespace entente::bzflag {
namespace {

constexpr std::int16_t kOldStatus = 0x7f;  // higher bits have a meaning only from 2.0 on

/// Whether a text is an action as servers of 2.0 send it: "* anna waves\t*".
bool is_marked_action(std::string_view text) { return text.starts_with("* ") && text.ends_with("\t*"); }

std::string_view why(std::uint16_t code) {
  switch (reject_code(refusal_of(code))) {
    case 1:
      return "the server has no such team";
    case 4:
      return "this team is full";
    case 5:
      return "the server is full";
    case 6:
      return "the server does not accept this callsign";
    case 7:
      return "another player has this callsign";
    case 8:
      return "too soon: the server requires a delay between two joins";
    case 9:
      return "banned by the server";
    default:
      return "the server refused without a reason";
  }
}

template <class Joining>
void undress(Joining& one, bool by_type) {
  if (!by_type) return;
  if (one.type == kWatcherType) one.team = kObserverTeam;
  one.type = one.type == kLateRobotType ? kRobotPlayer : kTankPlayer;
}

}  // namespace

bool DialectTranslator::hear(Message& message) {
  if (plain_) return true;
  bool means = false;
  std::visit(
      [&](auto& m) {
        if (dialect_.address_ids)
          each_id(m, [&](Id& id, std::uint8_t nobody) {
            id.byte = Addresses::is_nobody(id.address) ? nobody : addresses_.number(id.address).value_or(kNobody);
          });
        each_flag(m, [&](FlagKind& flag) { from_peer(flag); });
        means = translate_heard(m);
      },
      message);
  if (means) join(message);
  return means;
}

/// Makes a list of a message about one item: the page has one message for each item, later dialects have lists.
void DialectTranslator::join(Message& message) {
  if (const auto* team = std::get_if<OneTeamUpdate>(&message)) {
    TeamUpdate teams;
    teams.teams.push_back({team->team, team->size, team->won, team->lost});
    message = std::move(teams);
  } else if (const auto* score = std::get_if<OneScore>(&message)) {
    Score scores;
    scores.players.push_back({score->player.byte, score->wins, score->losses, 0});
    message = std::move(scores);
  } else if (const auto* flag = std::get_if<OneFlagUpdate>(&message)) {
    FlagUpdate flags;
    flags.flags.push_back(flag->flag);
    message = std::move(flags);
  }
}

// -- Joining ----------------------------------------------------------------------------------------------------------

bool DialectTranslator::translate_heard(Welcome& welcome) {
  own_ = welcome.id;
  return true;
}

bool DialectTranslator::translate_heard(NegotiateFlags& flags) {
  for (auto& letters : flags.flags) {
    FlagKind flag;
    flag.letters = letters;
    if (!dialect_.flag_numbers) from_peer(flag);  // in this message, all dialects have letters
    letters = flag.letters;
  }
  return true;
}

bool DialectTranslator::translate_heard(GameSettings& settings) {
  if (dialect_.game_type) return true;
  settings.game_type = game_type_of_style(settings.options);
  settings.options = options_of_style(settings.options);
  return true;
}

bool DialectTranslator::translate_heard(WorldChunk& chunk) {
  if (dialect_.short_offsets) chunk.left = chunk.short_left;
  return true;
}

bool DialectTranslator::translate_heard(GetWorld& wanted) {
  if (dialect_.short_offsets) wanted.offset = wanted.short_offset;
  return true;
}

bool DialectTranslator::translate_heard(Enter& enter) {
  if (dialect_.address_ids) addresses_.set(own_, enter.id.address);
  undress(enter, dialect_.watcher_type);
  return true;
}

bool DialectTranslator::translate_heard(Reject& reject) {
  if (!dialect_.reject_text) reject.reason.set(why(reject.code));
  return true;
}

// -- Who is there -----------------------------------------------------------------------------------------------------

bool DialectTranslator::translate_heard(AddPlayer& added) {
  if (dialect_.address_ids) {
    const bool me = !adopted_ && own_name_ == added.callsign.view();
    if (me) {
      addresses_.forget(own_);
      addresses_.set(own_, added.id.address);
      adopted_ = true;
    }
    const auto number = me ? own_ : addresses_.meet(added.id.address, own_);
    if (!number) return false;
    added.id.byte = *number;
  }
  undress(added, dialect_.watcher_type);
  Known& known = players_[added.id.byte];
  known.name = added.callsign.view();
  known.team = static_cast<std::int16_t>(added.team);
  return true;
}

bool DialectTranslator::translate_heard(RemovePlayer& removed) {
  if (dialect_.address_ids) addresses_.forget(removed.id.byte);
  return true;
}

/// A server tells the flags before the players, so the carrier may be new.
bool DialectTranslator::translate_heard(OneFlagUpdate& update) {
  FlagRecord& flag = update.flag.flag;
  if (flag.status == static_cast<std::uint16_t>(words::Token::CARRIED) && !Addresses::is_nobody(flag.owner.address))
    flag.owner.byte = addresses_.meet(flag.owner.address, own_).value_or(kNobody);
  return true;
}

// -- Life and death ---------------------------------------------------------------------------------------------------

bool DialectTranslator::translate_heard(Alive& alive) {
  if (dialect_.spawn_by_client) alive.azimuth = std::atan2(alive.forward[1], alive.forward[0]);
  return true;
}

/// Completes a death: its reason follows from killer, victim and shot, its flag from the shot.
void DialectTranslator::guess_death(Death& death, std::uint8_t victim, std::uint8_t killer) const {
  if (!dialect_.death_reason) {
    const auto cause = killer == victim        ? words::BY_ITSELF
                       : killer == kServerId   ? words::BY_SERVER
                       : death.shot == kNoShot ? words::BY_TOUCH
                                               : words::BY_SHOT;
    death.reason = death_reason(cause);
  }
  if (!dialect_.death_flag && death.shot != kNoShot) death.flag = flag_of_shot(killer, death.shot);
}

bool DialectTranslator::translate_heard(KilledReport& report) {
  guess_death(report.death, own_, report.killer.byte);
  return true;
}

bool DialectTranslator::translate_heard(Killed& killed) {
  guess_death(killed.death, killed.victim.byte, killed.killer.byte);
  return true;
}

/// Numbers poses in order of arrival if the dialect does not number them. Their time stays 0: the peer has no clock.
template <class Update>
bool DialectTranslator::translate_update(Update& update) {
  if (!dialect_.update_tails) update.status = static_cast<std::int16_t>(update.status & kOldStatus);
  if (!dialect_.stamped_updates) update.order = ++players_[update.player.byte].order;
  return true;
}

bool DialectTranslator::translate_heard(ShotBegin& begin) {
  if (!dialect_.shot_team) begin.team = players_[begin.player.byte].team;
  remember(begin);
  return true;
}

// -- Words and numbers ------------------------------------------------------------------------------------------------

bool DialectTranslator::translate_heard(ChatRequest& request) {
  if (dialect_.fixed_chat) request.text.chars = std::string(request.fixed_text.view()) + '\0';
  const bool to_team = dialect_.message_team && request.to.byte == kEverybody && request.team != 0;
  if (to_team) request.to.byte = team_target(static_cast<std::int16_t>(request.team));
  if (dialect_.message_team) return true;
  if (const int team = dialect_.rogue_target - request.to.byte; team >= 0 && team <= 7)
    request.to.byte = team_target(static_cast<std::int16_t>(team));
  return true;
}

bool DialectTranslator::translate_heard(Chat& chat) {
  if (dialect_.fixed_chat) chat.text.chars = std::string(chat.fixed_text.view()) + '\0';
  if (dialect_.message_team) {
    if (chat.to.byte == kEverybody && chat.team != 0) chat.to.byte = team_target(static_cast<std::int16_t>(chat.team));
  } else if (const int team = dialect_.rogue_target - chat.to.byte; team >= 0 && team <= 7) {
    chat.to.byte = team_target(static_cast<std::int16_t>(team));
  }
  std::string_view text = chat.text.view();
  if (!dialect_.marked_actions || !is_marked_action(text)) return true;
  text.remove_prefix(2);
  text.remove_suffix(2);
  const std::string name = players_[chat.from.byte].name + " ";
  if (text.starts_with(name)) text.remove_prefix(name.size());
  chat.kind = 1;
  chat.text.chars = std::string(text) + '\0';
  return true;
}

bool DialectTranslator::translate_heard(TimeLeft& left) {
  if (!dialect_.long_time) left.long_seconds = left.seconds;
  return true;
}

bool DialectTranslator::translate_heard(GameAnswer& answer) {
  if (dialect_.game_type) return true;
  answer.game_type = game_type_of_style(answer.options);
  answer.options = options_of_style(answer.options);
  return true;
}

}  // namespace entente::bzflag
