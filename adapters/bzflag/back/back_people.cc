// Who is there, what they score and say, and the numbers of the game, as a back hears them. See back.h.
#include "adapters/bzflag/back/back.h"
#include "adapters/bzflag/losses.h"
#include "proxy/base/text.h"
#include "proxy/core/bodies.h"
#include "proxy/core/chat.h"

namespace entente::bzflag {
namespace {

/// MsgPlayerInfo's bits, in the order of the badges.
constexpr std::pair<std::uint8_t, words::Badge> kInfoBits[] = {
    {1, words::REGISTERED}, {2, words::VERIFIED}, {4, words::ADMIN}};

std::string dotted(const std::array<std::uint8_t, 4>& ip) {
  std::string text;
  for (const std::uint8_t part : ip) text += (text.empty() ? "" : ".") + std::to_string(part);
  return text;
}

}  // namespace

void BackSession::on(const AddPlayer& added, Outlet& out) {
  const std::uint8_t number = added.id.byte;
  if (stage_ < Stage::kIn) {  // the answer to MsgQueryPlayers
    std::string name(added.callsign.view());
    for (char& c : name)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    if (taken_.size() < 256) taken_.insert(std::move(name));
    return;
  }
  if (number > kMostPlayers + 15) return out.lose(loss::kNoPlayer);
  if (find(number) != nullptr) forget(number, out);
  Someone& one = people_[number];
  one.team = static_cast<std::int16_t>(added.team);
  words::Player& player = one.player;
  player.set_id(number == number_ ? me_ : out.new_id());
  player.set_name(clean(added.callsign.view()));
  player.set_motto(clean(added.motto.view()));
  player.set_team(team_of(one.team));
  player.set_role(role_of(added.type, one.team));
  player.set_responding(true);
  if (number != number_) players_.add(number, player.id());
  out.say(player);
  if (one.team != kObserverTeam) {
    one.unit = out.new_id();
    words::Unit unit;
    unit.set_id(one.unit);
    unit.set_owner(player.id());
    unit.set_kind(words::Unit::TANK);
    unit.set_team(player.team());
    unit.set_radius(variables_["_tankRadius"]);
    unit.set_name(player.name());
    core::say_owned(std::move(unit), out);
  }
  if (added.wins != 0 || added.losses != 0 || added.team_kills != 0) {
    words::Score score;
    score.set_player(player.id());
    score.set_wins(added.wins);
    score.set_losses(added.losses);
    score.set_team_kills(added.team_kills);
    out.say(score);
  }
  if (number == number_) out.say(words::Ready());  // nobody follows but who comes later
}

void BackSession::on(const RemovePlayer& removed, Outlet& out) { forget(removed.id.byte, out); }

void BackSession::forget(std::uint8_t number, Outlet& out) {
  const auto at = people_.find(number);
  if (at == people_.end()) return;
  core::say_gone(at->second.player.id(), at->second.unit, out);
  if (number != number_) players_.remove_wire(number);
  if (rabbit_ == number) rabbit_.reset();
  people_.erase(at);
}

void BackSession::set_badge(std::uint8_t number, words::Badge badge, bool on, Outlet& out) {
  Someone* one = find(number);
  if (one == nullptr) return;
  const auto bit = static_cast<std::uint32_t>(badge);
  const std::uint32_t before = one->player.badges();
  one->player.set_badges(on ? before | bit : before & ~bit);
  if (one->player.badges() != before) out.say(one->player);
}

void BackSession::on(const PlayerInfo& info, Outlet& out) {
  for (const auto& item : info.players)
    for (const auto& [bit, badge] : kInfoBits) set_badge(item.player, badge, (item.bits & bit) != 0, out);
}

void BackSession::on(const AdminInfo& info, Outlet& out) {
  for (const auto& item : info.players) {
    Someone* one = find(item.player);
    if (one == nullptr) continue;
    words::Player known = one->player;  // the address is for operators alone, and not kept
    known.set_address(dotted(item.ip));
    core::Fact fact(std::move(known));
    fact.audience = words::ADMINS;
    out.say(std::move(fact));
  }
}

void BackSession::on(const Pause& pause, Outlet& out) {
  if (pause.player == number_) own_.paused = pause.paused != 0;
  set_badge(pause.player, words::PAUSED, pause.paused != 0, out);
}

void BackSession::on(const AutoPilot& autopilot, Outlet& out) {
  set_badge(autopilot.player, words::AUTOPILOT, autopilot.on != 0, out);
}

void BackSession::on(const NewRabbit& rabbit, Outlet& out) {
  const auto dress = [&](std::uint8_t number, words::Team team) {
    if (Someone* one = find(number); one != nullptr && one->unit != 0) {
      one->player.set_team(team);
      one->team = wire_team(team);
      out.say(one->player);
    }
  };
  if (rabbit_) dress(*rabbit_, words::HUNTER);
  rabbit_ = rabbit.player;
  dress(rabbit.player, words::RABBIT);
}

void BackSession::on(const Score& scores, Outlet& out) {
  for (const auto& item : scores.players) {
    const core::Id player = id_of(item.player);
    if (player == 0) continue;
    words::Score score;
    score.set_player(player);
    score.set_wins(item.wins);
    score.set_losses(item.losses);
    score.set_team_kills(item.team_kills);
    out.say(score);
  }
}

void BackSession::on(const TeamUpdate& teams, Outlet& out) {
  for (const auto& item : teams.teams) {
    const words::Team team = team_of(static_cast<std::int16_t>(item.team));
    if (team == words::TEAM_ANY) continue;
    words::TeamScore score;
    score.set_team(team);
    score.set_size(item.size);
    score.set_wins(item.won);
    score.set_losses(item.lost);
    out.say(score);
  }
}

void BackSession::on(const ScoreOver& over, Outlet& out) {
  words::Round round;
  round.set_state(words::Round::OVER);
  round.set_winner(id_of(over.player.byte));
  round.set_winning_team(team_of(static_cast<std::int16_t>(over.team)));
  out.say(round);
}

void BackSession::on(const TimeLeft& left, Outlet& out) {
  words::Round round;
  if (left.long_seconds < 0)
    round.set_paused(true);
  else
    round.set_left_s(left.long_seconds);
  out.say(round);
}

void BackSession::tell_rule(const std::string& name, const std::string& value, Outlet& out) {
  words::Rule rule;
  rule.set_name(clean(name));
  rule.set_value(clean(value));
  out.say(std::move(rule));
}

void BackSession::on(const SetVar& set, Outlet& out) {
  std::map<const char*, float> before;
  for (const auto& ruled : ruled_variables()) before[ruled.rule] = variables_[ruled.variable];
  for (const auto& item : set.variables) {
    if (item.name == "poll") continue;  // a pointer of the server's, by mistake
    variables_.set(item.name, item.value);
    tell_rule("BZFLAG." + item.name, item.value, out);
  }
  for (const auto& ruled : ruled_variables())
    if (const float now = variables_[ruled.variable]; now != before[ruled.rule])
      tell_rule(ruled.rule, shortest(now), out);
}

void BackSession::on(const GameTime& time, Outlet& out) {
  words::Clock clock;
  clock.set_us(time.microseconds);
  clock.set_speed(1);
  out.say(clock);
}

/// The answer goes by stream, however the question came.
void BackSession::on(const LagPing& ping, Outlet& out) { peer_.stream(out, ping); }

/// A replaying server begins anew: everybody it told of is gone.
void BackSession::on(const ReplayReset&, Outlet& out) {
  std::vector<std::uint8_t> gone;
  for (const auto& [number, one] : people_)
    if (number != number_ && number < kMostPlayers) gone.push_back(number);
  for (const std::uint8_t number : gone) forget(number, out);
}

void BackSession::on(const GameAnswer& answer, Outlet& out) {
  std::uint32_t players = 0;
  for (const std::uint16_t size : answer.sizes) players += size;
  room_.set_players(players);
  room_.set_watchers(answer.observers);
  room_.set_most_players(answer.max_players);
  out.say(room_);
}

// -- Talk -------------------------------------------------------------------------------------------------------------

void BackSession::on(const Chat& chat, Outlet& out) {
  const std::string text = well_formed(chat.text.view());
  const bool to_me = chat.to.byte == number_;
  if (chat.from.byte == kServerId) {
    last_words_.heard(text, out.now());
    words::Notice notice;
    notice.set_text(text);
    return to_me ? out.say({me_, notice}) : out.say(notice);
  }
  words::Said said;
  said.set_from(id_of(chat.from.byte));
  said.set_text(text);
  if (chat.kind != 0) said.set_kind(words::Say::ACTION);
  core::Fact fact;
  if (const auto team = target_team(chat.to.byte)) {
    said.set_scope(words::Say::MY_TEAM);
    said.set_to(static_cast<std::uint32_t>(team_of(*team)));
  } else if (chat.to.byte == kAdmins) {
    said.set_scope(words::Say::MODERATORS);
  } else if (chat.to.byte != kEverybody) {
    said.set_scope(words::Say::ONE);
    said.set_to(id_of(chat.to.byte));
    fact.audience = words::PLAYER;
    fact.to = me_;
  }
  fact.kind = std::move(said);
  out.say(std::move(fact));
}

void BackSession::hear_chat(const words::Say& say, Outlet& out) {
  ChatRequest request;
  const Someone* me = find(number_);
  switch (say.scope()) {
    case words::Say::MY_TEAM:
      request.to = player_id(team_target(static_cast<std::int16_t>(me != nullptr ? me->team : 0)));
      break;
    case words::Say::ONE:
      request.to = player_id(number_of(say.to(), kNobody));
      if (request.to.byte == kNobody) return out.lose(loss::kNoListener);
      break;
    case words::Say::MODERATORS:
      request.to = player_id(kAdmins);
      break;
    case words::Say::SERVER:
      request.to = player_id(kServerId);
      break;
    default:
      request.to = player_id(kEverybody);
  }
  const Mapping* why =
      core::send_lines(say.kind(), core::written(say), kLongestLine, CutAt::kBlank, [&](std::string_view line) {
        request.text.chars.assign(line);
        request.text.chars.resize(kLongestLine + 1);  // as real clients pad it
        peer_.stream(out, request);
      });
  if (why != nullptr) out.lose(*why);
}

}  // namespace entente::bzflag
