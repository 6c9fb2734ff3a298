// The functions of libcurl that the program calls, over simulated sockets: HTTP without TLS. As there, a request goes
// on when the program says that a socket is ready or that time has passed, and the program is told what to wait for.
// What libcurl itself calls, and when, depends on its version.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <fcntl.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/net/address.h"
#include "tests/lab/kernel/kernel.h"

namespace {

using namespace entente;
using namespace entente::lab;

struct Multi;

/// A request.
struct Easy {
  std::string url, method = "POST";
  std::vector<net::Address> to;  // that were not tried yet, in the order of RESOLVE
  const curl_slist *given_headers = nullptr, *resolve = nullptr;
  const char* given_body = nullptr;
  std::size_t body_size = 0;
  curl_write_callback on_head = nullptr, on_body = nullptr;
  void *of_head = nullptr, *of_body = nullptr, *own = nullptr;
  char* error = nullptr;
  Nanos patience = 0;

  Multi* by = nullptr;
  enum class At : std::uint8_t { kNew, kConnecting, kSending, kHead, kBody, kDone } at = At::kNew;
  int fd = -1;
  Nanos until = 0;
  std::string out, in;  // bytes that are not sent, and not told to the program
  long status = 0;
  curl_off_t retry_after = 0;
  std::size_t left = SIZE_MAX;  // bytes of the body; SIZE_MAX: until the connection ends
};

struct Multi {
  std::vector<Easy*> all;
  std::deque<CURLMsg> ended;
  CURLMsg told{};
  curl_socket_callback watch = nullptr;
  curl_multi_timer_callback set_alarm = nullptr;
  void *of_watch = nullptr, *of_alarm = nullptr;

  void set_timer() {
    Nanos next = kNever;
    for (const Easy* one : all)
      if (one->at != Easy::At::kDone) next = std::min(next, one->at == Easy::At::kNew ? 0 : one->until);
    const Nanos now = kernel().now();
    set_alarm(this, next == kNever ? -1 : next <= now ? 0 : static_cast<long>((next - now) / kMilli + 1), of_alarm);
  }
  void want(Easy& one, int what) const { (void)watch(&one, one.fd, what, of_watch, nullptr); }
  void let_go(Easy& one) const {
    if (one.fd < 0) return;
    want(one, CURL_POLL_REMOVE);
    ::close(std::exchange(one.fd, -1));
  }
  void end(Easy& one, CURLcode code, const std::string& why = "") {
    let_go(one);
    one.at = Easy::At::kDone;
    if (one.error != nullptr) one.error[why.copy(one.error, CURL_ERROR_SIZE - 1)] = '\0';
    CURLMsg message{CURLMSG_DONE, &one, {}};
    message.data.result = code;
    ended.push_back(message);
  }

