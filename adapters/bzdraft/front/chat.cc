#include "adapters/bzdraft/front/chat.h"

#include <cmath>

#include "adapters/bzdraft/wire/drops.h"
#include "proxy/core/chat.h"

namespace entente::bzdraft {

void FrontChat::hear(const ChatMessage& chat, FrontOut& out) {
  if (!client_.in()) return out.drop(drops::kChatTooEarly);
  words::Say word = core::say_of(readable(chat.text.chars));
  if (target_team(chat.to)) {
    word.set_scope(words::Say::MY_TEAM);
  } else if (chat.to == kServer) {
    word.set_scope(words::Say::SERVER);
  } else if (chat.to != kEveryone) {
    word.set_scope(words::Say::ONE);
    word.set_to(players_.player_of(chat.to));
    if (word.to() == 0) return out.drop(drops::kChatToNobody);
  }
  out.say(std::move(word));
}

void FrontChat::hear(const words::Said& said, FrontOut& out) {
  std::uint8_t to = kEveryone;
  if (said.scope() == words::Say::MY_TEAM) to = team_target(wire_team(static_cast<words::Team>(said.to())));
  if (said.scope() == words::Say::ONE || said.scope() == words::Say::MODERATORS)
    to = players_.number_of(said.to(), kNumber);
  const std::uint8_t from = said.from() != 0 ? players_.number_of(said.from(), kServer) : kServer;
  const bool named = from == kServer && !said.name().empty();
  const std::string text = core::written(said);
  client_.say(from, to, named ? said.name() + ": " + text : text, out);
}

void FrontChat::notice(const words::Notice& notice, words::Audience audience, FrontOut& out) {
  client_.say(kServer, audience == words::PLAYER ? kNumber : kEveryone, notice.text(), out);
}

// -- Scores and time --------------------------------------------------------------------------------------------------

void FrontChat::hear(const Score& score, FrontOut& out) {
  if (!client_.in()) return;
  words::ScoreClaim claim;
  claim.set_wins(score.wins);
  claim.set_losses(score.losses);
  out.say(claim);
}

/// The draft has only one game, so its end is sent only if no other round follows.
void FrontChat::hear(const words::Round& round, FrontOut& out) {
  if (round.state() != words::Round::OVER) return tell_clock(out);
  if (resync_) return;  // the end was announced before
  if (round.another()) return client_.say(kServer, kEveryone, core::line_of(round, out.world()), out);
  end_game(round, out);
}

void FrontChat::end_game(const words::Round& round, FrontOut& out) {
  const std::uint8_t team = wire_team(round.winning_team());
  const bool side = round.winner() == 0 && team_of(team) == round.winning_team();
  if (!side && round.winner() == 0 && round.has_left_s() && round.left_s() <= 0) return client_.send(out, TimeLeft{0});
  ScoreOver over;
  over.winner = side ? team_target(team) : players_.number_of(round.winner(), kInvalid);
  client_.send(out, over);
}

/// A time of 0 also ends the game, so it is not sent if another round follows.
void FrontChat::tell_clock(FrontOut& out) {
  const words::Round round = out.world().round_at(out.now());
  if (round.paused()) return out.drop(drops::kPaused);
  if (!round.has_left_s()) return;
  const double left = std::clamp(round.left_s(), round.another() ? 1.0 : 0.0, 65535.0);
  client_.send(out, TimeLeft{static_cast<std::uint16_t>(std::lround(left))});
}

}  // namespace entente::bzdraft
