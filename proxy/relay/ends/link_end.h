// The common part of the ends over one stream connection (tcp_end.h, web_end.h).
#pragma once

#include <utility>

#include "proxy/net/socket.h"
#include "proxy/relay/ends/end.h"

namespace entente::relay {

/// `LinkUser`: the interface that `Link` calls back. `Any`: the type of link that it passes.
template <class Link, class LinkUser, class Any>
class LinkEnd : public End, protected LinkUser {
 public:
  std::size_t waiting() const override { return link_.waiting(); }
  void read(bool on) override { link_.read(on); }
  void set_priority(net::Priority priority) override { link_.set_priority(priority); }
  bool is_held_up() const override { return link_.is_held_up(); }
  Millis held_up() const override { return link_.held_up(); }
  void hang_up() override { link_.close(); }
  bool is_open() const override { return link_.is_open(); }
  net::Address here() const override { return here_; }

 protected:
  using How = Departure::How;

  LinkEnd(WorkerRoute& worker_route, End::User& user, const EndOptions& options)
      : End(user),
        worker_route_(worker_route),
        game_(options.game),
        facing_(options.facing),
        link_(make_link<Link>(worker_route.loop, facing_, game_, static_cast<LinkUser&>(*this))) {
    if (options.largest_read != 0) link_.set_largest_read(options.largest_read);
  }

  /// A client was accepted.
  void note_addresses(const net::Fd& client) {
    here_ = net::local_address(client.get());
    there_ = net::peer_address(client.get());
  }
  /// Connects by `call(tcp)`, which returns an errno if it cannot start.
  template <class Call>
  int connect_by(const net::Address& server, net::Fd tcp, Call&& call) {
    departed_ = peer_ended_ = over_ = false;
    there_ = server;
    const int fd = tcp.get(), error = call(std::move(tcp));
    if (error == 0) here_ = net::local_address(fd);
    return error;
  }

  void wrote(Any&) override {
    user().wrote(*this);
    settle();
  }
  void ended(Any&) override { lose(Departure{}); }
  void broken(Any&, int error) override {
    depart({How::kBroke, error, Fault{""}, {}});
    settle();
  }

  /// Whether received bytes are to be discarded. Closes the link if the peer sends too many of them.
  bool is_deaf_to(std::size_t bytes) {
    if (!departed_ && !shut_down_) return false;
    unheard_ += bytes;
    if (unheard_ > kMostUnheard) {
      link_.close();
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
    link_.finish();
    if (link_.is_open()) link_.read(true);
  }
  void settle() {
    if (peer_ended_ && shut_down_ && link_.waiting() == 0) link_.close();
    if (link_.is_open() || over_ || !(departed_ || shut_down_)) return;
    over_ = true;
    user().over(*this);
  }

  WorkerRoute& worker_route_;
  const wire::Game& game_;
  const Facing facing_;
  Link link_;
  net::Address here_, there_;
  bool departed_ = false, shut_down_ = false;

 private:
  std::size_t unheard_ = 0;  // bytes that came after the end
  bool peer_ended_ = false, over_ = false;
};

}  // namespace entente::relay
