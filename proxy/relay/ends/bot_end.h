// An end without a peer, for a bot: a front that plays by itself. What the front sends is discarded.
// Invariant: as for every end (end.h); from adopt(), it is open until it is shut down or hung up.
#pragma once

#include <cerrno>

#include "proxy/relay/ends/end.h"

namespace entente::relay {

class BotEnd final : public End {
 public:
  explicit BotEnd(End::User& user) : End(user) {}

  bool adopt(net::Fd) override {
    open_ = true;
    user().opened(*this, {});
    return true;
  }
  int connect(const net::Address&, Outgoing) override { return EOPNOTSUPP; }
  void send(Lane, Bytes) override {}
  std::size_t waiting() const override { return 0; }
  void set_reading(bool) override {}
  void shut_down(std::string_view, std::uint32_t) override { open_ = false; }
  void hang_up() override { open_ = false; }
  bool is_open() const override { return open_; }
  net::Address local_address() const override { return {}; }

 private:
  bool open_ = false;
};

}  // namespace entente::relay
