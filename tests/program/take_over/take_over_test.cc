// One process takes over from another: sessions stay with the old process, newcomers get the new one, and a take-over
// that fails changes nothing. tests/upgrade tests this with players of all transports.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include "adapters/aos/aos.h"
#include "proxy/net/take_over/talk.h"
#include "proxy/program/control/older_orders.h"
#include "proxy/program/take_over/hand_over.h"
#include "proxy/program/take_over/older_sockets.h"
#include "proxy/program/take_over/take_over.h"
#include "tests/program/asked.h"
#include "tests/program/process_1.h"
#include "tests/relay/enet_peers.h"
#include "tests/support/certificate.h"

namespace entente::take_over_test {
namespace {

using testing::Datagrams, testing::End, testing::FakeServer, testing::Stream, testing::Turning;

const std::string kEntente = testing::entente_binary();
constexpr Millis kPatience = 40'000;

/// A relay of Panic over TCP, of BZFlag over TCP and UDP, and of Ace of Spades over ENet in both modes.
struct Upgraded : Asked, Turning {
  Upgraded() : enet_server(loop) {
    const auto settings = aos::game().enet();
    const auto bound = enet_server.host.listen(testing::loopback(), {64, settings.channels, settings.range_coder});
    REQUIRE(bound.ok());
    write("[control]\nsocket = \"" + folder.file("c.sock") + "\"\n" + "[access]\nban_file = \"" + folder.file("bans") +
          "\"\n" + route("panic", panic, "be-packed", "", server.address()) +
          route("bzflag", bzflag, "2.4", "", pair.address()) + route("aos", packets, "0.75", "", *bound) +
          route("aos", datagrams, "0.75", "&mode=datagrams", *bound));
    old = start({});
  }
  ~Upgraded() override {
    if (young != 0) ::kill(young, SIGTERM);
    for (auto& one : clients) one->end.host.close();
    enet_server.host.close();
  }

  void write(const std::string& fresh) { folder.write("a.toml", text = fresh); }
  static std::string route(const std::string& game, const net::Address& at, const std::string& dialect,
                           const std::string& more, const net::Address& to) {
    return "[[route]]\nlisten = \"" + game + "://" + at.text() + "?dialect=" + dialect + more + "\"\nto = \"" + game +
           "://" + to.text() + "?dialect=" + dialect + "\"\n";
  }
  std::unique_ptr<Process> start(const std::vector<std::string>& more, int listeners = 4) const {
    std::vector<std::string> argv = {kEntente, "run", folder.file("a.toml")};
    argv.insert(argv.end(), more.begin(), more.end());
    auto process = std::make_unique<Process>(argv);
    for (int i = 0; i < listeners; ++i) REQUIRE_MESSAGE(process->line(), process->err());
    return process;
  }
  std::unique_ptr<Process> take_over(int listeners = 4) const {
    return start({"--take-over", folder.file("c.sock")}, listeners);
  }

  struct Met {
    Stream client, server;
    void check() const {
      constexpr std::array<std::uint8_t, 10> kState{1, 1, 1, 0, 1, 1, 0, 0, 0, 1};
      server.send(kState);
      CHECK(client.read(10) == Buffer(kState.begin(), kState.end()));
    }
  };
  Met meet() const {
    Met met{Stream::to(panic), server.accept()};
    met.check();
    return met;
  }

  struct Tank {
    Stream client, server;
    Datagrams near;
  };
  Tank drive() const {
    const net::Address from = testing::free_for_both();
    Stream client = Stream::to(bzflag, &from);
    client.send("BZFLAG\r\n\r\n");
    Stream uplink = pair.accept();
    CHECK(uplink.read_text(10) == "BZFLAG\r\n\r\n");
    uplink.send("BZFS0221\x07");
    CHECK(client.read_text(9) == "BZFS0221\x07");
    Datagrams near(client.here());
    return {std::move(client), std::move(uplink), std::move(near)};
  }
  void check(const Tank& tank) const {
    const Buffer there = {0, 4, 'p', 'i', 0, 0, 0, 1}, back = {0, 4, 'p', 'o', 0, 0, 0, 2};
    tank.near.send(bzflag, there);
    const auto heard = far.receive();
    CHECK(heard.bytes == there);
    CHECK(heard.from == tank.server.there());
    far.send(heard.from, back);
    const auto answer = tank.near.receive();
    CHECK(answer.bytes == back);
    CHECK(answer.from == bzflag);
    tank.client.send(there);
    CHECK(tank.server.read(there.size()) == there);
  }

  /// A client over ENet, and the server's peer of it.
  struct Miner {
    explicit Miner(net::Loop& its) : end(its) {}
    End end;
    net::EnetPeer* far = nullptr;
  };
  Miner& join(const net::Address& at) {
    const auto settings = aos::game().enet();
    Miner& miner = *clients.emplace_back(std::make_unique<Miner>(loop));
    REQUIRE(miner.end.host.open({1, settings.channels, settings.range_coder}).ok());
    enter(miner, at);
    return miner;
  }
  void enter(Miner& miner, const net::Address& at) {
    End& client = miner.end;
    const int before = enet_server.ups, here = client.ups;
    client.peer = client.host.connect(at, 1, 3);
    until([&] { return client.ups == here + 1 && enet_server.ups == before + 1; });
    miner.far = enet_server.peer;
  }
  /// Disconnects, and reconnects at once from the same port.
  void come_again(Miner& miner, const net::Address& at) {
    miner.end.host.disconnect(*miner.end.peer, 0);
    until([&] { return miner.end.peer == nullptr; });
    enter(miner, at);
  }
  void check(Miner& miner) {
    End& client = miner.end;
    // Other lines may be added meanwhile, so count these.
    const auto times = [](const End& end, std::string_view line) {
      return std::count(end.log.begin(), end.log.end(), line);
    };
    const auto there = times(enet_server, kSaid), here = times(client, kAnswered);
    client.say(0, kMessage, net::EnetDelivery::kReliable);
    enet_server.host.send(*miner.far, 0, net::EnetPacket(from_hex(kAnswered + 4), net::EnetDelivery::kReliable));
    until([&] { return times(enet_server, kSaid) == there + 1 && times(client, kAnswered) == here + 1; });
  }

  static constexpr const char* kMessage = "0901000002000000006f6f6f616200";
  // Packets as an End logs them: channel, kind, and the first 8 bytes.
  static constexpr const char *kSaid = "0/1 0901000002000000", *kAnswered = "0/1 1200001800";

  /// Sends a line to the control socket. The answers can be read from the result.
  net::Talk ask(const std::string& line) const {
    auto talk = net::Talk::open(folder.file("c.sock"));
    REQUIRE(talk.ok());
    REQUIRE(talk->say(line, kPatience).ok());
    return std::move(*talk);
  }

