#include "adapters/bzflag/front/rounds.h"

#include <cmath>

#include "proxy/core/chat.h"

namespace entente::bzflag {

/// A client whose game is over does not spawn again until it has rejoined, so the end is sent only if no other round
/// follows.
void Rounds::hear(const words::Round& round, FrontOut& out) {
  if (round.state() != words::Round::OVER) return tell_clock(out);
  if (resync_) return;  // the end was announced before
  if (round.another()) return client_.say(kServerId, kEverybody, false, core::line_of(round, out.world()), out);
  end_game(round, out);
}

void Rounds::end_game(const words::Round& round, FrontOut& out) {
  ScoreOver over;
  over.player = player_id(round.winner() != 0 ? players_.number_of(round.winner(), kNobody) : kNobody);
  over.team = static_cast<std::uint16_t>(wire_team(round.winning_team()));
  const bool nobody = over.player.byte == kNobody && wire_team(round.winning_team()) == kNoTeam;
  const bool time_is_up = round.has_left_s() && round.left_s() <= 0;
  nobody && (time_is_up || !client_.dialect().winnerless) ? client_.stream(out, TimeLeft{}) : client_.stream(out, over);
}

/// A time of 0 also ends the client's game, so it is not sent if another round follows.
void Rounds::tell_clock(FrontOut& out) {
  const words::Round round = out.world().round_at(out.now());
  TimeLeft left;
  if (round.paused())
    left.long_seconds = -1;
  else if (round.has_left_s())
    left.long_seconds =
        static_cast<std::int32_t>(std::lround(std::clamp(round.left_s(), round.another() ? 1.0 : 0.0, 1e9)));
  else
    return;
  client_.stream(out, left);
}

void Rounds::hear(const words::Clock& clock, FrontOut& out) {
  if (!resync_) client_.quick(out, GameTime{clock.us()});
}

}  // namespace entente::bzflag
