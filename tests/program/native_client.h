// A client of native's JSON dialect, for tests of commands that listen.
#pragma once

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "adapters/native/codec.h"
#include "tests/support/connection.h"
#include "tests/support/process.h"

namespace entente {

/// A client of native's JSON dialect, which gives up after the tests' patience.
class NativeClient {
 public:
  explicit NativeClient(int port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    be_patient(Process::kPatience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  }
  ~NativeClient() { close(fd_); }
  NativeClient(const NativeClient&) = delete;
  NativeClient& operator=(const NativeClient&) = delete;
  void says(const std::string& line) const { CHECK(send(fd_, line.data(), line.size(), MSG_NOSIGNAL) > 0); }

  /// The next fact for which `wanted` is true; nullopt if the connection is closed before, or nothing comes in time.
  template <class Wanted>
  std::optional<words::Fact> hears(Wanted&& wanted) {
    std::array<std::uint8_t, 1 << 14> some;
    for (;;) {
      for (std::size_t end; (end = heard_.find('\n')) != std::string::npos; heard_.erase(0, end + 1)) {
        words::Fact fact;
        CHECK(native::parse(native::Dialect::kJson, as_bytes(std::string_view(heard_).substr(0, end)), fact));
        if (!wanted(fact)) continue;
        heard_.erase(0, end + 1);
        return fact;
      }
      const ssize_t got = testing::receive(fd_, some);
      closed_ = got == 0 || (got < 0 && errno != EAGAIN);
      if (got <= 0) return std::nullopt;
      heard_ += as_text(Bytes(some).first(static_cast<std::size_t>(got)));
    }
  }
  /// The same, but gives up when nothing comes for `patience`, or only other facts come for so long.
  template <class Wanted>
  std::optional<words::Fact> hears(Wanted&& wanted, std::chrono::milliseconds patience) {
    const auto until = std::chrono::steady_clock::now() + patience;
    be_patient(patience);
    bool late = false;
    auto fact = hears([&](const words::Fact& one) {
      const bool found = wanted(one);
      late = !found && std::chrono::steady_clock::now() > until;
      return found || late;
    });
    be_patient(Process::kPatience);
    return late ? std::nullopt : fact;
  }
  /// Whether the connection was closed when hears() returned nothing.
  bool closed() const { return closed_; }

  /// All facts until the connection is closed.
  std::vector<words::Fact> hears() {
    std::vector<words::Fact> facts;
    while (auto fact = hears([](const words::Fact&) { return true; })) facts.push_back(std::move(*fact));
    return facts;
  }

 private:
  void be_patient(std::chrono::milliseconds patience) const {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(patience);
    const timeval time{seconds.count(), std::chrono::microseconds(patience - seconds).count()};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
  }

  int fd_;
  bool closed_ = false;
  std::string heard_;
};

}  // namespace entente
