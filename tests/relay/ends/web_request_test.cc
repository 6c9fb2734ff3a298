// Which requests a WebSocket route serves, with which status it refuses others, and which file or document a request is
// for.
#include "proxy/relay/ends/web_request.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "proxy/relay/ends/enet_reason.h"
#include "proxy/relay/ends/relay_link.h"
#include "tests/relay/route/one_route.h"
#include "tests/support/toy_game.h"

namespace entente::testing::web_request_test {
namespace {

using relay::Facing, relay::Reason;

constexpr Asset kPage[] = {{"index.html", "text/html", "<p>"}, {"main.js", "text/javascript", "play()"}};

/// The head of a request for this target.
net::HttpHead head_of(const std::string& target, const std::string& more = "", const std::string& method = "GET") {
  net::HttpReader reader(net::HttpReader::Of::kRequest);
  const auto taken = reader.feed(as_bytes(method + " " + target + " HTTP/1.1\r\nHost: a\r\n" + more + "\r\n"));
  REQUIRE(taken.ok());
  REQUIRE(reader.complete());
  return reader.head();
}
net::HttpHead upgrade_of(const std::string& target, const std::string& more = "") {
  return head_of(target,
                 "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                     more);
}

struct Served {
  explicit Served(relay::WebOptions web) : route(loop, with(std::move(web)), {loopback()}) {}
  static relay::RouteOptions with(relay::WebOptions web) {
    relay::RouteOptions options = options_of(toy::messages());
    options.web = std::move(web);
    return options;
  }
  /// The status with which it is refused; 0: it is served.
  unsigned refusal(const net::HttpHead& request) {
    unsigned status = 0;
    return relay::objection(route.route, request, status) ? status : 0;
  }
  const Asset* file(const net::HttpHead& request) const { return relay::file_for(route.route, request); }

  net::Loop loop;
  OneRoute route;
};

relay::WebOptions at(const char* path, bool page = false) {
  relay::WebOptions web;
  web.path = path;
  if (page) web.page = kPage;
  return web;
}

TEST_CASE("web request: an upgrade is served at the route's path, or at any path if it has none") {
  Served any(at("")), play(at("/play"));
  CHECK(any.refusal(upgrade_of("/")) == 0);
  CHECK(any.refusal(upgrade_of("/other?x=1")) == 0);
  CHECK(play.refusal(upgrade_of("/play")) == 0);
  CHECK(play.refusal(upgrade_of("/play?name=anna")) == 0);
  CHECK(play.refusal(upgrade_of("/")) == 404);
  CHECK(play.refusal(upgrade_of("/play/")) == 404);
}

TEST_CASE("web request: what is no upgrade, comes from another origin, or while the route drains, is refused") {
  relay::WebOptions web = at("");
  web.origins = {"https://here.example"};
  Served it(web), open(at(""));
  CHECK(it.refusal(upgrade_of("/", "Origin: https://here.example\r\n")) == 0);
  CHECK(it.refusal(upgrade_of("/", "Origin: https://there.example\r\n")) == 403);
  CHECK(open.refusal(upgrade_of("/", "Origin: https://there.example\r\n")) == 0);
  CHECK(open.refusal(head_of("/")) == 426);
  CHECK(open.refusal(head_of("/", "", "POST")) == 405);
  open.route.route.draining = true;
  CHECK(open.refusal(upgrade_of("/")) == 503);
}

TEST_CASE("web request: with a page, a request for a file that is not there is refused as such") {
  Served page(at("", true)), plain(at(""));
  CHECK(page.refusal(head_of("/none")) == 404);
  CHECK(plain.refusal(head_of("/none")) == 426);
  CHECK(page.refusal(upgrade_of("/none")) == 0);
}

TEST_CASE("web request: the page is at the route's path, and its files are beside it") {
  Served root(at("", true)), play(at("/games/play", true)), none(at(""));
  CHECK(root.file(head_of("/")) == &kPage[0]);
  CHECK(root.file(head_of("/", "", "HEAD")) == &kPage[0]);
  CHECK(root.file(head_of("/main.js")) == &kPage[1]);
  CHECK(root.file(head_of("/index.html")) == nullptr);
  CHECK(root.file(upgrade_of("/")) == nullptr);
  CHECK(root.file(head_of("/", "", "POST")) == nullptr);
  CHECK(play.file(head_of("/games/play")) == &kPage[0]);
  CHECK(play.file(head_of("/games/main.js")) == &kPage[1]);
  CHECK(play.file(head_of("/")) == nullptr);
  CHECK(none.file(head_of("/")) == nullptr);
}

TEST_CASE("web request: a document is asked for by its name beside the page, and only by a request for a file") {
  std::string asked;
  for (const char* const path : {"", "/games/play"}) {
    relay::WebOptions web = at(path);
    web.documents = [&asked](const net::HttpHead&, std::string_view name) -> std::optional<net::HttpReply> {
      asked = name;
      return net::HttpReply{};
    };
    Served it(web);
    const std::string folder = *path == '\0' ? "/" : "/games/";
    CHECK(relay::document_for(it.route.route, head_of(folder + "a/list.json")));
    CHECK(asked == "a/list.json");
    asked.clear();
    CHECK_FALSE(relay::document_for(it.route.route, upgrade_of(folder + "list.json")));
    CHECK_FALSE(relay::document_for(it.route.route, head_of(folder + "list.json", "", "POST")));
    if (*path != '\0') CHECK_FALSE(relay::document_for(it.route.route, head_of("/list.json")));
    CHECK(asked.empty());
  }
  Served none(at(""));
  CHECK_FALSE(relay::document_for(none.route.route, head_of("/list.json")));
}

TEST_CASE("web request: a message that is too large has its own close code, and other bad content another") {
  for (const char* const what : {"message too large", "frame too large", "oversize frame"})
    CHECK(relay::content_code(Fault{what}) == 1009);
  for (const char* const what : {"unknown code", "too large a number", "an oversize frame"})
    CHECK(relay::content_code(Fault{what}) == 1007);
}

TEST_CASE("parting code: over ENet a client gets its game's number, over a WebSocket a peer that was wrong a code") {
  const auto code = [](const wire::Game& game, Facing side, Reason why) {
    return relay::parting_code(game, side, why);
  };
  CHECK(code(toy::packets(), Facing::kClient, Reason::kKicked) ==
        toy::packets().enet_parting(relay::telling(Reason::kKicked).parting));
  CHECK(code(toy::packets(), Facing::kServer, Reason::kKicked) == 0);
  for (const Reason why : {Reason::kProtocolFault, Reason::kBadFrame}) {
    CHECK(code(toy::messages(), Facing::kClient, why) == 1007);
    CHECK(code(toy::messages(), Facing::kServer, why) == 0);
  }
  CHECK(code(toy::messages(), Facing::kServer, Reason::kServerProtocolError) == 1007);
  CHECK(code(toy::messages(), Facing::kClient, Reason::kServerProtocolError) == 0);
  CHECK(code(toy::messages(), Facing::kClient, Reason::kKicked) == 0);
}

TEST_CASE(
    "pauses: a peer is read again when no reason to pause it is left, and the first reason is the one that counts") {
  relay::Pauses pauses;
  CHECK_FALSE(pauses.any());
  CHECK_FALSE(pauses.remove(relay::kRate));
  CHECK(pauses.add(relay::kRate));
  CHECK_FALSE(pauses.add(relay::kRate));
  CHECK_FALSE(pauses.add(relay::kLab));
  CHECK(pauses.has(relay::kRate));
  CHECK_FALSE(pauses.has(relay::kEarly));
  CHECK_FALSE(pauses.remove(relay::kRate));
  CHECK_FALSE(pauses.remove(relay::kEarly));
  CHECK(pauses.any());
  CHECK(pauses.remove(relay::kLab));
  CHECK_FALSE(pauses.remove(relay::kLab));
  pauses.add(relay::kEarly);
  pauses.clear();
  CHECK_FALSE(pauses.any());
}

/// A link whose peer's data waits.
struct Unserved {
  bool waits = false;
  Millis millis = 0;
  bool is_unserved() const { return waits; }
  Millis unserved_millis() const { return millis; }
};

TEST_CASE("late: only once more than the limit has passed, and the time for which data waited for us does not count") {
  CHECK_FALSE(relay::late(1'100, 1'000, 100));
  CHECK(relay::late(1'101, 1'000, 100));
  CHECK_FALSE(relay::late(9'999, 1'000, 0));
  Unserved link;
  CHECK(relay::late(1'101, 1'000, 100, link));
  link.millis = 50;
  CHECK_FALSE(relay::late(1'150, 1'000, 100, link));
  CHECK(relay::late(1'151, 1'000, 100, link));
  link.waits = true;
  CHECK_FALSE(relay::late(9'999, 1'000, 100, link));
  link.waits = false;
  const relay::Wait wait = relay::wait_from(2'000, link);  // what waited before does not count
  link.millis = 80;
  CHECK_FALSE(relay::late(2'130, wait, 100, link));
  CHECK(relay::late(2'131, wait, 100, link));
  CHECK_FALSE(relay::late(9'999, wait, 0, link));
  link.millis = 0;  // of another connection
  CHECK(relay::late(2'101, wait, 100, link));
  link.waits = true;
  CHECK_FALSE(relay::late(9'999, wait, 100, link));
}

}  // namespace
}  // namespace entente::testing::web_request_test
