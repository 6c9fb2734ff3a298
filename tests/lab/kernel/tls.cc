// The functions of libssl that the program calls. They speak a protocol with the shape of TLS 1.3: records, greetings,
// a certificate, alerts, and the server's answer only after the callback for its certificate. It keeps nothing secret,
// and its bytes are the same with all versions of OpenSSL. A certificate is a file such as
//   serial 1
//   issuer lab
//   from 0
//   until 2000000000
//   name 10.0.1.1
// Its key is a file "key 1". A file of authorities has lines such as "issuer lab".
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace {

enum Record : std::uint8_t { kAlert = 21, kHandshake = 22, kData = 23 };
enum Message : std::uint8_t { kClientHello = 1, kServerHello = 2, kFinished = 20 };
enum Alert : std::uint8_t {
  kCloseNotify = 0,
  kUnexpected = 10,
  kExpired = 45,
  kCertificateUnknown = 46,
  kUnknownCa = 48
};

constexpr std::size_t kRecordHead = 5, kMessageHead = 4, kLargestRecord = 16 * 1024, kCheck = 8;
constexpr std::size_t kHelloSize = 300, kAnswerSize = 1500, kFinishedSize = 52;  // as they are in TLS, about

using Lines = std::multimap<std::string, std::string>;

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);)
    if (const std::size_t space = line.find(' '); space != std::string::npos)
      lines.emplace(line.substr(0, space), line.substr(space + 1));
  return lines;
}

std::string first_of(const Lines& lines, const std::string& key) {
  const auto found = lines.find(key);
  return found == lines.end() ? "" : found->second;
}

std::int64_t number_of(const Lines& lines, const std::string& key) { return std::atoll(first_of(lines, key).c_str()); }

void fail_with(int library, int reason) {
  ERR_new();
  ERR_set_error(library, reason, nullptr);
}

/// The lines of a file. Nothing: it cannot be read, or has no line with `key`.
std::optional<Lines> read(const char* path, const std::string& key) {
  std::FILE* const file = std::fopen(path, "r");
  if (file == nullptr) return fail_with(ERR_LIB_SYS, errno), std::nullopt;
  std::string text;
  std::array<char, 1024> some;
  while (const std::size_t got = std::fread(some.data(), 1, some.size(), file)) text.append(some.data(), got);
  (void)std::fclose(file);
  Lines lines = lines_of(text);
  if (lines.contains(key)) return lines;
  return fail_with(ERR_LIB_PEM, PEM_R_NO_START_LINE), std::nullopt;
}

/// The same text for all ways to write an address.
std::string normal(const std::string& name) {
  const std::unique_ptr<X509_VERIFY_PARAM, void (*)(X509_VERIFY_PARAM*)> its(X509_VERIFY_PARAM_new(),
                                                                             X509_VERIFY_PARAM_free);
  if (X509_VERIFY_PARAM_set1_ip_asc(its.get(), name.c_str()) != 1) return name;
  char* const text = X509_VERIFY_PARAM_get1_ip_asc(its.get());
  std::string found = text;
  OPENSSL_free(text);
  return found;
}

}  // namespace

struct ssl_ctx_st {
  std::size_t users = 1;  // its owner, and its sessions
  bool client = false;
  int verify = SSL_VERIFY_NONE;
  std::string certificate;  // the text of its file
  std::set<std::string> trusted;
  X509* for_date = nullptr;
  X509_STORE* store = X509_STORE_new();
  int (*before_key)(SSL*, void*) = nullptr;
  void* of_key = nullptr;
  void (*on_message)(int, int, int, const void*, std::size_t, SSL*, void*) = nullptr;

  ssl_ctx_st() = default;
  ssl_ctx_st(const ssl_ctx_st&) = delete;
  ssl_ctx_st& operator=(const ssl_ctx_st&) = delete;
  ~ssl_ctx_st() {
    X509_free(for_date);
    X509_STORE_free(store);
  }
};

struct ssl_st {
  ssl_ctx_st* by = nullptr;
  BIO *in = nullptr, *out = nullptr;
  X509_VERIFY_PARAM* peer = nullptr;
  void* user = nullptr;
  std::string host, wire, plain;  // wire: read, but not a whole record yet
  long verified = X509_V_OK;
  int error = SSL_ERROR_NONE;
  enum class At : std::uint8_t { kNew, kGreeted, kAnswered, kOpen } at = At::kNew;
  bool failed = false, heard_end = false;
  std::uint8_t sent = 0, taken = 0;  // records of data

