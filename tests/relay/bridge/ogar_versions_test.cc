// Clients of several dialects of Ogar through one port, on a server of one, over WebSockets: each names its dialect,
// gets the world, spawns, steers and leaves, in its own dialect.
#include <doctest/doctest.h>

#include <chrono>

#include "adapters/ogar/ogar.h"
#include "adapters/ogar/wire/dialect.h"
#include "adapters/ogar/wire/text.h"
#include "adapters/ogar/wire/wire.h"
#include "tests/relay/web_peers.h"

namespace entente::testing::ogar_versions_test {
namespace {

using namespace ogar;
using wire::Way;

class OnePort : public Serving {
 public:
  OnePort(std::size_t server, const net::Address& at) : Serving(1) {
    relay::RouteOptions options;
    options.game = &game();
    options.servers[0].dialect = server;
    options.clients_name_dialect = true;
    options.listen = loopback();
    relay::BridgeOptions bridge;
    bridge.server_game = &game();
    bridge.front = [](std::size_t dialect) { return faces().front({dialect, {}}); };
    bridge.back = [](std::size_t dialect) { return faces().back({dialect, {}}); };
    options.bridge = bridge;
    serve(std::move(options), at, no_limits(), nullptr, 0);
  }
};

/// What one end sends and receives, in its dialect.
class Speaker {
 public:
  Speaker(WebPeer& peer, std::size_t dialect, Way hears)
      : peer_(peer), dialect_(dialect), hears_(hears), says_(opposite(hears)), codec_(make_message_codec(dialect)) {}

  const Dialect& dialect() const { return kDialects[dialect_]; }
  bool modern() const { return dialect_ == 0; }

  void say(const Message& message) {
    Buffer bytes;
    codec_->write(message, says_, bytes);
    peer_.send(net::Opcode::kBinary, bytes);
  }
  /// Reads until the condition holds.
  template <class T, class Wanted>
  T hear(Wanted&& wanted) {
    for (int i = 0; i < 1000; ++i) {
      const std::string said = peer_.next();
      REQUIRE(said.starts_with("b:"));
      const Buffer bytes = from_hex(said.substr(2));
      const bool greeting = hears_ == Way::kToServer && !std::exchange(greeted_, true);
      const auto stage = greeting ? wire::Stage::kGreeting : wire::Stage::kPlay;
      const auto heard = codec_->read({hears_, Lane::kStream, stage, bytes});
      REQUIRE(heard.ok());
      const T* one = std::get_if<T>(heard->message);
      if (one != nullptr && wanted(*one)) return *one;
    }
    FAIL("not heard");
    return {};
  }
  template <class T>
  T hear() {
    return hear<T>([](const T&) { return true; });
  }

