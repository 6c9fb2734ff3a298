// Serves programs over plain HTTP, such as Prometheus: a GET is answered, and the connection is closed.
// Law: as in RequestServer. A request has no body; anything else gets an error.
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
  std::string text;  ///< of status 200: empty: there is nothing under this path
};

class HttpAcceptor {
 public:
  /// Answers a GET of this path. Called on the acceptor's thread.
  using Answer = std::function<HttpAnswer(std::string_view path)>;

  static Outcome<std::unique_ptr<HttpAcceptor>> open(const Address& at, Answer answer);
  /// The address that it listens on.
  const Address& address() const { return address_; }

 private:
  HttpAcceptor(const Address& address, Answer answer) : address_(address), answer_(std::move(answer)) {}
  std::optional<std::string> hear(std::string_view said, bool over) const;
  std::string reply(const HttpHead& head) const;

  const Address address_;
  const Answer answer_;
  std::unique_ptr<RequestServer> requests_;  // last: its thread calls us
};

}  // namespace entente::net
