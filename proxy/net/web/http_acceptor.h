// Serves programs and browsers over plain HTTP: a request is answered, and the connection is closed.
// Invariant: as in RequestServer. A request that is malformed, or has too large a body, gets an error.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "proxy/net/address.h"
#include "proxy/net/request_server.h"
#include "proxy/net/web/http.h"

namespace entente::net {

struct HttpAnswer {
  unsigned status = 200;
  std::string type;  ///< the content type, such as "text/plain"
  std::string text;  ///< the body; empty: there is nothing under this path, and the client gets 404
};

struct HttpRequest {
  const HttpHead& head;
  std::string_view body;
  Address client;
};

class HttpAcceptor {
 public:
  /// Returns the whole response, or the function that makes it. Called on the loop's thread, so it does not wait for
  /// anything.
  using RequestHandler = std::function<RequestServer::Answer(const HttpRequest& request)>;
  /// Answers a GET of this path. Called on the loop's thread, so it does not wait for anything.
  using Answer = std::function<HttpAnswer(std::string_view path)>;

  /// Accepts nobody before start(). `loop` outlives it. For programs that only ask, such as Prometheus: other methods
  /// than GET and HEAD get an error. On loopback, so do requests for another host name than localhost or an IP address:
  /// a browser may send them for any site's page.
  static Outcome<std::unique_ptr<HttpAcceptor>> open(RequestLoop& loop, const Address& at, Answer answer);
  /// `most_body`: bytes of a request's body; at most kMostBody.
  static Outcome<std::unique_ptr<HttpAcceptor>> open(RequestLoop& loop, const Address& at, RequestHandler handler,
                                                     std::size_t most_body);
  static constexpr std::size_t kMostBody = 64 * 1024;
  /// The address that it listens on.
  const Address& address() const { return address_; }
  /// REQUIRES: called once.
  void start() { requests_->start(); }
  int listening() const { return requests_->listening(); }
  /// As RequestServer::stop_listening() and finish().
  void stop_listening() { requests_->stop_listening(); }
  void finish() { requests_->finish(); }

 private:
  HttpAcceptor(const Address& address, RequestHandler handler, std::size_t most_body)
      : address_(address), handler_(std::move(handler)), most_body_(most_body) {}
  std::optional<RequestServer::Answer> hear(std::string_view said, bool over, const Fd& client) const;

  const Address address_;
  const RequestHandler handler_;
  const std::size_t most_body_;
  std::unique_ptr<RequestServer> requests_;  // last: the loop calls us by it
};

}  // namespace entente::net
