// An acceptor for programs that ask by plain HTTP, as Prometheus does: a GET is answered, and the connection is closed.
// Law: that of Talks; a request has no body, and one that is none is told so.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "proxy/net/address.h"
#include "proxy/net/talks.h"
#include "proxy/net/web/http.h"

namespace entente::net {

class HttpAcceptor {
 public:
  /// To a GET of that path; "" where there is none. Called on the acceptor's thread.
  using Answer = std::function<std::string(std::string_view path)>;

  /// `type`: of all answers, as "text/plain".
  static Outcome<std::unique_ptr<HttpAcceptor>> open(const Address& at, std::string type, Answer answer);
  /// Where it listens.
  const Address& address() const { return address_; }

 private:
  HttpAcceptor(const Address& address, std::string type, Answer answer)
      : address_(address), type_(std::move(type)), answer_(std::move(answer)) {}
  std::optional<std::string> hear(std::string_view said, bool over) const;
  std::string reply(const HttpHead& head) const;

  const Address address_;
  const std::string type_;
  const Answer answer_;
  std::unique_ptr<Talks> talks_;  // last: its thread calls us
};

}  // namespace entente::net
