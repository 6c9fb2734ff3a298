// Client and server of the toy game (tests/support/toy_game.h). A frame is u8 length, u8 code, payload. The client's
// greeting is "TOY!"; the server answers with "toy" and an id.
#pragma once

#include "tests/relay/running.h"
#include "tests/support/toy_game.h"

namespace entente::testing {

constexpr std::string_view kHello = "TOY!";
constexpr std::string_view kWelcome = "toy\x07";
constexpr std::string_view kGoodbye{"\0\x09", 2};

inline Buffer frame(std::string_view payload, std::uint8_t code = 3) {
  Buffer all{static_cast<std::uint8_t>(payload.size()), code};
  append(all, as_bytes(payload));
  return all;
}

/// Frames of random sizes, at least `bytes` bytes in all. The same seed gives the same frames.
inline Buffer frames(std::size_t bytes, std::uint32_t seed) {
  Buffer all;
  while (all.size() < bytes) {
    seed = seed * 1664525u + 1013904223u;
    append(all, frame(std::string(seed >> 25, static_cast<char>(seed >> 8))));
  }
  return all;
}

/// A client and a server that have exchanged greetings through the relay. The client's port is also free for UDP.
struct Pair {
  Pair(const Running& running, const FakeServer& fake, const net::Address* from = nullptr, int receive_buffer = 0,
       std::string_view welcome = kWelcome)
      : Pair(running, fake, from ? *from : free_for_both(running.address.v6()), receive_buffer, welcome) {}
  Pair(const Running& running, const FakeServer& fake, const net::Address& from, int receive_buffer,
       std::string_view welcome)
      : client(Stream::to(running.address, &from, receive_buffer)) {
    client.send(kHello);
    server = fake.accept();
    CHECK(server.read_text(4) == kHello);
    server.send(welcome);
    CHECK(client.read_text(4) == welcome);
  }
  Stream client, server;
};

}  // namespace entente::testing
