// Chat, in both directions.
#pragma once

#include "adapters/aos/front/player_table.h"

namespace entente::aos {

class FrontChat {
 public:
  FrontChat(Client& client, const ClientProfile& profile, const PlayerTable& players)
      : client_(client), profile_(profile), players_(players) {}

  void hear(const ChatMessage& chat, FrontOut& out);
  void hear(const words::Said& said, FrontOut& out);
  void hear(const words::Notice& notice, FrontOut& out) { client_.notice(notice.text(), out); }
  void hear(const words::Waiting& waiting, FrontOut& out);

 private:
  Client& client_;
  const ClientProfile& profile_;
  const PlayerTable& players_;
};

}  // namespace entente::aos
