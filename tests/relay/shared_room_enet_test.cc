// Clients that join a shared room over ENet: they are in one room with clients of other transports, and a client that
// breaks a rule or does not read ends only its own session.
#include <doctest/doctest.h>

#include "tests/relay/enet_yard.h"
#include "tests/relay/in_shared_room.h"

namespace entente::testing::shared_room_enet_test {
namespace {

using relay::Drop;
using relay::Reason;

constexpr std::size_t kEnet = 3;  // index into InSharedRoom::at

std::string heard(std::string_view text, int send = 1) {
  return "0/" + std::to_string(send) + " " + to_hex(as_bytes(said(text))).substr(0, 16);
}

Buffer line(std::string_view text) { return frame(text, toy::kSay); }

struct Guests : Yard {
  explicit Guests(const Limits& limits = no_limits(), std::size_t workers = 1) : shared_room(limits, workers) {}
  Stream by_tcp() {
    Stream stream = Stream::to(shared_room.at[0]);
    stream.send(kHello);
    CHECK(stream.read_text(4) == kWelcome);
    return stream;
  }
  /// Joins, and waits for its own chat: then it has its seat.
  void come() {
    join(shared_room.at[kEnet]);
    say(client, line("here"));
    until([&] { return client.heard(heard("here")); });
  }
  InSharedRoom shared_room;
};

TEST_CASE("clients over ENet are in the same room as others, on whatever worker it is") {
  for (const std::size_t workers : {1U, 3U}) {
    Guests scene(no_limits(), workers);
    const Stream tcp = scene.by_tcp();
    scene.come();
    CHECK(scene.client.log.front() == "up 0 channels 1");
    CHECK(as_text(scene.read(tcp, 6)) == said("here"));
    tcp.send(said("by tcp"));
    scene.until([&] { return scene.client.heard(heard("by tcp")); });
    CHECK(as_text(scene.read(tcp, 8)) == said("by tcp"));
    scene.say(scene.client, point(42), EnetDelivery::kUnsequenced);
    CHECK(scene.read(tcp, 3) == point(42));
    scene.until([&] { return scene.client.heard("0/0 " + to_hex(point(42))); });
    scene.shared_room.point(7);
    scene.until([&] { return scene.client.heard("0/0 " + to_hex(point(7))); });
  }
}

TEST_CASE("when a client leaves over ENet in any way, the room is told") {
  Guests scene;
  const Stream tcp = scene.by_tcp();
  scene.come();
  CHECK(as_text(scene.read(tcp, 6)) == said("here"));
  SUBCASE("by a disconnect with a number") {
    scene.client.host.disconnect(*scene.client.peer, 7);
    CHECK(as_text(scene.read(tcp, 8)) == said("left 7"));  // sent by the toy game's front
    CHECK(as_text(scene.read(tcp, 6)) == said("gone"));
  }
  SUBCASE("by a frame") {
    scene.say(scene.client, Buffer{0, toy::kBye});
    CHECK(as_text(scene.read(tcp, 6)) == said("gone"));
    scene.until([&] { return scene.client.peer == nullptr; });
    CHECK(scene.client.log.back() == "down 30");
  }
  CHECK(scene.shared_room.ended(Reason::kClientLeft));
  tcp.finish();
  scene.until([&] { return scene.client.peer == nullptr; });
  CHECK(scene.shared_room.empty());
}

TEST_CASE("a client over ENet that breaks a rule is disconnected alone, with the game's number") {
  Guests scene;
  const Stream tcp = scene.by_tcp();
  std::string last = "down 4001";  // the front's number with its goodbye
  SUBCASE("of the game's packets") {
    scene.come();
    scene.say(scene.client, Buffer{9, 9, 9});
    scene.until([&] { return scene.client.peer == nullptr; });
    CHECK(scene.client.heard("0/1 0009"));
    CHECK(scene.shared_room.ended(Reason::kBadFrame));
  }
  SUBCASE("of the game") {
    scene.come();
    scene.say(scene.client, Buffer{0, toy::kWrong});
    scene.until([&] { return scene.client.peer == nullptr; });
    CHECK(scene.shared_room.ended(Reason::kProtocolFault));
    last = "down 34";
  }
  SUBCASE("of the room, which refuses it by a frame") {
    scene.come();
    scene.say(scene.client, line("refuse me"));
    scene.until([&] { return scene.client.peer == nullptr; });
    CHECK(scene.client.heard("0/1 000d"));
    CHECK(scene.shared_room.ended(Reason::kServerDeclined));
  }
  SUBCASE("of the dialect") {
    scene.knock(scene.shared_room.at[kEnet], kBig + 1);
    scene.until([&] { return scene.client.heard("down 33"); });
    CHECK(scene.shared_room.ended(Reason::kDialectMismatch));
    last = "down 33";
  }
  CHECK(scene.client.log.back() == last);
  tcp.send(said("peace"));
  bool peace = false;
  for (int i = 0; i < 3 && !peace; ++i) peace = as_text(scene.read(tcp, 6)) == said("peace").substr(0, 6);
  CHECK(peace);  // after "here" and "gone"
}

TEST_CASE("a client over ENet that goes on sending much more than it may is disconnected alone") {
  Limits limits = no_limits();
  limits.messages_per_second = 10;
  limits.high_water = limits.low_water = 20'000;
  Guests scene(limits);
  const Stream tcp = scene.by_tcp();
  scene.come();
  for (int i = 0; i < 800 && scene.client.peer != nullptr; ++i) scene.say(scene.client, line(std::string(50, 'x')));
  // ENet sends the last of them while the client's loop runs.
  scene.until([&] { return scene.shared_room.heard.told("bad frame: too many packets") != 0; });
  scene.until([&] { return scene.client.peer == nullptr; });
  CHECK(scene.shared_room.ended(Reason::kBadFrame));
  CHECK(eventually([&] { return scene.shared_room.now() == 1; }));
  std::string last;
  while (!last.ends_with(said("gone"))) last += as_text(scene.read(tcp, 1));
}

TEST_CASE("an invalid datagram is dropped, and its client stays") {
  Guests scene;
  scene.come();
  scene.say(scene.client, Buffer{9, 9, 9}, EnetDelivery::kUnreliable);
  scene.say(scene.client, Buffer{200, 9}, EnetDelivery::kUnsequenced);
  CHECK(eventually([&] { return scene.shared_room.dropped(Drop::kBadFrame) == 2; }));
  scene.say(scene.client, line("yes"));
  scene.until([&] { return scene.client.heard(heard("yes")); });
}

TEST_CASE("a client that disappears from ENet is dropped, and the room is told") {
  Guests scene;
  const Stream tcp = scene.by_tcp();
  scene.come();
  CHECK(as_text(scene.read(tcp, 6)) == said("here"));
  scene.client.host.close();
  scene.until([&] { return tcp.readable(0); }, 3 * kPatience);  // ENet takes 5 to 11 seconds
  CHECK(as_text(scene.read(tcp, 6)) == said("gone"));
  CHECK(scene.shared_room.ended(Reason::kClientReset));
}

TEST_CASE("a client over ENet that acknowledges nothing is closed alone") {
  Limits limits = no_limits();
  limits.high_water = 256 * 1024;  // eight times this may wait: more than one flood, so that slow reading is allowed
  limits.linger_ms = 300;
  Guests scene(limits);
  scene.come();
  const Stream tcp = scene.by_tcp();
  // The ENet client's loop does not run meanwhile, so nothing is acknowledged.
  std::size_t floods = 0;
  while (scene.shared_room.total(Reason::kClientStalled) == 0 && floods < 100) {
    tcp.send(said("flood"));
    CHECK(tcp.read(4'000 * 182).size() == 4'000 * 182);
    ++floods;
  }
  CHECK(scene.shared_room.total(Reason::kClientStalled) == 1);
  CHECK(tcp.read_text(6) == said("gone"));
}

TEST_CASE("when the program stops or the room's back leaves, clients over ENet get a goodbye") {
  Guests scene;
  scene.come();
  SUBCASE("the program stops") {
    std::thread stopping([&] { scene.shared_room.stop(); });
    scene.until([&] { return scene.client.peer == nullptr; });
    stopping.join();
    CHECK(scene.shared_room.total(Reason::kStopped) == 1);
  }
  SUBCASE("the back leaves") {
    scene.say(scene.client, line("close"));
    scene.until([&] { return scene.client.peer == nullptr; });
    CHECK(scene.shared_room.ended(Reason::kServerLeft));
    CHECK(scene.shared_room.empty());
  }
  CHECK(scene.client.heard("0/1 0009"));
  CHECK(scene.client.log.back() == "down 4001");
}

}  // namespace
}  // namespace entente::testing::shared_room_enet_test
