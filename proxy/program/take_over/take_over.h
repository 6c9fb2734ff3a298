// A take-over, seen from the process that begins (`entente run --take-over`): it gets the listening sockets of a
// running process, opens everything with them, and accepts the newcomers from then on. Invariant: unless take()
// succeeds, the running process continues unchanged.
//
// The two talk over the control socket (net/take_over/talk.h), in this order:
//   new: take over 1
//   old: sockets, and the sockets; or: error: WHY
//   new: ready       (everything is open)
//   old: given N     (the old one accepts no more clients; its sessions have numbers up to N)
//   new: taken       (the new one accepts them)
// Before `taken`, the new one asks for what restrictions.h describes. From `given` on, the old one has a control socket
// of its own (older_sockets.h), and after `taken` it closes the connection. If it could not make that socket, it keeps
// the connection open until it ends; the next take-over passes the connection on.
// If the new one fails, it says why on another connection: take over failed: WHY
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/net/fd.h"
#include "proxy/net/take_over/talk.h"
#include "proxy/program/take_over/restrictions.h"
#include "proxy/relay/base/link_info.h"

namespace entente {

constexpr const char* kTakeOver = "take over 1";
constexpr const char* kTakeOverFailed = "take over failed: ";  // and why, as a line of its own

class TakeOver {
 public:
  /// Asks the process behind the control socket `path` for its sockets. Listeners opened from now on use them.
  static Outcome<TakeOver> begin(const std::string& path);
  /// This process ends without having taken over: tells the running process why, for whoever asked for an upgrade.
  void fail(const std::string& why);
  /// Everything is open: the old process accepts nobody any more. Returns the highest number of its sessions.
  Outcome<relay::LinkId> ready();
  /// The bans and listed networks of the old process. REQUIRES: ready(), and not take().
  Outcome<Restrictions> restrictions() const;
  /// From now on, this process accepts the newcomers. REQUIRES: ready(); all listeners are about to serve.
  Outcome<Done> take();
  /// The old process has given up everything, and its players can be asked for at its own socket (older_sockets.h); or
  /// it is gone. The same holds for those before it. REQUIRES: take().
  bool is_over() const;
  /// Copies of the connections to these processes that are open, for the process that takes over next.
  Outcome<std::vector<net::Fd>> connections() const;
  /// The control socket of the old process.
  const std::string& path() const { return path_; }
  /// Why this process cannot serve `control_socket`, the one that it is configured to have: the old process has
  /// another. It and `entente ctl` find each other beside it.
  std::optional<Error> objection_to_socket(const std::string& control_socket) const;

 private:
  Outcome<Done> receive();
  TakeOver(std::string path, net::Talk talk) : path_(std::move(path)), talk_(std::move(talk)) {}

  std::string path_;
  net::Talk talk_;
  std::vector<net::Talk> older_;  // with processes before the old one, which have passed it on
};

}  // namespace entente
