// Servers that are given by name: the name is looked up for each connection and each check, and no loop waits for it.
#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <mutex>

#include "adapters/aos/aos.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/toy.h"

namespace entente::testing::server_names_test {
namespace {

using relay::Reason;
using State = relay::Upstream::State;

/// The hosts file of a test. A lookup may outlive the test.
class Hosts {
 public:
  void set(std::vector<net::Address> addresses) {
    const std::lock_guard lock(mutex_);
    addresses_ = std::move(addresses);
  }
  Outcome<std::vector<net::Address>> look_up(const std::string& host) {
    ++lookups;
    while (hangs) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::lock_guard lock(mutex_);
    if (addresses_.empty()) return Error{"cannot look up '" + host + "': it is not in the test's hosts file"};
    return addresses_;
  }
  std::atomic<int> lookups{0};
  std::atomic<bool> hangs{false};

 private:
  std::mutex mutex_;
  std::vector<net::Address> addresses_;
};

net::Address local(int last) { return *net::Address::parse("127.0.0." + std::to_string(last), 0); }

/// The same port on 127.0.0.1 to 127.0.0.3: each may have a server.
struct Machines {
  Machines() {
    for (bool done = false; !done;) {
      servers.clear();
      servers.push_back(std::make_unique<FakeServer>(local(1), true));
      port_ = servers.front()->port();
      done = true;
      for (int last = 2; last <= 3 && done; ++last) {
        auto at = local(last).with_port(port());
        done = net::listen(at, true).ok();
        if (done) servers.push_back(std::make_unique<FakeServer>(at, true));
      }
    }
  }
  std::uint16_t port() const { return port_; }
  FakeServer& operator[](std::size_t last) { return *servers[last - 1]; }
  std::vector<std::unique_ptr<FakeServer>> servers;

 private:
  std::uint16_t port_ = 0;
};

constexpr std::string_view kGreeting = "toy\x08";  // of the listener's dialect

/// Greets whoever connects, as a server of the toy game does.
class Greeter {
 public:
  explicit Greeter(FakeServer& server)
      : thread_([this, &server] {
          while (!over_)
            if (server.called(10)) {
              greeted_.push_back(server.accept());
              greeted_.back().send(kGreeting);
            }
        }) {}
  ~Greeter() {
    over_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> over_{false};
  std::vector<Stream> greeted_;
  std::thread thread_;
};

/// A relay of the toy game in front of game.test.
class Named : public Serving {
 public:
  Named(const std::shared_ptr<Hosts>& its, std::uint16_t port,
        const std::function<void(relay::RouteOptions&)>& more = {}, const Limits& limits = no_limits())
      : Serving(2, [its](const std::string& host) { return its->look_up(host); }), hosts(its) {
    relay::RouteOptions options;
    options.game = &toy::game();
    options.listen = loopback();
    options.servers = {{.host = "game.test", .port = port, .dialect = 0}};
    if (more) more(options);
    serve_all(std::move(options), limits);
  }
  ~Named() { hosts->hangs = false; }
  relay::ProxyServer::UpstreamReport report() const { return server().servers(0).front(); }
  bool becomes(State state) const {
    return eventually([&] { return report().state == state; });
  }

