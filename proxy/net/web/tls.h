// TLS over byte buffers, in either role (OpenSSL with memory BIOs; TLS 1.2 and later, ALPN http/1.1).
// Invariant: it touches no socket; bytes for the wire are appended to a buffer that the caller sends. A server uses its
// private key once for each handshake, and only when its gate allows it. Sessions are not resumed, so nothing is kept
// about clients who have left. What is kept of an unfinished handshake, and the messages that change keys later, are
// bounded. Nothing is kept of what comes after the peer has ended TLS.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"

struct ssl_ctx_st;
struct ssl_st;

namespace entente::net {

/// A server's fatal alert "access denied" (RFC 8446, 6.2), which needs no handshake: browsers show it as such.
inline constexpr std::uint8_t kTlsAccessDenied[] = {21, 3, 3, 0, 2, 2, 49};

/// Shared by all connections of a listener, or to a server. For any thread.
class TlsContext {
 public:
  /// PEM files: the certificate with its chain, and its key.
  static Outcome<std::shared_ptr<TlsContext>> server(const std::string& certificates, const std::string& key);
  /// `authorities`: a PEM file of trusted authorities; empty: the system's. With `verify` false, any certificate is
  /// accepted.
  static Outcome<std::shared_ptr<TlsContext>> client(const std::string& authorities, bool verify);

  /// Connections that begin from now on use the certificates of `fresh`. REQUIRES: of the same role.
  void renew(const TlsContext& fresh);

  /// When it begins to fail, in seconds since 1970: the first certificate of a server's chain expires, or the last
  /// authority that a client trusts. Nothing: it has none, or trusts the system's authorities.
  std::optional<std::int64_t> expires() const;

  std::shared_ptr<ssl_ctx_st> raw() const;
  bool is_client() const { return client_; }

 private:
  static Outcome<std::shared_ptr<TlsContext>> make(bool client);

  mutable std::mutex mutex_;  // of context_
  std::shared_ptr<ssl_ctx_st> context_;
  bool client_ = false, own_authorities_ = false;
};

class Tls {
 public:
  /// Decides when a server's private key is used.
  class Gate {
   public:
    virtual ~Gate() = default;
    /// The client has sent its greeting (ClientHello). False: not yet; it is asked again by each feed() and by go_on().
    virtual bool may_use_key() = 0;
  };

  /// Bytes of the peer in a handshake that is not finished; a greeting has 300 to 2,000.
  static constexpr std::size_t kLargestHandshake = 32 * 1024;
  /// Handshake messages after the handshake, such as changes of keys. One change is due every 2^24 records.
  static constexpr unsigned kMostLateMessages = 64;

  /// `peer`: the name or address that a client connects to, which the server's certificate must contain. Not used by
  /// a server.
  Tls(const TlsContext& context, const std::string& peer);

  /// `gate` outlives this. Without a gate, a server's key is used at once.
  void set_gate(Gate& gate) { gate_ = &gate; }

  /// A client's first bytes. REQUIRES: called once, before anything else.
  void start(Buffer& wire);
  /// Takes bytes from the wire; appends the decrypted bytes to `plain` and the answer to `wire`. False: failed, see
  /// why(); what is in `wire` should still be sent.
  bool feed(Bytes from_wire, Buffer& plain, Buffer& wire);
  /// As feed(), without new bytes: goes on where the gate had not allowed it.
  bool go_on(Buffer& plain, Buffer& wire) { return feed({}, plain, wire); }
  /// Writes nothing after a failure. REQUIRES: open() was true.
  void write(Bytes plain, Buffer& wire);
  /// Tells the peer that nothing more follows.
  void finish(Buffer& wire);

  bool open() const;                                 ///< the handshake is done
  bool heard() const { return first_.has_value(); }  ///< the peer has sent something
  /// The peer has said that it sends nothing more (close_notify). It may still read. What it sends later fails.
  bool peer_has_finished() const { return peer_has_finished_; }
  /// What failed, for people: "the certificate has expired", "not TLS" …, a literal; null if nothing did.
  const char* what() const { return what_; }
  const std::string& why() const { return why_; }  ///< the same in OpenSSL's words

 private:
  friend class TlsContext;  // which knows the callbacks

  struct Free {
    void operator()(ssl_st* session) const;
  };
  static int before_key(ssl_st* session, void*);
  static void on_message(int writes, int version, int type, const void* bytes, std::size_t size, ssl_st* session,
                         void* self);
  bool take(Bytes from_wire, Buffer& plain);
  bool shake();
  bool read(Buffer& plain);
  void drain(Buffer& wire);
  bool fail();
  bool fail(const char* what);

  Gate* gate_ = nullptr;
  bool may_use_key_ = false, has_opened_ = false, peer_has_finished_ = false;
  std::size_t unfinished_ = 0;  // bytes of the peer before the handshake was done
  unsigned late_messages_ = 0;
  std::unique_ptr<ssl_st, Free> session_;
  std::optional<std::uint8_t> first_;  // the first byte from the wire
  const char* what_ = nullptr;
  std::string why_;
};

}  // namespace entente::net
