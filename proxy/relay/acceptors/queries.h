// Answers status queries: datagrams outside any session that ask whether a server is there and who plays. A relay
// passes on the server's answer (with our address, where it holds the server's). A bridge and a shared room answer for
// themselves, in the client's game (Game::answer); so does a relay with hold_s whose server does not answer.
// The server that is asked is the one that a new player would get.
// Invariant: the sender's address may be forged. So a query must match byte for byte, the answers are limited per
// address and in all, and the server is asked at most once a second.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "proxy/net/udp.h"
#include "proxy/relay/admission/bucket.h"
#include "proxy/relay/route/route.h"

namespace entente::relay {

class Queries {
 public:
  struct Asker {
    net::Address from, local_address;  ///< the sender's address; our address to which it sent
  };

  class User {
   public:
    virtual ~User() = default;
    /// Sends this answer by the listening socket.
    virtual void answer(const Asker& to, Bytes datagram) = 0;
    /// What a bridge or shared room reports about itself. Valid until the next call.
    virtual wire::Status status() { return {}; }
  };

  Queries(WorkerRoute& worker_route, User& user);
  Queries(const Queries&) = delete;
  Queries& operator=(const Queries&) = delete;
  /// As close().
  ~Queries() { close(); }

  /// Answers the datagram if it is a query of this game; false if it is not.
  bool take(const Asker& who, Bytes datagram);
  /// REQUIRES: called every now and then.
  void tick(Millis now);
  /// Those who wait for an answer get none, and are counted as dropped.
  void close();

  static constexpr std::uint32_t kPerAddress = 2, kForAll = 200;  ///< answers a second
  static constexpr std::size_t kBurst = 8;                        ///< of one address

 private:
  /// One kind of query, with the server's last answer.
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
    const Upstream& chosen(Millis now) const;
    void hang_up();
    void answer_ourselves(const Asker& who);
    void wait(const Asker& who, Millis now);
    void give_up();

    WorkerRoute& worker_route_;
    Queries& owner_;
    const wire::Query& query_;
    const Upstream* asked_ = nullptr;  // the server that is asked at present
    net::Address at_;                  // its address
    net::Fd server_;
    net::UdpReader reader_;
    Buffer answer_;
    std::optional<Millis> answered_at_, asked_at_;
    std::optional<Millis> unanswered_since_;  // the first question after the last answer
    std::vector<Asker> waiting_;
    Millis waits_since_ = 0;  // the first of them
    bool silent_ = false;     // the server has not answered the last question
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
