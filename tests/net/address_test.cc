// Addresses are parsed strictly, printed as they are parsed, and compared by value.
#include "proxy/net/address.h"

#include <doctest/doctest.h>

namespace entente::net::address_test {
namespace {

TEST_CASE("a parsed address prints the same") {
  for (const char* text :
       {"127.0.0.1:5154", "0.0.0.0:0", "255.255.255.255:65535", "[::1]:5154", "[::]:0", "[2001:db8::1]:4410"}) {
    CAPTURE(text);
    const auto address = Address::parse(text);
    REQUIRE(address.ok());
    CHECK(address->text() == text);
    CHECK(Address::from(address->raw()) == *address);
  }
}

TEST_CASE("an invalid address is refused with a reason") {
  const struct {
    const char *text, *why;
  } cases[] = {
      {"", "no port"},
      {"127.0.0.1", "no port"},
      {"127.0.0.1:", "port is not a number"},
      {"127.0.0.1:x", "port"},
      {"127.0.0.1:70000", "port"},
      {"127.0.0.1:-1", "port"},
      {"localhost:80", "no IPv4 or IPv6"},
      {"127.1:80", "no IPv4"},
      {"::1:80", "brackets"},
      {"[::1:80", "no IPv4 or IPv6"},
      {"[]:80", "no IPv4"},
      {"1.2.3.4.5:1", "no IPv4"},
  };
  for (const auto& one : cases) {
    CAPTURE(one.text);
    const auto address = Address::parse(one.text);
    REQUIRE(!address.ok());
    CHECK(address.error().text.find(one.why) != std::string::npos);
  }
}

TEST_CASE("an address followed by a NUL is refused") {
  using std::literals::operator""s;
  for (const std::string& ip : {"127.0.0.1\0"s, "127.0.0.1\0x"s, "::1\0"s, "[::1\0x]"s, "\0"s}) {
    CHECK_FALSE(Address::parse(ip, 1).ok());
    CHECK_FALSE(Address::parse(ip + ":1").ok());
  }
}

TEST_CASE("addresses are compared by IP, or by IP and port") {
  const Address a = *Address::parse("10.0.0.1:5"), b = *Address::parse("10.0.0.1:6"), c = *Address::parse("[::1]:5");
  CHECK(a.same_ip(b));
  CHECK(!(a == b));
  CHECK(a == b.with_port(5));
  CHECK(a.hash() == b.with_port(5).hash());
  CHECK(!a.same_ip(c));
  CHECK(a.wildcard_of_family() == *Address::parse("0.0.0.0:0"));
  CHECK(c.wildcard_of_family() == *Address::parse("[::]:0"));
  CHECK(!a.wildcard());
  CHECK(c.wildcard_of_family().with_port(7).wildcard());
}

TEST_CASE("limits count an IPv4 address, or the /64 that one host owns") {
  CHECK(Address::parse("10.0.0.1:5")->host_key() == *Address::parse("10.0.0.1:0"));
  CHECK(Address::parse("[2001:db8::1]:5")->host_key() == Address::parse("[2001:db8::ffff:1]:9")->host_key());
  CHECK(!(Address::parse("[2001:db8:0:1::1]:5")->host_key() == Address::parse("[2001:db8::1]:5")->host_key()));
}

TEST_CASE("a literal needs no resolver, and an invalid name is a clear error") {
  CHECK(resolve("::1", 7)->front() == *Address::parse("[::1]:7"));
  const auto none = resolve("no such host.invalid", 7);
  REQUIRE(!none.ok());
  CHECK(none.error().text.find("cannot look up 'no such host.invalid'") == 0);
}

}  // namespace
}  // namespace entente::net::address_test
