// TLS over bytes cut anywhere, in either role (OpenSSL with memory BIOs; TLS 1.2 and later, ALPN http/1.1).
// Law: nothing here touches a socket; what must go on the wire is appended to a buffer that the caller sends.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"

struct ssl_ctx_st;
struct ssl_st;

namespace entente::net {

/// What all connections of one listener, or to one server, share. Made at start; const afterwards, for any thread.
class TlsContext {
 public:
  /// PEM files: the certificate with its chain, and its key.
  static Outcome<std::shared_ptr<const TlsContext>> server(const std::string& certificates, const std::string& key);
  /// `authorities`: a PEM file of whom to trust; empty: whom the system trusts. `verify` false: anybody.
  static Outcome<std::shared_ptr<const TlsContext>> client(const std::string& authorities, bool verify);

  ssl_ctx_st* raw() const { return context_.get(); }
  bool is_client() const { return client_; }

 private:
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };
  static Outcome<std::shared_ptr<TlsContext>> make(bool client);

  std::unique_ptr<ssl_ctx_st, Free> context_;
  bool client_ = false;
};

class Tls {
 public:
  /// `peer`: the name or address a client connects to, which the server's certificate must bear. Unused by a server.
  Tls(const TlsContext& context, const std::string& peer);

  /// A client's first words. REQUIRES: once, before anything else.
  void start(Buffer& wire);
  /// Takes bytes off the wire; appends what they say to `plain` and what we must answer to `wire`. False: failed, see
  /// why(); what is in `wire` should still be sent.
  bool feed(Bytes from_wire, Buffer& plain, Buffer& wire);
  /// REQUIRES: open().
  void write(Bytes plain, Buffer& wire);
  /// Says that nothing more is written.
  void finish(Buffer& wire);

  bool open() const;  ///< the handshake is done
  /// What failed, for a person: "the certificate has expired", "not TLS" …, a literal; null: nothing did.
  const char* what() const { return what_; }
  const std::string& why() const { return why_; }  ///< the same in OpenSSL's words

 private:
  struct Free {
    void operator()(ssl_st* session) const;
  };
  bool shake();
  bool read(Buffer& plain);
  void drain(Buffer& wire);
  bool fail();

  std::unique_ptr<ssl_st, Free> session_;
  std::optional<std::uint8_t> first_;  // that came off the wire
  const char* what_ = nullptr;
  std::string why_;
};

}  // namespace entente::net
