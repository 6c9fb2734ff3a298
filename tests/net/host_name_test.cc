// The name in a Host header, and whether another site could own it.
#include "proxy/net/web/host_name.h"

#include <doctest/doctest.h>

namespace entente::net::host_name_test {
namespace {

TEST_CASE("host name: it is in lower case and has no port; a malformed header has none") {
  CHECK(name_of_host("Example.ORG:8080") == "example.org");
  CHECK(name_of_host("example.org") == "example.org");
  CHECK(name_of_host("example.org:") == "example.org");
  CHECK(name_of_host("[::1]:80") == "[::1]");
  CHECK(name_of_host("[2001:DB8::1]") == "[2001:db8::1]");
  for (const char* malformed : {"", ":80", "a:b", "a:80x", "a:8/0", "a:8:0", "[::1", "[::1]80", "[::1]x:80", "::1"}) {
    CAPTURE(malformed);
    CHECK(name_of_host(malformed).empty());
  }
}

TEST_CASE("host name: nobody else can own an IP address or localhost") {
  for (const char* machine : {"localhost", "127.0.0.1", "192.0.2.7", "[::1]"}) {
    CAPTURE(machine);
    CHECK(is_machine_name(machine));
  }
  for (const char* other : {"", "example.org", "localhost.example.org", "127.0.0.1.example.org", "0x7f.1"}) {
    CAPTURE(other);
    CHECK_FALSE(is_machine_name(other));
  }
}

}  // namespace
}  // namespace entente::net::host_name_test
