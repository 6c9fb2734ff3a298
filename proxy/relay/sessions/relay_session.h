// A relay's session: passes its client's bytes to a server of its route, and the server's to the client.
#pragma once

#include "proxy/relay/sessions/session.h"

namespace entente::relay {

class RelaySession : public Session, protected Dial::User {
 protected:
  RelaySession(WorkerRoute& accept_route, Owner& owner, const AcceptedClient& newcomer)
      : Session(accept_route, owner, newcomer),
        dial_(static_cast<Dial::User&>(*this), limits_.connect_ms, accept_route.route.game.transport()) {
    if (chosen_ != nullptr) dial_.expect(*chosen_);
  }

  /// Connects to the chosen server, or to another one if that fails.
  void begin_dial() { dial_.begin(*worker_route_, info_, chosen_, std::nullopt); }
  Dial* server_dial() override { return &dial_; }
  void dial_failed(Dial&, Reason why) override { end(why); }

  Dial dial_;
};

}  // namespace entente::relay
