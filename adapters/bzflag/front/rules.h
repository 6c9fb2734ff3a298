// The rules of the game, as variables of the client.
#pragma once

#include "adapters/bzflag/front/client.h"
#include "adapters/bzflag/wire/variables.h"

namespace entente::bzflag {

class Rules {
 public:
  explicit Rules(Client& client) : client_(client) {}

  void hear(const words::Rule& rule, FrontOut& out);
  void hear(const words::Ammo& ammo, FrontOut& out);

  /// Sends all variables that words carry, in messages as large as those of bzfs.
  void send_variables(FrontOut& out);
  void tell_reload(FrontOut& out);
  /// As our client knows them.
  const Variables& variables() const { return variables_; }

 private:
  void tell(const SetVar& set, FrontOut& out);

  Client& client_;
  Variables variables_;
  double reload_ = 0;  // seconds; as last sent for what is in our client's clip
};

}  // namespace entente::bzflag
