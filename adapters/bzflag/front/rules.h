// The rules of the game, as variables of the client.
#pragma once

#include "adapters/bzflag/front/client.h"

namespace entente::bzflag {

class Rules {
 public:
  explicit Rules(Client& client) : client_(client) {}

  void hear(const words::Rule& rule, FrontOut& out);
  void hear(const words::Ammo& ammo, FrontOut& out);

  /// Sends all variables that words carry, in messages as large as those of bzfs.
  void send_variables(FrontOut& out);
  void tell_reload(FrontOut& out);

 private:
  Client& client_;
  double reload_ = 0;  // seconds; as last sent for what is in our client's clip
};

}  // namespace entente::bzflag
