// X-Forwarded-For and Forwarded: which client they name, whatever the client sent itself, and each kind of error.
#include "proxy/net/proxies/forwarded.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace entente::net::forwarded_test {
namespace {

/// 10.0.0.0/8 and 2001:db8:ffff::/48 are trusted.
TrustedProxies proxies() {
  return {{*Network::parse("10.0.0.0/8"), *Network::parse("2001:db8:ffff::/48")}, ClientNaming::kForwarded};
}

using Headers = std::vector<HttpHeader>;

Result<Address> client(const Headers& headers) {
  HttpHead head;
  head.headers = headers;
  return forwarded_client(head, proxies());
}

void check_client(const Headers& headers, const char* expected) {
  CAPTURE(headers[0].value);
  const auto found = client(headers);
  REQUIRE_MESSAGE(found.ok(), found.error().what);
  CHECK(found->text() == expected);
}

void check_fault(const Headers& headers, const char* what, const char* field, std::size_t offset) {
  CAPTURE(headers[0].value);
  const auto found = client(headers);
  REQUIRE_FALSE(found.ok());
  CHECK(std::string(found.error().what) == what);
  CHECK(std::string(found.error().field) == field);
  CHECK(found.error().offset == offset);
}

constexpr const char* kFor = "X-Forwarded-For";
constexpr const char* kForwarded = "Forwarded";

TEST_CASE("X-Forwarded-For: the last address that is not a trusted proxy counts") {
  check_client({{kFor, "192.0.2.7"}}, "192.0.2.7:0");
  check_client({{"x-forwarded-FOR", "192.0.2.7"}}, "192.0.2.7:0");
  check_client({{kFor, "192.0.2.7:4711"}}, "192.0.2.7:4711");
  check_client({{kFor, "2001:db8::7"}}, "[2001:db8::7]:0");
  check_client({{kFor, "[2001:db8::7]"}}, "[2001:db8::7]:0");
  check_client({{kFor, "[2001:DB8::7]:4711"}}, "[2001:db8::7]:4711");
  check_client({{kFor, "::ffff:192.0.2.7"}}, "192.0.2.7:0");
  check_client({{kFor, "203.0.113.1, 192.0.2.7"}}, "192.0.2.7:0");
  check_client({{kFor, "203.0.113.1,192.0.2.7\t,  10.1.2.3,[2001:db8:ffff::1]:5"}}, "192.0.2.7:0");
  check_client({{kFor, "203.0.113.1"}, {"Host", "a"}, {kFor, "192.0.2.7, 10.1.2.3"}}, "192.0.2.7:0");
  check_client({{kFor, "203.0.113.1, 192.0.2.7"}, {kFor, "10.1.2.3"}}, "192.0.2.7:0");
  check_client({{kFor, "192.0.2.7, ::ffff:10.0.0.1"}}, "192.0.2.7:0");
  check_client({{kFor, "10.0.0.1, 10.0.0.2"}}, "10.0.0.1:0");  // a client in our own network
}

TEST_CASE("Forwarded: the last address that is not a trusted proxy counts") {
  check_client({{kForwarded, "for=192.0.2.7"}}, "192.0.2.7:0");
  check_client({{kForwarded, "FOR=192.0.2.7;proto=https;by=10.0.0.1"}}, "192.0.2.7:0");
  check_client({{kForwarded, "proto=https; for=\"192.0.2.7:4711\" ;host=\"a;b,c=\\\"d\""}}, "192.0.2.7:4711");
  check_client({{kForwarded, "for=\"[2001:db8::7]\""}}, "[2001:db8::7]:0");
  check_client({{kForwarded, "For=\"[2001:db8:cafe::17]:4711\""}}, "[2001:db8:cafe::17]:4711");
  check_client({{kForwarded, "for=\"192.0.2.7:_secret\""}}, "192.0.2.7:0");
  check_client({{kForwarded, "for=\"192.0.2.7:65535\";AZ=az"}}, "192.0.2.7:65535");
  check_client({{kForwarded, "for=\"\\1\\92.0.2.7\""}}, "192.0.2.7:0");
  check_client({{kForwarded, "for=203.0.113.1, for=192.0.2.7, for=10.0.0.1;by=10.0.0.2"}}, "192.0.2.7:0");
  check_client({{kForwarded, "for=203.0.113.1"}, {kForwarded, "for=192.0.2.7"}, {kForwarded, "for=10.0.0.1"}},
               "192.0.2.7:0");
}

TEST_CASE("what the client itself sent does not matter, even if it is malformed") {
  check_client({{kFor, "unknown, 192.0.2.7"}}, "192.0.2.7:0");
  check_client({{kFor, ",,rubbish, 192.0.2.7"}}, "192.0.2.7:0");
  check_client({{kFor, "rubbish"}, {kFor, "192.0.2.7"}}, "192.0.2.7:0");
  check_client({{kForwarded, "for=_hidden, for=192.0.2.7"}}, "192.0.2.7:0");
  check_client({{kForwarded, "for=\"open"}, {kForwarded, "for=192.0.2.7"}}, "192.0.2.7:0");
}

TEST_CASE("a quotation mark from the client does not hide what the proxy appends") {
  for (const char* sent : {"for=\"", "for=203.0.113.1;x=\"", "for=203.0.113.1;x=\"\\", "\"", "for=203.0.113.1, \""}) {
    CAPTURE(sent);
    CHECK_FALSE(client({{kForwarded, std::string(sent) + ", for=192.0.2.7"}}).ok());
    CHECK_FALSE(client({{kForwarded, std::string(sent) + ", for=\"[2001:db8::7]:1\""}}).ok());
    CHECK_FALSE(client({{kForwarded, std::string(sent) + ", for=192.0.2.7;host=\"a\""}}).ok());
  }
}

TEST_CASE("a missing or malformed header is refused with field and offset") {
  check_fault({{"Host", "a"}}, "no X-Forwarded-For or Forwarded header", "", 0);
  const char* const wrong = "bad forwarded address";
  check_fault({{kFor, "203.0.113.1, 192.0.2.256"}}, wrong, kFor, 13);
  for (const char* value : {"192.0.2",
                            "192.0.2.7:",
                            "192.0.2.7:65536",
                            "192.0.2.7:-1",
                            "192.0.2.7:+1",
                            "192.0.2.7:000001",
                            "192.0.2.7:1:2",
                            "192.0.2.7:47x",
                            "192.0.2.7 x",
                            "[192.0.2.7]",
                            "[2001:db8::7",
                            "2001:db8::7]",
                            "[2001:db8::7]4711",
                            "[2001:db8::7]:",
                            "[]",
                            "[[::1]]",
                            "fe80::1%eth0",
                            "2001:db8::7::",
                            "localhost",
                            "\"192.0.2.7\"",
                            "for=192.0.2.7",
                            "0.0.0.0",
                            "::",
                            "::ffff:0.0.0.0",
                            "0x7f.1",
                            "-",
                            "_",
                            "_a b"})
    check_fault({{kFor, value}}, wrong, kFor, 0);
  check_fault({{kFor, std::string("192.0.2.7\0x", 11)}}, wrong, kFor, 0);
  for (const char* value : {"unknown", "UnKnown", "_hidden", "_SEVKISEK", "_a:4711", "_a9.b_c-d"})
    check_fault({{kFor, value}}, "hidden forwarded address", kFor, 0);
  check_fault({{kForwarded, "for=unknown"}}, "hidden forwarded address", kForwarded, 4);
  check_fault({{kForwarded, "for=192.0.2.7, for=\"_gazonk\""}}, "hidden forwarded address", kForwarded, 19);
  check_fault({{kForwarded, "for=\"2001:db8::7\""}}, wrong, kForwarded, 4);  // needs brackets
  check_fault({{kForwarded, "proto=https"}}, wrong, kForwarded, 0);
  check_fault({{kForwarded, "for=\"\""}}, wrong, kForwarded, 4);
  const char* const header = "bad Forwarded header";
  check_fault({{kForwarded, "192.0.2.7"}}, header, kForwarded, 9);
  check_fault({{kForwarded, "for = 192.0.2.7"}}, header, kForwarded, 3);
  check_fault({{kForwarded, "for=192.0.2.7:80"}}, header, kForwarded, 13);  // needs quotes
  check_fault({{kForwarded, "for=[2001:db8::7]"}}, header, kForwarded, 4);
  check_fault({{kForwarded, "for=192.0.2.7;"}}, header, kForwarded, 14);
  check_fault({{kForwarded, "=x;for=192.0.2.7"}}, header, kForwarded, 0);
  check_fault({{kForwarded, "for=192.0.2.7;proto="}}, header, kForwarded, 20);
  check_fault({{kForwarded, "for=192.0.2.7;host={"}}, header, kForwarded, 19);
  check_fault({{kForwarded, ";, for=10.0.0.1"}}, header, kForwarded, 0);  // an entry without parameters is not empty
  check_fault({{kForwarded, "for=192.0.2.7,proto=https"}}, wrong, kForwarded, 14);
  check_fault({{kForwarded, "for=\"192.0.2.7"}}, header, kForwarded, 14);
  check_fault({{kForwarded, "for=\"192.0.2.7\"x"}}, header, kForwarded, 15);
  check_fault({{kForwarded, "for=192.0.2.7;For=192.0.2.8"}}, "for given twice", kForwarded, 18);
}

TEST_CASE("empty entries of a list are skipped") {
  for (const char* list : {"192.0.2.7,", ",192.0.2.7", "192.0.2.7, ,10.0.0.1", ", ,\t192.0.2.7 , ,, 10.0.0.1 ,, "})
    check_client({{kFor, list}}, "192.0.2.7:0");
  for (const char* list : {"for=192.0.2.7,", ",for=192.0.2.7", "for=192.0.2.7, ,for=10.0.0.1",
                           ", ,\tfor=192.0.2.7;proto=https , ,, for=10.0.0.1 ,, "})
    check_client({{kForwarded, list}}, "192.0.2.7:0");
  for (const char* empty : {"", " ", ",", " , ,\t,"}) {
    check_client({{kFor, empty}, {kForwarded, "for=192.0.2.7"}}, "192.0.2.7:0");
    check_client({{kForwarded, empty}, {kFor, "192.0.2.7"}}, "192.0.2.7:0");
    check_client({{kFor, "192.0.2.7"}, {kFor, empty}}, "192.0.2.7:0");
    check_fault({{kFor, empty}, {kForwarded, empty}}, "no X-Forwarded-For or Forwarded header", "", 0);
  }
}

TEST_CASE("a header cut at any byte names this client or none, or is refused") {
  const std::string list = "203.0.113.1, 192.0.2.77:4711", pairs = "for=\"192.0.2.77:4711\";proto=https";
  for (std::size_t size = 0; size < pairs.size(); ++size) {
    CAPTURE(size);
    const auto found = client({{kForwarded, pairs.substr(0, size)}});
    if (found.ok()) CHECK(found->text() == "192.0.2.77:4711");
  }
  for (std::size_t size = 0; size < list.size(); ++size) (void)client({{kFor, list.substr(0, size)}});
}

TEST_CASE("both headers must name the same client") {
  check_client({{kFor, "192.0.2.7"}, {kForwarded, "for=\"192.0.2.7:4711\""}}, "192.0.2.7:4711");
  check_client({{kFor, "192.0.2.7:1"}, {kForwarded, "for=192.0.2.7"}}, "192.0.2.7:1");
  check_fault({{kFor, "192.0.2.7"}, {kForwarded, "for=192.0.2.8"}}, "X-Forwarded-For and Forwarded disagree",
              kForwarded, 0);
  check_fault({{kFor, "192.0.2.7"}, {kForwarded, "for=unknown"}}, "hidden forwarded address", kForwarded, 4);
  check_fault({{kForwarded, "for=192.0.2.7"}, {kFor, "x"}}, "bad forwarded address", kFor, 0);
}

}  // namespace
}  // namespace entente::net::forwarded_test
