// A client that searches for BZFlag servers by a datagram finds one at our listener. A relay gives the server's answer
// and a bridge that of its front, both with our address.
#include <doctest/doctest.h>

#include "adapters/bzflag/bzflag.h"
#include "adapters/bzflag/lan.h"
#include "adapters/bzflag/wire/wire.h"
#include "proxy/relay/acceptors/queries.h"
#include "tests/relay/bridging.h"

namespace entente::testing::lan_test {
namespace {

using bzflag::PingReply;

Buffer written(const PingReply& reply, std::size_t dialect) {
  Buffer bytes;
  bzflag::make_message_codec(dialect)->write(reply, wire::Way::kToClient, bytes);
  return bytes;
}

PingReply read(Bytes bytes, std::size_t dialect) {
  const auto codec = bzflag::make_message_codec(dialect);
  const auto heard = codec->read({wire::Way::kToClient, Lane::kDatagram, wire::Stage::kPlay, bytes});
  REQUIRE(heard.ok());
  return std::get<PingReply>(*heard->message);
}

PingReply reply_of(std::size_t dialect) {
  PingReply reply;
  reply.version.set(bzflag::kDialects[dialect].version);
  reply.server = {{10, 9, 8, 7}, 1234, 3};
  reply.address = {10, 9, 8, 7};
  reply.max_shots = 5;
  reply.max_players = 40;
  reply.teams[1] = {2, 10};
  return reply;
}

class Relayed final : public Serving {
 public:
  Relayed(const net::Address& server, std::size_t dialect) : Serving(1) {
    relay::RouteOptions options;
    options.game = &bzflag::game();
    options.servers[0].dialect = dialect;
    options.listen = loopback();
    serve(std::move(options), server, no_limits(), nullptr, dialect);
  }
};

TEST_CASE("a relay queries its server once a second and gives its answer, with our address in it") {
  for (std::size_t dialect = 0; dialect < 3; ++dialect) {
    FakeServer fake(true);
    const Datagrams server = fake.take_datagrams();
    Relayed running(fake.address(), dialect);
    const Datagrams asker(loopback()), other(loopback());
    asker.send(running.address, as_bytes(bzflag::kLanQuestion));
    const auto question = server.receive();
    CHECK(as_text(question.bytes) == bzflag::kLanQuestion);
    PingReply reply = reply_of(dialect);
    server.send(question.from, written(reply, dialect));
    const auto answer = asker.receive();
    reply.server.ip = reply.address = {127, 0, 0, 1};
    reply.server.port = running.address.port();
    CHECK(answer.bytes.size() == bzflag::kLanAnswerSize);
    CHECK(answer.bytes == written(reply, dialect));
    CHECK(answer.from == running.address);
    other.send(running.address, as_bytes(bzflag::kLanQuestion));
    CHECK(other.receive().bytes == answer.bytes);
    CHECK_FALSE(server.readable(0));
    CHECK(running.totals().begun == 0);
  }
}

TEST_CASE("a datagram that is no answer of a BZFlag server is dropped") {
  FakeServer fake(true);
  const Datagrams server = fake.take_datagrams();
  Running running(bzflag::game(), fake.address());
  const Datagrams asker(loopback());
  asker.send(running.address, as_bytes(bzflag::kLanQuestion));
  const auto question = server.receive();
  PingReply reply = reply_of(0);
  reply.version.set("BZFS9999");
  server.send(question.from, written(reply, 0));
  CHECK(running.dropped(relay::Drop::kBadFrame));
  CHECK_FALSE(asker.readable(50));
  asker.send(running.address, as_bytes(std::string_view("\0\2\4\4\0\1", 6)));
  CHECK(running.dropped(relay::Drop::kUnknownSource));
}

TEST_CASE("a bridge answers for its front, whatever its server is") {
  class Found final : public Serving {
   public:
    explicit Found(const net::Address& server) : Serving(1) {
      relay::RouteOptions options;
      options.game = &bzflag::game();
      options.servers[0].dialect = 0;
      options.listen = loopback();
      options.bridge = toy_bridge(toy::game(), toy::stream());
      Limits limits = no_limits();
      limits.sessions = 12;
      serve(std::move(options), server, limits, nullptr);
    }
  };
  FakeServer fake(true);
  Found running(fake.address());
  const Datagrams asker(loopback());
  asker.send(running.address, as_bytes(bzflag::kLanQuestion));
  const PingReply reply = read(asker.receive().bytes, 0);
  CHECK(reply.version.view() == "BZFS0221");
  CHECK(reply.server.port == running.address.port());
  CHECK(reply.server.ip == std::array<std::uint8_t, 4>{127, 0, 0, 1});
  CHECK(reply.max_players == 12);
  CHECK_FALSE(fake.called(0));
}

}  // namespace
}  // namespace entente::testing::lan_test
