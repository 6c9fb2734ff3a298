// A net contains the addresses of its family with its prefix, and is printed as it was written.
#include "proxy/net/network.h"

#include <doctest/doctest.h>

namespace entente::net::network_test {
namespace {

Address ip(const char* text) { return *Address::parse(text, 5154); }

TEST_CASE("which addresses a net contains") {
  struct Case {
    const char *net, *inside, *outside;
  };
  for (const Case& c : {Case{"192.0.2.7", "192.0.2.7", "192.0.2.6"},
                        {"192.0.2.0/24", "192.0.2.255", "192.0.3.0"},
                        {"10.0.0.0/8", "10.255.0.1", "11.0.0.0"},
                        {"192.0.2.64/27", "192.0.2.95", "192.0.2.96"},
                        {"192.0.2.6/31", "192.0.2.7", "192.0.2.8"},
                        {"0.0.0.0/0", "255.1.2.3", "2001:db8::1"},
                        {"::/0", "2001:db8::1", "192.0.2.7"},
                        {"2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"},
                        {"2001:db8:0:7::/65", "2001:db8:0:7:7fff::", "2001:db8:0:7:8000::"},
                        {"::1", "::1", "::2"},
                        {"192.0.2.7", "::ffff:192.0.2.7", "::192.0.2.7"}}) {
    CAPTURE(c.net);
    const auto net = Network::parse(c.net);
    REQUIRE(net.ok());
    CHECK(net->holds(ip(c.inside)));
    CHECK_FALSE(net->holds(ip(c.outside)));
    CHECK(net->text() == c.net);
    CHECK(NetworkHash()(*net) == NetworkHash()(Network::around(ip(c.inside), net->bits())));
  }
}

TEST_CASE("an invalid net is refused with a reason") {
  struct Case {
    const char *text, *why;
  };
  for (const Case& c : {Case{"", "no IPv4 or IPv6 address"},
                        {"example.org", "no IPv4 or IPv6 address"},
                        {"10.0.0.1/33", "the number after '/' must be from 0 to 32"},
                        {"::/129", "the number after '/' must be from 0 to 128"},
                        {"10.0.0.0/", "the number after '/' must be from 0 to "},
                        {"10.0.0.0/8x", "the number after '/' must be from 0 to "},
                        {"10.0.0.0/-1", "the number after '/' must be from 0 to "},
                        {"10.0.0.1/8", "its first address is 10.0.0.0/8"},
                        {"2001:db8::1/64", "its first address is 2001:db8::/64"}}) {
    CAPTURE(c.text);
    const auto net = Network::parse(c.text);
    REQUIRE_FALSE(net.ok());
    CHECK(net.error().text.find(c.why) != std::string::npos);
  }
}

TEST_CASE("a host is an IPv4 address or an IPv6 /64") {
  CHECK(Network::of_host(ip("192.0.2.7")).text() == "192.0.2.7");
  CHECK(Network::of_host(ip("2001:db8::7:1")).text() == "2001:db8::/64");
  CHECK(Network::of_host(ip("::ffff:192.0.2.7")).text() == "192.0.2.7");
}

TEST_CASE("loopback is 127.0.0.0/8, also in IPv6 form") {
  for (const char* loopback : {"127.0.0.0", "127.0.0.1", "127.255.255.255", "::ffff:127.0.0.1"}) {
    CAPTURE(loopback);
    CHECK(is_loopback_v4(ip(loopback)));
  }
  for (const char* other : {"126.255.255.255", "128.0.0.0", "0.0.0.0", "::1", "::127.0.0.1"}) {
    CAPTURE(other);
    CHECK_FALSE(is_loopback_v4(ip(other)));
  }
}

TEST_CASE("a network has at most as many bits as its addresses") {
  CHECK(Network::around(ip("192.0.2.7"), 128).text() == "192.0.2.7");
  CHECK(Network::around(ip("2001:db8::7"), 200).text() == "2001:db8::7");
}

}  // namespace
}  // namespace entente::net::network_test