  std::shared_ptr<Hosts> hosts;
};

Stream join(const net::Address& at) {
  Stream client = Stream::to(at);
  client.send(kHello);
  return client;
}

std::string at(int last, const Machines& machines) { return local(last).with_port(machines.port()).text(); }

TEST_CASE("server names: a server that has moved is found by the next player") {
  Machines machines;
  const auto hosts = std::make_shared<Hosts>();
  hosts->set({local(1)});
  Named running(hosts, machines.port());
  const Stream first = join(running.address);
  CHECK(machines[1].accept().read_text(4) == kHello);
  machines[1].close();
  hosts->set({local(2)});
  running.server().forget_lookups();
  const Stream second = join(running.address);
  CHECK(machines[2].accept().read_text(4) == kHello);
  CHECK(running.sessions().back().info.server.text() == at(2, machines));
  CHECK(running.totals().begun == 2);
}

TEST_CASE("server names: a server that has moved is found by the checks, and by a player who waits") {
  Machines machines;
  const auto hosts = std::make_shared<Hosts>();
  hosts->set({local(1)});
  Named running(hosts, machines.port(), [](auto& options) {
    options.upstream.check_ms = 50;
    options.upstream.hold_ms = kPatience;
  });
  std::optional<Greeter> first(machines[1]);
  CHECK(running.becomes(State::kUp));
  first.reset();
  machines[1].close();
  CHECK(running.becomes(State::kDown));
  const Stream client = join(running.address);
  CHECK(eventually([&] { return running.server().waiting(0) == 1; }));
  hosts->set({local(2)});
  const Greeter second(machines[2]);
  CHECK(running.becomes(State::kUp));
  CHECK(client.read_text(4) == kGreeting);
  CHECK(running.heard.line("has the address 127.0.0.2 now"));
}

TEST_CASE("server names: the program starts without a server whose name is not found, says so, and finds it later") {
  Machines machines;
  const auto hosts = std::make_shared<Hosts>();
  Named running(hosts, machines.port());
  CHECK(running.becomes(State::kDown));
  CHECK(running.report().why.find("it is not in the test's hosts file") != std::string::npos);
  CHECK(running.heard.line("no address for server game.test"));
  CHECK(as_text(join(running.address).read_all()) == kGoodbye);
  CHECK(running.ended(Reason::kServerUnreachable));
  hosts->set({local(3)});
  running.server().forget_lookups();
  const Stream client = join(running.address);
  CHECK(machines[3].accept().read_text(4) == kHello);
  CHECK(running.becomes(State::kUp));
}

TEST_CASE("server names: if a name has only addresses that the route cannot use, the reason is told") {
  const auto hosts = std::make_shared<Hosts>();
  std::string why;
  std::function<void(relay::RouteOptions&)> more;
  SUBCASE("source=loopback") {
    hosts->set({*net::Address::parse("192.0.2.1", 0)});
    more = [](auto& options) { options.source = relay::SourceMode::kLoopback; };
    why = "source=loopback is for a server on this machine, such as 127.0.0.1, not 'game.test'";
  }
  SUBCASE("ENet") {
    hosts->set({*net::Address::parse("::1", 0)});
    more = [](auto& options) { options.game = &aos::game(); };
    why = "'game.test' has no IPv4 address, and ENet supports only IPv4";
  }
  const Named running(hosts, free_for_both().port(), more);
  CHECK(running.becomes(State::kDown));
  CHECK(running.report().why == why);
}

TEST_CASE("server names: players of a route go to its other server while the name of one is not found") {
  Machines machines;
  const auto hosts = std::make_shared<Hosts>();
  Named running(hosts, machines.port(), [&](auto& options) {
    options.servers.push_back({.host = "127.0.0.2", .port = machines.port(), .dialect = 0});
  });
  const Stream client = join(running.address);
  CHECK(machines[2].accept().read_text(4) == kHello);
  CHECK(running.becomes(State::kDown));
}

TEST_CASE("server names: if one address of a server fails, the next is tried, and players who follow go there first") {
  Machines machines;
  machines[1].close();
  const auto hosts = std::make_shared<Hosts>();
  hosts->set({local(1), *net::Address::parse("::1", 0), local(2)});
  Named running(hosts, machines.port());
  for (int i = 0; i < 3; ++i) {
    const Stream client = join(running.address);
    CHECK(machines[2].accept().read_text(4) == kHello);
  }
  CHECK(running.heard.told("cannot reach server " + at(1, machines)) == 1);
  CHECK(running.becomes(State::kUp));
}

/// A listener that takes no more connections: an attempt to connect to it gets no answer.
class Deaf {
 public:
  explicit Deaf(const net::Address& at) : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    REQUIRE(::bind(listener_.get(), at.raw(), at.size()) == 0);
    REQUIRE(::listen(listener_.get(), 0) == 0);
    for (bool taken = true; taken;) {
      callers_.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      (void)::connect(callers_.back().get(), at.raw(), at.size());
      pollfd one{callers_.back().get(), POLLOUT, 0};
      taken = ::poll(&one, 1, 100) == 1;
    }
  }

