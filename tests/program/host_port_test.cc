#include "proxy/program/base/host_port.h"

#include <doctest/doctest.h>

#include <string>

namespace entente {
namespace {

TEST_CASE("only HOST:PORT is accepted as a host and a port") {
  for (const char* good : {"example.org:4000", "192.0.2.7:1", "[2001:db8::7]:65535"}) CHECK(is_host_and_port(good));
  for (const char* bad :
       {"", "example.org", ":4000", "192.0.2.7:0", "192.0.2.7:65536", "192.0.2.7:", "192.0.2.7:4x", "2001:db8::7:4000",
        "[]:4000", "two words:4000", "user@example.org:4000", "example.org/x:4000", "[::1:4000", "a[::1]:4000"})
    CHECK_FALSE_MESSAGE(is_host_and_port(bad), std::string(bad));
}

}  // namespace
}  // namespace entente
