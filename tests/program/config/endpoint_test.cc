#include "proxy/program/settings/endpoint.h"

#include <doctest/doctest.h>

#include <array>

#include "adapters/aos/aos.h"
#include "adapters/panic/panic.h"
#include "adapters/registry.h"
#include "proxy/program/settings/route.h"
#include "proxy/program/settings/url_options.h"
#include "tests/program/folder.h"
#include "tests/support/stage.h"
#include "tests/support/toy_game.h"

namespace entente::endpoint_test {

namespace {

const std::array<const wire::Game*, 1> kKnown = {&toy::game()};
const std::array<const wire::Game*, 1> kByEnet = {&aos::game()};

std::string said(std::string_view url) {
  const auto endpoint = parse_endpoint(url, kKnown);
  return endpoint ? "ok" : endpoint.error().text;
}

}  // namespace

TEST_CASE("maps are read once for all connections of a listener, and again when that is asked for") {
  const Folder maps;
  maps.write("other.map", "no map at all");
  const auto listen = parse_listen("panic://127.0.0.1?maps=" + maps.path().string(), games());
  REQUIRE(listen.ok());
  const auto opens = [](const std::function<std::unique_ptr<core::Front>(std::size_t)>& make) {
    return testing::FrontStage(make(0), panic::game(), 0, wire::Way::kToClient).opens();
  };
  Preparations prepared;
  const auto make = front_maker(*listen, prepared);
  std::filesystem::remove(maps.file("other.map"));
  CHECK(opens(make).starts_with("loses World: "));
  REQUIRE(prepared.size() == 1);
  prepared.front()->renew();
  CHECK_FALSE(opens(make).starts_with("loses World: "));
}

TEST_CASE("an endpoint is parsed") {
  const std::uint16_t own = toy::game().default_port();
  struct Case {
    std::string_view url, host;
    std::uint16_t port;
    std::optional<std::size_t> dialect;
  };
  for (const Case& c :
       {Case{"toy://127.0.0.1:5154?dialect=little", "127.0.0.1", 5154, 1},
        Case{"toy://[::1]:4410?dialect=big", "::1", 4410, 0}, Case{"toy://[::1]", "::1", own, {}},
        Case{"toy://0.0.0.0", "0.0.0.0", own, {}}, Case{"toy://game.example:0", "game.example", 0, {}},
        Case{"toy://localhost:65535/", "localhost", 65535, {}}, Case{"toy://localhost?", "localhost", own, {}}}) {
    CAPTURE(c.url);
    const auto endpoint = parse_endpoint(c.url, kKnown);
    REQUIRE_MESSAGE(endpoint.ok(), said(c.url));
    CHECK(endpoint->game == &toy::game());
    CHECK(endpoint->host == c.host);
    CHECK(endpoint->port == c.port);
    CHECK(endpoint->dialect == c.dialect);
  }
}

TEST_CASE("the error about an endpoint names the fault and a suggestion") {
  const std::string shape = "; an endpoint looks like bzflag://127.0.0.1:5154?dialect=2.4";
  struct Case {
    std::string_view url;
    std::string why;
  };
  for (const Case& c :
       {Case{"", "it has no '://'" + shape},
        Case{"127.0.0.1:5154", "it has no '://'" + shape},
        Case{"tpy://h", "unknown game 'tpy' (did you mean 'toy'?); games: toy"},
        Case{"quake://h", "unknown game 'quake'; games: toy"},
        Case{"toy://no such host", "there is a space in the host" + shape},
        Case{"toy://h?dialect=litle", "unknown dialect 'litle' of toy (did you mean 'little'?); dialects: big, little"},
        Case{"toy://h?dialect=", "unknown dialect '' of toy; dialects: big, little"},
        Case{"toy://h?dialct=big",
             "unknown parameter 'dialct' (did you mean 'dialect'?); parameters: dialect, strict, proxy_protocol, "
             "public_port, send_proxy, source, weight"},
        Case{"toy://h?dialect=big&dialect=big", "'dialect' is given twice"},
        Case{"toy://", "the host is missing" + shape},
        Case{"toy://:80", "the host is missing" + shape},
        Case{"toy://[]:80", "the host is missing" + shape},
        Case{"toy://user@h:80", "a host has no '/', '@', '[' or ']'" + shape},
        Case{"toy://h:", "the port is missing after ':'" + shape},
        Case{"toy://h:65536", "port: expected an integer from 0 to 65535, got '65536'"},
        Case{"toy://h:-1", "port: expected an integer from 0 to 65535, got '-1'"},
        Case{"toy://h:80x", "port: expected an integer from 0 to 65535, got '80x'"},
        Case{"toy://::1", "an IPv6 address needs brackets, as in [::1]:4410" + shape},
        Case{"toy://[::1", "the '[' of the address is not closed" + shape},
        Case{"toy://[::1]80", "only ':' and a port may follow ']'" + shape},
        Case{"toy://h/room", "only '?' may follow the port" + shape}}) {
    CAPTURE(c.url);
    CHECK(said(c.url) == "'" + std::string(c.url) + "': " + c.why);
  }
}

TEST_CASE("a room can listen only for games that have a front") {
  const auto listen = parse_shared_listen("toy://127.0.0.1:4410?dialect=little", kKnown);
  REQUIRE_FALSE(listen.ok());
  CHECK(listen.error().text ==
        "'toy://127.0.0.1:4410?dialect=little': toy little has no front yet; see `entente games`");
}

TEST_CASE("a server or listener over ENet cannot use IPv6, but a listener with mode=datagrams can") {
  const auto to = parse_to("aos://[::1]:32887", kByEnet);
  REQUIRE_FALSE(to.ok());
  CHECK(to.error().text == "'aos://[::1]:32887': ENet supports only IPv4; use an IPv4 address");
  const auto listen = parse_listen("aos://[::]", kByEnet);
  REQUIRE_FALSE(listen.ok());
  CHECK(listen.error().text == "'aos://[::]': ENet supports only IPv4; use an IPv4 address");
  CHECK(parse_listen("aos://[::1]?mode=datagrams", kByEnet).ok());
  CHECK(parse_to("aos://127.0.0.1", kByEnet).ok());
  CHECK(parse_to("aos://game.example", kByEnet).ok());  // resolved later
  CHECK(parse_to("toy://[::1]", kKnown).ok());
}

TEST_CASE("a setting of a front or back accepts only valid values") {
  const auto why = [](std::string_view url, EndpointRole role) {
    const auto endpoint = parse_endpoint(url, games(), role);
    return endpoint ? "" : endpoint.error().text.substr(url.size() + 4);
  };
  for (const char* url : {"panic://h?reset=yes&watch=no&reconnect=60&name=x", "aos://h?first=any&rate=10"})
    CHECK(why(url, EndpointRole::kListen) == "");
  for (const char* url : {"panic://h?maps=/&leave=quit", "aos://h?aim=auto", "bzflag://h?udp=off&header=on"})
    CHECK(why(url, EndpointRole::kTo) == "");
  CHECK(why("panic://h?reset=maybe", EndpointRole::kListen) == "'reset': expected yes or no, got 'maybe'");
  CHECK(why("panic://h?reconnect=5m", EndpointRole::kListen) ==
        "'reconnect': expected an integer from 0 to 60, got '5m'");
  CHECK(why("panic://h?reconnect=", EndpointRole::kListen) == "'reconnect': expected an integer from 0 to 60, got ''");
  CHECK(why("aos://h?rate=999", EndpointRole::kListen) == "'rate': expected an integer from 10 to 60, got '999'");
  CHECK(why("aos://h?aim=on", EndpointRole::kTo) == "'aim': expected auto, got 'on'");
  CHECK(why("panic://h?maps=/no/such", EndpointRole::kTo) == "'maps': expected an existing folder, got '/no/such'");
  CHECK(why("bzflag://h?udp=no", EndpointRole::kTo) == "'udp': expected on or off, got 'no'");
}

TEST_CASE("a setting that is not given may be found on the machine; a given one is kept") {
  const core::Setting known[] = {{"maps", "", {.folder = true, .find = [] { return std::string("/found"); }}},
                                 {"other", "", {.folder = true, .find = [] { return std::string(); }}},
                                 {"leave", "", {.words = "quit|close"}}};
  CHECK(with_found({}, known) == Settings{{"maps", "/found"}});
  CHECK(with_found({{"maps", "/given"}}, known) == Settings{{"maps", "/given"}});
}

TEST_CASE("mode=datagrams is an option of games over ENet, in the URL to listen on") {
  using relay::EnetMode;
  CHECK(parse_listen("aos://127.0.0.1", kByEnet)->enet == EnetMode::kPackets);
  CHECK(parse_listen("aos://127.0.0.1?mode=packets", kByEnet)->enet == EnetMode::kPackets);
  CHECK(parse_listen("aos://127.0.0.1?dialect=0.76&mode=datagrams", kByEnet)->enet == EnetMode::kDatagrams);
  struct Case {
    std::string_view url;
    std::string why;
  };
  for (const Case& c : {Case{"aos://h?mode=raw", "'mode': expected packets or datagrams, got 'raw'"},
                        Case{"aos://h?mode=packets&mode=packets", "'mode' is given twice"},
                        Case{"aos://h?mod=packets",
                             "unknown parameter 'mod' (did you mean 'mode'?); parameters: dialect, strict, mode, "
                             "public_port, source, weight"}}) {
    CAPTURE(c.url);
    const auto read = parse_endpoint(c.url, kByEnet);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().text == "'" + std::string(c.url) + "': " + c.why);
  }
  const auto to = parse_to("aos://h?mode=datagrams", kByEnet);
  REQUIRE_FALSE(to.ok());
  CHECK(to.error().text == "'aos://h?mode=datagrams': 'mode' belongs in the URL to listen on");
  CHECK(said("toy://h?mode=datagrams") ==
        "'toy://h?mode=datagrams': unknown parameter 'mode'; parameters: dialect, strict, proxy_protocol, "
        "public_port, send_proxy, source, weight");
}

