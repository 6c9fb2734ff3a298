// The time, and the end of a round.
#pragma once

#include "adapters/bzflag/front/cast.h"

namespace entente::bzflag {

class Rounds {
 public:
  Rounds(Client& client, const Cast& cast, const core::Retelling& retold)
      : client_(client), cast_(cast), retold_(retold) {}

  void hear(const words::Round& round, FrontOut& out);
  void hear(const words::Clock& clock, FrontOut& out);

  void tell_clock(FrontOut& out);

 private:
  void end_game(const words::Round& round, FrontOut& out);

  Client& client_;
  const Cast& cast_;
  const core::Retelling& retold_;
};

}  // namespace entente::bzflag
