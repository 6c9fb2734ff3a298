// A bad network between UDP clients and a server. It forwards datagrams, but loses some, doubles some, and delays some,
// so that later ones overtake them. Towards the server, each client has its own socket.
// Invariant: the seed decides what happens to the n-th datagram of each direction.
#pragma once

#include <poll.h>

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "tests/relay/peers.h"

namespace entente::testing {

/// How many of a hundred datagrams, on average.
struct BadLuck {
  unsigned lost = 10, overtaken = 10, doubled = 5;
};

class Lossy {
 public:
  /// Listens at `at` (port 0: any free port), and forwards to `to`.
  Lossy(const net::Address& at, const net::Address& to, std::uint32_t seed, BadLuck luck = {})
      : front_(at), to_(to), luck_(luck), up_(seed), down_(seed + 1), thread_([this] { run(); }) {}
  ~Lossy() {
    stopping_ = true;
    thread_.join();
  }
  net::Address address() const { return front_.here(); }
  /// How many datagrams it has lost.
  std::uint64_t lost() const { return lost_; }
  std::uint64_t passed() const { return passed_; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Client {
    explicit Client(const net::Address& there) : back(loopback()), address(there) {}
    Datagrams back;  // towards the server
    net::Address address;
  };
  struct Flying {
    Client* client;
    bool up;
    Buffer bytes;
  };

  void run() {
    while (!stopping_) {
      std::vector<pollfd> watched{{front_.fd(), POLLIN, 0}};
      std::vector<Client*> clients;
      for (auto& [address, client] : clients_) {
        watched.push_back({client->back.fd(), POLLIN, 0});
        clients.push_back(client.get());
      }
      ::poll(watched.data(), watched.size(), flying_.empty() ? 5 : 1);
      if (watched[0].revents) take_all(front_, nullptr);
      for (std::size_t i = 0; i < clients.size(); ++i)
        if (watched[i + 1].revents) take_all(clients[i]->back, clients[i]);
      const auto now = Clock::now();
      while (!flying_.empty() && flying_.begin()->first <= now) {
        send(flying_.begin()->second);
        flying_.erase(flying_.begin());
      }
    }
  }

  /// Takes at most 32, so that no direction waits long.
  void take_all(const Datagrams& from, Client* client) {
    for (int i = 0; i < 32; ++i) {
      std::array<std::uint8_t, 4096> room;
      sockaddr_storage raw{};
      socklen_t size = sizeof raw;
      const ssize_t n =
          ::recvfrom(from.fd(), room.data(), room.size(), MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&raw), &size);
      if (n < 0) return;
      const Bytes bytes = Bytes(room).first(static_cast<std::size_t>(n));
      client ? chance({client, false, {bytes.begin(), bytes.end()}})
             : chance({&client_at(net::Address::from(reinterpret_cast<const sockaddr*>(&raw))),
                       true,
                       {bytes.begin(), bytes.end()}});
    }
  }

  Client& client_at(const net::Address& address) {
    auto& client = clients_[address.text()];
    if (!client) client = std::make_unique<Client>(address);
    return *client;
  }

  void chance(Flying one) {
    std::mt19937& random = one.up ? up_ : down_;
    const auto lost = random() % 100, doubled = random() % 100, overtaken = random() % 100;
    const auto late = std::chrono::milliseconds(1 + random() % 8);
    if (lost < luck_.lost) return void(++lost_);
    if (doubled < luck_.doubled) send(one);
    if (overtaken < luck_.overtaken)
      flying_.emplace(Clock::now() + late, std::move(one));
    else
      send(one);
  }

  void send(const Flying& one) {
    const net::Address& to = one.up ? to_ : one.client->address;
    const int fd = one.up ? one.client->back.fd() : front_.fd();
    (void)::sendto(fd, one.bytes.data(), one.bytes.size(), MSG_DONTWAIT, to.raw(), to.size());
    ++passed_;
  }

  Datagrams front_;
  const net::Address to_;
  const BadLuck luck_;
  std::mt19937 up_, down_;
  std::map<std::string, std::unique_ptr<Client>> clients_;
  std::multimap<Clock::time_point, Flying> flying_;
  std::atomic<std::uint64_t> lost_{0}, passed_{0};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace entente::testing
