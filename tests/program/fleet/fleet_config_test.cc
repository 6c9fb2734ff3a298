// [fleet]: what is refused before a node connects to anything.
#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "proxy/net/secret.h"
#include "proxy/program/config/config.h"
#include "proxy/program/fleet/fleet.h"
#include "tests/fleet/station.h"
#include "tests/program/asked.h"
#include "tests/program/fleet/logged.h"
#include "tests/program/folder.h"
#include "tests/support/certificate.h"
#include "tests/support/connection.h"
#include "tests/support/free_port.h"
#include "tests/support/nats_server.h"
#include "tests/support/toy_game.h"

namespace entente::fleet_config_test {
namespace {

const std::array<const wire::Game*, 1> kKnown = {&toy::game()};
const Machine kMachine;

/// The errors of this [fleet], without their places.
std::string complaints(const std::string& fleet, const Machine* machine = nullptr) {
  const std::string route = "[[route]]\nlisten = \"toy://127.0.0.1:0\"\nto = \"toy://localhost:9\"\n";
  const auto config = parse_config("[fleet]\n" + fleet + "\n" + route, "a.toml", kKnown, machine);
  std::string all;
  if (!config)
    for (const std::string& one : config.error()) all += one + "\n";
  return all;
}

TEST_CASE("[fleet] without servers has no effect; a server on this machine needs no other key") {
  CHECK(complaints("") == "");
  CHECK(complaints("nats = ['nats://127.0.0.1:4222']") == "");
  CHECK(complaints("nats = ['tls://a.example:4222', 'tls://b.example:4222']\nname = 'eu-1'\nnode = 'edge_2'") == "");
  config::Fleet fleet = default_config().fleet();
  CHECK(!is_in_fleet(default_config()));
  CHECK(!fleet::objection_to_token(node_of(fleet)));  // this machine's name
  fleet.set_node("a");
  CHECK(node_of(fleet) == "a");
}

TEST_CASE("what identifies the machine does so also where a service may not read the boot's id") {
  const Folder folder;
  const std::string hidden = this_machine(folder.file("none"));
  CHECK(hidden.find(' ') != 0);
  const bool has_id = net::machine_key() == net::machine_key();
  CHECK((hidden == this_machine(folder.file("none"))) == has_id);
  std::error_code none;
  const auto network = std::filesystem::read_symlink("/proc/self/ns/net", none);
  CHECK(this_machine(folder.write("boot", "one\n")) == "one " + network.string());
}

TEST_CASE("[fleet]: invalid or unencrypted settings are refused, and the error says what to do") {
  const std::string local = "nats = ['nats://127.0.0.1:4222']\n";
  CHECK(has(complaints("nats = ['nats://10.1.2.3:4222']"),
            "a.toml:2:9: fleet.nats[0]: 'nats://10.1.2.3:4222' would carry passwords and chat unencrypted to another "
            "machine: use tls://"));
  CHECK(has(complaints("nats = ['nats://127.0.0.1:4222', 'tls://b.example:4222']"), "either all servers have TLS"));
  CHECK(has(complaints("nats = ['nats://me:secret@127.0.0.1']"), "must not have a user or password"));
  CHECK(has(complaints(local + "name = 'a.b'"), "fleet.name: 'a.b' is not 1 to 64 letters"));
  CHECK(has(complaints(local + "node = '*'"), "fleet.node: '*' is not"));
  CHECK(has(complaints(local + "user = 'a'"), "user and password_file belong together"));
  CHECK(has(complaints(local + "token_file = 'a'\ncredentials = 'b'"), "one of credentials, user and token_file"));
  CHECK(has(complaints(local + "ca = 'a'"), "fleet.ca: is for servers with TLS"));
  CHECK(has(complaints("nats = ['tls://a:1']\ncert = 'a'"), "cert and key belong together"));
}

TEST_CASE("[fleet]: the files that it names are read at the start") {
  const Folder folder;
  const std::string secret = folder.file("secret");
  const std::string use = "nats = ['nats://127.0.0.1:4222']\ntoken_file = '" + secret + "'\n";
  CHECK(complaints(use) == "");
  CHECK(has(complaints(use, &kMachine), "fleet.token_file: cannot read"));
  folder.write("secret", "0123456789\n");
  std::filesystem::permissions(secret, std::filesystem::perms::owner_read);
  CHECK(complaints(use, &kMachine) == "");
  std::filesystem::permissions(secret, std::filesystem::perms::owner_read | std::filesystem::perms::others_read);
  CHECK(has(complaints(use, &kMachine), "everybody on this machine can read"));
}

TEST_CASE("[fleet]: the metrics say when its certificate and its authority expire; a file that is neither is refused") {
  const Certificate own(-3600, 7200), authority(-3600, 10'800);
  config::Fleet settings = default_config().fleet();
  settings.add_nats("tls://127.0.0.1:9");
  settings.set_cert(own.file());
  settings.set_key(own.file());
  settings.set_ca(authority.file());
  const auto fleet = Fleet::join(settings, Fleet::Log::kNo);
  REQUIRE(fleet);
  Metrics metrics;
  (*fleet)->measure(metrics);
  const auto left = [text = metrics.text()](const std::string& key) {
    const std::string begins = "entente_certificate_expires_seconds{key=\"" + key + "\"} ";
    const std::size_t at = text.find(begins);
    return at == std::string::npos ? 0.0
                                   : std::stod(text.substr(at + begins.size())) - static_cast<double>(wall_now()) / 1e9;
  };
  CHECK(left("fleet.cert") > 3'000);
  CHECK(left("fleet.cert") <= 3'600);
  CHECK(left("fleet.ca") > 6'600);
  CHECK(left("fleet.ca") <= 7'200);
  const Folder folder;
  folder.write("none.pem", "no certificate\n");
  settings.set_cert(folder.file("none.pem"));
  CHECK(!Fleet::join(settings, Fleet::Log::kNo).ok());
  settings.set_cert(own.file());
  settings.set_ca(folder.file("none.pem"));
  CHECK(!Fleet::join(settings, Fleet::Log::kNo).ok());
}

bool eventually_connected(const Fleet& fleet) {
  return eventually([&] {
    Metrics metrics;
    fleet.measure(metrics);
    return has(metrics.text(), "\nentente_bus_connected 1\n");
  });
}

TEST_CASE("a node uses the certificate and the authority of its configuration, or does not connect") {
  if (NatsServer::is_missing()) return;
  const Certificate certificate;
  const std::string& file = certificate.file();
  const NatsServer server({"--tls", "--tlscert", file, "--tlskey", file, "--tlsverify", "--tlscacert", file});
  config::Fleet settings = default_config().fleet();
  settings.add_nats(server.url());
  const auto refused = [&] {
    const auto fleet = Fleet::join(settings, Fleet::Log::kNo);
    REQUIRE(fleet);
    return eventually([&] { return !(*fleet)->bus().last_error().empty(); }) && !(*fleet)->bus().connected();
  };
  settings.set_ca(file);
  CHECK(refused());
  settings.set_cert(file);
  settings.set_key(file);
  const auto fleet = Fleet::join(settings, Fleet::Log::kNo);
  REQUIRE(fleet);
  CHECK(eventually_connected(**fleet));
}

TEST_CASE("a node does not connect without the credentials of its configuration") {
  if (NatsServer::is_missing()) return;
  const NatsServer server;
  const Folder folder;
  config::Fleet settings = default_config().fleet();
  settings.add_nats(server.url());
  settings.set_credentials(folder.file("none.creds"));
  const auto fleet = Fleet::join(settings, Fleet::Log::kNo);
  REQUIRE(fleet);
  CHECK(eventually([&] { return !(*fleet)->bus().last_error().empty(); }));
  CHECK_FALSE((*fleet)->bus().connected());
  settings.clear_credentials();
  settings.set_token_file(folder.file("none"));
  CHECK_FALSE(Fleet::join(settings, Fleet::Log::kNo).ok());
}

TEST_CASE("NATS knows a connection by its node's name, and the node's log and metrics say what comes of it") {
  if (NatsServer::is_missing()) return;
  Logged log;
  {
    const int port = testing::free_port();
    NatsServer server({"--http_port", std::to_string(port)});
    config::Fleet settings = default_config().fleet();
    settings.add_nats(server.url());
    settings.set_node("edge-1");
    const auto fleet = Fleet::join(settings);
    REQUIRE(fleet);
    REQUIRE(eventually_connected(**fleet));
    CHECK(eventually([&] { return has(log.lines(), "fleet 'entente': connected to NATS"); }));
    const auto at = net::Address::parse("127.0.0.1:" + std::to_string(port));
    const std::string clients = testing::asked(*at, "GET /connz HTTP/1.0\r\n\r\n");
    CHECK_MESSAGE(has(clients, "\"name\": \"edge-1\""), clients);
    {
      fleet::testing::Station its((*fleet)->bus());
      std::size_t heard = 0;
      its.line->subscribe("a", [&](const fleet::BusMessage&) { ++heard; });
      its.line->publish("a", as_bytes(std::string_view("hello")));
      REQUIRE(its.until([&] { return heard == 1; }));
    }
    Metrics metrics;
    (*fleet)->measure(metrics);
    for (const char* count : {"messages_total{direction=\"out\"} 1\n", "messages_total{direction=\"in\"} 1\n",
                              "bytes_total{direction=\"out\"} 5\n", "bytes_total{direction=\"in\"} 5\n"})
      CHECK_MESSAGE(has(metrics.text(), std::string("\nentente_bus_") + count), metrics.text());
    server.kill();
    CHECK(eventually(
        [&] { return has(log.lines(), "fleet 'entente': not connected to NATS: the connection was lost"); }));
    Metrics later;
    (*fleet)->measure(later);
    for (const char* value :
         {"connected 0\n", "losses_total 1\n", "dropped_total{direction=\"out\"} 0\n",
          "dropped_total{direction=\"in\"} 0\n", "failures_total 0\n", "refused_total 0\n", "forged_total 0\n"})
      CHECK_MESSAGE(has(later.text(), std::string("\nentente_bus_") + value), later.text());
  }
}

TEST_CASE("a node connects with the token in its file, and its metrics show the connection") {
  if (NatsServer::is_missing()) return;
  const NatsServer server({"--auth", "0123456789"});
  const Folder folder;
  const std::string secret = folder.file("secret");
  folder.write("secret", "0123456789\n");
  std::filesystem::permissions(secret, std::filesystem::perms::owner_read);
  config::Fleet settings = default_config().fleet();
  settings.add_nats(server.url());
  settings.set_token_file(secret);
  const auto fleet = Fleet::join(settings);
  REQUIRE(fleet);
  CHECK(eventually_connected(**fleet));
}

}  // namespace
}  // namespace entente::fleet_config_test