 private:
  WebPeer& peer_;
  std::size_t dialect_;
  Way hears_, says_;
  bool greeted_ = false;
  std::unique_ptr<MessageCodec> codec_;
};

void come_in(Speaker& client) {
  Hello hello;
  hello.opcode = client.dialect().hello;
  hello.version = client.dialect().newest_version;
  client.say(hello);
  if (!client.modern()) client.say(Key{});
}

void show_world(Speaker& server) {
  CHECK(server.hear<Hello>().version == server.dialect().newest_version);
  if (server.modern()) {
    Update update;
    update.flags = kBorder | kServerInfo;
    update.border = {-7071, 7071, -7071, 7071};
    return server.say(update);
  }
  CHECK(server.hear<Key>().key == 0);
  SetBorder border{-7071, -7071, 7071, 7071, WorldName{}};
  set(border.world->server, "OgarII 1.3.6", server.dialect().ucs2);
  server.say(border);
}

void see_world(Speaker& client) {
  if (client.modern())
    client.hear<Update>(
        [](const Update& update) { return (update.flags & kBorder) != 0 && update.border.right > 7070; });
  else
    client.hear<SetBorder>([](const SetBorder& border) { return border.right > 7070; });
}

void ask_to_spawn(Speaker& client) {
  ClientUpdate update;
  update.flags = kSpawn;
  update.name.chars = "anna";
  Join join;
  set(join.name, "anna", client.dialect().ucs2);
  client.modern() ? client.say(update) : client.say(join);
}

void spawn(Speaker& server) {
  if (server.modern()) {
    server.hear<ClientUpdate>(
        [](const ClientUpdate& update) { return (update.flags & kSpawn) != 0 && update.name.chars == "anna"; });
    Update update;
    update.flags = kAdded;
    AddedCell& cell = update.added.emplace_back();
    cell.id = 7;
    cell.x = 100;
    cell.y = -50;
    cell.size = 32;
    cell.flags = 3;
    cell.name.chars = "anna";
    return server.say(update);
  }
  const bool ucs2 = server.dialect().ucs2;
  server.hear<Join>([&](const Join& join) { return text_of(join.name, ucs2) == "anna"; });
  server.say(AddNode{7});
  UpdateNodes nodes;
  Node& node = nodes.nodes.emplace_back();
  node.id = 7;
  node.x = 100;
  node.y = -50;
  node.size = 32;
  node.flags = server.dialect().whole_cells ? 0 : kColoured | kNamed;
  set(node.name, "anna", ucs2);
  server.say(nodes);
}

void see_own_cell(Speaker& client) {
  if (client.modern()) {
    client.hear<Update>([](const Update& update) {
      return (update.flags & kAdded) != 0 && update.added.size() == 1 && update.added[0].flags == 3 &&
             update.added[0].x == doctest::Approx(100) && update.added[0].name.chars == "anna";
    });
    return;
  }
  const std::uint32_t own = client.hear<AddNode>().id;
  client.hear<UpdateNodes>([&](const UpdateNodes& nodes) {
    return nodes.nodes.size() == 1 && nodes.nodes[0].id == own && nodes.nodes[0].x == 100 && nodes.nodes[0].y == -50 &&
           text_of(nodes.nodes[0].name, client.dialect().ucs2) == "anna";
  });
}

void steer(Speaker& client, Speaker& server) {
  ClientUpdate update;
  update.x = 884;
  Mouse mouse;
  mouse.x = 884;
  client.modern() ? client.say(update) : client.say(mouse);
  if (server.modern())
    server.hear<ClientUpdate>([](const ClientUpdate& at) { return at.x == 884; });
  else
    server.hear<Mouse>([](const Mouse& at) { return at.x == 884; });
}

TEST_CASE("one port serves clients of every group of Ogar's dialects, on a server of any") {
  constexpr std::size_t kGroups[] = {0, 1, 2, 3, 4, 8, 11, 18, 19};  // modern3, legacy 4 to 7, 11, 14, 21, 22
  for (const std::size_t spoken : kGroups) {
    FakeServer fake;
    OnePort port(spoken, fake.address());
    std::uint64_t left = 0;
    for (const std::size_t speaks : kGroups) {
      const std::string pair = std::string(kDialectInfo[speaks].name) + " on " + std::string(kDialectInfo[spoken].name);
      INFO(pair);
      WebClient guest(port.address);
      guest.upgrade();
      Speaker client(guest, speaks, Way::kToClient);
      come_in(client);
      WebServer host(fake);
      CHECK(host.request.find("User-Agent") != nullptr);  // otherwise MultiOgarII would take it for a bot
      host.upgrade();
      Speaker server(host, spoken, Way::kToServer);
      show_world(server);
      see_world(client);
      ask_to_spawn(client);
      spawn(server);
      see_own_cell(client);
      steer(client, server);
      guest.send(net::CloseFrame{1000, ""});
      CHECK(port.ended(relay::Reason::kClientLeft, ++left));
    }
  }
}

/// Cigar2 shows nothing of a server that has closed.
TEST_CASE("a kicked client reads the reason, and is closed after it had time to read") {
  FakeServer fake;
  OnePort running(0, fake.address());
  WebClient link(running.address);
  link.upgrade();
  Speaker client(link, 0, Way::kToClient);
  come_in(client);
  WebServer behind(fake);
  behind.upgrade();
  Speaker server(behind, 0, Way::kToServer);
  show_world(server);
  see_world(client);
  const auto all = running.sessions();
  REQUIRE(all.size() == 1);
  const auto kicked = std::chrono::steady_clock::now();
  CHECK(running.kick(all[0].info.link, "no cheating"));
  client.hear<Update>([](const Update& update) {
    return !update.chat.empty() && update.chat.back().text.chars.find("no cheating") != std::string::npos;
  });
  const auto end = [](WebPeer& peer) {
    std::string said = peer.next();
    while (said.starts_with("b:")) said = peer.next();
    return said;
  };
  CHECK(end(behind).starts_with("close:"));
  CHECK(end(link).starts_with("close:"));
  CHECK(std::chrono::steady_clock::now() - kicked >= std::chrono::seconds(3));
}

}  // namespace
}  // namespace entente::testing::ogar_versions_test
