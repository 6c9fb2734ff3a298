#include "proxy/program/settings/web.h"

#include <doctest/doctest.h>

#include <array>

#include "adapters/ogar/ogar.h"
#include "proxy/program/config/config.h"
#include "proxy/program/settings/route.h"
#include "tests/support/certificate.h"
#include "tests/support/toy_game.h"

namespace entente::web_test {

namespace {

const std::array<const wire::Game*, 2> kKnown = {&toy::game(), &ogar::game()};

/// "" if the URL is valid, or the error.
std::string wrong(const Outcome<ListenEnd>& end) { return end ? "" : end.error().text; }
std::string listen(std::string_view url) { return wrong(parse_listen(url, kKnown)); }
std::string to(std::string_view url) {
  const auto end = parse_to(url, kKnown);
  return end ? "" : end.error().text;
}
bool says(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a WebSocket URL has a path, and with TLS the files of its certificates") {
  const auto end = parse_endpoint(
      "ogar+wss://[::1]:8443/play?cert=a.pem&key=b.pem&origin=https://x&origin=https://y"
      "&dialect=legacy6",
      kKnown);
  REQUIRE(end.ok());
  CHECK(end->game == &ogar::game());
  CHECK(end->host == "::1");
  CHECK(end->port == 8443);
  CHECK(end->dialect == 3);
  REQUIRE(end->web);
  CHECK(end->web->tls);
  CHECK(end->web->path == "/play");
  CHECK(end->web->certificates == "a.pem");
  CHECK(end->web->key == "b.pem");
  CHECK(end->web->origins == std::vector<std::string>{"https://x", "https://y"});

  const auto plain = parse_endpoint("ogar+ws://h/", kKnown);
  REQUIRE(plain.ok());
  CHECK(plain->web->path.empty());
  CHECK_FALSE(plain->web->tls);
  CHECK_FALSE(parse_endpoint("toy://h", kKnown)->web);
}

TEST_CASE("options that do not fit a WebSocket URL are refused") {
  CHECK(says(to("ogar://h"), "ogar uses WebSocket: write ogar+ws:// or, for TLS, ogar+wss://"));
  CHECK(says(to("ogar+tcp://h"), "ogar uses WebSocket"));
  CHECK(says(to("toy+ws://h"), "toy does not use WebSocket: write toy://"));
  CHECK(says(listen("ogar+ws://127.0.0.1?kea=x"), "did you mean 'key'?"));
  CHECK(says(to("toy://h?cert=x"), "parameters: dialect"));
  CHECK(says(to("ogar+ws://h?cert=x"), "'cert' belongs in the URL to listen on"));
  CHECK(says(to("ogar+ws://h?ca=x"), "certificates need +wss"));
  CHECK(says(to("ogar+wss://h?verify=maybe"), "'verify': expected yes or no, got 'maybe'"));
  CHECK(says(to("ogar+wss://h?verify=no&verify=yes"), "'verify' is given twice"));
  CHECK(to("ogar+wss://h/inner?ca=x&verify=no") == "");
  CHECK(says(listen("ogar+ws://127.0.0.1?verify=no"), "'verify' belongs in the server's URL"));
  CHECK(says(listen("ogar+wss://127.0.0.1?cert=x"), "TLS needs a certificate and its key"));
  CHECK(says(listen("ogar+ws://127.0.0.1?cert=x&key=y"), "certificates need +wss"));
  CHECK(listen("ogar+ws://127.0.0.1/play?origin=https://x") == "");
}

TEST_CASE("routes may share a port by path, if they agree on TLS") {
  const auto complaints = [](const std::vector<std::string>& listeners) {
    std::string toml, all;
    for (const std::string& url : listeners)
      toml += "[[route]]\nlisten = \"" + url + "\"\nto = \"" + (url.starts_with("toy") ? "toy://h" : "ogar+ws://h") +
              "\"\n";
    const auto config = parse_config(toml, "a", kKnown);
    if (!config)
      for (const std::string& complaint : config.error()) all += complaint + "\n";
    return all;
  };
  CHECK(complaints({"ogar+ws://127.0.0.1:80/a", "ogar+ws://127.0.0.1:80/b", "ogar+ws://127.0.0.1:80"}) == "");
  CHECK(complaints({"ogar+ws://127.0.0.1:80/a", "ogar+ws://127.0.0.1:80/a"}) ==
        "a:5:10: route[1].listen: 127.0.0.1:80/a is taken by route[0].listen already\n");
  CHECK(complaints({"ogar+ws://127.0.0.1:80", "ogar+ws://127.0.0.1:80"}) ==
        "a:5:10: route[1].listen: 127.0.0.1:80 for any path is taken by route[0].listen already\n");
  const Certificate own;
  const std::string keys = "?cert=" + own.file() + "&key=" + own.file();
  CHECK(complaints({"ogar+wss://127.0.0.1:80/a" + keys, "ogar+wss://127.0.0.1:80/b" + keys}) == "");
  CHECK(complaints({"ogar+ws://127.0.0.1:80/a", "ogar+wss://127.0.0.1:80/b" + keys}) ==
        "a:5:10: route[1].listen: shares 127.0.0.1:80 with route[0].listen, but the TLS settings differ\n");
  CHECK(complaints({"ogar+ws://127.0.0.1:80/a", "toy://127.0.0.1:80"}) ==
        "a:5:10: route[1].listen: 127.0.0.1:80 is taken by route[0].listen already\n");
  CHECK(complaints({"toy://127.0.0.1:80", "ogar+ws://127.0.0.1:80/a"}) ==
        "a:5:10: route[1].listen: 127.0.0.1:80 is taken by route[0].listen already\n");
}

TEST_CASE("missing certificate files are reported before anything is served") {
  WebSocketSettings end;
  end.tls = true;
  end.certificates = end.key = "/nowhere/cert.pem";
  const auto options = web_options(end, WebSocketSettings{});
  REQUIRE_FALSE(options.ok());
  CHECK(says(options.error().text, "'/nowhere/cert.pem': No such file or directory"));
}

TEST_CASE("a listener whose clients name their dialect needs no dialect in its URL") {
  const auto join = [](std::string_view from, std::string_view towards) -> std::string {
    const auto joined = route_kind(*parse_listen(from, kKnown), *parse_to(towards, kKnown));
    return !joined ? joined.error().text : *joined == RouteKind::kBridge ? "bridge" : "relay";
  };
  CHECK(join("ogar+ws://127.0.0.1", "ogar+ws://h") == "relay");
  CHECK(join("ogar+ws://127.0.0.1?dialect=legacy6", "ogar+ws://h") == "relay");
  CHECK(join("ogar+ws://127.0.0.1?dialect=legacy6", "ogar+ws://h?dialect=legacy6") == "relay");
  CHECK(join("ogar+ws://127.0.0.1", "ogar+ws://h?dialect=legacy6") == "bridge");  // from each client's dialect
  CHECK(join("ogar+ws://127.0.0.1?dialect=modern3", "ogar+ws://h?dialect=legacy6") == "bridge");
  CHECK(says(join("toy://127.0.0.1?dialect=big", "toy://h?dialect=little"),
             "cannot be bridged (toy big has no front yet"));
  CHECK(parse_listen("ogar+ws://127.0.0.1", kKnown)->dialect_text() == "ogar any");
  CHECK(parse_listen("ogar+ws://127.0.0.1?dialect=legacy6", kKnown)->dialect_text() == "ogar legacy6");
}

}  // namespace entente::web_test
