// A receiver of HTTP requests on loopback, whose answers a test chooses: it may answer anything, slowly, or not at all.
// Invariant: a test waits for requests, not for time. All connections end with the object.
#pragma once

#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/connection.h"

namespace entente::testing {

class Receiver {
 public:
  struct Request {
    std::string line;
    std::map<std::string, std::string> headers;  ///< with names in lower case
    std::string body;
  };
  /// A connection, for an answer.
  class Talk {
   public:
    Talk(net::Fd fd, SSL_CTX* tls) : fd_(std::move(fd)) {
      if (tls == nullptr) return;
      ssl_.reset(SSL_new(tls));
      SSL_set_fd(ssl_.get(), fd_.get());
    }
    bool greet() { return ssl_ == nullptr || SSL_accept(ssl_.get()) == 1; }
    /// False: the peer is gone.
    bool send(std::string_view text) {
      if (ssl_ != nullptr) return SSL_write(ssl_.get(), text.data(), static_cast<int>(text.size())) > 0;
      while (!text.empty()) {
        const ssize_t sent = ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(sent));
      }
      return true;
    }
    std::size_t read(std::span<std::uint8_t> room) {
      const auto size =
          ssl_ != nullptr ? SSL_read(ssl_.get(), room.data(), static_cast<int>(room.size())) : receive(fd_.get(), room);
      return size > 0 ? static_cast<std::size_t>(size) : 0;
    }
    /// Waits until the peer closes the connection.
    void wait_for_end() {
      std::array<std::uint8_t, 256> room;
      while (read(room) != 0) {
      }
    }
    void hang_up() { ::shutdown(fd_.get(), SHUT_RDWR); }

   private:
    struct FreeSsl {
      void operator()(SSL* one) const { SSL_free(one); }
    };
    net::Fd fd_;
    std::unique_ptr<SSL, FreeSsl> ssl_;
  };
  /// Answers a request. False: the connection is closed.
  using Answer = std::function<bool(Talk&, const Request&)>;

  static Answer status(const std::string& status, const std::string& headers = "") {
    return [=](Talk& talk, const Request&) {
      return talk.send("HTTP/1.1 " + status + "\r\n" + headers + "Content-Length: 0\r\n\r\n");
    };
  }
  static Answer hang() {
    return [](Talk& talk, const Request&) { return talk.wait_for_end(), false; };
  }

  /// `certificate`: a PEM file with a certificate and its key, for HTTPS; "": plain HTTP.
  explicit Receiver(Answer answer = status("204 No Content"), const std::string& certificate = "")
      : answer_(std::move(answer)), listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    std::signal(SIGPIPE, SIG_IGN);  // of OpenSSL
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    REQUIRE(::bind(listening_.get(), reinterpret_cast<sockaddr*>(&at), size) == 0);
    REQUIRE(::listen(listening_.get(), 64) == 0);
    REQUIRE(::getsockname(listening_.get(), reinterpret_cast<sockaddr*>(&at), &size) == 0);
    port_ = ntohs(at.sin_port);
    if (!certificate.empty()) {
      tls_.reset(SSL_CTX_new(TLS_server_method()));
      REQUIRE(SSL_CTX_use_certificate_file(tls_.get(), certificate.c_str(), SSL_FILETYPE_PEM) == 1);
      REQUIRE(SSL_CTX_use_PrivateKey_file(tls_.get(), certificate.c_str(), SSL_FILETYPE_PEM) == 1);
    }
    accepting_ = std::thread([this] { accept(); });
  }
  ~Receiver() {
    ::shutdown(listening_.get(), SHUT_RDWR);
    accepting_.join();
    {
      const std::lock_guard lock(mutex_);
      for (Talk* talk : open_) talk->hang_up();
    }
    for (std::thread& one : threads_) one.join();
  }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url(const std::string& path = "/") const {
    return (tls_ ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port_) + path;
  }
  /// Answers in another way from now on.
  void set(Answer answer) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(answer);
  }
  /// Waits for so many requests in all.
  std::vector<Request> await(std::size_t count) {
    std::unique_lock lock(mutex_);
    const bool came = news_.wait_for(lock, std::chrono::seconds(60), [&] { return requests_.size() >= count; });
    REQUIRE_MESSAGE(came, "only " << requests_.size() << " of " << count << " requests came");
    return requests_;
  }
  /// Waits for a request whose body has this text.
  Request await(const std::string& text) {
    const auto has = [&](const Request& one) { return one.body.find(text) != std::string::npos; };
    std::unique_lock lock(mutex_);
    const bool came = news_.wait_for(lock, std::chrono::seconds(60),
                                     [&] { return std::any_of(requests_.begin(), requests_.end(), has); });
    REQUIRE_MESSAGE(came, "no request has " << text);
    return *std::find_if(requests_.begin(), requests_.end(), has);
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return requests_.size();
  }

 private:
  struct FreeContext {
    void operator()(SSL_CTX* one) const { SSL_CTX_free(one); }
  };

  void accept() {
    for (;;) {
      net::Fd fd(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!fd && errno == EMFILE) {  // a test has taken all descriptors
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      if (!fd) return;
      const std::lock_guard lock(mutex_);
      auto talk = std::make_shared<Talk>(std::move(fd), tls_.get());
      open_.push_back(talk.get());
      threads_.emplace_back([this, talk] {
        if (talk->greet()) serve(*talk);
        talk->hang_up();
        const std::lock_guard gone(mutex_);
        open_.remove(talk.get());
      });
    }
  }

  void serve(Talk& talk) {
    std::string said;
    for (;;) {
      Request request;
      if (!read(talk, said, request)) return;
      Answer answer;
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(request);
        answer = answer_;
      }
      news_.notify_all();
      if (!answer(talk, request)) return;
    }
  }

  static bool read(Talk& talk, std::string& said, Request& into) {
    const auto more = [&] {
      std::array<std::uint8_t, 4096> room;
      const std::size_t size = talk.read(room);
      said.append(reinterpret_cast<const char*>(room.data()), size);
      return size != 0;
    };
    std::size_t end = 0;
    while ((end = said.find("\r\n\r\n")) == std::string::npos)
      if (!more()) return false;
    std::string head = said.substr(0, end + 2);
    said.erase(0, end + 4);
    into.line = head.substr(0, head.find("\r\n"));
    for (std::size_t at = head.find("\r\n") + 2; at < head.size(); at = head.find("\r\n", at) + 2) {
      std::string name = head.substr(at, head.find(':', at) - at);
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
      const std::size_t value = head.find(':', at) + 2;
      into.headers[name] = head.substr(value, head.find("\r\n", value) - value);
    }
    const std::size_t length = std::stoul("0" + into.headers["content-length"]);
    while (said.size() < length)
      if (!more()) return false;
    into.body = said.substr(0, length);
    said.erase(0, length);
    return true;
  }

  std::mutex mutex_;
  std::condition_variable news_;
  Answer answer_;
  std::vector<Request> requests_;
  std::list<Talk*> open_;
  std::vector<std::thread> threads_;
  net::Fd listening_;
  std::uint16_t port_ = 0;
  std::unique_ptr<SSL_CTX, FreeContext> tls_;
  std::thread accepting_;
};

}  // namespace entente::testing
