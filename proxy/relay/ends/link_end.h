// The common part of the ends over one stream connection (tcp_end.h, web_end.h).
#pragma once

#include <utility>

#include "proxy/net/socket.h"
#include "proxy/relay/ends/end.h"

namespace entente::relay {

/// `LinkCallbacks`: the interface that `ConcreteLink` calls back.
template <class ConcreteLink, class LinkCallbacks>
class LinkEnd : public End, protected LinkCallbacks {
 public:
  std::size_t waiting() const override { return link_.waiting(); }
  std::size_t weight() const override { return link_.weight(); }
  void set_reading(bool on) override { link_.set_reading(on); }
  void set_priority(net::Priority priority) override { link_.set_priority(priority); }
  bool is_unserved() const override { return link_.is_unserved(); }
  Millis unserved_millis() const override { return link_.unserved_millis(); }
  Millis last_received() const override { return link_.last_received(); }
  void hang_up() override { link_.hang_up(); }
  bool is_open() const override { return link_.is_open(); }
  net::Address local_address() const override { return local_address_; }

 protected:
  using How = Departure::How;

  LinkEnd(WorkerRoute& worker_route, End::User& user, const EndOptions& options)
      : End(user),
        worker_route_(worker_route),
        game_(options.game),
        facing_(options.facing),
        works_for_(options.works_for),
        link_(make_link<ConcreteLink>(worker_route.loop, facing_, game_, static_cast<LinkCallbacks&>(*this))) {
    link_.set_party(options.party);
    if (facing_ == Facing::kServer) link_.set_patient();
    if (options.largest_read != 0) link_.set_largest_read(options.largest_read);
  }

  /// A client was accepted.
  void note_addresses(const net::Fd& client) {
    local_address_ = net::local_address(client.get());
    peer_address_ = net::peer_address(client.get());
  }
  /// Connects by `call(tcp)`, which returns an errno if it cannot start.
  template <class Call>
  int connect_by(const net::Address& server, net::Fd tcp, Call&& call) {
    departed_ = peer_ended_ = over_ = false;
    peer_address_ = server;
    link_.set_party(worker_route_.loop.server_party(server, works_for_));
    const int fd = tcp.get(), error = call(std::move(tcp));
    if (error == 0) local_address_ = net::local_address(fd);
    return error;
  }

  void wrote(ConcreteLink&) override {
    user().wrote(*this);
    settle();
  }
  void ended(ConcreteLink&) override { lose(Departure{}); }
  void broken(ConcreteLink&, int error) override {
    depart({How::kBroke, error, Fault{""}, {}});
    settle();
  }

  /// Whether to go on with what was received: the link is still read, and the job has time left.
  bool has_time() const {
    return !departed_ && !shut_down_ && link_.is_open() && link_.is_reading() && !worker_route_.loop.time_is_up();
  }
  /// Whether received bytes are to be discarded. Closes the link if the peer sends too many of them.
  bool is_deaf_to(std::size_t bytes) {
    if (!departed_ && !shut_down_) return false;
    unheard_ += bytes;
    if (unheard_ > kMostUnheard) {
      link_.hang_up();
      settle();
    }
    return true;
  }
  void lose(const Departure& departure) {
    peer_ended_ = true;
    depart(departure);
    settle();
  }
  void depart(const Departure& departure) {
    if (departed_ || shut_down_) return;
    departed_ = true;
    user().departed(*this, departure);
  }
  /// Closes our direction and goes on reading. Closing with unread data would reset the connection, and the peer could
  /// lose our last bytes.
  void finish() {
    link_.shut_down();
    if (link_.is_open()) link_.set_reading(true);
  }
  void settle() {
    if (peer_ended_ && shut_down_ && link_.waiting() == 0) link_.hang_up();
    if (link_.is_open() || over_ || !(departed_ || shut_down_)) return;
    over_ = true;
    user().over(*this);
  }

  WorkerRoute& worker_route_;
  const wire::Game& game_;
  const Facing facing_;
  const net::Address works_for_;
  ConcreteLink link_;
  net::Address local_address_, peer_address_;
  bool departed_ = false, shut_down_ = false;

 private:
  std::size_t unheard_ = 0;  // bytes that came after the end
  bool peer_ended_ = false, over_ = false;
};

}  // namespace entente::relay
