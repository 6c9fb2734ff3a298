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

class HttpAcceptor {
 public:
  /// Answers a GET of this path; "" if there is nothing. Called on the acceptor's thread.
  using Answer = std::function<std::string(std::string_view path)>;

  /// `type`: the content type of all answers, such as "text/plain".
  static Outcome<std::unique_ptr<HttpAcceptor>> open(const Address& at, std::string type, Answer answer);
  /// The address that it listens on.
  const Address& address() const { return address_; }

 private:
  HttpAcceptor(const Address& address, std::string type, Answer answer)
      : address_(address), type_(std::move(type)), answer_(std::move(answer)) {}
  std::optional<std::string> hear(std::string_view said, bool over) const;
  std::string reply(const HttpHead& head) const;

  const Address address_;
  const std::string type_;
  const Answer answer_;
  std::unique_ptr<RequestServer> requests_;  // last: its thread calls us
};

}  // namespace entente::net
