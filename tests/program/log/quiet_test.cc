// Nothing is written to standard error at log level "off", whatever peers send. A library that prints by itself would
// be noticed here.
#include <doctest/doctest.h>

#include <csignal>
#include <random>
#include <string>
#include <vector>

#include "tests/program/folder.h"
#include "tests/relay/peers.h"
#include "tests/support/certificate.h"
#include "tests/support/hex.h"
#include "tests/support/listening.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::quiet_test {
namespace {

using testing::FakeServer, testing::Stream;

struct Row {
  std::string url, dialect;
};

std::string route(const Row& row, std::uint16_t server) {
  return "[[route]]\nlisten = \"" + row.url + "\"\nto = \"" + row.url.substr(0, row.url.find("127")) +
         "127.0.0.1:" + std::to_string(server) + "?dialect=" + row.dialect.substr(row.dialect.find(' ') + 1) + "\"\n";
}

/// Sends `frame` `times` times through a relay, and waits until the server has all of it.
void flood(const net::Address& relay, const FakeServer& server, const Buffer& frame, std::size_t times) {
  const Stream client = Stream::to(relay), back = server.accept();
  Buffer all;
  for (std::size_t i = 0; i < times; ++i) append(all, frame);
  client.send(all);
  CHECK(back.read(all.size()).size() == all.size());
}

Buffer bytes_of(std::string_view text) { return {as_bytes(text).begin(), as_bytes(text).end()}; }

}  // namespace

TEST_CASE("whatever peers send, nothing is written to standard error at log level off") {
  const Certificate certificate;
  const FakeServer server;
  const std::vector<Row> rows{
      {"native://127.0.0.1:0?dialect=protobuf", "native protobuf"},
      {"native://127.0.0.1:0?dialect=json", "native json"},
      {"native+ws://127.0.0.1:0?dialect=json", "native+ws json"},
      {"bzflag://127.0.0.1:0?dialect=2.4", "bzflag 2.4"},
      {"panic://127.0.0.1:0?dialect=le-padded", "panic le-padded"},
      {"ogar+ws://127.0.0.1:0?dialect=modern3", "ogar modern3"},
  };
  std::string config = "[log]\nlevel = \"off\"\n[limits]\ngreet_ms = 400\nlinger_ms = 100\nhalf_closed_ms = 300\n";
  for (const Row& row : rows) config += route(row, server.port());
  config += "[[arena]]\nlisten = [\"native+wss://127.0.0.1:0?dialect=protobuf&cert=" + certificate.file() +
            "&key=" + certificate.file() + "\", \"native://127.0.0.1:0?dialect=protobuf\"]\n";
  const Folder folder;
  Process entente({testing::entente_binary(), "run", folder.write("quiet.toml", config)});
  std::vector<net::Address> listeners;
  const auto listens = [&](const std::string& dialect) {
    listeners.push_back(*net::Address::parse("127.0.0.1", testing::listening_port(entente, dialect)));
  };
  for (const Row& row : rows) listens(row.dialect);
  listens("native+ws protobuf");
  listens("native protobuf");

  const Buffer not_utf8 = from_hex("00000008 820305 2203 61ff62");  // Say.text
  flood(listeners[0], server, not_utf8, 1'000);
  flood(listeners[1], server, bytes_of("{\"say\":{\"text\":\"\\udc00\"}}\n"), 1'000);
  flood(listeners[1], server, bytes_of("{\"say\":{\"text\":\"\xff\"}}\n"), 100);
  std::mt19937_64 random(56);
  for (const net::Address& listener : listeners) {
    for (int i = 0; i < 5; ++i) {
      const Stream client = Stream::to(listener);
      if (i == 0) client.send(not_utf8);
      Buffer noise(random() % 400);
      for (std::uint8_t& byte : noise) byte = static_cast<std::uint8_t>(random());
      client.send(noise);
      client.finish();
      client.read_all();
    }
  }
  entente.signal(SIGTERM);
  CHECK(entente.wait() == 0);
  CHECK(entente.err() == "");
}

}  // namespace entente::quiet_test
