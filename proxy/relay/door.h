// Where a relay's clients come in: accepts them, turns away whom a limit forbids, keeps them waiting while the server's
// dialect is being found out, and gives them and their datagrams to a worker.
// Law: lives on the route's home worker; a client that is let in is counted in the gate until its session is gone.
#pragma once

#include <vector>

#include "proxy/base/limits.h"
#include "proxy/net/listener.h"
#include "proxy/net/socket.h"
#include "proxy/relay/gate.h"
#include "proxy/relay/link_table.h"
#include "proxy/relay/probe.h"
#include "proxy/relay/route.h"

namespace entente::relay {

/// A client that was let in, on its way to its worker.
struct Newcomer {
  std::size_t route = 0;
  LinkId link = 0;
  net::Fd fd;
  net::Address client;
  Limits limits;
  std::size_t server_dialect = 0;
};

/// The way from a door to the sessions.
class Seating {
 public:
  virtual ~Seating() = default;
  virtual LinkId next_link() = 0;
  /// The worker that the next newcomer on this route shall go to.
  virtual std::size_t next_worker(const Route& route) = 0;
  virtual void seat(std::size_t worker, Newcomer newcomer) = 0;
  /// False when that worker is too far behind.
  virtual bool pass_on(Seat to, const net::Address& from, Bytes datagram) = 0;
  /// No datagram follows for now.
  virtual void passed_on() = 0;
};

class Door final : private net::Listener::User, private net::UdpReader::User, private SilentProbe::User {
 public:
  Door(Branch& branch, Seating& seating, const Limits& limits);

  Outcome<Done> open(net::Fd listening);
  void close();
  void tick(Millis now);
  void set_limits(const Limits& limits) { limits_ = limits; }

  /// What the workers tell of the sessions they were given.
  void named(LinkId link, std::uint32_t player) { table_.greeted(link, player); }
  void left(LinkId link, const net::Address& client, bool server_unreached);

 private:
  enum class Server : std::uint8_t { kUnknown, kProbing, kKnown, kFailed };

  void accepted(net::Fd fd, const net::Address& from) override;
  void starved(const net::Address& from) override;
  void datagram(const net::Address& from, Bytes bytes) override;
  void datagrams_done() override { seating_.passed_on(); }
  void probed(std::size_t dialect) override;
  void probe_failed(Reason why) override;

  void turn_away(net::Fd fd, const net::Address& from, Reason why);
  void admit(Newcomer newcomer);
  void start_probe();
  void answer_waiting();

  Branch& branch_;
  Route& route_;
  Seating& seating_;
  Limits limits_;
  Gate gate_;
  Millis tidy_at_ = 0;
  LinkTable table_;
  net::Listener listener_;
  net::UdpReader datagrams_;

  SilentProbe probe_;
  Server server_;
  std::size_t server_dialect_;
  bool tried_ = false;
  Reason failed_ = Reason::kDialectUnknown;  // why, while kFailed
  Millis good_until_ = 0;                    // what was found out is believed, if it was bad news
  std::vector<Newcomer> waiting_;
};

}  // namespace entente::relay
