// Flags, talk, numbers and time, both ways. See front.h.
#include <cmath>

#include "adapters/bzflag/front/front.h"
#include "adapters/bzflag/variables.h"
#include "proxy/base/text.h"
#include "proxy/core/chat.h"

namespace entente::bzflag {
namespace {

constexpr core::Micros kBetweenPings = 10 * core::kSecond;  // as bzfs

}  // namespace

// -- Flags ------------------------------------------------------------------------------------------------------------

/// Its number is that of the token while there is room; a client has as many as the settings announced.
std::optional<NumberedFlag> FrontSession::flag_record(const words::Token& token, Outlet& out) {
  if (token.kind() == words::Token::BASE) return std::nullopt;
  if (flags_.wire(token.id()) == nullptr) {
    const auto free = free_flag();
    if (!free) return out.lose("Token", "more than a client has room for"), std::nullopt;
    flags_.add(*free, token.id());
  }
  NumberedFlag flag = flag_of(token);
  for (Vec3* at : {&flag.flag.pos, &flag.flag.launch, &flag.flag.landing})
    (*at)[2] = std::max(0.0F, (*at)[2] - to_float(out.world().ground_at((*at)[0], (*at)[1])));
  flag.number = flags_.wire_or(token.id(), 0);
  if (token.state() == words::Token::CARRIED) flag.flag.owner = player_id(number_of(token.carrier(), kNobody));
  return flag;
}

std::optional<std::uint16_t> FrontSession::free_flag() const {
  for (std::uint16_t number = 0; number < most_flags_; ++number)
    if (flags_.id(number) == 0 && pickups_.id(number) == 0) return number;
  return std::nullopt;
}

/// What lies there for who drives upon it: a flag of a kind that nobody knows. Nothing: it never lay there.
std::optional<NumberedFlag> FrontSession::pickup_record(core::Id unit, Outlet& out) {
  const core::UnitState* state = out.world().unit(unit);
  const bool lies = state != nullptr && !state->hidden && state->unit.alive();
  if (pickups_.wire(unit) == nullptr) {
    if (!lies) return std::nullopt;
    const auto free = free_flag();
    if (!free) return out.lose("Unit", "more than a client has room for"), std::nullopt;
    pickups_.add(*free, unit);
  }
  words::Token token;
  token.set_state(lies ? words::Token::GROUND : words::Token::NOWHERE);
  if (lies) {
    token.set_x(state->unit.pose().x());
    token.set_y(state->unit.pose().y());
    token.set_z(state->unit.pose().z());
  }
  NumberedFlag flag = flag_of(token);
  flag.number = pickups_.wire_or(unit, 0);
  if (!lies) pickups_.remove_id(unit);
  return flag;
}

void FrontSession::tell_pickup(core::Id unit, Outlet& out) {
  if (const auto flag = pickup_record(unit, out)) {
    FlagUpdate update;
    update.flags.push_back(*flag);
    peer_.stream(out, update);
  }
}

void FrontSession::told(const words::Token& token, const core::Fact&, Outlet& out) {
  if (const auto flag = flag_record(token, out)) {
    FlagUpdate update;
    update.flags.push_back(*flag);
    peer_.stream(out, update);
  }
}

void FrontSession::told(const words::TokenTaken& taken, const core::Fact&, Outlet& out) {
  const auto flag = flag_record(taken.token(), out);
  if (!flag) return;
  const std::uint8_t by = number_of(taken.by(), kNobody);
  if (taken.from() != 0) return peer_.stream(out, TransferFlag{number_of(taken.from(), kNobody), by, *flag});
  peer_.stream(out, GrabFlag{player_id(by), *flag});
}

void FrontSession::told(const words::TokenDropped& dropped, const core::Fact&, Outlet& out) {
  if (const auto flag = flag_record(dropped.token(), out))
    peer_.stream(out, DropFlag{player_id(number_of(dropped.by(), kNobody)), *flag});
}

void FrontSession::told(const words::TokenCaptured& captured, const core::Fact&, Outlet& out) {
  const std::uint16_t* flag = flags_.wire(captured.token());
  const std::uint8_t by = number_of(captured.by(), kNobody);
  if (flag == nullptr || by == kNobody) return out.lose("TokenCaptured", "of nobody, or nothing, that is shown");
  // The base it was taken to: the captor's own. To whose he lost his own side's, nobody says.
  peer_.stream(out, CaptureFlag{player_id(by), *flag, static_cast<std::uint16_t>(cast_.at(by).team)});
}

void FrontSession::on(const GrabFlagRequest& grab, Outlet& out) {
  words::TokenWish wish;
  wish.set_op(words::TokenWish::GRAB);
  wish.set_token(flags_.id(grab.number));
  if (wish.token() != 0) out.say(wish);
}

void FrontSession::on(const DropFlagRequest& drop, Outlet& out) {
  words::TokenWish wish;
  wish.set_op(words::TokenWish::DROP);
  for (const auto& [id, token] : out.world().tokens())
    if (token.carrier() == out.me() && token.state() == words::Token::CARRIED) wish.set_token(id);
  wish.set_x(drop.pos[0]);
  wish.set_y(drop.pos[1]);
  wish.set_z(drop.pos[2]);
  out.say(wish);
}

void FrontSession::on(const CaptureFlagReport& capture, Outlet& out) {
  words::TokenWish wish;
  wish.set_op(words::TokenWish::CAPTURE);
  wish.set_team(team_of(static_cast<std::int16_t>(capture.team)));
  out.say(wish);
}

void FrontSession::on(const TransferFlagReport& transfer, Outlet& out) {
  words::TokenWish wish;
  wish.set_op(words::TokenWish::GIVE);
  wish.set_from(player_of(transfer.from));
  wish.set_to(player_of(transfer.to));
  out.say(wish);
}

// -- Talk -------------------------------------------------------------------------------------------------------------

/// bzadmin does not leave before it has heard itself: what is said to oneself comes back from here, whatever the room.
void FrontSession::on(const ChatRequest& chat, Outlet& out) {
  if (stage_ != Stage::kIn) return out.lose("MsgMessage", "not in yet");
  const std::uint8_t to = chat.to.byte;
  if (to == number_) return say(number_, number_, false, chat.text.view(), out);
  words::Say word = core::say_of(well_formed(chat.text.view()));
  if (to == kAdmins) {
    word.set_scope(words::Say::MODERATORS);
  } else if (target_team(to)) {
    word.set_scope(words::Say::MY_TEAM);
  } else if (to == kServerId) {
    word.set_scope(words::Say::SERVER);
  } else if (to != kEverybody) {
    word.set_scope(words::Say::ONE);
    word.set_to(player_of(to));
    if (word.to() == 0) return out.lose("MsgMessage", "to somebody who is not there");
  }
  out.say(std::move(word));
}

/// Dialects without a kind of message write who acts before an action, and a mark behind it: it leaves room for them.
void FrontSession::say(std::uint8_t from, std::uint8_t to, bool action, std::string_view text, Outlet& out) {
  constexpr std::size_t kActor = std::string_view("* ").size() + kLongestName + std::string_view(" \t*").size();
  const std::size_t most = action ? kLongestLine - kActor : kLongestLine;
  while (!text.empty()) {
    Chat chat;
    chat.from = player_id(from);
    chat.to = player_id(to);
    chat.kind = action ? 1 : 0;
    chat.text.chars = std::string(take_piece(text, most, CutAt::kBlank)) + '\0';
    peer_.stream(out, chat);
  }
}

void FrontSession::told(const words::Said& said, const core::Fact&, Outlet& out) {
  std::uint8_t to = kEverybody;
  switch (said.scope()) {
    case words::Say::MY_TEAM:
      to = team_target(wire_team(static_cast<words::Team>(said.to()), cast_.at(number_).team));
      break;
    case words::Say::ONE:
      to = number_of(said.to(), number_);
      break;
    case words::Say::MODERATORS:
      to = kAdmins;
      break;
    default:
      break;
  }
  const std::uint8_t from = said.from() != 0 ? number_of(said.from(), kServerId) : kServerId;
  const bool named = from == kServerId && !said.name().empty();
  say(from, to, said.kind() == words::Say::ACTION, named ? said.name() + ": " + said.text() : said.text(), out);
}

void FrontSession::told(const words::Notice& notice, const core::Fact& fact, Outlet& out) {
  say(kServerId, fact.audience == words::PLAYER ? number_ : kEverybody, false, notice.text(), out);
}

// -- Numbers and time -------------------------------------------------------------------------------------------------

void FrontSession::told(const words::Rule& rule, const core::Fact&, Outlet& out) {
  SetVar set;
  const std::string& name = rule.name();
  if (name.starts_with("BZFLAG._") || name.starts_with("BZFLAG.$"))
    set.variables.push_back({name.substr(7), rule.value()});
  for (const auto& ruled : ruled_variables())
    if (name == ruled.rule && out.world().rule(name, 0) > 0 &&
        !out.world().rules().contains(std::string("BZFLAG.") + ruled.variable))
      set.variables.push_back({ruled.variable, rule.value()});
  std::erase_if(set.variables, [](const auto& item) { return item.name.size() > 255 || item.value.size() > 255; });
  if (!set.variables.empty()) peer_.stream(out, set);
  if (name != "reload" && name != "refill") return;
  own_.reload = 0;  // another one was just told
  tell_reload(out);
}

/// A client whose game is over spawns no more before it has come in anew: it is told only of one that is over for good.
void FrontSession::told(const words::Round& round, const core::Fact&, Outlet& out) {
  if (round.state() != words::Round::OVER) return tell_clock(out);
  if (retold_) return;  // its end is not to be announced again
  if (round.another()) return say(kServerId, kEverybody, false, core::line_of(round, out.world()), out);
  end_game(round, out);
}

void FrontSession::end_game(const words::Round& round, Outlet& out) {
  ScoreOver over;
  over.player = player_id(round.winner() != 0 ? number_of(round.winner(), kNobody) : kNobody);
  over.team = static_cast<std::uint16_t>(wire_team(round.winning_team()));
  const bool nobody = over.player.byte == kNobody && wire_team(round.winning_team()) == kNoTeam;
  nobody && !speaks_.winnerless ? peer_.stream(out, TimeLeft{}) : peer_.stream(out, over);
}

/// No time left is the end of a client's game, too.
void FrontSession::tell_clock(Outlet& out) {
  const words::Round round = out.world().round_at(out.now());
  TimeLeft left;
  if (round.paused())
    left.long_seconds = -1;
  else if (round.has_left_s())
    left.long_seconds =
        static_cast<std::int32_t>(std::lround(std::clamp(round.left_s(), round.another() ? 1.0 : 0.0, 1e9)));
  else
    return;
  peer_.stream(out, left);
}

void FrontSession::told(const words::Clock& clock, const core::Fact&, Outlet& out) {
  if (!retold_) peer_.quick(out, GameTime{clock.us()});
}

void FrontSession::ping(Outlet& out) {
  if (wish_.role() != words::PLAY) return;  // as bzfs: neither robots nor observers
  if (out.now() < pinged_ + kBetweenPings) return out.wake(pinged_ + kBetweenPings);
  pinged_ = out.now();
  ping_number_ = static_cast<std::uint16_t>((ping_number_ + 1) % 10'000);
  peer_.quick(out, LagPing{ping_number_});
  out.wake(pinged_ + kBetweenPings);
}

}  // namespace entente::bzflag
