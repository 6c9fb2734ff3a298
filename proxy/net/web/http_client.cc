#include "proxy/net/web/http_client.h"

#include <curl/curl.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <map>
#include <utility>

#include "proxy/net/poll.h"

namespace entente::net {
namespace {

constexpr long kMostIdle = 16;                     // connections that are kept for the next request
constexpr const char* kSystem = "/etc/ssl/certs";  // of Debian

/// "+example.org:443:192.0.2.7,[2001:db8::7]": forgotten like an answer of DNS.
std::string resolved(const HttpUrl& url, const std::vector<Address>& to) {
  std::string line = "+" + url.host + ":" + std::to_string(url.port) + ":";
  for (const Address& one : to)
    line += (line.back() == ':' ? "" : ",") + (one.v6() ? "[" + one.ip_text() + "]" : one.ip_text());
  return line;
}

/// libcurl needs this once, before threads use it.
bool begin_curl() {
  static const bool begun = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return begun;
}

template <class Value>
void set(CURL* easy, CURLoption option, Value value) {
  (void)curl_easy_setopt(easy, option, value);  // fails only without memory, or if this libcurl lacks the option
}

std::string part_of(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return "";
  std::string copy = text;
  curl_free(text);
  return copy;
}

}  // namespace

Outcome<HttpUrl> HttpUrl::parse(const std::string& text) {
  const auto bad = std::find_if(text.begin(), text.end(), [](char c) { return c <= ' ' || c > '~'; });
  if (bad != text.end()) return Error{"a URL has no blanks, and no characters beyond ASCII"};
  const std::unique_ptr<CURLU, void (*)(CURLU*)> url(curl_url(), curl_url_cleanup);
  if (const CURLUcode code = curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0); code != CURLUE_OK)
    return Error{std::string("is no URL: ") + curl_url_strerror(code)};
  const std::string scheme = part_of(url.get(), CURLUPART_SCHEME);
  if (scheme != "https" && scheme != "http") return Error{"expected a URL that begins with https:// or http://"};
  if (!part_of(url.get(), CURLUPART_USER).empty()) return Error{"a URL may not have a user or a password"};
  HttpUrl its{scheme == "https", part_of(url.get(), CURLUPART_HOST), 0};
  if (its.host.starts_with('[')) its.host = its.host.substr(1, its.host.size() - 2);
  its.port = static_cast<std::uint16_t>(std::stoul("0" + part_of(url.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT)));
  if (its.host.empty() || its.port == 0) return Error{"the URL has no host, or port 0"};
  return its;
}

struct HttpClient::Impl final : private Alarm::User {
  class One;
  struct Lines;
  /// A socket of libcurl.
  class Watched final : private Poll::User {
   public:
    Watched(Impl& owner, curl_socket_t socket) : owner_(owner), socket_(socket) {
      (void)poll_.open(owner.loop, socket, *this);
    }
    ~Watched() override { poll_.close(); }
    void want(int what) {
      what_ = what;
      if (poll_.is_open()) poll_.want((what & CURL_POLL_IN) != 0, (what & CURL_POLL_OUT) != 0);
    }

   private:
    /// libcurl looks at a broken socket itself. It keeps CURL_CSELECT_ERR for the next address of the same host.
    void ready(bool readable, bool writable, bool broken) override {
      if (broken) want(what_);
      owner_.act(socket_, broken ? 0 : (readable ? CURL_CSELECT_IN : 0) | (writable ? CURL_CSELECT_OUT : 0));
    }
    Impl& owner_;
    const curl_socket_t socket_;
    int what_ = 0;  // is wanted
    Poll poll_;
  };

  explicit Impl(Loop& its_loop)
      : loop(its_loop), multi(begin_curl() ? curl_multi_init() : nullptr), alarm_(its_loop, *this) {
    (void)curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, &Impl::watch);
    (void)curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, this);
    (void)curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, &Impl::set_alarm);
    (void)curl_multi_setopt(multi, CURLMOPT_TIMERDATA, this);
    (void)curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, kMostIdle);
  }
  ~Impl() override {
    curl_multi_cleanup(multi);
    alarm_.clear();
  }

  static int watch(CURL*, curl_socket_t socket, int what, void* data, void*) {
    auto& watched = static_cast<Impl*>(data)->watched_;
    if (what == CURL_POLL_REMOVE) {
      watched.erase(socket);
    } else {
      auto& one = watched[socket];
      if (one == nullptr) one = std::make_unique<Watched>(*static_cast<Impl*>(data), socket);
      one->want(what);
    }
    return 0;
  }
  static int set_alarm(CURLM*, long ms, void* data) {
    auto* const self = static_cast<Impl*>(data);
    if (ms < 0)
      self->alarm_.clear();
    else
      self->alarm_.set(self->loop.nanos() + static_cast<std::uint64_t>(ms) * 1'000'000);
    return 0;
  }
  void rang() override { act(CURL_SOCKET_TIMEOUT, 0); }
  void act(curl_socket_t socket, int events) {
    int running = 0;
    (void)curl_multi_socket_action(multi, socket, events, &running);
    tell_ends();
  }
  void tell_ends();

  Loop& loop;
  CURLM* const multi;
  Alarm alarm_;
  std::map<curl_socket_t, std::unique_ptr<Watched>> watched_;
};

/// A list of libcurl's.
struct HttpClient::Impl::Lines {
  curl_slist* all = nullptr;

  Lines() = default;
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  ~Lines() { curl_slist_free_all(all); }
  void add(const std::string& line) { all = curl_slist_append(all, line.c_str()); }
};

