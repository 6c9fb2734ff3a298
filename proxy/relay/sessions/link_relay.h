// A relay's session over two links of one kind (net::Tcp, net::WebLink): what both kinds do alike.
// Law: what waits for one peer is bounded, because the other is not read meanwhile.
#pragma once

#include <optional>
#include <type_traits>

#include "proxy/net/tcp.h"
#include "proxy/net/web/web_link.h"
#include "proxy/relay/sessions/session.h"

namespace entente::relay {

/// `LinkUser`: whom the links call back, with an `Any`.
template <class Link, class LinkUser, class Any>
class LinkRelay : public Session, protected LinkUser {
 protected:
  using Peer = relay::Peer<Link>;

  LinkRelay(WorkerRoute& listener, Owner& owner, const Newcomer& newcomer)
      : Session(listener, owner, newcomer),
        client_(make_peer(listener, wire::Way::kToServer, *this)),
        server_(make_peer(listener, wire::Way::kToClient, *this)) {}

  bool is_client(const Any& link) const { return &link == &client_.link; }
  Peer& peer(const Any& link) { return is_client(link) ? client_ : server_; }
  Peer& other(const Any& link) { return is_client(link) ? server_ : client_; }

  /// It has reached its server and goes on: from now on it is served before newcomers.
  void play() {
    plays_ = true;
    client_.link.set_rank(net::Rank::kPlayer);
    server_.link.set_rank(net::Rank::kPlayer);
  }

  /// `to` was sent something of `from`.
  void note_waiting(Peer& from, const Peer& to) {
    if (to.link.waiting() <= limits_.high_water || (from.paused & kBehind) != 0) return;
    worker_route_->counters.stalls.add();
    from.pause(kBehind);
  }

  void wrote(Any& link) override {
    if (ending_) return settle();
    peer(link).took = now();
    if (link.waiting() <= limits_.low_water) other(link).resume(kBehind);
  }

  void broken(Any& link, int error) override {
    const bool client = is_client(link);
    if (dial_.under_way() && !ending_ && !client) return dial_.failed(error);
    peer(link).ended = true;
    if (ending_) return settle();
    end(first_.value_or(client ? Reason::kClientReset : Reason::kServerReset));
  }

  /// Sends what waits, closes our side, and hears (without listening) whether the peer goes: to close over unread bytes
  /// would reset the connection and take our last words from it.
  void part() override {
    if (dial_.under_way()) server_.link.close();
    for (Peer* peer : {&client_, &server_}) {
      peer->link.finish();
      peer->link.read(true);
    }
  }

  void settle() override {
    for (Peer* peer : {&client_, &server_})
      if (peer->ended && peer->link.waiting() == 0) peer->link.close();
    Session::settle();
  }

  void hang_up() override {
    client_.link.close();
    server_.link.close();
  }

  bool is_linked() const override { return client_.link.is_open() || server_.link.is_open(); }
  void pause_client(Pause why) override { client_.pause(why); }
  void resume_client(Pause why) override { client_.resume(why); }

  bool drop_late_server(Millis now) override {
    const bool late = dial_.late(now, server_.link);
    if (late) server_.link.close();
    return late;
  }

  std::optional<Reason> stalled(Millis now) const {
    const auto takes_nothing = [&](const Peer& peer) {
      return open_ && peer.link.waiting() && late(now, peer.took, limits_.stall_ms);
    };
    if (takes_nothing(client_)) return Reason::kClientStalled;
    if (takes_nothing(server_)) return Reason::kServerStalled;
    return std::nullopt;
  }

  Peer client_, server_;
  std::optional<Reason> first_;  // who ended first, while the other may go on
  bool open_ = false;            // the two hear each other

 private:
  /// The peer whose messages go this way.
  static Peer make_peer(WorkerRoute& listener, wire::Way way, LinkUser& user) {
    using Role = net::WebSocket::Role;
    if constexpr (std::is_same_v<Link, net::WebLink>)
      return Peer(listener.loop, way == wire::Way::kToServer ? Role::kServer : Role::kClient,
                  listener.route.game.largest_from(way), user);
    else
      return Peer(listener.loop, user);
  }
};

}  // namespace entente::relay
