// Chat, scores, time, and the end of a game, in both directions.
#pragma once

#include "adapters/bzdraft/front/player_table.h"
#include "proxy/core/replay/resync_phase.h"

namespace entente::bzdraft {

class FrontChat {
 public:
  FrontChat(Client& client, const PlayerTable& players, const core::ResyncPhase& resync)
      : client_(client), players_(players), resync_(resync) {}

  void hear(const ChatMessage& chat, FrontOut& out);
  void hear(const words::Said& said, FrontOut& out);
  /// `audience`: to whom the notice was addressed.
  void notice(const words::Notice& notice, words::Audience audience, FrontOut& out);
  void hear(const Score& score, FrontOut& out);
  void hear(const words::Round& round, FrontOut& out);

  void tell_clock(FrontOut& out);

 private:
  void end_game(const words::Round& round, FrontOut& out);

  Client& client_;
  const PlayerTable& players_;
  const core::ResyncPhase& resync_;
};

}  // namespace entente::bzdraft
