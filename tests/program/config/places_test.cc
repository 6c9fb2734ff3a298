// What else is found out about a configuration: where a key stands, which names have no address, and which secrets its
// files hold.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "proxy/program/config/config.h"
#include "proxy/program/config/config_places.h"
#include "proxy/program/config/fleet_settings.h"
#include "proxy/program/config/name_check.h"
#include "tests/program/folder.h"

namespace entente::places_test {
namespace {

config::Config watched() {
  config::Config config = default_config();
  config.add_route()->set_listen("panic://127.0.0.1:1");
  config::Route& route = *config.add_route();
  route.set_listen("panic://127.0.0.1:2");
  route.add_watch()->add_listen("native://127.0.0.1:3");
  config::Arena& arena = *config.add_arena();
  arena.set_name("yard");
  arena.add_listen("native://127.0.0.1:4");
  arena.add_listen("native://127.0.0.1:5");
  arena.add_watch();
  arena.add_watch()->add_listen("native://127.0.0.1:6");
  return config;
}

TEST_CASE("an error says where its key stands, or else the table that it is in") {
  const std::map<std::string, Place> places = {{"route[1]", {3, 1}},
                                               {"route[1].listen", {4, 10}},
                                               {"arena[0].listen[1]", {9, 5}},
                                               {"arena[0].watch[1].listen[0]", {12, 3}},
                                               {"arena[0]", {7, 2}}};
  const ConfigPlaces all("a.toml", places, watched());
  CHECK(all.before("route[1].listen") == "a.toml:4:10: route[1].listen: ");
  CHECK(all.before("route[1].limits.sessions") == "a.toml:3:1: route[1].limits.sessions: ");
  CHECK(all.before("route[0].listen") == "");
  CHECK(all.before_listener("panic://127.0.0.1:2") == "a.toml:4:10: route[1].listen: ");
  CHECK(all.before_listener("native://127.0.0.1:5") == "a.toml:9:5: arena[0].listen[1]: ");
  CHECK(all.before_listener("native://127.0.0.1:6") == "a.toml:12:3: arena[0].watch[1].listen[0]: ");
  CHECK(all.before_listener("native://127.0.0.1:3") == "a.toml:3:1: route[1].watch[0].listen[0]: ");
  CHECK(all.before_listener("native://127.0.0.1:9") == "");
  CHECK(all.before_arena("yard", "from") == "a.toml:7:2: arena[0].from: ");
  CHECK(all.before_arena("lobby", "from") == "");
}

TEST_CASE("names without an address are warned about, once for each key, and each name is looked up once") {
  LoadedConfig loaded{watched(), {}};
  loaded.config.mutable_route(0)->add_to("panic://lost.example:1");
  loaded.config.mutable_route(0)->add_to("panic://found.example:1");
  loaded.config.mutable_route(0)->add_to("panic://192.0.2.7:1");
  loaded.config.mutable_route(1)->add_to("panic://lost.example:2");
  loaded.config.mutable_fleet()->add_nats("tls://nats.example:4222");
  loaded.places = ConfigPlaces(
      "a.toml", {{"route[0].to[0]", {2, 3}}, {"route[1].to[0]", {5, 6}}, {"fleet.nats[0]", {8, 9}}}, loaded.config);
  std::atomic<int> asked{0};
  const auto found = names_not_found(loaded, [&](const std::string& host) -> Outcome<std::vector<net::Address>> {
    ++asked;
    if (host == "found.example") return std::vector{*net::Address::parse("192.0.2.8", 0)};
    return Error{"'" + host + "' is not known"};
  });
  CHECK(asked == 3);
  REQUIRE(found.size() == 3);
  CHECK(found[0].starts_with("a.toml:8:9: fleet.nats[0]: warning: "));
  CHECK(found[0].ends_with("; the node cannot use this NATS server"));
  CHECK(found[1].starts_with("a.toml:2:3: route[0].to[0]: warning: "));
  CHECK(found[1].find("'lost.example' is not known") != std::string::npos);
  CHECK(found[1].ends_with("; no player gets to this server until its name is found"));
  CHECK(found[2].starts_with("a.toml:5:6: route[1].to[0]: warning: "));
}

TEST_CASE("a configuration without names looks up none") {
  LoadedConfig loaded{watched(), {}};
  loaded.config.mutable_route(0)->add_to("panic://192.0.2.7:1");
  loaded.config.mutable_fleet()->add_nats("nats://[::1]:4222");
  int asked = 0;
  CHECK(names_not_found(loaded, [&](const std::string&) -> Outcome<std::vector<net::Address>> {
          ++asked;
          return Error{"no"};
        }).empty());
  CHECK(asked == 0);
}

TEST_CASE("a secret is the first line of its file, which others cannot read") {
  const Folder folder;
  const auto read = [&](const std::string& text, mode_t mode = 0640) {
    const std::string path = folder.write("secret", text);
    REQUIRE(::chmod(path.c_str(), mode) == 0);
    const auto secret = read_secret(path);
    return secret ? *secret : secret.error().text;
  };
  const std::string wrong = "the first line of " + folder.file("secret") + " must be the secret";
  CHECK(read("pass word\nmore\n") == "pass word");
  CHECK(read("a\r\n") == "a");
  CHECK(read("a") == "a");
  CHECK(read("") == wrong);
  CHECK(read("\na") == wrong);
  CHECK(read("\r\n") == wrong);
  CHECK(read(std::string(4096, 'x')) == std::string(4096, 'x'));
  CHECK(read(std::string(4097, 'x')) == wrong);
  CHECK(read("a", 0644).starts_with("everybody on this machine can read "));
  CHECK(read_secret(folder.path().string()).error().text == folder.path().string() + " is a folder");
  CHECK(read_secret(folder.file("none")).error().text ==
        "cannot read " + folder.file("none") + ": No such file or directory");
}

TEST_CASE("a route leads into an arena of the fleet if that is its only server") {
  config::Route route;
  CHECK_FALSE(fleet_arena_of(route));
  route.add_to("fleet:lobby");
  CHECK(fleet_arena_of(route) == "lobby");
  route.set_to(0, "native://fleet:1");
  CHECK_FALSE(fleet_arena_of(route));
  route.set_to(0, "fleet:lobby");
  route.add_to("fleet:other");
  CHECK_FALSE(fleet_arena_of(route));
}

}  // namespace
}  // namespace entente::places_test
