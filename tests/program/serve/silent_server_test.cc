// A server that accepts a connection and sends nothing: for each game, a bridged player is refused in time.
#include <doctest/doctest.h>

#include "proxy/net/address.h"
#include "proxy/net/fd.h"
#include "tests/program/folder.h"
#include "tests/program/native_client.h"
#include "tests/support/listening.h"
#include "tests/support/paths.h"

namespace entente::silent_server_test {

namespace {

const std::string kEntente = testing::entente_binary();

/// Listens on a free port. The kernel accepts connections, and nothing ever reads from them.
class Silent {
 public:
  Silent() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const auto any = *net::Address::parse("127.0.0.1", 0);
    REQUIRE(::bind(fd_.get(), any.raw(), any.size()) == 0);
    REQUIRE(::listen(fd_.get(), 16) == 0);
    sockaddr_in here{};
    socklen_t size = sizeof here;
    REQUIRE(::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&here), &size) == 0);
    port_ = std::to_string(ntohs(here.sin_port));
  }
  const std::string& port() const { return port_; }

 private:
  net::Fd fd_;
  std::string port_;
};

}  // namespace

TEST_CASE("a bridged player is refused with a reason if the server accepts but sends nothing") {
  struct Row {
    const char* game;
    const char* dialect;
    const char* told;
  };
  const Row rows[] = {{"bzflag", "2.4", "the server did not answer within 400 ms"},
                      {"bzflag", "1.10", "the server did not answer within 400 ms"},
                      {"native", "protobuf", "the server did not answer within 400 ms"},
                      {"panic", "be-packed", "the server did not let the player in within 900 ms"},
                      {"ogar+ws", "modern3", "the server does not answer; try again later"}};
  for (const Row& row : rows) {
    CAPTURE(row.game);
    CAPTURE(row.dialect);
    const Folder folder;
    const Silent server;
    const std::string config =
        folder.write("a.toml",
                     "[limits]\nready_ms = 400\nlobby_ms = 900\nconnect_ms = 400\n[[route]]\nlisten = "
                     "\"native://127.0.0.1:0?dialect=json\"\nto = \"" +
                         std::string(row.game) + "://127.0.0.1:" + server.port() + "?dialect=" + row.dialect + "\"\n");
    Process bridge({kEntente, "run", config});
    NativeClient anna(testing::listening_port(bridge, "native json"));
    anna.says("{\"enter\":{\"name\":\"anna\"}}\n");
    const auto refused = anna.hears([](const auto& fact) { return fact.has_refused(); });
    REQUIRE(refused.has_value());
    CHECK(refused->refused().code() == words::Refused::SERVER_GONE);
    CHECK(refused->refused().text() == row.told);
    anna.hears([](const auto&) { return false; });  // waits for the close
  }
}

}  // namespace entente::silent_server_test
