// A relay's session over two links of one kind (net::Tcp, net::WebLink): the common part of both kinds.
// Invariant: what waits for one peer is bounded, because the other is not read meanwhile.
#pragma once

#include <array>
#include <optional>

#include "proxy/relay/sessions/relay_session.h"

namespace entente::relay {

/// `LinkCallbacks`: the interface that `ConcreteLink` calls back.
template <class ConcreteLink, class LinkCallbacks>
class TwoLinkSession : public RelaySession, protected LinkCallbacks {
 protected:
  using PeerLink = RelayLink<ConcreteLink>;

  TwoLinkSession(WorkerRoute& accept_route, Owner& owner, const AcceptedClient& newcomer)
      : RelaySession(accept_route, owner, newcomer),
        client_(accept_route.loop, Facing::kClient, accept_route.route.game, static_cast<LinkCallbacks&>(*this)),
        server_(accept_route.loop, Facing::kServer, accept_route.route.game, static_cast<LinkCallbacks&>(*this)) {
    client_.link.set_party(party());
    server_.link.set_patient();
  }

  bool is_client(const ConcreteLink& link) const { return &link == &client_.link; }
  PeerLink& peer_link(const ConcreteLink& link) { return is_client(link) ? client_ : server_; }
  PeerLink& other(const ConcreteLink& link) { return is_client(link) ? server_ : client_; }

  /// From now on, the session is served before newcomers. REQUIRES: it has reached its server.
  void play() {
    plays_ = true;
    if (const auto why = count_as_client()) return end(*why);
    client_.link.set_priority(net::Priority::kPlayer);
    server_.link.set_priority(net::Priority::kPlayer);
  }

  /// Data of `from` was sent to `to`. Stops reading `from` if too much waits there.
  void note_waiting(PeerLink& from, const PeerLink& to) {
    if (to.link.waiting() <= limits_.high_water || from.pauses.has(kOtherSlow)) return;
    worker_route_->counters.stalls.add();
    from.pause(kOtherSlow);
  }

  PeerLink& sender(wire::Way way) { return way == wire::Way::kToServer ? client_ : server_; }

  /// Something of this direction was put into the lab. Stops reading its sender if too much waits there.
  void note_lab(wire::Way way) {
    if (!ending_ && lab_->at(way).waits_too_much()) sender(way).pause(kLab);
  }
  /// The peer sends nothing more, or has said so. True: what it sent waits in the lab, and lab_has_ended() follows.
  bool ends_later(const ConcreteLink& link) {
    if (ending_ || !lab_) return false;
    return lab_->at(way_of(is_client(link) ? Facing::kClient : Facing::kServer)).end_after();
  }
  /// As ends_later(), of a link that has ended.
  bool link_ends_later(const ConcreteLink& link) {
    const bool later = ends_later(link);
    if (later) end_waits_[!is_client(link)] = leaves_[!is_client(link)] = true;
    return later;
  }
  void pass_what_waits() override {
    RelaySession::pass_what_waits();
    client_.ended = client_.ended || end_waits_[0];
    server_.ended = server_.ended || end_waits_[1];
  }
  void lab_has_room(LabLine& line) override {
    if (line.waiting() <= limits_.low_water) sender(line.way()).resume(kLab);
  }
  void lab_resets(LabLine&) override {
    lab_->abandon();
    client_.link.reset();
    server_.link.reset();
    client_.ended = server_.ended = true;
    end(Reason::kLabReset);
  }
  /// Tells the tap what came and was not passed on.
  void tell_kept(wire::Way way, Bytes frame, bool altered) {
    if (!worker_route_->tap) return;
    const WallTime at = steady_wall_now();
    worker_route_->tap->lab_keeps(info_.link, altered, at);
    worker_route_->tap->bytes(info_.link, way, wire::Lane::kStream, frame, at);
  }
  /// Tells the tap what the lab did to what is passed on next.
  void tell_lab(const LabUnit& unit) {
    if (worker_route_->tap) worker_route_->tap->lab_passes(info_.link, unit.made, unit.held, steady_wall_now());
  }

  void wrote(ConcreteLink& link) override {
    if (ending_) return settle();
    peer_link(link).last_progress = now();
    if (link.waiting() <= limits_.low_water) other(link).resume(kOtherSlow);
  }

  void broken(ConcreteLink& link, int error) override {
    const bool client = is_client(link);
    if (dial_.under_way() && !ending_ && !client) return dial_.failed(error);
    peer_link(link).ended = true;
    if (ending_) return settle();
    if (!first_ && leaves_[!client]) first_ = client ? Reason::kClientLeft : Reason::kServerLeft;
    end(first_.value_or(client ? Reason::kClientReset : Reason::kServerReset));
  }

  /// Sends what waits, closes our direction, and discards what the peer still sends. Closing with unread data would
  /// reset the connection, and the peer could lose our last bytes.
  void shut_down() override {
    if (dial_.under_way()) server_.link.hang_up();
    for (PeerLink* peer : {&client_, &server_}) {
      peer->link.shut_down();
      peer->link.set_reading(true);
    }
  }

  void settle() override {
    for (PeerLink* peer : {&client_, &server_})
      if (peer->ended && peer->link.waiting() == 0) peer->link.hang_up();
    Session::settle();
  }

  void hang_up() override {
    client_.link.hang_up();
    server_.link.hang_up();
  }

  std::size_t waiting_for_client() const override { return client_.link.waiting(); }
  std::size_t weight() const override { return client_.link.weight() + (lab_ ? lab_->waiting() : 0); }
  bool client_has_gone() const override { return client_.link.is_open() && client_.link.peer_has_ended(); }
  bool is_linked() const override { return client_.link.is_open() || server_.link.is_open(); }
  void pause_client(Pause why) override { client_.pause(why); }
  void resume_client(Pause why) override { client_.resume(why); }
  void pause_server(Pause why) override { server_.pause(why); }
  void resume_server(Pause why) override { server_.resume(why); }

  bool drop_late(Dial&, Millis now) override {
    const bool late = dial_.late(now, server_.link);
    if (late) server_.link.hang_up();
    return late;
  }

  std::optional<Reason> stalled(Millis now) const {
    const auto takes_nothing = [&](const PeerLink& peer) {
      return open_ && peer.link.waiting() && late(now, peer.last_progress, limits_.stall_ms);
    };
    if (takes_nothing(client_)) return Reason::kClientStalled;
    if (takes_nothing(server_)) return Reason::kServerStalled;
    return std::nullopt;
  }

  PeerLink client_, server_;
  std::optional<Reason> first_;      // who ended first, while the other may go on
  bool open_ = false;                // data passes both ways
  std::array<bool, 2> end_waits_{};  // of the client's link, the server's: its end follows what waits in the lab
  std::array<bool, 2> leaves_{};  // of the client, the server: it has said that it leaves, behind what waits in the lab
};

}  // namespace entente::relay