class HttpClient::Impl::One final : public Request {
 public:
  One(Impl& owner, const HttpCall& call, HttpClient::User& user)
      : owner_(owner), user_(user), easy_(curl_easy_init()), body_(call.body), authorities_(call.authorities) {
    set(easy_, CURLOPT_PRIVATE, static_cast<void*>(this));
    set(easy_, CURLOPT_URL, call.url.c_str());
    set(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
    set(easy_, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(easy_, CURLOPT_FOLLOWLOCATION, 0L);
    set(easy_, CURLOPT_NOSIGNAL, 1L);
    set(easy_, CURLOPT_NOPROGRESS, 1L);
    set(easy_, CURLOPT_PROXY, "");  // also if a variable of the environment names one
    set(easy_, CURLOPT_USERAGENT, "Entente/" ENTENTE_VERSION);
    set(easy_, CURLOPT_TIMEOUT_MS, static_cast<long>(call.time));
    set(easy_, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(call.time));
    set(easy_, CURLOPT_ERRORBUFFER, error_);
    set(easy_, CURLOPT_POSTFIELDS, body_.data());
    set(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_.size()));
    if (call.put) set(easy_, CURLOPT_CUSTOMREQUEST, "PUT");
    // With a folder, libcurl does not keep the authorities for other requests, which have others.
    set(easy_, CURLOPT_CAPATH, kSystem);
    if (!authorities_.empty()) {
      set(easy_, CURLOPT_SSL_CTX_FUNCTION, &One::add_authorities);
      set(easy_, CURLOPT_SSL_CTX_DATA, static_cast<void*>(this));
      // libcurl does not know that these authorities belong to the connection.
      set(easy_, CURLOPT_FRESH_CONNECT, 1L);
      set(easy_, CURLOPT_FORBID_REUSE, 1L);
    }
    headers_.add("Expect:");
    for (const std::string& one : call.headers) headers_.add(one);
    set(easy_, CURLOPT_HTTPHEADER, headers_.all);
    if (const auto url = HttpUrl::parse(call.url); url && !Address::parse(url->host, 0)) {
      resolved_.add(resolved(*url, call.to));
      set(easy_, CURLOPT_RESOLVE, resolved_.all);
    }
    set(easy_, CURLOPT_HEADERFUNCTION, &One::head);
    set(easy_, CURLOPT_HEADERDATA, static_cast<void*>(this));
    set(easy_, CURLOPT_WRITEFUNCTION, &One::body);
    set(easy_, CURLOPT_WRITEDATA, static_cast<void*>(this));
    (void)curl_multi_add_handle(owner_.multi, easy_);
  }
  ~One() override {
    (void)curl_multi_remove_handle(owner_.multi, easy_);
    curl_easy_cleanup(easy_);
  }

  void ended(CURLcode code) {
    HttpOutcome outcome;
    long status = 0;
    curl_off_t after = 0;
    (void)curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    (void)curl_easy_getinfo(easy_, CURLINFO_RETRY_AFTER, &after);
    // A server that has sent a whole head has answered, whatever becomes of the body.
    if (head_is_whole_) outcome.status = static_cast<unsigned>(status);
    if (outcome.status == 0)
      outcome.error = head_bytes_ > kMostHead ? "the answer's head is too long"
                      : code == CURLE_OK      ? "the answer's head is cut off"
                      : *error_ != '\0'       ? error_
                                              : curl_easy_strerror(code);
    outcome.beginning = std::move(beginning_);
    if (outcome.status != 0 && after > 0)
      outcome.retry_after = static_cast<Millis>(std::min<curl_off_t>(after, 86'400)) * 1'000;
    user_.answered(outcome);
  }

 private:
  static std::size_t head(const char* line, std::size_t, std::size_t size, void* data) {
    auto* const self = static_cast<One*>(data);
    self->head_bytes_ += size;
    long status = 0;
    (void)curl_easy_getinfo(self->easy_, CURLINFO_RESPONSE_CODE, &status);
    if (status >= 200 && std::string_view(line, size) == "\r\n") self->head_is_whole_ = true;
    return self->head_bytes_ <= kMostHead ? size : 0;
  }
  /// Beside the system's, which libcurl has loaded.
  static CURLcode add_authorities(CURL*, void* tls, void* data) {
    const std::string& file = static_cast<One*>(data)->authorities_;
    const bool added = SSL_CTX_load_verify_locations(static_cast<SSL_CTX*>(tls), file.c_str(), nullptr) == 1;
    return added ? CURLE_OK : CURLE_SSL_CACERT_BADFILE;
  }
  /// Returns less than `size` to end the request.
  static std::size_t body(const char* bytes, std::size_t, std::size_t size, void* data) {
    auto* const self = static_cast<One*>(data);
    self->beginning_.append(bytes, std::min(size, kMostKept - self->beginning_.size()));
    self->body_bytes_ += size;
    return self->body_bytes_ <= kMostBody ? size : 0;
  }

  Impl& owner_;
  HttpClient::User& user_;
  CURL* const easy_;
  const std::string body_, authorities_;
  std::string beginning_;  // of the answer's body
  Lines headers_, resolved_;
  char error_[CURL_ERROR_SIZE] = "";
  std::size_t head_bytes_ = 0, body_bytes_ = 0;
  bool head_is_whole_ = false;
};

/// A user may destroy its request, and send another one, meanwhile.
void HttpClient::Impl::tell_ends() {
  int left = 0;
  while (const CURLMsg* const message = curl_multi_info_read(multi, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    void* data = nullptr;
    (void)curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &data);
    static_cast<One*>(data)->ended(code);
  }
}

HttpClient::HttpClient(Loop& loop) : impl_(std::make_unique<Impl>(loop)) {}

HttpClient::~HttpClient() = default;

std::unique_ptr<HttpClient::Request> HttpClient::send(const HttpCall& call, User& user) {
  return std::make_unique<Impl::One>(*impl_, call, user);
}

}  // namespace entente::net