  void go_on(Easy& one, int events);
  void begin(Easy& one);
  void connect(Easy& one);
  void send(Easy& one);
  void receive(Easy& one);
  /// False: the program wants no more.
  bool tell_head(Easy& one);
  bool tell_body(Easy& one);
};

/// The addresses in "+example.org:80:10.0.0.1,[::1]".
std::vector<net::Address> addresses(std::string_view line, std::uint16_t port) {
  std::vector<net::Address> all;
  line.remove_prefix(std::min(line.size(), line.find(':') + 1));
  line.remove_prefix(std::min(line.size(), line.find(':') + 1));
  while (!line.empty()) {
    std::string_view one = line.substr(0, line.find(','));
    line.remove_prefix(std::min(line.size(), one.size() + 1));
    if (one.starts_with('[')) one = one.substr(1, one.size() - 2);
    if (const auto address = net::Address::parse(std::string(one), port)) all.push_back(*address);
  }
  return all;
}

void Multi::begin(Easy& one) {
  constexpr std::string_view kScheme = "http://";
  std::string_view rest = one.url;
  if (!rest.starts_with(kScheme)) return end(one, CURLE_UNSUPPORTED_PROTOCOL, "the lab has no TLS");
  rest.remove_prefix(kScheme.size());
  const std::string_view host = rest.substr(0, rest.find('/'));
  const std::string path(rest.size() > host.size() ? rest.substr(host.size()) : "/");
  const std::size_t colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos;
  const auto port = static_cast<std::uint16_t>(has_port ? std::stoi(std::string(host.substr(colon + 1))) : 80);
  std::string name(host.substr(0, has_port ? colon : host.size()));
  if (name.starts_with('[')) name = name.substr(1, name.size() - 2);
  if (const auto address = net::Address::parse(name, port)) one.to = {*address};
  for (const curl_slist* line = one.resolve; line != nullptr; line = line->next) one.to = addresses(line->data, port);
  one.out = one.method + " " + path + " HTTP/1.1\r\nHost: " + std::string(host) +
            "\r\nContent-Length: " + std::to_string(one.body_size) + "\r\n";
  for (const curl_slist* line = one.given_headers; line != nullptr; line = line->next)
    if (!std::string_view(line->data).ends_with(':')) one.out += std::string(line->data) + "\r\n";
  one.out += "\r\n" + std::string(one.given_body, one.body_size);
  connect(one);
}

/// To the next address.
void Multi::connect(Easy& one) {
  let_go(one);
  if (one.to.empty()) return end(one, CURLE_COULDNT_CONNECT, "no address of the host can be reached");
  const net::Address to = one.to.front();
  one.to.erase(one.to.begin());
  one.at = Easy::At::kConnecting;
  one.fd = ::socket(to.v6() ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (one.fd < 0) return connect(one);
  want(one, CURL_POLL_OUT);
  if (::connect(one.fd, to.raw(), to.size()) != 0 && errno != EINPROGRESS) return connect(one);
}

void Multi::send(Easy& one) {
  while (!one.out.empty()) {
    const ssize_t size = ::send(one.fd, one.out.data(), one.out.size(), MSG_NOSIGNAL);
    if (size < 0 && (errno == EAGAIN || errno == ENOTCONN)) return want(one, CURL_POLL_OUT);
    if (size < 0) return end(one, CURLE_SEND_ERROR, "the connection broke off");
    one.out.erase(0, static_cast<std::size_t>(size));
  }
  one.at = Easy::At::kHead;
  want(one, CURL_POLL_IN);
}

bool Multi::tell_head(Easy& one) {
  for (std::size_t end = 0; one.at == Easy::At::kHead && (end = one.in.find("\r\n")) != std::string::npos;) {
    std::string line = one.in.substr(0, end + 2);
    one.in.erase(0, end + 2);
    const auto value_of = [&](const char* name) -> std::size_t {
      const std::size_t size = std::strlen(name);
      return ::strncasecmp(line.c_str(), name, size) == 0 ? std::strtoull(line.c_str() + size, nullptr, 10) : SIZE_MAX;
    };
    if (line.starts_with("HTTP/1.1 ")) one.status = std::strtol(line.c_str() + 9, nullptr, 10);
    if (const std::size_t bytes = value_of("Content-Length: "); bytes != SIZE_MAX) one.left = bytes;
    if (const std::size_t after = value_of("Retry-After: "); after != SIZE_MAX)
      one.retry_after = static_cast<curl_off_t>(after);
    if (line == "\r\n" && one.status >= 200) one.at = Easy::At::kBody;
    if (one.on_head(line.data(), 1, line.size(), one.of_head) != line.size()) return false;
  }
  return true;
}

bool Multi::tell_body(Easy& one) {
  if (one.at != Easy::At::kBody || one.in.empty()) return true;
  std::string bytes = std::exchange(one.in, {}).substr(0, one.left);
  if (one.left != SIZE_MAX) one.left -= bytes.size();
  return bytes.empty() || one.on_body(bytes.data(), 1, bytes.size(), one.of_body) == bytes.size();
}

void Multi::receive(Easy& one) {
  char some[4096];
  while (true) {
    const ssize_t size = ::recv(one.fd, some, sizeof some, 0);
    if (size < 0 && errno == EAGAIN) return;
    if (size < 0) return end(one, CURLE_RECV_ERROR, "the connection broke off");
    one.in.append(some, static_cast<std::size_t>(size));
    if (!tell_head(one) || !tell_body(one)) return end(one, CURLE_WRITE_ERROR, "the answer is too long");
    const bool in_body = one.at == Easy::At::kBody;
    if (in_body && one.left == 0) return end(one, CURLE_OK);
    if (size != 0) continue;
    if (in_body) return end(one, one.left == SIZE_MAX ? CURLE_OK : CURLE_PARTIAL_FILE, "the answer is cut off");
    return end(one, CURLE_GOT_NOTHING, "the server sent no answer");
  }
}

void Multi::go_on(Easy& one, int events) {
  if (one.at == Easy::At::kNew) begin(one);
  if (one.at == Easy::At::kDone) return;
  if (kernel().now() >= one.until) return end(one, CURLE_OPERATION_TIMEDOUT, "it took too long");
  if (events < 0) return;  // only time has passed
  if (one.at == Easy::At::kConnecting) {
    int error = 0;
    socklen_t size = sizeof error;
    (void)::getsockopt(one.fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return connect(one);
    one.at = Easy::At::kSending;
  }
  one.at == Easy::At::kSending ? send(one) : receive(one);
}

Easy& easy(CURL* handle) { return *static_cast<Easy*>(handle); }
Multi& multi(CURLM* handle) { return *static_cast<Multi*>(handle); }

}  // namespace

#pragma GCC diagnostic ignored "-Wvarargs"  // as declared there: the last named parameter is an enumeration

extern "C" {

CURLcode curl_global_init(long) { return CURLE_OK; }

CURL* curl_easy_init() { return new Easy; }

void curl_easy_cleanup(CURL* handle) { delete &easy(handle); }

CURLcode(curl_easy_setopt)(CURL* handle, CURLoption option, ...) {
  Easy& one = easy(handle);
  va_list values;
  va_start(values, option);
  const bool is_long = option < CURLOPTTYPE_OBJECTPOINT;
  const bool is_size = option >= CURLOPTTYPE_OFF_T && option < CURLOPTTYPE_BLOB;
  const long number = is_long ? va_arg(values, long) : 0;
  const curl_off_t size = is_size ? va_arg(values, curl_off_t) : 0;
  void* const pointer = is_long || is_size ? nullptr : va_arg(values, void*);
  va_end(values);
  const auto* const text = static_cast<const char*>(pointer);
  switch (option) {
    case CURLOPT_URL:
      one.url = text;
      break;
    case CURLOPT_CUSTOMREQUEST:
      one.method = text;
      break;
    case CURLOPT_POSTFIELDS:
      one.given_body = text;
      break;
    case CURLOPT_POSTFIELDSIZE_LARGE:
      one.body_size = static_cast<std::size_t>(size);
      break;
    case CURLOPT_HTTPHEADER:
      one.given_headers = static_cast<const curl_slist*>(pointer);
      break;
    case CURLOPT_RESOLVE:
      one.resolve = static_cast<const curl_slist*>(pointer);
      break;
    case CURLOPT_HEADERFUNCTION:
      one.on_head = reinterpret_cast<curl_write_callback>(pointer);
      break;
    case CURLOPT_WRITEFUNCTION:
      one.on_body = reinterpret_cast<curl_write_callback>(pointer);
      break;
    case CURLOPT_HEADERDATA:
      one.of_head = pointer;
      break;
    case CURLOPT_WRITEDATA:
      one.of_body = pointer;
      break;
    case CURLOPT_PRIVATE:
      one.own = pointer;
      break;
    case CURLOPT_ERRORBUFFER:
      one.error = static_cast<char*>(pointer);
      break;
    case CURLOPT_TIMEOUT_MS:
      one.patience = static_cast<Nanos>(number) * kMilli;
      break;
    default:
      break;  // of TLS, of signals, or of what a request of ours never does
  }
  return CURLE_OK;
}

CURLcode(curl_easy_getinfo)(CURL* handle, CURLINFO what, ...) {
  const Easy& one = easy(handle);
  va_list values;
  va_start(values, what);
  if (what == CURLINFO_RESPONSE_CODE) *va_arg(values, long*) = one.status;
  if (what == CURLINFO_RETRY_AFTER) *va_arg(values, curl_off_t*) = one.retry_after;
  if (what == CURLINFO_PRIVATE) *va_arg(values, void**) = one.own;
  va_end(values);
  return CURLE_OK;
}

CURLM* curl_multi_init() { return new Multi; }

CURLMcode curl_multi_cleanup(CURLM* handle) {
  delete &multi(handle);
  return CURLM_OK;
}

CURLMcode(curl_multi_setopt)(CURLM* handle, CURLMoption option, ...) {
  Multi& its = multi(handle);
  va_list values;
  va_start(values, option);
  if (option == CURLMOPT_SOCKETFUNCTION) its.watch = va_arg(values, curl_socket_callback);
  if (option == CURLMOPT_SOCKETDATA) its.of_watch = va_arg(values, void*);
  if (option == CURLMOPT_TIMERFUNCTION) its.set_alarm = va_arg(values, curl_multi_timer_callback);
  if (option == CURLMOPT_TIMERDATA) its.of_alarm = va_arg(values, void*);
  va_end(values);
  return CURLM_OK;
}

CURLMcode curl_multi_add_handle(CURLM* handle, CURL* added) {
  Multi& its = multi(handle);
  Easy& one = easy(added);
  one.by = &its;
  one.until = kernel().now() + one.patience;
  its.all.push_back(&one);
  its.set_timer();
  return CURLM_OK;
}

CURLMcode curl_multi_remove_handle(CURLM* handle, CURL* removed) {
  Multi& its = multi(handle);
  Easy& one = easy(removed);
  its.let_go(one);
  std::erase(its.all, &one);
  std::erase_if(its.ended, [&](const CURLMsg& message) { return message.easy_handle == removed; });
  its.set_timer();
  return CURLM_OK;
}

CURLMcode curl_multi_socket_action(CURLM* handle, curl_socket_t fd, int events, int* running) {
  Multi& its = multi(handle);
  for (Easy* one : its.all)
    if (fd == CURL_SOCKET_TIMEOUT || one->fd == fd) its.go_on(*one, fd == CURL_SOCKET_TIMEOUT ? -1 : events);
  its.set_timer();
  *running = static_cast<int>(its.all.size());
  return CURLM_OK;
}

CURLMsg* curl_multi_info_read(CURLM* handle, int* left) {
  Multi& its = multi(handle);
  if (its.ended.empty()) return nullptr;
  its.told = its.ended.front();
  its.ended.pop_front();
  *left = static_cast<int>(its.ended.size());
  return &its.told;
}

}  // extern "C"
