// Answers what anybody may ask a server of a game by a datagram of no session: whether it is there, who plays. A relay
// gives the server's own answers (with our address for the server's, where they hold one), a bridge, whose server
// speaks something else, and a shared room the front's. Law: an address may be forged. A question is known to the byte,
// few answers go to one address and not many to all, and the server is asked at most once a second.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "proxy/net/udp.h"
#include "proxy/relay/admission/bucket.h"
#include "proxy/relay/route.h"

namespace entente::relay {

class Queries {
 public:
  struct Asker {
    net::Address from, here;  ///< where they are; which address of ours they asked
  };

  class User {
   public:
    virtual ~User() = default;
    /// Send this, by the listening socket.
    virtual void answer(const Asker& to, Bytes datagram) = 0;
    /// What a bridge says of itself, and where we are.
    virtual wire::Status status() const { return {}; }
  };

  Queries(WorkerRoute& worker_route, User& user);

  /// False if it is no question of this game.
  bool take(const Asker& who, Bytes datagram);
  /// REQUIRES: called every now and then.
  void tick(Millis now);
  void close();

  static constexpr std::uint32_t kPerAddress = 2, kForAll = 200;  ///< answers a second
  static constexpr std::size_t kBurst = 8;                        ///< of one address

 private:
  /// One question, and how it is answered just now.
  class Desk final : private net::UdpReader::User {
   public:
    Desk(WorkerRoute& worker_route, Queries& owner, const wire::Query& query)
        : worker_route_(worker_route), owner_(owner), query_(query), reader_(worker_route.loop, *this) {}

    bool is(Bytes datagram) const { return same(datagram, as_bytes(query_.question)); }
    void ask(const Asker& who);
    void tick(Millis now);
    void close();

   private:
    void datagram(const net::Address& from, Bytes bytes) override;
    bool ask_server();

    WorkerRoute& worker_route_;
    Queries& owner_;
    const wire::Query& query_;
    net::Fd server_;
    net::UdpReader reader_;
    Buffer answer_;
    std::optional<Millis> answered_at_, asked_at_;
    std::vector<Asker> waiting_;
  };

  bool may_ask(const net::Address& from, Millis now);

  WorkerRoute& worker_route_;
  User& user_;
  std::vector<std::unique_ptr<Desk>> desks_;
  std::unordered_map<net::Address, Bucket, net::AddressHash> askers_;
  Bucket all_;
  Millis tidy_at_ = 0;
};

}  // namespace entente::relay