  /// The number of sessions that the new and the old process list.
  std::pair<int, int> listed() const {
    const std::string all = ctl({"list"}).out;
    const std::size_t older = all.find("process ");
    REQUIRE(older != std::string::npos);
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(older);
    return {std::count(all.begin(), middle, '\n') - 1, std::count(middle, all.end(), '\n') - 2};
  }

  const net::Address panic = testing::free_for_both(), bzflag = testing::free_for_both(),
                     packets = testing::free_for_both(), datagrams = testing::free_for_both();
  FakeServer server, pair{true};
  const Datagrams far = pair.take_datagrams();
  End enet_server;
  std::vector<std::unique_ptr<Miner>> clients;
  std::unique_ptr<Process> old;
  std::string text;  // of the configuration
  int young = 0;     // a process that `upgrade` has started; 0: none
};

TEST_CASE("sessions of each transport stay with the old process, and newcomers get the new one") {
  Upgraded it;
  const auto met = it.meet();
  const auto tank = it.drive();
  it.check(tank);
  const auto quiet = it.drive();  // has sent no datagram yet
  Upgraded::Miner &one = it.join(it.packets), &two = it.join(it.datagrams);
  it.check(one), it.check(two);
  REQUIRE(it.ctl({"ban", "192.0.2.7"}).code == 0);

  auto young = it.take_over();
  CHECK(it.old->err_has("takes over"));
  for (int i = 0; i < 3; ++i) {
    met.check();
    it.check(tank), it.check(quiet), it.check(one), it.check(two);
  }
  CHECK(it.ctl({"bans"}).out.find("192.0.2.7") != std::string::npos);
  const auto later = it.meet();
  const auto other = it.drive();
  it.check(other);
  Upgraded::Miner &three = it.join(it.packets), &four = it.join(it.datagrams);
  it.check(three), it.check(four), it.check(one), it.check(two), it.check(tank);
  CHECK(it.listed() == std::pair{4, 5});
  CHECK(older_processes(it.folder.file("c.sock")).sessions == std::size_t{5});

  // A client that reconnects is a newcomer.
  it.come_again(one, it.packets), it.come_again(two, it.datagrams);
  it.check(one), it.check(two);
  CHECK(it.listed() == std::pair{6, 3});

  // A third process takes over from the second while the first still serves.
  auto third = it.take_over();
  it.check(tank), it.check(other), it.check(one), it.check(two), it.check(three), it.check(four);
  const auto latest = it.meet();
  it.check(it.join(it.packets));
  met.check(), later.check(), latest.check();

  third->signal(SIGTERM);
  CHECK(third->wait() == 0);
  CHECK_FALSE(std::filesystem::exists(it.folder.file("c.sock")));
  it.check(one), it.check(three);
  it.old->signal(SIGTERM);
  CHECK(it.old->wait() == 0);
  CHECK(it.old->out().find("sessions=1 refused=0") != std::string::npos);
}

TEST_CASE("the old process ends by itself when its last session has ended") {
  Upgraded it;
  auto met = std::make_unique<Upgraded::Met>(it.meet());
  const auto young = it.take_over();
  CHECK(young->err_has(" info  started entente "));
  CHECK(it.old->err_has("] process "));  // the log has the numbers of both processes
  CHECK(it.old->err_has(" has taken over; 1 session goes on here\n"));
  met->check();
  met.reset();
  CHECK(it.old->wait() == 0);
  CHECK(it.old->err_has("] stopped entente "));
  (void)it.meet();
}

TEST_CASE("the control socket reaches the players of both processes") {
  Upgraded it;
  const auto met = it.meet(), other = it.meet();
  const auto young = it.take_over();
  CHECK(it.ctl({"--json", "list"}).out.find("]\n[") != std::string::npos);  // one line for each process
  CHECK(it.ctl({"drain"}).out.find("process ") != std::string::npos);
  const std::string undrained = it.ctl({"undrain"}).out;
  const std::size_t of_old = undrained.find("process ");
  REQUIRE(of_old != std::string::npos);
  CHECK(undrained.find(" takes newcomers again\n") < of_old);
  CHECK(undrained.find(" takes newcomers again\n", of_old) == std::string::npos);
  CHECK(undrained.find(" takes no newcomers: another process does\n", of_old) != std::string::npos);
  // A name that fits several players here may fit another one there, who is not meant.
  const std::string several = R"({"error":"'bob' is ambiguous, name a link: 1, 2"})";
  CHECK(ask_older(it.folder.file("c.sock"), "kick " + met.client.here().text(), several) == several);
  met.check();
  CHECK(it.ctl({"kick", met.client.here().text(), "bye"}).code == 0);
  CHECK(met.client.read_text(100).empty());
  other.check();
  CHECK(it.ctl({"reload"}).code == 0);
  const auto later = it.meet();
  CHECK(it.ctl({"list"}).out.find("\n2\t") > it.ctl({"list"}).out.find("process "));  // link numbers are unique
  // This link is in the old process. The ban applies to both processes.
  const Ended banned = it.ctl({"ban", "2", "--for", "1h", "--why", "for now"});
  CHECK(banned.code == 0);
  CHECK(banned.out.find("process ") == 0);
  CHECK(other.client.read_text(100).empty());
  CHECK(later.client.read_text(100).empty());
  CHECK(it.ctl({"bans"}).out.find("for now") != std::string::npos);
  CHECK(it.old->wait() == 0);
  CHECK(it.ctl({"list"}).out.find("process ") == std::string::npos);
}

TEST_CASE("the operator page has the players, routes and servers of the old process until it ends") {
  Upgraded it;
  auto met = std::make_unique<Upgraded::Met>(it.meet());
  const std::string player = met->client.here().text(), token(32, 'k');
  const std::string token_file = it.folder.write("token", token + "\n");
  std::filesystem::permissions(token_file, std::filesystem::perms::owner_read);
  it.write(it.text + "[operator]\nlisten = \"127.0.0.1:0\"\ntoken_file = \"" + token_file + "\"\n");
  const auto young = it.take_over();
  const auto line = young->line();
  REQUIRE_MESSAGE(line, young->err());
  const std::size_t from = line->find("http://") + 7;
  const auto page = net::Address::parse(line->substr(from, line->size() - 1 - from));
  REQUIRE(page.ok());
  const auto older = [&] {
    const Stream asker = Stream::to(*page);
    asker.send("POST /orders HTTP/1.1\r\nHost: " + page->text() +
               "\r\nContent-Type: application/json\r\nAuthorization: " + "Bearer " + token +
               "\r\nContent-Length: 9\r\n\r\n[\"older\"]");
    const std::string answer(as_text(asker.read_all()));
    return answer.substr(answer.find("\r\n\r\n") + 4);
  };
  std::string told;
  eventually([&] { return (told = older()) != "[[]]"; });  // until the old process has its own socket
  CHECK_MESSAGE(told.starts_with("[[{\"process\":"), told);
  CHECK(told.find("\"list\":[{") != std::string::npos);
  CHECK(told.find(player) != std::string::npos);
  CHECK(told.find("\"routes\":[{") != std::string::npos);
  CHECK(told.find("\"servers\":[{") != std::string::npos);
  met.reset();
  CHECK(it.old->wait() == 0);
  CHECK(older() == "[[]]");
}

TEST_CASE("how many players an old process has is unknown while it does not answer") {
  const Folder folder;
  const std::string socket = folder.file("c.sock"), older = older_socket(socket, 4711);
  {
    const net::Fd busy(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    REQUIRE(older.size() < sizeof at.sun_path);
    older.copy(at.sun_path, older.size());
    REQUIRE(::bind(busy.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
    REQUIRE(::listen(busy.get(), 8) == 0);
    CHECK(older_processes(socket).may_be_there);
    CHECK_FALSE(older_processes(socket).sessions.has_value());
    CHECK(older_as_json(socket) == "[{\"process\":4711,\"silent\":true}]");
  }
  CHECK(older_processes(socket).sessions == std::size_t{0});  // it is gone
  CHECK(older_as_json(socket) == "[]");
}

TEST_CASE("a ban of a player of the new process also ends sessions of the old one") {
  Upgraded it;
  const auto met = it.meet();
  const auto young = it.take_over();
  const auto later = it.meet();
  const std::string listed = it.ctl({"list"}).out;
  const std::size_t row = listed.find('\n') + 1;
  CHECK(it.ctl({"ban", listed.substr(row, listed.find('\t', row) - row)}).code == 0);
  CHECK(later.client.read_text(100).empty());
  CHECK(met.client.read_text(100).empty());
}

TEST_CASE("the ban of a vast network in the old process holds in the new one, too") {
  Upgraded it;
  const auto met = it.meet();
  const auto young = it.take_over();
  std::vector<OlderSocket> older;
  REQUIRE(eventually([&] { return !(older = older_sockets(it.folder.file("c.sock"))).empty(); }));
  CHECK(answer_of(older.front().path, "ban 64.0.0.0/7 --yes").starts_with("ok"));
  CHECK(it.answers("bans", "64.0.0.0/7\t"));
}

TEST_CASE("an order that reaches the old process when another one has taken over is refused, and not lost") {
  Upgraded it;
  const auto met = it.meet();
  const std::string socket = it.folder.file("c.sock");
  REQUIRE(it.ctl({"ban", "192.0.2.7"}).code == 0);
  const net::Talk taker = it.ask("take over 1");  // this test takes over
  REQUIRE(*taker.hear(kPatience) == "sockets");
  const auto sockets = taker.receive(kPatience);
  REQUIRE(sockets.ok());
  REQUIRE(taker.say("ready", kPatience).ok());
  REQUIRE(taker.hear(kPatience)->starts_with("given "));
  const auto late = net::Talk::open(socket);
  REQUIRE(late.ok());
  REQUIRE(has(it.answer("bans"), "192.0.2.7\t"));  // so the connection before this one was accepted, too
  REQUIRE(taker.say("taken", kPatience).ok());
  REQUIRE(eventually([&] { return !older_sockets(socket).empty(); }));
  (void)late->say("unban 192.0.2.7", kPatience);
  // On a machine that is very slow, the connection is closed before.
  if (const auto answer = late->hear(kPatience); answer.ok())
    CHECK(*answer == "error: another process has taken over; try again in a moment");
  const std::string older = older_sockets(socket).front().path;
  CHECK(has(answer_of(older, "unban 192.0.2.7"), "192.0.2.7 is no longer banned"));
  met.check();
}

TEST_CASE("bans and listed networks are in force in the new process, also if its configuration names another file") {
  Upgraded it;
  CHECK(it.ctl({"ban", "198.51.100.7", "--for", "1h", "--why", "for now"}).code == 0);
  CHECK(it.ctl({"ban", "198.51.100.8"}).code == 0);
  CHECK(it.ctl({"deny", "198.51.100.64/26", "--why", "noise"}).code == 0);
  const std::string bans = it.answer("bans"), access = it.answer("access");
  CHECK(has(bans, "198.51.100.7\t"));
  CHECK(has(access, "198.51.100.64/26\tdeny\tus\tnoise"));
  const std::string before = "ban_file = \"" + it.folder.file("bans") + "\"\n";
  std::string fresh = it.text;
  fresh.replace(fresh.find(before), before.size(), "ban_file = \"" + it.folder.file("fresh") + "\"\n");
  it.write(fresh);
  const auto young = it.take_over();
  CHECK(it.answers("bans", "198.51.100.7\t"));
  CHECK(it.answer("bans") == bans);
  CHECK(it.answer("access") == access);
  const auto lines = [&](const std::string& name) {
    std::ifstream file(it.folder.file(name));
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  CHECK(eventually([&] { return lines("fresh") == lines("bans"); }));
  CHECK(has(lines("fresh"), "198.51.100.64/26 denied noise\n"));
}

TEST_CASE("after an upgrade, the ban file has the bans that the old process knew, with their ends") {
  Upgraded it;
  CHECK(it.ctl({"ban", "198.51.100.7", "--for", "1h", "--why", "for now"}).code == 0);
  const auto lines = [&] {
    std::ifstream file(it.folder.file("bans"));
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string before = lines();
  CHECK(has(before, "198.51.100.7 "));
  it.folder.write("bans", "198.51.100.7 2099-01-01T00:00:00Z for now\n");
  const auto young = it.take_over();
  CHECK(eventually([&] { return lines() == before; }));
}

TEST_CASE("what was lifted while the ban file could not be written stays lifted in the new process") {
  Upgraded it;
  const auto lines = [&] {
    std::ifstream file(it.folder.file("bans"));
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  CHECK(it.ctl({"ban", "198.51.100.7"}).code == 0);
  CHECK(it.ctl({"ban", "198.51.100.8"}).code == 0);
  CHECK(it.ctl({"deny", "203.0.113.0/24"}).code == 0);
  const std::string before = lines();
  const std::string blocker = it.folder.file("bans.new");
  std::filesystem::create_directory(blocker);
  CHECK(it.ctl({"unban", "198.51.100.7"}).code == 1);
  CHECK(it.ctl({"unlist", "203.0.113.0/24"}).code == 1);
  CHECK(it.ctl({"ban", "198.51.100.9"}).code == 1);
  const std::string bans = it.answer("bans"), access = it.answer("access");
  CHECK(lines() == before);
  const auto young = it.take_over();
  CHECK(it.answers("bans", "198.51.100.9\t"));
  CHECK(it.answer("bans") == bans);
  CHECK(it.answer("access") == access);
  CHECK(lines() == before);
  std::filesystem::remove(blocker);
  CHECK(eventually([&] { return lines() == "198.51.100.8 forever\n198.51.100.9 forever\n"; }));
}

TEST_CASE("after a take-over, a listener that the configuration has no more is closed, and the others serve") {
  Upgraded it;
  auto met = std::make_unique<Upgraded::Met>(it.meet());
  const std::string gone = Upgraded::route("bzflag", it.bzflag, "2.4", "", it.pair.address());
  it.text.replace(it.text.find(gone), gone.size(), "");
  it.write(it.text);
  const auto young = it.take_over(3);
  CHECK(young->err_has("closed, because the configuration has no such listener any more: TCP " + it.bzflag.text()));
  CHECK(it.old->err_has(" has taken over; "));
  const auto refuses = [&] {
    const net::Fd client(::socket(it.bzflag.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    return ::connect(client.get(), it.bzflag.raw(), it.bzflag.size()) != 0;
  };
  CHECK(testing::eventually(refuses));
  met->check();
  (void)it.meet();
  met.reset();
  CHECK(it.old->wait() == 0);
  CHECK(net::listen(it.bzflag, true).ok());  // its UDP port is free, too
}

TEST_CASE("a new process that fails late leaves the control socket and the ban file to the old one") {
  Upgraded it;
  const auto met = it.meet();
  const std::string bans = "192.0.2.55 2020-01-01T00:00:00Z it has ended\n";
  it.folder.write("bans", bans);
  it.write("[access]\nban_file = \"" + it.folder.file("bans") + "\"\n[metrics]\nlisten = \"" +
           it.server.address().text() + "\"\n[control]\nsocket = \"" + it.folder.file("c.sock") + "\"\n" +
           Upgraded::route("panic", it.panic, "be-packed", "", it.server.address()));
  const Ended failed = run({kEntente, "run", it.folder.file("a.toml"), "--take-over", it.folder.file("c.sock")});
  CHECK(failed.code == 1);
  CHECK(failed.err.find("cannot listen on") != std::string::npos);
  CHECK(failed.err.find("the service manager passed") == std::string::npos);
  std::ifstream file(it.folder.file("bans"));
  CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == bans);
  CHECK(testing::eventually([&] { return it.answer("unban 192.0.2.9").find("there is no ban") != std::string::npos; }));
  met.check();
}

TEST_CASE("after a crash of the new process, another one can start while the old one still has players") {
  Upgraded it;
  const auto tank = it.drive();
  Upgraded::Miner &one = it.join(it.packets), &two = it.join(it.datagrams);
  auto young = it.take_over();
  young->signal(SIGKILL);
  (void)young->wait();
  const auto next = it.start({});
  it.check(tank), it.check(one), it.check(two);
  const auto other = it.drive();
  it.check(other), it.check(it.join(it.packets)), it.check(it.join(it.datagrams));
  CHECK(it.listed() == std::pair{3, 3});
}

TEST_CASE("ctl upgrade starts a new process that takes over") {
  Upgraded it;
  const auto met = it.meet();
  const auto tank = it.drive();
  const Ended upgraded = it.ctl({"--json", "upgrade"});
  REQUIRE_MESSAGE(upgraded.code == 0, upgraded.out);
  const std::string begins = "{\"done\":\"process ";
  REQUIRE_MESSAGE(upgraded.out.starts_with(begins), upgraded.out);
  CHECK_MESSAGE(upgraded.out.ends_with(" has taken over\"}\n"), upgraded.out);
  const int young = std::stoi(upgraded.out.substr(begins.size()));
  met.check(), it.check(tank);
  const auto later = it.meet();
  CHECK(it.listed() == std::pair{1, 2});
  // A new process that cannot start changes nothing.
  it.write("[");
  const Ended failed = it.ctl({"upgrade"});
  CHECK(failed.code == 1);
  CHECK(failed.err.find("ended with 1: " + it.folder.file("a.toml") + ":1:") != std::string::npos);
  CHECK(failed.err.find("This one goes on.") != std::string::npos);
  (void)it.meet();
  REQUIRE(::kill(young, SIGTERM) == 0);
  it.old->signal(SIGTERM);
  CHECK(it.old->wait() == 0);
}

TEST_CASE("an upgrade is refused if the old process cannot make a control socket of its own, and nothing changes") {
  Upgraded it;
  const auto met = it.meet();
  const std::string own = older_socket(it.folder.file("c.sock"), it.old->pid());
  std::filesystem::create_directory(own);  // so there can be no socket
  const Ended refused = it.ctl({"upgrade"});
  CHECK(refused.code == 1);
  CHECK_MESSAGE(has(refused.err, "the running process needs a control socket of its own for its players: " + own),
                refused.err);
  CHECK(has(refused.err, "This one goes on."));
  met.check();
  (void)it.meet();
  CHECK(has(it.answer("list"), met.client.here().text()));
  std::filesystem::remove(own);
  const Ended upgraded = it.ctl({"upgrade"});
  REQUIRE_MESSAGE(upgraded.code == 0, upgraded.err);
  it.young = std::stoi(upgraded.out.substr(std::string("process ").size()));
  met.check();
}

TEST_CASE("a take-over for which no descriptor is left fails, with the socket and the reason, and nothing changes") {
  const Asked it;
  const FakeServer server;
  const net::Address at = testing::free_for_both();
  Process old({kEntente, "run",
               it.folder.write("a.toml", "[control]\nsocket = \"" + it.folder.file("c.sock") + "\"\n" +
                                             Upgraded::route("panic", at, "be-packed", "", server.address()))});
  REQUIRE(old.line());
  const auto take_over = [&] {
    auto talk = net::Talk::open(it.folder.file("c.sock"));
    REQUIRE(talk.ok());
    REQUIRE(talk->say(kTakeOver, kPatience).ok());
    return talk->hear(kPatience);
  };
  const auto limit = [&](rlim_t most) {
    rlimit now{};
    REQUIRE(::prlimit(old.pid(), RLIMIT_NOFILE, nullptr, &now) == 0);
    now.rlim_cur = most == 0 ? now.rlim_max : most;
    REQUIRE(::prlimit(old.pid(), RLIMIT_NOFILE, &now, nullptr) == 0);
  };
  // The connection and the copy of the listener get one each.
  rlim_t used_below = 0;
  for (int left = 2; left > 0; ++used_below)
    if (!std::filesystem::is_symlink("/proc/" + std::to_string(old.pid()) + "/fd/" + std::to_string(used_below)))
      --left;
  limit(used_below);
  CHECK(*take_over() ==
        "error: cannot pass on the socket 'own control': Too many open files; raise the limit of open files (ulimit "
        "-n)");
  limit(0);
  CHECK(eventually([&] { return *take_over() == "sockets"; }));
  CHECK(it.answers("routes", "panic"));
}

TEST_CASE("an older process that hangs keeps no worker waiting, and its players' server is not stopped") {
  const Asked it;
  const FakeServer server, other;
  const std::string socket = it.folder.file("c.sock"), stopped = it.folder.file("stopped");
  // Its queue is full, because it accepts nobody.
  net::Fd older(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  older_socket(socket, 4711).copy(at.sun_path, sizeof at.sun_path - 1);
  REQUIRE(::bind(older.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
  REQUIRE(::listen(older.get(), 0) == 0);
  const net::Fd waits(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::connect(waits.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
  const auto route = [](const std::string& game, const std::string& dialect, const FakeServer& to) {
    return "[[route]]\nlisten = \"" + game + "://127.0.0.1:0?dialect=" + dialect + "\"\nto = \"" + game + "://" +
           to.address().text() + "?dialect=" + dialect + "\"\n";
  };
  Process process({kEntente, "run",
                   it.folder.write("a.toml", "workers = 1\n[control]\nsocket = \"" + socket + "\"\n" +
                                                 route("panic", "be-packed", other) + route("bzflag", "2.4", server) +
                                                 "hold_s = 60\ncheck_s = 1\nstop_after_s = 1\nstop = \"echo >" +
                                                 stopped + "\"\n")});
  const auto line = process.line();
  REQUIRE_MESSAGE(line, process.err());
  const auto listener =
      net::Address::parse("127.0.0.1", static_cast<std::uint16_t>(std::stoi(line->substr(line->rfind(':') + 1))));
  const Stream client = Stream::to(*listener), far = other.accept();
  constexpr std::array<std::uint8_t, 10> kState{1, 1, 1, 0, 1, 1, 0, 0, 0, 1};
  Millis longest = 0;
  std::vector<Stream> all;
  for (int checks = 0; checks < 6; ++checks) {
    all.push_back(server.accept());
    all.back().send("BZFS0221\x07");
    const Millis began = steady_now();
    far.send(kState);
    CHECK(client.read(10) == Buffer(kState.begin(), kState.end()));
    longest = std::max(longest, steady_now() - began);
  }
  CHECK(longest < 4'000);
  CHECK_FALSE(std::filesystem::exists(stopped));
  older.reset();  // now it is gone
  CHECK(eventually([&] { return std::filesystem::exists(stopped); }));
  process.signal(SIGTERM);
  CHECK(process.wait() == 0);
}

TEST_CASE("an upgrade to another control socket is refused: it needs a restart") {
  Upgraded it;
  const auto met = it.meet();
  it.text.replace(it.text.find("c.sock"), 6, "d.sock");
  it.write(it.text);
  const Ended upgraded = it.ctl({"upgrade"});
  CHECK(upgraded.code == 1);
  CHECK_MESSAGE(has(upgraded.err, it.folder.file("a.toml") +
                                      ":2:10: control.socket: needs a restart: the control "
                                      "socket of the running program is '" +
                                      it.folder.file("c.sock") + "', not '" + it.folder.file("d.sock") + "'"),
                upgraded.err);
  met.check();
  (void)it.meet();
  CHECK_FALSE(std::filesystem::exists(it.folder.file("d.sock")));
  // The same socket by another path.
  const auto folder = std::filesystem::path(it.folder.file("c.sock")).parent_path();
  std::filesystem::create_directory_symlink(folder, folder / "link");
  it.text.replace(it.text.find("d.sock"), 6, "link/c.sock");
  it.write(it.text);
  const auto old = it.take_over();
  met.check();
  (void)it.meet();
}

TEST_CASE("a control socket has room beside it for that of an older process") {
  CHECK(older_socket("s", 4'194'304).size() - 1 == 8);
  CHECK_FALSE(objection_to_control_path(std::string(95, 's')).has_value());
  CHECK(objection_to_control_path(std::string(96, 's')).has_value());
}

TEST_CASE("a reload reopens the log file of both processes; the old one reads no configuration") {
  Upgraded it;
  const auto met = it.meet();
  const std::string log = it.folder.file("log"), before = it.folder.file("log.1");
  const auto logged = [](const std::string& file) {
    std::ifstream stream(file);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  it.write("[log]\nfile = \"" + log + "\"\n" + it.text);
  const auto old = it.take_over();
  const auto later = it.meet();
  const auto young = it.take_over();
  const std::string of_old = "reopened the log file; another process has the configuration\n";
  REQUIRE(eventually([&] { return older_sockets(it.folder.file("c.sock")).size() == 2; }));
  std::filesystem::rename(log, before);
  const Ended reloaded = it.ctl({"reload"});
  CHECK(reloaded.code == 0);
  CHECK(reloaded.out.starts_with("reloaded the configuration\n"));
  CHECK_MESSAGE(has(reloaded.out, ", which serves its players to their end:\n" + of_old), reloaded.out);
  CHECK(eventually([&] { return has(logged(log), of_old) && has(logged(log), "reloaded the configuration\n"); }));

  std::filesystem::rename(log, before);
  old->signal(SIGHUP);
  CHECK(eventually([&] { return has(logged(log), of_old); }));
  it.write("[");
  CHECK(it.ctl({"reload"}).code == 1);  // although the old ones have reopened their logs
  met.check(), later.check();
}

TEST_CASE("a reload that is refused during a take-over reopens the log file, by `ctl` as by SIGHUP") {
  Upgraded it;
  const std::string log = it.folder.file("log"), before = it.folder.file("log.1");
  it.write("[log]\nfile = \"" + log + "\"\n" + it.text);
  const auto process = it.take_over();
  std::optional<net::Talk> taker;  // this test takes over; the old process may still answer
  REQUIRE(eventually([&] { return *taker.emplace(it.ask("take over 1")).hear(kPatience) == "sockets"; }));
  for (const bool by_signal : {false, true}) {
    CAPTURE(by_signal);
    std::filesystem::rename(log, before);
    if (by_signal)
      process->signal(SIGHUP);
    else
      CHECK(it.answer("reload") == "error: another process takes over; try again in a moment\n");
    CHECK(eventually([&] { return std::filesystem::exists(log); }));
  }
}

TEST_CASE("a new process that disconnects at any step, or sends another line, changes nothing") {
  Upgraded it;
  const auto met = it.meet();
  const auto tank = it.drive();
  Upgraded::Miner &one = it.join(it.packets), &two = it.join(it.datagrams);
  for (int step = 0; step < 6; ++step) {
    CAPTURE(step);
    {
      const net::Talk talk = it.ask("take over 1");
      if (step > 0) CHECK(*talk.hear(kPatience) == "sockets");
      if (step > 1) CHECK(talk.receive(kPatience)->size() == 6);  // with BZFlag's UDP, and the control socket
      if (step == 2) REQUIRE(talk.say("steady", kPatience).ok());
      if (step > 2) REQUIRE(talk.say("ready", kPatience).ok());
      if (step > 3) {
        CHECK(talk.hear(kPatience)->starts_with("given "));
        // The old process has made its own control socket, but nobody is asked twice yet.
        CHECK(older_sockets(it.folder.file("c.sock")).empty());
        const Ended routes = it.ctl({"routes"});
        CHECK_MESSAGE(routes.code == 0, routes.err);
        CHECK_FALSE(has(routes.out, ", which serves its players to their end"));
      }
      if (step > 4) REQUIRE(talk.say("mine", kPatience).ok());
    }
    CHECK(it.old->err_has("did not take over"));
    CHECK(
        testing::eventually([&] { return it.answer("unban 192.0.2.9").find("there is no ban") != std::string::npos; }));
    met.check();
    it.check(tank), it.check(one), it.check(two);
    const auto later = it.meet();
    it.check(it.drive());
    it.check(it.join(it.packets)), it.check(it.join(it.datagrams));
  }
  CHECK(*it.ask("take over 9").hear(kPatience) == "error: this program knows only 'take over 1'");
  {
    const net::Talk first = it.ask("take over 1");
    CHECK(*first.hear(kPatience) == "sockets");
    CHECK(it.ask("take over 1").hear(kPatience)->find("another process takes over") != std::string::npos);
    CHECK(it.ctl({"ban", "192.0.2.8"}).err.find("another process takes over") != std::string::npos);
    CHECK(it.ctl({"reload"}).err.find("another process takes over") != std::string::npos);
  }
  // A new process that cannot start leaves the old one as it is.
  it.write("[control]\nsocket = \"" + it.folder.file("c.sock") + "\"\n" +
           Upgraded::route("panic", it.panic, "be-packed", "", it.server.address()) +
           Upgraded::route("bzflag", it.server.address(), "2.4", "", it.pair.address()));
  CHECK(testing::eventually([&] { return it.answer("unban 192.0.2.9").find("there is no ban") != std::string::npos; }));
  const Ended failed = run({kEntente, "run", it.folder.file("a.toml"), "--take-over", it.folder.file("c.sock")});
  CHECK(failed.code == 1);
  CHECK(failed.err.find("cannot listen on") != std::string::npos);
  met.check();
  (void)it.meet();
  CHECK(run({kEntente, "run", it.folder.file("a.toml"), "--take-over", "/nowhere"}).err.find("cannot take over from") !=
        std::string::npos);
}

/// Runs the package's postinst on an upgrade, as dpkg does, with this program and this control socket. `calls`: what it
/// ordered systemd to do. No other service runs.
struct Installed {
  explicit Installed(const Upgraded& upgraded) : it(upgraded) {
    std::filesystem::create_directory(it.folder.file("bin"));
    std::filesystem::create_symlink(kEntente, it.folder.file("bin/entente"));
    std::filesystem::create_symlink(it.folder.file("c.sock"), it.folder.file("entente.sock"));
    for (const char* tool : {"systemctl", "deb-systemd-invoke", "invoke-rc.d", "service"}) {
      const std::string path = it.folder.write(
          "bin/" + std::string(tool),
          "#!/bin/sh\ncase $* in *is-active*) exit 3 ;; esac\necho \"$0 $*\" >>" + it.folder.file("calls") + "\n");
      std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }
    std::ifstream file(testing::source_dir() + "/deploy/debian/postinst");
    std::string text(std::istreambuf_iterator<char>(file), {});
    for (const auto& [from, to] :
         {std::pair<std::string, std::string>("/run/$1/control.sock", it.folder.file("$1.sock")),
          {"/run/systemd/system", it.folder.file("")}})
      for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    it.folder.write("postinst", text);
  }
  Ended upgrade() const {
    return run({"/usr/bin/env", "PATH=" + it.folder.file("bin") + ":/usr/bin:/bin", "/bin/sh",
                it.folder.file("postinst"), "configure", "0.1"});
  }
  std::string calls() const {
    std::ifstream file(it.folder.file("calls"));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const Upgraded& it;
};

TEST_CASE("an upgrade of the package whose new process fails leaves the old one as it is, and succeeds later") {
  Upgraded it;
  const Installed package(it);
  const auto met = it.meet();
  const std::string good = it.text;
  const FakeServer taken;
  for (const auto& [bad, why] :
       {std::pair(good + "[limits\n", std::string("a.toml:")),
        std::pair(good + "[operator]\nlisten = \"127.0.0.1:0\"\ntoken_file = \"" + it.folder.file("no") + "\"\n",
                  std::string("operator.token_file: cannot read the token")),
        std::pair(good + "[metrics]\nlisten = \"" + taken.address().text() + "\"\n",
                  std::string("metrics.listen: cannot listen on " + taken.address().text()))}) {
    it.write(bad);
    const Ended upgraded = package.upgrade();
    CHECK(upgraded.code == 0);  // dpkg has configured the package
    CHECK_MESSAGE(has(upgraded.err, why), upgraded.err);
    CHECK(has(upgraded.err, "The old version still runs and serves all players."));
    CHECK(has(upgraded.err, "entente check /etc/entente/config.toml"));
    CHECK(package.calls() == "");
    met.check();
    (void)it.meet();
  }
  it.write(good);
  const Ended upgraded = package.upgrade();
  CHECK(upgraded.code == 0);
  CHECK_MESSAGE(has(upgraded.out, " has taken over"), upgraded.err);
  CHECK(package.calls() == "");
  met.check();
  std::from_chars(upgraded.out.data() + std::string("process ").size(), upgraded.out.data() + upgraded.out.size(),
                  it.young);
}

/// A process that runs, as a HandOver sees it.
struct Still : HandOver::User {
  Outcome<std::vector<net::NamedFd>> offer() override { return std::vector<net::NamedFd>{}; }
  Outcome<relay::LinkId> release_newcomers() override { return relay::LinkId{0}; }
  void take_back() override {}
  void give(std::int32_t, bool) override {}
};

TEST_CASE(
    "a new process that hangs, crashes or does not exist is ended, the reason is told, and an upgrade can be tried "
    "again") {
  Still user;
  constexpr HandOver::Patience kShort{.answer = 10'000, .begin = 100, .open = 100, .end = 100};
  for (const auto& one : {
           std::pair(std::vector<std::string>{"/bin/sh", "-c", "kill -STOP $$"}, "did not begin to take over"),
           std::pair(std::vector<std::string>{"/bin/sh", "-c", "kill -SEGV $$"},
                     "was ended by signal 11 (Segmentation fault)"),
           std::pair(std::vector<std::string>{"/bin/sh", "-c", "exit 3"}, "ended with 3"),
           std::pair(std::vector<std::string>{"/nowhere/entente"}, "cannot start another process (/nowhere/entente): "),
       }) {
    const auto& why = one.second;  // no bindings: clang 14 cannot capture them
    CAPTURE(why);
    HandOver hand_over(user, "/nowhere", kShort, one.first);
    hand_over.allow_upgrades();
    for (int i = 0; i < 2; ++i) {
      std::array<int, 2> ends{};
      REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
      const net::Talk here{net::Fd(ends[0])};
      net::Fd there(ends[1]);
      hand_over.adopt(kUpgradeAndWait, {}, there);
      const auto answer = here.hear(kPatience);
      REQUIRE(answer.ok());
      CHECK_MESSAGE(has(*answer, why), *answer);
      CHECK(has(hand_over.last_failure(), why));
      CHECK(hand_over.objection() == "");
      CHECK(testing::eventually([&] { return !hand_over.upgrades(); }));
    }
  }
}

/// A HandOver whose upgrades start a process that hangs until it is killed.
struct Hanging {
  explicit Hanging(HandOver::User& its) : user(its) { hand_over.allow_upgrades(); }
  /// Returns what the other end of the connection hears.
  net::Talk adopt(std::string_view line, std::int32_t pid) {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    net::Talk here{net::Fd(ends[0])};
    net::Fd there(ends[1]);
    hand_over.adopt(line, {::geteuid(), pid}, there);
    return here;
  }
  /// Begins an upgrade. Returns the connection that hears how it ends, and the process that it has started.
  std::pair<net::Talk, pid_t> upgrade() {
    net::Talk asked = adopt(kUpgradeAndWait, 1);
    ++started;
    std::vector<pid_t> all;
    REQUIRE(testing::eventually([&] {
      std::ifstream file(log);
      all.assign(std::istream_iterator<pid_t>(file), {});
      return all.size() == started && hand_over.own() == all.back();
    }));
    return {std::move(asked), all.back()};
  }

  HandOver::User& user;
  const Folder folder;
  const std::string log = folder.file("started");
  std::size_t started = 0;
  HandOver hand_over{user,
                     "/nowhere",
                     {.answer = 600'000, .begin = 600'000, .open = 600'000, .end = 600'000},
                     {"/bin/sh", "-c", "echo $$ >>" + log + "; kill -STOP $$"}};
};

TEST_CASE("an upgrade whose process is late, because another one has taken over, has failed, and says so") {
  Still user;
  Hanging it(user);
  const auto [asked, own] = it.upgrade();
  const net::Talk taker = it.adopt(kTakeOver, 4711);
  REQUIRE(*taker.hear(kPatience) == "sockets");
  REQUIRE(taker.receive(kPatience).ok());
  REQUIRE(taker.say("ready", kPatience).ok());
  CHECK(*taker.hear(kPatience) == "given 0");
  REQUIRE(taker.say("taken", kPatience).ok());
  const std::string why = "process " + std::to_string(own) + " did not take over, because process 4711 did";
  CHECK(*asked.hear(kPatience) == "error: " + why);
  CHECK(it.hand_over.given());
  ::kill(own, SIGKILL);
  CHECK(testing::eventually([&] { return !it.hand_over.upgrades(); }));
  CHECK(it.hand_over.failures() == 1);
  CHECK(it.hand_over.last_failure() == why);
}

TEST_CASE("a failed upgrade is counted once, also if its process was refused before it ended") {
  Still user;
  Hanging it(user);
  const auto [asked, own] = it.upgrade();
  {
    const net::Talk other = it.adopt(kTakeOver, 4711);
    REQUIRE(*other.hear(kPatience) == "sockets");
    CHECK(it.adopt(kTakeOver, own).hear(kPatience)->starts_with("error: another process takes over"));
  }
  CHECK(testing::eventually([&] { return it.hand_over.failures() == 1; }));  // of the other one, which has left
  CHECK(testing::eventually([&] { return it.hand_over.objection().empty(); }));
  {
    const net::Talk broken = it.adopt(kTakeOver, own);
    REQUIRE(*broken.hear(kPatience) == "sockets");
  }
  CHECK(testing::eventually([&] { return it.hand_over.objection().empty(); }));
  ::kill(own, SIGKILL);
  CHECK(asked.hear(kPatience)->starts_with("error: process " + std::to_string(own) + " was ended by signal 9"));
  CHECK(testing::eventually([&] { return !it.hand_over.upgrades(); }));
  CHECK(it.hand_over.failures() == 2);
}

TEST_CASE("an upgrade fails for the reason that its own process has told, and not for that of an earlier one") {
  Still user;
  Hanging it(user);
  const auto [asked, own] = it.upgrade();
  (void)it.adopt(kTakeOverFailed + std::string("no disk"), own);
  (void)it.adopt(kTakeOverFailed + std::string("a stranger's"), own + 1);
  ::kill(own, SIGKILL);
  CHECK(has(*asked.hear(kPatience), " (Killed): no disk. This one goes on."));
  CHECK(testing::eventually([&] { return !it.hand_over.upgrades(); }));
  (void)it.adopt(kTakeOverFailed + std::string("too late"), own);
  const auto [asked_again, next] = it.upgrade();
  (void)it.adopt(kTakeOverFailed + std::string("later still"), own);
  ::kill(next, SIGKILL);
  CHECK(has(*asked_again.hear(kPatience), " (Killed); its log says why. This one goes on."));
}

/// Releases its newcomers when it may.
struct Releasing final : Still {
  Outcome<relay::LinkId> release_newcomers() override {
    may_release.get_future().wait();
    return relay::LinkId{0};
  }
  std::promise<void> may_release;
};

TEST_CASE("an upgrade whose process ends as soon as it has taken over is answered, and not with a success") {
  Releasing user;
  Hanging it(user);
  const auto [asked, own] = it.upgrade();
  {
    const net::Talk taker = it.adopt(kTakeOver, own);
    REQUIRE(*taker.hear(kPatience) == "sockets");
    REQUIRE(taker.receive(kPatience).ok());
    REQUIRE(taker.say("ready", kPatience).ok());
    REQUIRE(taker.say("taken", kPatience).ok());
    ::kill(own, SIGKILL);
    const pid_t its = own;                                            // clang 14 cannot capture a binding
    CHECK(testing::eventually([&] { return ::kill(its, 0) != 0; }));  // the hand-over knows that it has ended
    user.may_release.set_value();
    CHECK(*taker.hear(kPatience) == "given 0");
  }
  const auto answer = asked.hear(kPatience);
  REQUIRE(answer.ok());
  CHECK(*answer == "error: process " + std::to_string(own) +
                       " has taken over, but was ended by signal 9 (Killed). Start another one.");
  CHECK(testing::eventually([&] { return !it.hand_over.upgrades(); }));
  CHECK(it.hand_over.given());
  CHECK(it.hand_over.failures() == 1);
}

TEST_CASE("a program that stops starts no process for an upgrade") {
  struct Stopping final : Still {
    bool is_stopping() const override { return true; }
  } user;
  const Folder folder;
  HandOver hand_over(user, "/nowhere", {}, {"/bin/sh", "-c", "echo >" + folder.file("started")});
  hand_over.allow_upgrades();
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  const net::Talk here{net::Fd(ends[0])};
  net::Fd there(ends[1]);
  hand_over.adopt(kUpgradeAndWait, {}, there);
  CHECK(*here.hear(kPatience) == "error: the program is stopping");
  CHECK_FALSE(hand_over.upgrades());
  CHECK_FALSE(std::filesystem::exists(folder.file("started")));
}

TEST_CASE("a new process that hangs does not stand in the way of the next upgrade") {
  Still user;
  const Folder folder;
  const std::string log = folder.file("started");
  HandOver hand_over(user, "/nowhere", {.answer = 50, .begin = 600'000, .open = 600'000, .end = 600'000},
                     {"/bin/sh", "-c", "echo $$ >>" + log + "; kill -STOP $$"});
  hand_over.allow_upgrades();
  const auto upgrade = [&] {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    const net::Talk here{net::Fd(ends[0])};
    net::Fd there(ends[1]);
    hand_over.adopt("upgrade", {}, there);
    const auto answer = here.hear(kPatience);
    REQUIRE(answer.ok());
    return *answer;
  };
  std::vector<std::string> meanwhile;  // what is told of the last upgrade while the next one is in progress
  for (std::size_t times = 1; times <= 3; ++times) {
    CHECK(upgrade() == "ok");
    CHECK(hand_over.failures() == times - 1);
    meanwhile.push_back(hand_over.last_failure());
    CHECK(testing::eventually([&] {
      std::ifstream file(log);
      return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(file), {}, '\n')) == times;
    }));
  }
  std::ifstream file(log);
  std::vector<pid_t> all{std::istream_iterator<pid_t>(file), {}};
  REQUIRE(all.size() == 3);
  CHECK(::kill(all[0], 0) == -1);  // it is gone
  CHECK(::kill(all[1], 0) == -1);
  hand_over.stop();  // which leaves the last one as it is: it might still take over
  CHECK(::kill(all[2], SIGKILL) == 0);
  CHECK(::waitpid(all[2], nullptr, 0) == all[2]);
  CHECK(meanwhile == std::vector<std::string>(3));
}

/// Tells of a failure, and goes on when it may.
struct Telling final : Still {
  void take_over_failed(const std::string&) override {
    if (!was_told.exchange(true)) told.set_value();
    go_on.wait();
  }
  std::atomic<bool> was_told{false};  // a slow machine may replace an upgrade more than once
  std::promise<void> told;
  std::promise<void> may_go_on;
  std::shared_future<void> go_on{may_go_on.get_future()};
};

TEST_CASE("the program can stop while an upgrade ends the one before it") {
  Telling user;
  HandOver hand_over(user, "/nowhere", {.answer = 50, .begin = 600'000, .open = 600'000, .end = 600'000},
                     {"/bin/sh", "-c", "kill -STOP $$"});
  hand_over.allow_upgrades();
  std::array<int, 2> ends{}, others{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, others.data()) == 0);
  const net::Talk here{net::Fd(ends[0])}, other{net::Fd(others[0])};
  net::Fd there(ends[1]), far(others[1]);
  hand_over.adopt("upgrade", {}, there);
  REQUIRE(here.hear(kPatience).ok());
  auto next = std::async(std::launch::async, [&] { hand_over.adopt("upgrade", {}, far); });
  const bool told = user.told.get_future().wait_for(std::chrono::milliseconds(kPatience)) == std::future_status::ready;
  auto stopped = std::async(std::launch::async, [&] { hand_over.stop(); });
  // It waits for the upgrade that ends. A stop that does not fails here, or not at all if the machine is slow.
  CHECK(stopped.wait_for(std::chrono::milliseconds(100)) == std::future_status::timeout);
  user.may_go_on.set_value();
  CHECK(told);
  CHECK_NOTHROW(stopped.get());
  CHECK_NOTHROW(next.get());
  CHECK_FALSE(hand_over.upgrades());
}

TEST_CASE("process 1 of a container, whose end would end all others there, is not replaced by one of them") {
  if (testing::as_process_1().empty()) {
    MESSAGE("not run: this machine lends no process namespace");
    return;
  }
  Upgraded it;
  it.old->signal(SIGTERM);
  REQUIRE(it.old->wait() == 0);
  testing::Process1 first({kEntente, "run", it.folder.file("a.toml")});
  for (int i = 0; i < 4; ++i) REQUIRE_MESSAGE(first.unshare().line(), first.unshare().err());
  const auto met = it.meet();
  const std::string why =
      "this process is process 1 of a container, and its end would end the new process too; start another container\n";
  for (const auto& command : {it.ctl({"upgrade"}), first.beside({kEntente, "run", it.folder.file("a.toml"),
                                                                 "--take-over", it.folder.file("c.sock")})}) {
    CHECK(command.code == 1);
    CHECK_MESSAGE(has(command.err, why), command.err);
  }
  met.check();
  (void)it.meet();
  // One of another container goes on when that one ends.
  const auto young = it.take_over();
  CHECK(first.unshare().err_has("takes over"));
  met.check();
  const auto later = it.meet();
  first.signal(SIGTERM);
  CHECK(first.unshare().wait() == 0);
  later.check();
}

TEST_CASE("only a process of the same user can take over") {
  if (::geteuid() != 0) return;  // the test needs root to use two users
  Upgraded it;
  // The capability is for a source tree in a folder that only root can read.
  const auto as_other = [&](std::vector<std::string> command) {
    command.insert(command.begin(), {"/usr/bin/setpriv", "--reuid=65534", "--clear-groups", "--inh-caps=+dac_override",
                                     "--ambient-caps=+dac_override"});
    return run(command);
  };
  const Ended stranger = as_other({kEntente, "run", it.folder.file("a.toml"), "--take-over", it.folder.file("c.sock")});
  CHECK(stranger.code == 1);
  CHECK(stranger.err.find("only a process of the same user may take over") != std::string::npos);
  const Ended asks = as_other({kEntente, "ctl", "--socket", it.folder.file("c.sock"), "take", "over", "1"});
  CHECK(asks.err.find("only a process of the same user may take over") != std::string::npos);
  CHECK(it.old->err_has("was refused"));
  (void)it.meet();
}

}  // namespace
}  // namespace entente::take_over_test