 private:
  net::Fd listener_;
  std::vector<net::Fd> callers_;
};

TEST_CASE("server names: an address that does not answer keeps neither players nor checks from the next one") {
  Machines machines;
  machines[1].close();
  const Deaf deaf(local(1).with_port(machines.port()));
  const auto hosts = std::make_shared<Hosts>();
  hosts->set({local(1), local(2)});
  Limits limits = no_limits();
  limits.connect_ms = limits.detect_ms = 200;
  SUBCASE("players") {
    Named running(hosts, machines.port(), {}, limits);
    for (int i = 0; i < 2; ++i) {
      const Stream client = join(running.address);
      CHECK(machines[2].accept().read_text(4) == kHello);
    }
    CHECK(running.becomes(State::kUp));
  }
  SUBCASE("checks") {
    Named running(
        hosts, machines.port(), [](auto& options) { options.upstream.check_ms = 50; }, limits);
    const Greeter greeter(machines[2]);
    CHECK(running.becomes(State::kUp));
  }
}

TEST_CASE("server names: while lookups hang, the loops go on, and players go to the earlier address") {
  Machines machines;
  const auto hosts = std::make_shared<Hosts>();
  hosts->set({local(1)});
  Named running(hosts, machines.port());
  const Stream first = join(running.address);
  CHECK(machines[1].accept().read_text(4) == kHello);
  hosts->hangs = true;
  running.server().forget_lookups();
  const Stream second = join(running.address);
  running.server().wait_for_workers();
  CHECK(machines[1].accept().read_text(4) == kHello);
  running.stop();  // does not wait for the lookup
  CHECK(hosts->hangs);
}

TEST_CASE("server names: a player does not go to a server that is drained during the lookup") {
  Machines machines;
  const auto hosts = std::make_shared<Hosts>();
  hosts->hangs = true;
  hosts->set({local(1)});
  Named running(hosts, machines.port(), [](auto& options) { options.upstream.hold_ms = 60'000; });
  const Stream client = join(running.address);
  CHECK(eventually([&] { return running.sessions().size() == 1; }));
  CHECK(running.server().drain_server(running.report().name, true) == 1);
  hosts->hangs = false;
  CHECK(eventually([&] { return running.server().waiting(0) == 1; }));
  CHECK_FALSE(machines[1].called(0));
  CHECK(running.server().drain_server(running.report().name, false) == 1);
  CHECK(machines[1].accept().read_text(4) == kHello);
}

TEST_CASE("server names: a player whose client leaves during a lookup is gone at once") {
  Machines machines;
  const auto hosts = std::make_shared<Hosts>();
  hosts->hangs = true;
  Named running(hosts, machines.port());
  { const Stream client = join(running.address); }
  CHECK(running.empty());
}

TEST_CASE("server names: a player over ENet in mode=datagrams waits for the lookup, and then plays on the server") {
  Turning turning;
  const wire::EnetSettings settings = aos::game().enet();
  testing::End server(turning.loop), client(turning.loop);
  const auto bound = server.host.listen(loopback(), {4, settings.channels, settings.range_coder, 8U << 20U});
  REQUIRE(bound.ok());
  const auto hosts = std::make_shared<Hosts>();
  hosts->hangs = true;
  hosts->set({local(1)});
  Limits limits = no_limits();
  limits.connect_ms = 0;  // no limit
  Named running(
      hosts, bound->port(),
      [](auto& options) {
        options.game = &aos::game();
        options.enet = relay::EnetMode::kDatagrams;
      },
      limits);
  reopen(client, {1, settings.channels, settings.range_coder, 8U << 20U});
  client.peer = client.host.connect(running.address, 1, 3);
  turning.until([&] { return running.sessions().size() == 1; });
  CHECK(running.server().leave_server(running.report().name, "it is drained") == 0);  // nobody is on it
  hosts->hangs = false;
  turning.until([&] { return client.ups == 1 && server.ups == 1; });
  turning.until([&] { return running.totals().current_sessions() == 1; });
  CHECK(running.server().leave_server(running.report().name, "it is drained") == 1);
  CHECK(running.ended(Reason::kDrained));
  client.host.close();
  server.host.close();
}

TEST_CASE("server names: a flood of players is no flood of lookups") {
  Machines machines;
  machines[1].close();
  const auto hosts = std::make_shared<Hosts>();
  hosts->set({local(1)});
  const Millis began = steady_now();
  Named running(hosts, machines.port());
  for (int i = 0; i < 100; ++i) CHECK(as_text(join(running.address).read_all()) == kGoodbye);
  const auto seconds = static_cast<int>((steady_now() - began) / net::HostNames::kFresh);
  CHECK(hosts->lookups <= 1 + seconds);
  CHECK(running.ended(Reason::kServerUnreachable, 100));
}

}  // namespace
}  // namespace entente::testing::server_names_test