  ssl_st() = default;
  ssl_st(const ssl_st&) = delete;
  ssl_st& operator=(const ssl_st&) = delete;
  ~ssl_st() {
    BIO_free(in);
    BIO_free(out);
    X509_VERIFY_PARAM_free(peer);
    SSL_CTX_free(by);
  }

  // Each returns what a function of libssl returns: 1, or `error` says why not.
  int wait(int for_what) {
    error = for_what;
    return -1;
  }
  int fail(int reason) {
    failed = true;
    fail_with(ERR_LIB_SSL, reason);
    return wait(SSL_ERROR_SSL);
  }
  int refuse(Alert alert, int reason) {
    tell(alert, 2);
    return fail(reason);
  }

  void put(Record type, std::string_view bytes) {
    const std::array<std::uint8_t, kRecordHead> head{type, 3, 3, static_cast<std::uint8_t>(bytes.size() >> 8U),
                                                     static_cast<std::uint8_t>(bytes.size())};
    BIO_write(out, head.data(), static_cast<int>(head.size()));
    BIO_write(out, bytes.data(), static_cast<int>(bytes.size()));
  }
  void tell(Alert alert, char level) { put(kAlert, std::string{level, static_cast<char>(alert)}); }
  /// Of a message of the handshake.
  void tell_user(bool writes, std::string_view message) {
    by->on_message(writes ? 1 : 0, TLS1_3_VERSION, SSL3_RT_HANDSHAKE, message.data(), message.size(), this, nullptr);
  }
  void say(Message kind, std::string body, std::size_t size) {
    body.resize(std::max(size, body.size() + 1) - kMessageHead, '\n');
    body = std::string{static_cast<char>(kind), '\0', static_cast<char>(body.size() >> 8U),
                       static_cast<char>(body.size())} +
           body;
    tell_user(true, body);
    put(kHandshake, body);
  }

  /// What stands for encryption: the bytes are others than those of the plain text, and each record depends on its
  /// number.
  static std::string masked(std::string_view bytes, std::uint8_t number) {
    std::string result(bytes);
    for (char& one : result) one = static_cast<char>(one ^ (0x5a + number));
    return result;
  }

  /// The next record; empty if it has not arrived. The first byte is its type.
  std::string next() {
    std::array<char, 4096> some;
    for (int got = 0; (got = BIO_read(in, some.data(), some.size())) > 0;)
      wire.append(some.data(), static_cast<std::size_t>(got));
    if (wire.size() < kRecordHead) return "";
    const std::size_t size =
        (static_cast<std::size_t>(static_cast<std::uint8_t>(wire[3])) << 8U) | static_cast<std::uint8_t>(wire[4]);
    if (wire.size() < kRecordHead + size) return "";
    std::string record = wire.substr(0, 1) + wire.substr(kRecordHead, size);
    wire.erase(0, kRecordHead + size);
    return record;
  }
  /// Whether what has arrived cannot begin a record.
  bool is_strange() const {
    return (!wire.empty() && (wire[0] < kAlert || wire[0] > kData)) || (wire.size() > 1 && wire[1] != 3) ||
           (wire.size() >= kRecordHead && static_cast<std::uint8_t>(wire[3]) > (kLargestRecord >> 8U) + 1);
  }

  int hear_alert(const std::string& record) {
    if (record.size() != 3) return refuse(kUnexpected, SSL_R_UNEXPECTED_MESSAGE);
    if (record[2] != kCloseNotify) return fail(SSL_AD_REASON_OFFSET + static_cast<std::uint8_t>(record[2]));
    heard_end = true;
    return wait(SSL_ERROR_ZERO_RETURN);
  }

