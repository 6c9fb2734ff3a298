// The numbers of the game, as a client's variables.
#pragma once

#include "adapters/bzflag/front/client.h"

namespace entente::bzflag {

class Rules {
 public:
  explicit Rules(Client& client) : client_(client) {}

  void hear(const words::Rule& rule, FrontOut& out);
  void hear(const words::Ammo& ammo, FrontOut& out);

  /// All variables that words carry, as many in a message as bzfs puts there.
  void send_variables(FrontOut& out);
  void tell_reload(FrontOut& out);

 private:
  Client& client_;
  double reload_ = 0;  // seconds, as last told with what is in our client's clip
};

}  // namespace entente::bzflag
