// A connection to a WebSocket listener, until its client asks for a WebSocket. Requests for the page, its files and
// documents are answered, one after another on one connection.
// Invariant: it is no session: it takes no place of one, begins none with a server, and is neither counted nor logged
// as one. A request that cannot be read is a refused client. It lives on one worker, and is destroyed at the end of the
// turn in which it calls over().
#pragma once

#include "proxy/net/web/web_link.h"
#include "proxy/relay/ends/relay_link.h"
#include "proxy/relay/route/route.h"
#include "proxy/relay/sessions/dispatcher.h"

namespace entente::relay {

class HttpCaller final : private net::WebUser {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    /// The route that serves `path` on the listener of the route `accepting`; null if there is none.
    virtual WorkerRoute* route_at(const Route& accepting, std::string_view path) = 0;
    /// The client asks for a WebSocket, or for something else that a session answers, and nothing waits for it: take()
    /// or refuse() follows, now or later, while the caller waits_for_session().
    virtual void wants_session(HttpCaller& caller) = 0;
    /// The connection is closed: destroy it at the end of the turn.
    virtual void over(HttpCaller& caller) = 0;
  };

  /// Requests on one connection, and how long one is kept (and Limits::linger_ms more): a process that gives its
  /// listeners to another one is rid of its callers soon.
  static constexpr unsigned kMostRequests = 1'000;
  static constexpr Millis kLongestCall = 60'000;

  /// REQUIRES: Admission::call() or call_for_check() let the client in. `accept_route` and `owner` outlive it.
  HttpCaller(WorkerRoute& accept_route, Owner& owner, AcceptedClient client);
  ~HttpCaller() override;

  void start();
  void tick(Millis now);
  /// The process stops: says so, and closes the connection within Limits::linger_ms. A client that has asked for a
  /// session is refused.
  void stop();
  /// The client, with its connection and its request, for a session. REQUIRES: begin_session() let it in, or it is a
  /// health check, whose session goes on as a caller.
  AcceptedClient take();
  /// Answers the request with the reason why there is no session, which is counted and logged.
  void refuse(Reason why, const Fault& fault = Fault{""});

  const AcceptedClient& client() const { return client_; }
  /// The route that it was accepted for.
  const Route& accept_route() const { return accept_route_.route; }
  bool waits_for_session() const { return wants_session_ && !over_; }
  /// What it asks for. REQUIRES: waits_for_session().
  const net::HttpHead& request() const { return link_.request(); }

 private:
  void asked(net::WebLink& link, const net::HttpHead& request) override;
  void received(net::WebLink&, net::Opcode, Bytes) override {}
  void close_frame(net::WebLink&, const net::CloseFrame&) override {}
  void protocol_error(net::WebLink& link, const Fault& fault, const std::string& detail) override;
  void wrote(net::WebLink& link) override;
  void ended(net::WebLink& link) override;
  void broken(net::WebLink& link, int error) override;

  void respond();
  bool keeps_open() const;
  void read_on();
  void ask_for_session();
  void tell_refused(Reason why, const Fault& fault);
  WorkerRoute& route_asked() const;
  void settle();
  Millis now() const { return accept_route_.loop.now(); }

  WorkerRoute& accept_route_;
  Owner& owner_;
  AcceptedClient client_;
  const net::Address listener_;  // our address on the connection
  net::WebLink link_;
  AddressBytes::Share share_;
  const Millis began_;
  Wait wait_;            // for a request, or for the peer to take bytes
  Millis close_by_ = 0;  // when the connection is closed if nothing waits; 0: it is not ending
  Millis cut_by_;        // when it is closed whatever waits, unless it waits for a session
  unsigned requests_ = 0;
  bool waits_for_turn_ = false;  // its address has asked for too much
  bool wants_session_ = false;
  bool calls_ = true;  // counts as a caller
  bool peer_ended_ = false, over_ = false;
};

}  // namespace entente::relay
