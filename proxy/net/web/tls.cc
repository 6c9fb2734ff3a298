#include "proxy/net/web/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace entente::net {
namespace {

/// How much OpenSSL is given at once: its buffer grows to that, and stays.
constexpr std::size_t kPiece = 4 * 1024;

constexpr const char* kAfterEnd = "data after the end of TLS";

constexpr std::array<std::uint8_t, 9> kHttp11{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

/// OpenSSL's newest error, or the system's error for a file; clears the list of errors. `reason`: the number of the
/// error.
std::string complaint(int* reason = nullptr) {
  std::string text, of_system;
  while (const unsigned long code = ERR_get_error()) {
    if (reason != nullptr && ERR_GET_LIB(code) == ERR_LIB_SSL) *reason = ERR_GET_REASON(code);
    if (ERR_SYSTEM_ERROR(code))
      of_system = std::strerror(ERR_GET_REASON(code));
    else if (const char* said = ERR_reason_error_string(code))
      text = said;
  }
  if (!of_system.empty()) return of_system;
  return text.empty() ? "no reason given" : text;
}

int choose_http(SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char* offered,
                unsigned offered_size, void*) {
  unsigned char* found = nullptr;
  const int result =
      SSL_select_next_proto(&found, size, kHttp11.data(), static_cast<unsigned>(kHttp11.size()), offered, offered_size);
  *chosen = found;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

/// Why a peer's certificate was not accepted.
const char* what_of_certificate(long verified) {
  switch (verified) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "the certificate has expired";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "the certificate is not valid yet";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return "the certificate is for another name";
    case X509_V_ERR_CERT_REVOKED:
      return "the certificate was revoked";
    default:
      return "the certificate is not trusted";
  }
}

/// Why a handshake failed otherwise. The numbers above 1000 are alerts of the peer (RFC 8446, section 6).
const char* what_of_handshake(int reason) {
  switch (reason) {
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
      return "our certificate was refused";
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
      return "no version of TLS in common";
    case SSL_R_NO_SHARED_CIPHER:
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
      return "no cipher of TLS in common";
    default:
      return "TLS failed";
  }
}

/// The first byte of a connection in TLS: a record of type 20 to 23 (RFC 8446, 5.1). Older protocols are not supported.
bool begins_tls(std::uint8_t first) { return first >= 20 && first <= 23; }

bool is_address(const std::string& peer) {
  in6_addr room{};
  return inet_pton(AF_INET, peer.c_str(), &room) == 1 || inet_pton(AF_INET6, peer.c_str(), &room) == 1;
}

}  // namespace

// -- Contexts ---------------------------------------------------------------------------------------------------------

std::optional<std::int64_t> TlsContext::expires() const {
  const std::shared_ptr<SSL_CTX> context = raw();
  std::optional<std::int64_t> first, last;
  const auto consider = [&](const X509* one) {
    std::tm end{};
    if (one == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(one), &end) != 1) return;
    const std::int64_t seconds = ::timegm(&end);
    first = std::min(first.value_or(seconds), seconds);
    last = std::max(last.value_or(seconds), seconds);
  };
  if (client_) {
    if (!own_authorities_) return std::nullopt;
    const STACK_OF(X509_OBJECT)* const trusted = X509_STORE_get0_objects(SSL_CTX_get_cert_store(context.get()));
    for (int i = 0; i < sk_X509_OBJECT_num(trusted); ++i)
      consider(X509_OBJECT_get0_X509(sk_X509_OBJECT_value(trusted, i)));
    return last;
  }
  STACK_OF(X509)* chain = nullptr;
  consider(SSL_CTX_get0_certificate(context.get()));
  if (SSL_CTX_get0_chain_certs(context.get(), &chain) == 1)
    for (int i = 0; i < sk_X509_num(chain); ++i) consider(sk_X509_value(chain, i));
  return first;
}

void TlsContext::renew(const TlsContext& fresh) {
  auto theirs = fresh.raw();
  const std::lock_guard lock(mutex_);
  context_ = std::move(theirs);
}

std::shared_ptr<ssl_ctx_st> TlsContext::raw() const {
  const std::lock_guard lock(mutex_);
  return context_;
}

