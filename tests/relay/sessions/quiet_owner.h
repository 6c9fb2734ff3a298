// The owner of a single session. It only counts what it is told.
#pragma once

#include <memory>

#include "proxy/relay/sessions/session.h"

namespace entente::testing {

struct QuietOwner : relay::Session::Owner {
  void player_id_given(relay::Session&, std::uint32_t player_id) override { player = player_id; }
  relay::WorkerRoute* route_at(const relay::Route&, std::string_view) override { return nullptr; }
  void away(relay::Session&, const core::Absence&) override {}
  void stays_away(relay::Session&) override {}
  std::optional<relay::SessionRef> claim(relay::Session&, std::uint32_t) override { return std::nullopt; }
  void new_player(relay::Session&) override {}
  void hand_over(relay::SessionRef, net::Fd, const net::Address&) override {}
  std::unique_ptr<relay::ArenaEnd> visit(relay::Session&, relay::End::User&, std::size_t,
                                         std::function<std::unique_ptr<core::Front>()>) override {
    return nullptr;
  }
  void replace(relay::Session&, std::unique_ptr<relay::Session>) override {}
  relay::WorkerRoute& route(std::size_t) override { return *only; }
  relay::LinkId next_link() override { return 99; }
  void done(relay::Session&) override { ++times_done; }

  relay::WorkerRoute* only = nullptr;
  std::optional<std::uint32_t> player;  ///< the last id that a server gave
  int times_done = 0;
};

}  // namespace entente::testing
