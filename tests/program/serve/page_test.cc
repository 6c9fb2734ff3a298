// A browser that opens the address of a native listener gets the page, for bridges and relays.
#include <doctest/doctest.h>

#include "adapters/native/page.h"
#include "tests/relay/peers.h"
#include "tests/support/listening.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::page_test {

namespace {

/// A listener whose server is never used.
class Listening {
 public:
  Listening(const std::string& dialect, const std::string& to)
      : process_(
            {testing::entente_binary(), "proxy", "--listen", "native+ws://127.0.0.1:0?dialect=" + dialect, "--to", to}),
        address_(*net::Address::parse("127.0.0.1", testing::listening_port(process_, "native+ws " + dialect))) {}

  std::string get(const std::string& path) const {
    const auto client = testing::Stream::to(address_);
    client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    return std::string(as_text(client.read_all()));
  }

 private:
  Process process_;
  net::Address address_;
};

}  // namespace

TEST_CASE("a bridge serves each file of the page unchanged") {
  const Listening listening("json", "bzflag://127.0.0.1:1?dialect=2.4");
  for (const Asset& file : native::page()) {
    CAPTURE(file.name);
    const bool first = &file == &native::page().front();
    const std::string all = listening.get("/" + (first ? "" : std::string(file.name)));
    CHECK(all.starts_with("HTTP/1.1 200 OK\r\n"));
    CHECK(all.find("Content-Type: " + std::string(file.type) + "\r\n") != std::string::npos);
    CHECK(all.ends_with("\r\n\r\n" + std::string(file.text)));
  }
  CHECK(listening.get("/else").starts_with("HTTP/1.1 404 "));
}

TEST_CASE("a relay serves the page; a listener with binary words does not") {
  CHECK(Listening("json", "native+ws://127.0.0.1:1?dialect=json").get("/").find("<!doctype html>") !=
        std::string::npos);
  const Listening bare("protobuf", "bzflag://127.0.0.1:1?dialect=2.4");
  CHECK(bare.get("/").starts_with("HTTP/1.1 426 "));
}

}  // namespace entente::page_test