TEST_CASE("options set which proxies may name a client's address, and how the server receives it") {
  const auto listen = parse_listen("toy://127.0.0.1?proxy_protocol=10.0.0.0/8,192.0.2.7", kKnown);
  REQUIRE(listen.ok());
  REQUIRE(listen->proxies.networks.size() == 2);
  CHECK(listen->proxies.networks[0].text() == "10.0.0.0/8");
  CHECK(listen->proxies.networks[1].text() == "192.0.2.7");
  CHECK(parse_to("toy://h?send_proxy=v1", kKnown)->send_proxy == net::ProxyVersion::kV1);
  CHECK(parse_to("toy://h?send_proxy=v2", kKnown)->send_proxy == net::ProxyVersion::kV2);
  CHECK(parse_listen("toy://127.0.0.1:1?public_port=65535", kKnown)->public_port == 65535);
  CHECK(parse_listen("toy://127.0.0.1:1", kKnown)->public_port == 0);
  CHECK(!parse_listen("toy://127.0.0.1:1?public_port=65536", kKnown).ok());
  CHECK(!parse_to("toy://127.0.0.1:1?public_port=1", kKnown).ok());
  CHECK(parse_to("toy://127.0.0.1?source=loopback", kKnown)->source == relay::SourceMode::kLoopback);
  CHECK(parse_to("aos://localhost?source=loopback", kByEnet)->source == relay::SourceMode::kLoopback);
  CHECK(parse_to("toy://h?source=transparent", kKnown)->source == relay::SourceMode::kTransparent);
  const auto by_http = parse_listen("ogar+ws://127.0.0.1?forwarded=10.0.0.0/8", games());
  REQUIRE(by_http.ok());
  CHECK(by_http->proxies.networks.size() == 1);
  CHECK(by_http->proxies.naming == net::ClientNaming::kForwarded);
  const auto refused = [](const char* url) {
    const auto end = parse_listen(url, games());
    return end.ok() ? "" : end.error().text;
  };
  CHECK(refused("ogar+ws://127.0.0.1?forwarded=").find("networks of the HTTP proxies") != std::string::npos);
  CHECK(refused("ogar+wss://127.0.0.1?forwarded=::1&cert=a&key=b").find("is for +ws") != std::string::npos);
  CHECK(refused("ogar+ws://127.0.0.1?forwarded=::1&proxy_protocol=::1").find("either") != std::string::npos);
  CHECK(refused("bzflag://127.0.0.1?forwarded=::1").find("unknown parameter") != std::string::npos);
  const auto why = [](std::string_view url, EndpointRole role) {
    const auto end =
        role == EndpointRole::kTo
            ? Outcome<Done>(parse_to(url, kKnown).ok() ? Outcome<Done>(Done{}) : parse_to(url, kKnown).error())
            : (parse_listen(url, kKnown).ok() ? Outcome<Done>(Done{}) : parse_listen(url, kKnown).error());
    REQUIRE_FALSE(end.ok());
    return end.error().text;
  };
  CHECK(why("toy://127.0.0.1?proxy_protocol=", EndpointRole::kListen).find("needs the networks") != std::string::npos);
  CHECK(why("toy://127.0.0.1?proxy_protocol=balancer", EndpointRole::kListen).find("balancer") != std::string::npos);
  CHECK(why("toy://h?send_proxy=3", EndpointRole::kTo).find("'send_proxy': expected v1 or v2, got '3'") !=
        std::string::npos);
  CHECK(why("toy://192.0.2.7?source=loopback", EndpointRole::kTo).find("server on this machine") != std::string::npos);
  CHECK(why("toy://127.0.0.1?send_proxy=v1", EndpointRole::kListen).find("belongs in the server's URL") !=
        std::string::npos);
}

TEST_CASE("an option for one side is refused in the other side's URL, and only its own side's help lists it") {
  for (const UrlOption& option : url_options()) {
    if (!option.role) continue;
    const EndpointRole other = *option.role == EndpointRole::kListen ? EndpointRole::kTo : EndpointRole::kListen;
    CHECK(help_of_url_options(other).find(std::string("&") + option.name + "=") == std::string::npos);
    CHECK(help_of_url_options(*option.role).find(std::string("&") + option.name + "=") != std::string::npos);
    for (const char* game : {"bzflag", "aos", "ogar+ws"}) {
      const std::string url = std::string(game) + "://h?" + option.name + "=x";
      const auto end = parse_endpoint(url, games(), other);
      REQUIRE_FALSE(end.ok());
      const bool refused = end.error().text.find("belongs in the ") != std::string::npos;
      const bool unknown = end.error().text.find("unknown parameter") != std::string::npos;
      CHECK_MESSAGE((refused || unknown), end.error().text);
    }
  }
}

}  // namespace entente::endpoint_test
