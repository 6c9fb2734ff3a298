// Chat, in both directions.
#pragma once

#include <deque>
#include <string>

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

  /// Keeps the server's lines while the client loads its map. Lines of players are lost meanwhile.
  void keep(const words::Said& said);
  void keep(const words::Notice& notice) { keep_line(notice.text()); }
  /// Sends what was kept. REQUIRES: the client has its map.
  void tell_kept(FrontOut& out);

 private:
  void keep_line(const std::string& line);

  Client& client_;
  const ClientProfile& profile_;
  const PlayerTable& players_;
  std::deque<std::string> kept_;
};

}  // namespace entente::aos
