// Flags, talk and time, both ways. See front.h.
#include <cmath>

#include "adapters/bzdraft/front/front.h"
#include "adapters/bzdraft/losses.h"
#include "proxy/base/text.h"
#include "proxy/core/chat.h"

namespace entente::bzdraft {
namespace {}  // namespace

// -- Flags ------------------------------------------------------------------------------------------------------------

/// Its number is its own for the session; a client has as many as MsgGetWorld said.
std::optional<FlagUpdate> FrontSession::flag_record(const words::Token& token, Outlet& out) {
  if (token.kind() == words::Token::BASE) return std::nullopt;
  if (flags_.wire(token.id()) == nullptr) {
    const auto free = free_flag();
    if (!free) return out.lose(loss::kTokensFull), std::nullopt;
    flags_.add(*free, token.id());
  }
  FlagUpdate update{flags_.wire_or(token.id(), 0), flag_of(token)};
  if (token.state() == words::Token::CARRIED) update.flag.carrier = number_of(token.carrier(), kInvalid);
  return update;
}

void FrontSession::told(const words::Token& token, const core::Fact&, Outlet& out) {
  if (const auto flag = flag_record(token, out)) peer_.send(out, *flag);
}

/// Who took it stands in the flag; from whom has no place.
void FrontSession::told(const words::TokenTaken& taken, const core::Fact&, Outlet& out) {
  auto flag = flag_record(taken.token(), out);
  if (!flag) return;
  if (taken.from() != 0) out.lose(loss::kTakenFrom);
  flag->flag.carrier = number_of(taken.by(), kInvalid);
  peer_.send(out, GrabFlagDown{flag->number, flag->flag});
}

void FrontSession::told(const words::TokenDropped& dropped, const core::Fact&, Outlet& out) {
  auto flag = flag_record(dropped.token(), out);
  if (!flag) return;
  const std::uint8_t by = number_of(dropped.by(), kInvalid);
  const bool fell = dropped.why() == words::UNTOLD_DROP && by != kInvalid && !cast_.at(by).alive;
  flag->flag.carrier = by;
  const std::uint8_t reason = drop_reason(fell ? words::DROP_KILLED : dropped.why());
  peer_.send(out, DropFlagDown{reason, flag->number, flag->flag});
}

/// All of the side that lost it are dead with that, and nobody tells the client otherwise.
void FrontSession::told(const words::TokenCaptured& captured, const core::Fact&, Outlet& out) {
  const words::Token* token = out.world().token(captured.token());
  auto flag = token != nullptr ? flag_record(*token, out) : std::nullopt;
  if (!flag) return out.lose(loss::kCapturedUnseen);
  captured_ = captured.team();
  captured_at_ = out.now();
  flag->flag.carrier = number_of(captured.by(), kInvalid);
  peer_.send(out, DropFlagDown{static_cast<std::uint8_t>(Drop::kCaptured), flag->number, flag->flag});
}

void FrontSession::on(const GrabFlagUp& grab, Outlet& out) {
  words::TokenWish wish;
  wish.set_op(words::TokenWish::GRAB);
  wish.set_token(flags_.id(grab.number));
  if (stage_ == Stage::kIn && wish.token() != 0) out.say(wish);
}

void FrontSession::on(const DropFlagUp& drop, Outlet& out) {
  if (stage_ != Stage::kIn) return;
  words::TokenWish wish;
  wish.set_op(drop.reason == static_cast<std::uint8_t>(Drop::kCaptured) ? words::TokenWish::CAPTURE
                                                                        : words::TokenWish::DROP);
  for (const auto& [id, token] : out.world().tokens())
    if (token.carrier() == out.me() && token.state() == words::Token::CARRIED) wish.set_token(id);
  if (wish.token() == 0) return out.lose(loss::kNoFlagToDrop);
  wish.set_why(drop_of(drop.reason));
  const words::Pose here = own_.tank.place(out.now());
  wish.set_x(here.x());
  wish.set_y(here.y());
  wish.set_z(here.z());
  // Its own flag, in the enemy's base, or the enemy's in its own.
  const words::Team own = team_of(cast_.at(kNumber).said.team), flag = out.world().token(wish.token())->team();
  if (wish.op() == words::TokenWish::CAPTURE) wish.set_team(flag == own ? words::TEAM_ANY : own);
  out.say(wish);
}

// -- Talk -------------------------------------------------------------------------------------------------------------

void FrontSession::on(const ChatMessage& chat, Outlet& out) {
  if (stage_ != Stage::kIn) return out.lose(loss::kChatTooEarly);
  words::Say word = core::say_of(readable(chat.text.chars));
  if (target_team(chat.to)) {
    word.set_scope(words::Say::MY_TEAM);
  } else if (chat.to == kServer) {
    word.set_scope(words::Say::SERVER);
  } else if (chat.to != kEveryone) {
    word.set_scope(words::Say::ONE);
    word.set_to(player_of(chat.to));
    if (word.to() == 0) return out.lose(loss::kChatToNobody);
  }
  out.say(std::move(word));
}

void FrontSession::say(std::uint8_t from, std::uint8_t to, std::string_view text, Outlet& out) {
  while (!text.empty()) {
    ChatMessage chat{from, to, {}};
    chat.text.chars = take_piece(text, kLongestLine, CutAt::kCharacter);
    peer_.send(out, chat);
  }
}

void FrontSession::told(const words::Said& said, const core::Fact&, Outlet& out) {
  std::uint8_t to = kEveryone;
  if (said.scope() == words::Say::MY_TEAM) to = team_target(wire_team(static_cast<words::Team>(said.to())));
  if (said.scope() == words::Say::ONE || said.scope() == words::Say::MODERATORS) to = number_of(said.to(), kNumber);
  const std::uint8_t from = said.from() != 0 ? number_of(said.from(), kServer) : kServer;
  const bool named = from == kServer && !said.name().empty();
  const std::string text = core::written(said);
  say(from, to, named ? said.name() + ": " + text : text, out);
}

void FrontSession::told(const words::Notice& notice, const core::Fact& fact, Outlet& out) {
  say(kServer, fact.audience == words::PLAYER ? kNumber : kEveryone, notice.text(), out);
}

// -- Scores and time --------------------------------------------------------------------------------------------------

void FrontSession::on(const Score& score, Outlet& out) {
  if (stage_ != Stage::kIn) return;
  words::ScoreClaim claim;
  claim.set_wins(score.wins);
  claim.set_losses(score.losses);
  out.say(claim);
}

/// The page knows of one game only: its end is said of one that is over for good.
void FrontSession::told(const words::Round& round, const core::Fact&, Outlet& out) {
  if (round.state() != words::Round::OVER) return tell_clock(out);
  if (retold_) return;  // its end is not to be announced again
  if (round.another()) return say(kServer, kEveryone, core::line_of(round, out.world()), out);
  end_game(round, out);
}

void FrontSession::end_game(const words::Round& round, Outlet& out) {
  const std::uint8_t team = wire_team(round.winning_team());
  const bool side = round.winner() == 0 && team_of(team) == round.winning_team();
  ScoreOver over;
  over.winner = side ? team_target(team) : number_of(round.winner(), kInvalid);
  peer_.send(out, over);
}

/// No time left is the end of a game, too.
void FrontSession::tell_clock(Outlet& out) {
  const words::Round round = out.world().round_at(out.now());
  if (round.paused()) return out.lose(loss::kPaused);
  if (!round.has_left_s()) return;
  const double left = std::clamp(round.left_s(), round.another() ? 1.0 : 0.0, 65535.0);
  peer_.send(out, TimeLeft{static_cast<std::uint16_t>(std::lround(left))});
}

}  // namespace entente::bzdraft
