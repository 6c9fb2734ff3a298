// What is said, both ways.
#pragma once

#include "adapters/bzflag/front/cast.h"

namespace entente::bzflag {

class Talk {
 public:
  Talk(Client& client, const Cast& cast) : client_(client), cast_(cast) {}

  void hear(const ChatRequest& chat, FrontOut& out);
  void hear(const words::Said& said, FrontOut& out);
  /// `audience`: whom it was told to.
  void notice(const words::Notice& notice, words::Audience audience, FrontOut& out);

 private:
  Client& client_;
  const Cast& cast_;
};

}  // namespace entente::bzflag