  int shake() {
    if (failed) return wait(SSL_ERROR_SSL);
    if (by->client && at == At::kNew) {
      say(kClientHello, "name " + host + "\n", kHelloSize);
      at = At::kGreeted;
    }
    while (at != At::kOpen) {
      if (!by->client && at == At::kGreeted) {
        const int may = by->before_key(this, by->of_key);
        if (may < 0) return wait(SSL_ERROR_WANT_X509_LOOKUP);
        say(kServerHello, by->certificate, kAnswerSize);
        at = At::kAnswered;
      }
      const std::string record = next();
      if (record.empty())
        return is_strange() ? refuse(kUnexpected, SSL_R_WRONG_VERSION_NUMBER) : wait(SSL_ERROR_WANT_READ);
      if (record[0] == kAlert) return hear_alert(record);
      if (record[0] != kHandshake || record.size() < 1 + kMessageHead)
        return refuse(kUnexpected, SSL_R_UNEXPECTED_MESSAGE);
      tell_user(false, std::string_view(record).substr(1));
      const Message expected = by->client ? kServerHello : at == At::kNew ? kClientHello : kFinished;
      if (record[1] != expected) return refuse(kUnexpected, SSL_R_UNEXPECTED_MESSAGE);
      if (by->client) {
        if (by->verify != SSL_VERIFY_NONE && !accepts(lines_of(record.substr(1 + kMessageHead))))
          return refuse(verified == X509_V_ERR_CERT_HAS_EXPIRED                    ? kExpired
                        : verified == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY ? kUnknownCa
                                                                                   : kCertificateUnknown,
                        SSL_R_CERTIFICATE_VERIFY_FAILED);
        say(kFinished, "", kFinishedSize);
        at = At::kOpen;
      } else {
        at = at == At::kNew ? At::kGreeted : At::kOpen;
      }
    }
    return 1;
  }

  bool accepts(const Lines& certificate) {
    char* const ip = X509_VERIFY_PARAM_get1_ip_asc(peer);
    const std::string wanted = ip != nullptr ? ip : host;
    OPENSSL_free(ip);
    const std::int64_t now = std::time(nullptr);
    const auto [name, end] = certificate.equal_range("name");
    if (!by->trusted.contains(first_of(certificate, "issuer")))
      verified = X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY;
    else if (now < number_of(certificate, "from"))
      verified = X509_V_ERR_CERT_NOT_YET_VALID;
    else if (now > number_of(certificate, "until"))
      verified = X509_V_ERR_CERT_HAS_EXPIRED;
    else if (std::none_of(name, end, [&](const auto& one) { return normal(one.second) == wanted; }))
      verified = ip != nullptr ? X509_V_ERR_IP_ADDRESS_MISMATCH : X509_V_ERR_HOSTNAME_MISMATCH;
    return verified == X509_V_OK;
  }

  int hear() {
    if (failed) return wait(SSL_ERROR_SSL);
    while (plain.empty()) {
      if (heard_end) return wait(SSL_ERROR_ZERO_RETURN);
      const std::string record = next();
      if (record.empty())
        return is_strange() ? refuse(kUnexpected, SSL_R_WRONG_VERSION_NUMBER) : wait(SSL_ERROR_WANT_READ);
      if (record[0] == kAlert) return hear_alert(record);
      if (record[0] == kHandshake) {
        tell_user(false, std::string_view(record).substr(1));
        continue;
      }
      const std::string bytes = masked(std::string_view(record).substr(1), taken++);
      if (bytes.size() < kCheck || bytes.find_first_not_of('#', bytes.size() - kCheck) != std::string::npos)
        return refuse(kUnexpected, SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC);
      plain = bytes.substr(0, bytes.size() - kCheck);
    }
    return 1;
  }

  int write(std::string_view bytes) {
    if (failed) return wait(SSL_ERROR_SSL);
    while (!bytes.empty()) {
      const std::string_view some = bytes.substr(0, kLargestRecord);
      put(kData, masked(std::string(some) + std::string(kCheck, '#'), sent++));
      bytes.remove_prefix(some.size());
    }
    return 1;
  }
};

