// Addresses are parsed strictly, printed as they are parsed, and compared by value.
#include "proxy/net/address.h"

#include <doctest/doctest.h>

#include <algorithm>

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

TEST_CASE("all addresses of an IPv6 /64 are one host for limits, in whichever byte they differ") {
  const Address host = *Address::parse("[2001:db8:0:1::]:0");
  for (const char* same : {"[2001:db8:0:1:8000::]:5", "[2001:db8:0:1:ff00::]:5", "[2001:db8:0:1:0100::]:5",
                           "[2001:db8:0:1:80::]:5", "[2001:db8:0:1::8000]:5", "[2001:db8:0:1:ffff:ffff:ffff:ffff]:5"}) {
    CAPTURE(same);
    CHECK(Address::parse(same)->host_key() == host);
  }
  for (const char* other : {"[2001:db8::]:0", "[2001:db8:0:3::]:0", "[2001:db8:0:8001::]:0", "[3001:db8:0:1::]:0"}) {
    CAPTURE(other);
    CHECK_FALSE(Address::parse(other)->host_key() == host);
  }
}

/// A link-local address of this interface.
Address link_local(std::uint32_t interface) {
  sockaddr_in6 raw{};
  raw.sin6_family = AF_INET6;
  raw.sin6_addr.s6_addr[0] = 0xFE;
  raw.sin6_addr.s6_addr[1] = 0x80;
  raw.sin6_addr.s6_addr[15] = 1;
  raw.sin6_scope_id = interface;
  return Address::from(reinterpret_cast<const sockaddr*>(&raw));
}

TEST_CASE("link-local addresses of two interfaces are two peers, and one host for limits") {
  CHECK(link_local(2) == link_local(2));
  CHECK_FALSE(link_local(2) == link_local(3));
  CHECK(link_local(2).host_key() == link_local(3).host_key());
}

TEST_CASE("an IPv4 address in IPv6 form becomes that address with its port; others stay") {
  CHECK(Address::parse("[::ffff:192.0.2.7]:4711")->unmapped() == *Address::parse("192.0.2.7:4711"));
  for (const char* other : {"192.0.2.7:4711", "[2001:db8::7]:4711", "[::192.0.2.7]:4711"}) {
    CAPTURE(other);
    CHECK(Address::parse(other)->unmapped() == *Address::parse(other));
  }
}

TEST_CASE("the address of another family than IPv4 and IPv6 is the wildcard") {
  sockaddr local{};
  local.sa_family = AF_UNIX;
  local.sa_data[0] = 'x';
  CHECK(Address::from(&local) == Address());
}

TEST_CASE("a literal needs no resolver, and an invalid name is a clear error") {
  CHECK(resolve("::1", 7)->front() == *Address::parse("[::1]:7"));
  const auto none = resolve("no such host.invalid", 7);
  REQUIRE(!none.ok());
  CHECK(none.error().text.find("cannot look up 'no such host.invalid'") == 0);
}

TEST_CASE("each address of a name is found once, with the port that was asked for") {
  const auto found = resolve("localhost", 7);
  REQUIRE(found.ok());
  REQUIRE_FALSE(found->empty());
  for (const Address& one : *found) {
    CHECK(one.port() == 7);
    CHECK(std::count(found->begin(), found->end(), one) == 1);
  }
}

}  // namespace
}  // namespace entente::net::address_test
