// Chat, in both directions.
#pragma once

#include "adapters/bzflag/front/player_table.h"

namespace entente::bzflag {

class FrontChat {
 public:
  FrontChat(Client& client, const PlayerTable& players) : client_(client), players_(players) {}

  void hear(const ChatRequest& chat, FrontOut& out);
  void hear(const words::Said& said, FrontOut& out);
  /// `audience`: to whom the notice was addressed.
  void notice(const words::Notice& notice, words::Audience audience, FrontOut& out);

 private:
  Client& client_;
  const PlayerTable& players_;
};

}  // namespace entente::bzflag
