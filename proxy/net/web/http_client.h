// Sends HTTP requests to a server of the operator's choice, by libcurl on a loop.
// Invariant: the loop never waits: libcurl is given the addresses, so it looks up no name. A redirect is an answer, and
// is not followed. An answer's head and body are read up to kMostHead and kMostBody, and thrown away but for the
// beginning of the body. Certificates are checked. A request ends within its time, whatever the server does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/base/time.h"
#include "proxy/net/address.h"
#include "proxy/net/loop.h"

namespace entente::net {

/// A URL of HTTP, as libcurl takes it apart.
struct HttpUrl {
  bool tls = false;
  std::string host;  ///< a name, or an address without brackets
  std::uint16_t port = 0;

  /// An error: it is none, has a user, or has characters that no URL has.
  static Outcome<HttpUrl> parse(const std::string& url);
};

struct HttpCall {
  std::string url;
  bool put = false;                       ///< PUT instead of POST
  std::vector<Address> to = {};           ///< of the URL's host; their ports do not matter
  std::vector<std::string> headers = {};  ///< "Name: value"
  std::string body = {};
  std::string authorities = {};  ///< a PEM file of authorities that are trusted beside the system's; "": none
  Millis time = 10'000;          ///< for all of it; at least 1
};

struct HttpOutcome {
  unsigned status = 0;                     ///< 0: there was no answer
  std::string error = {};                  ///< why there is none
  std::optional<Millis> retry_after = {};  ///< as the answer says
  std::string beginning = {};              ///< of the answer's body: at most kMostKept bytes
};

class HttpClient {
 public:
  static constexpr std::size_t kMostHead = 64 * 1024, kMostBody = 64 * 1024;  ///< bytes of an answer
  static constexpr std::size_t kMostKept = 4 * 1024;                          ///< of its body

  class User {
   public:
    virtual ~User() = default;
    /// The end of a request. May send the next one.
    virtual void answered(const HttpOutcome& outcome) = 0;
  };
  /// A request under way. Destroying it ends it.
  class Request {
   public:
    virtual ~Request() = default;
  };

  /// `loop` outlives it.
  explicit HttpClient(Loop& loop);
  /// REQUIRES: its requests are gone.
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// `user` is called once, not within this call, and outlives the request.
  std::unique_ptr<Request> send(const HttpCall& call, User& user);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace entente::net