Outcome<std::shared_ptr<TlsContext>> TlsContext::make(bool client) {
  auto made = std::make_shared<TlsContext>();
  made->client_ = client;
  made->context_.reset(SSL_CTX_new(client ? TLS_client_method() : TLS_server_method()), SSL_CTX_free);
  SSL_CTX* raw = made->context_.get();
  if (!raw) return Error{"cannot set up TLS: " + complaint()};
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS);
  // A connection may end without TLS's close_notify, because WebSocket has its own close.
  SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_msg_callback(raw, &Tls::on_message);
  if (client) {
    SSL_CTX_set_alpn_protos(raw, kHttp11.data(), static_cast<unsigned>(kHttp11.size()));
    return made;
  }
  SSL_CTX_set_alpn_select_cb(raw, choose_http, nullptr);
  SSL_CTX_set_cert_cb(raw, &Tls::before_key, nullptr);
  // No tickets: for each, OpenSSL would encrypt a session. Without RSA key exchange, which also has no forward secrecy,
  // the key is used only once, after the greeting.
  SSL_CTX_set_options(raw, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(raw, 0);
  SSL_CTX_set_cipher_list(raw, "DEFAULT:!kRSA");
  return made;
}

Outcome<std::shared_ptr<TlsContext>> TlsContext::server(const std::string& certificates, const std::string& key) {
  auto made = make(false);
  if (!made) return made.error();
  SSL_CTX* raw = (*made)->context_.get();
  if (SSL_CTX_use_certificate_chain_file(raw, certificates.c_str()) != 1)
    return Error{"cannot read a certificate from '" + certificates + "': " + complaint() + "; it must be a PEM file"};
  if (SSL_CTX_use_PrivateKey_file(raw, key.c_str(), SSL_FILETYPE_PEM) != 1)
    return Error{"cannot use the key in '" + key + "': " + complaint() +
                 "; it must be a PEM file and belong to the certificate"};
  return made;
}