extern "C" {

// -- Contexts ---------------------------------------------------------------------------------------------------------

const SSL_METHOD* TLS_client_method() { return reinterpret_cast<const SSL_METHOD*>("client"); }
const SSL_METHOD* TLS_server_method() { return reinterpret_cast<const SSL_METHOD*>("server"); }

SSL_CTX* SSL_CTX_new(const SSL_METHOD* method) {
  auto made = std::make_unique<SSL_CTX>();
  made->client = std::string_view(reinterpret_cast<const char*>(method)) == "client";
  return made.release();
}

void SSL_CTX_free(SSL_CTX* its) {
  if (its != nullptr && --its->users == 0) delete its;
}

int SSL_CTX_use_certificate_chain_file(SSL_CTX* its, const char* path) {
  const auto lines = read(path, "serial");
  if (!lines) return 0;
  for (const auto& [key, value] : *lines) its->certificate += key + " " + value + "\n";
  X509_free(its->for_date);
  its->for_date = X509_new();
  (void)ASN1_TIME_set(X509_getm_notAfter(its->for_date), number_of(*lines, "until"));
  return 1;
}

int SSL_CTX_use_PrivateKey_file(SSL_CTX* its, const char* path, int) {
  const auto lines = read(path, "key");
  if (!lines) return 0;
  if (first_of(*lines, "key") == first_of(lines_of(its->certificate), "serial")) return 1;
  fail_with(ERR_LIB_X509, X509_R_KEY_VALUES_MISMATCH);
  return 0;
}

int SSL_CTX_load_verify_locations(SSL_CTX* its, const char* path, const char*) {
  const auto lines = read(path, "issuer");
  if (!lines) return 0;
  for (const auto& [key, value] : *lines) its->trusted.insert(value);
  return 1;
}

int SSL_CTX_set_default_verify_paths(SSL_CTX*) { return 1; }
X509_STORE* SSL_CTX_get_cert_store(const SSL_CTX* its) { return its->store; }
X509* SSL_CTX_get0_certificate(const SSL_CTX* its) { return its->for_date; }
void SSL_CTX_set_verify(SSL_CTX* its, int mode, SSL_verify_cb) { its->verify = mode; }
void SSL_CTX_set_msg_callback(SSL_CTX* its, void (*call)(int, int, int, const void*, std::size_t, SSL*, void*)) {
  its->on_message = call;
}
void SSL_CTX_set_cert_cb(SSL_CTX* its, int (*call)(SSL*, void*), void* with) {
  its->before_key = call;
  its->of_key = with;
}
long SSL_CTX_ctrl(SSL_CTX*, int, long, void*) { return 0; }
int SSL_CTX_set_alpn_protos(SSL_CTX*, const unsigned char*, unsigned) { return 0; }
void SSL_CTX_set_alpn_select_cb(SSL_CTX*, SSL_CTX_alpn_select_cb_func, void*) {}
std::uint64_t SSL_CTX_set_options(SSL_CTX*, std::uint64_t) { return 0; }
int SSL_CTX_set_num_tickets(SSL_CTX*, std::size_t) { return 1; }
int SSL_CTX_set_cipher_list(SSL_CTX*, const char*) { return 1; }

// -- Connections ------------------------------------------------------------------------------------------------------

SSL* SSL_new(SSL_CTX* by) {
  auto made = std::make_unique<SSL>();
  made->by = by;
  ++by->users;
  made->peer = X509_VERIFY_PARAM_new();
  return made.release();
}

void SSL_free(SSL* its) { delete its; }
void SSL_set_bio(SSL* its, BIO* in, BIO* out) { its->in = in, its->out = out; }
BIO* SSL_get_rbio(const SSL* its) { return its->in; }
BIO* SSL_get_wbio(const SSL* its) { return its->out; }
void SSL_set_accept_state(SSL*) {}
void SSL_set_connect_state(SSL*) {}
X509_VERIFY_PARAM* SSL_get0_param(SSL* its) { return its->peer; }
long SSL_ctrl(SSL*, int, long, void*) { return 1; }
int SSL_set_ex_data(SSL* its, int, void* user) { return its->user = user, 1; }
void* SSL_get_ex_data(const SSL* its, int) { return its->user; }
int SSL_get_verify_mode(const SSL* its) { return its->by->verify; }
long SSL_get_verify_result(const SSL* its) { return its->verified; }
int SSL_get_error(const SSL* its, int) { return its->error; }
int SSL_is_init_finished(const SSL* its) { return its->at == SSL::At::kOpen ? 1 : 0; }
int SSL_do_handshake(SSL* its) { return its->shake(); }

int SSL_set1_host(SSL* its, const char* name) {
  its->host = name;
  return 1;
}

int SSL_read_ex(SSL* its, void* into, std::size_t size, std::size_t* got) {
  if (its->hear() != 1) return 0;
  *got = its->plain.copy(static_cast<char*>(into), size);
  its->plain.erase(0, *got);
  return 1;
}

int SSL_write_ex(SSL* its, const void* bytes, std::size_t size, std::size_t* taken) {
  *taken = size;
  return its->write({static_cast<const char*>(bytes), size}) == 1 ? 1 : 0;
}

int SSL_shutdown(SSL* its) {
  its->tell(kCloseNotify, 1);
  return its->heard_end ? 1 : 0;
}

}  // extern "C"
