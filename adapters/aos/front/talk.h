// Chat, in both directions.
#pragma once

#include "adapters/aos/front/cast.h"

namespace entente::aos {

class Talk {
 public:
  Talk(Client& client, const Newcomer& newcomer, const Cast& cast)
      : client_(client), newcomer_(newcomer), cast_(cast) {}

  void hear(const ChatMessage& chat, FrontOut& out);
  void hear(const words::Said& said, FrontOut& out);
  void hear(const words::Notice& notice, FrontOut& out) { client_.notice(notice.text(), out); }
  void hear(const words::Waiting& waiting, FrontOut& out);

 private:
  Client& client_;
  const Newcomer& newcomer_;
  const Cast& cast_;
};

}  // namespace entente::aos