Outcome<std::shared_ptr<TlsContext>> TlsContext::client(const std::string& authorities, bool verify) {
  auto made = make(true);
  if (!made) return made.error();
  SSL_CTX* raw = (*made)->context_.get();
  if (!authorities.empty() && SSL_CTX_load_verify_locations(raw, authorities.c_str(), nullptr) != 1)
    return Error{"cannot read authorities from '" + authorities + "': " + complaint() + "; it must be a PEM file"};
  if (authorities.empty()) SSL_CTX_set_default_verify_paths(raw);
  (*made)->own_authorities_ = !authorities.empty() && verify;
  SSL_CTX_set_verify(raw, verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  return made;
}

// -- Connections ------------------------------------------------------------------------------------------------------

void Tls::Free::operator()(ssl_st* session) const { SSL_free(session); }

Tls::Tls(const TlsContext& context, const std::string& peer) : session_(SSL_new(context.raw().get())) {
  SSL* raw = session_.get();
  if (!raw) std::abort();  // out of memory
  SSL_set_bio(raw, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  if (!context.is_client()) {
    SSL_set_accept_state(raw);
    return;
  }
  SSL_set_connect_state(raw);
  if (is_address(peer)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(raw), peer.c_str());
  } else {
    SSL_set1_host(raw, peer.c_str());
    SSL_set_tlsext_host_name(raw, peer.c_str());
  }
}

bool Tls::open() const { return SSL_is_init_finished(session_.get()) == 1; }

void Tls::start(Buffer& wire) {
  SSL_set_app_data(session_.get(), this);
  shake();
  drain(wire);
}

bool Tls::feed(Bytes from_wire, Buffer& plain, Buffer& wire) {
  if (what_ != nullptr) return false;
  if (!first_ && !from_wire.empty()) first_ = from_wire[0];
  bool well = true;
  do {
    const Bytes piece = from_wire.first(std::min(from_wire.size(), kPiece));
    well = take(piece, plain);
    from_wire = from_wire.subspan(piece.size());
  } while (well && !from_wire.empty());
  drain(wire);
  return well;
}

bool Tls::take(Bytes from_wire, Buffer& plain) {
  if (peer_has_finished_ && !from_wire.empty()) return fail(kAfterEnd);
  SSL_set_app_data(session_.get(), this);  // for the callbacks
  if (!from_wire.empty()) BIO_write(SSL_get_rbio(session_.get()), from_wire.data(), static_cast<int>(from_wire.size()));
  if (!open()) {
    if (!shake()) return false;
    if (!open()) {
      unfinished_ += from_wire.size();
      return unfinished_ <= kLargestHandshake || fail("oversize TLS handshake");
    }
  }
  has_opened_ = true;
  return read(plain) && (late_messages_ <= kMostLateMessages || fail("too many TLS handshake messages"));
}

/// Called by OpenSSL when a server is about to use its certificate and key, maybe twice. -1 suspends the handshake.
int Tls::before_key(SSL* session, void*) {
  Tls& self = *static_cast<Tls*>(SSL_get_app_data(session));
  if (!self.may_use_key_) self.may_use_key_ = self.gate_ == nullptr || self.gate_->may_use_key();
  return self.may_use_key_ ? 1 : -1;
}

void Tls::on_message(int writes, int /*version*/, int type, const void* /*bytes*/, std::size_t /*size*/, SSL* session,
                     void* /*self*/) {
  if (writes != 0 || type != SSL3_RT_HANDSHAKE) return;
  Tls& self = *static_cast<Tls*>(SSL_get_app_data(session));
  if (self.has_opened_) ++self.late_messages_;
}

bool Tls::shake() {
  ERR_clear_error();
  const int result = SSL_do_handshake(session_.get());
  if (result == 1) return true;
  const int error = SSL_get_error(session_.get(), result);
  return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_X509_LOOKUP || fail();
}

bool Tls::read(Buffer& plain) {
  std::array<std::uint8_t, 16 * 1024> record;  // the largest
  for (;;) {
    std::size_t got = 0;
    ERR_clear_error();
    const int result = SSL_read_ex(session_.get(), record.data(), record.size(), &got);
    append(plain, Bytes(record).first(result == 1 ? got : 0));
    if (result == 1) continue;
    const int error = SSL_get_error(session_.get(), result);
    if (error != SSL_ERROR_ZERO_RETURN) return error == SSL_ERROR_WANT_READ || fail();
    peer_has_finished_ = true;
    // OpenSSL reads no more of what came.
    return BIO_ctrl_pending(SSL_get_rbio(session_.get())) == 0 || fail(kAfterEnd);
  }
}

void Tls::write(Bytes plain, Buffer& wire) {
  assert(open() || what_ != nullptr);
  std::size_t taken = 0;
  ERR_clear_error();
  if (!plain.empty() && what_ == nullptr && SSL_write_ex(session_.get(), plain.data(), plain.size(), &taken) != 1)
    fail();
  drain(wire);
}

void Tls::finish(Buffer& wire) {
  if (open() && what_ == nullptr) SSL_shutdown(session_.get());
  ERR_clear_error();
  drain(wire);
}

void Tls::drain(Buffer& wire) {
  BIO* out = SSL_get_wbio(session_.get());
  const std::size_t waiting = BIO_ctrl_pending(out), had = wire.size();
  if (waiting == 0) return;
  wire.resize(had + waiting);
  const int got = BIO_read(out, wire.data() + had, static_cast<int>(waiting));
  wire.resize(had + static_cast<std::size_t>(std::max(got, 0)));
}

bool Tls::fail(const char* what) {
  what_ = what;
  why_ = what;
  return false;
}

/// Names a certificate that is not trusted as the cause: "certificate verify failed" alone helps nobody.
bool Tls::fail() {
  // Without verification, OpenSSL also has a result, but it had no effect.
  const bool verifies = (SSL_get_verify_mode(session_.get()) & SSL_VERIFY_PEER) != 0;
  const long verified = verifies ? SSL_get_verify_result(session_.get()) : X509_V_OK;
  int reason = 0;
  why_ = complaint(&reason);
  if (verified != X509_V_OK) why_ += std::string(": ") + X509_verify_cert_error_string(verified);
  if (first_ && !begins_tls(*first_))
    what_ = "not TLS";
  else
    what_ = verified != X509_V_OK ? what_of_certificate(verified) : what_of_handshake(reason);
  return false;
}

}  // namespace entente::net
