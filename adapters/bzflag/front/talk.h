// Chat, in both directions.
#pragma once

#include "adapters/bzflag/front/cast.h"

namespace entente::bzflag {

class Talk {
 public:
  Talk(Client& client, const Cast& cast) : client_(client), cast_(cast) {}

  void hear(const ChatRequest& chat, FrontOut& out);
  void hear(const words::Said& said, FrontOut& out);
  /// `audience`: to whom the notice was addressed.
  void notice(const words::Notice& notice, words::Audience audience, FrontOut& out);

 private:
  Client& client_;
  const Cast& cast_;
};

}  // namespace entente::bzflag
