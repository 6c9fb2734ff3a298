// Headers of the PROXY protocol: the examples of its specification, headers that we write and read, and each kind of
// error.
#include "proxy/net/proxies/proxy_header.h"

#include <doctest/doctest.h>

#include <string>

namespace entente::net::proxy_header_test {
namespace {

using std::literals::operator""s;

Bytes bytes(const std::string& text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

Address at(const char* text) { return *Address::parse(text); }

/// A header of version 2. `start`: version, command and family.
std::string v2(const std::string& start, const std::string& rest) {
  return "\r\n\r\n\0\r\nQUIT\n"s + start +
         std::string{static_cast<char>(rest.size() >> 8U), static_cast<char>(rest.size())} + rest;
}

const std::string kTwo4 = "\xc0\x00\x02\x07\xc6\x33\x64\x01\xdc\x04\x14\x22"s;  // 192.0.2.7:56324, 198.51.100.1:5154

void check_client(const std::string& header, const char* client) {
  CAPTURE(header);
  const auto read = read_proxy_header(bytes(header + "MORE"));
  REQUIRE(read.ok());
  REQUIRE(read->has_value());
  CHECK((*read)->size == header.size());
  REQUIRE((*read)->client.has_value() == (client != nullptr));
  if (client != nullptr) CHECK((*read)->client->text() == client);
}

void check_fault(const std::string& header, const char* field, std::size_t offset) {
  CAPTURE(header);
  const auto read = read_proxy_header(bytes(header));
  REQUIRE_FALSE(read.ok());
  CHECK(std::string(read.error().field) == field);
  CHECK(read.error().offset == offset);
}

TEST_CASE("both versions are read") {
  check_client("PROXY TCP4 192.0.2.7 198.51.100.1 56324 5154\r\n", "192.0.2.7:56324");
  check_client("PROXY TCP4 192.0.2.7 198.51.100.1 0 0\r\n", "192.0.2.7:0");  // whose ports are not known
  check_client("PROXY TCP6 2001:db8::7 2001:db8::1 56324 5154\r\n", "[2001:db8::7]:56324");
  check_client("PROXY UNKNOWN\r\n", nullptr);
  check_client("PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535\r\n", nullptr);
  check_client(v2("\x21\x11", kTwo4), "192.0.2.7:56324");
  check_client(v2("\x21\x11", kTwo4 + "\x04\x00\x02xx"s), "192.0.2.7:56324");  // with an extension
  const std::string two6 =
      "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x07\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01\xdc\x04\x14\x22"s;
  check_client(v2("\x21\x21", two6), "[2001:db8::7]:56324");
  check_client("PROXY TCP6 ::ffff:192.0.2.7 2001:db8::1 56324 5154\r\n", "192.0.2.7:56324");  // mapped IPv4
  check_client(v2("\x20\x00"s, ""), nullptr);                                                 // LOCAL: a health check
  check_client(v2("\x20\x11"s, kTwo4), nullptr);  // its addresses mean nothing
  check_client(v2("\x21\x00"s, ""), nullptr);     // PROXY, unspecified
  check_client(v2("\x21\x31"s, "unix"), nullptr);
}

TEST_CASE("a header in pieces is read when it is complete") {
  for (const std::string& header : {"PROXY TCP4 192.0.2.7 198.51.100.1 56324 5154\r\n"s, v2("\x21\x11", kTwo4)})
    for (std::size_t size = 0; size < header.size(); ++size) {
      CAPTURE(size);
      const auto read = read_proxy_header(bytes(header).first(size));
      REQUIRE(read.ok());
      CHECK_FALSE(read->has_value());
    }
}

TEST_CASE("a written header reads back") {
  const char* pairs[][2] = {{"192.0.2.7:56324", "198.51.100.1:5154"},
                            {"[2001:db8::7]:1", "[2001:db8::1]:65535"},
                            {"[2001:db8::7]:1", "198.51.100.1:5154"}};
  for (const auto& [client, server] : pairs)
    for (const ProxyVersion version : {ProxyVersion::kV1, ProxyVersion::kV2}) {
      Buffer out;
      append_proxy_header(out, version, at(client), at(server));
      const auto read = read_proxy_header(out);
      REQUIRE(read.ok());
      REQUIRE(read->has_value());
      CHECK((*read)->size == out.size());
      CHECK((*read)->client->text() == client);
    }
  Buffer line;
  append_proxy_header(line, ProxyVersion::kV1, at("192.0.2.7:56324"), at("[2001:db8::1]:5154"));
  CHECK(std::string(line.begin(), line.end()) == "PROXY TCP6 ::ffff:192.0.2.7 2001:db8::1 56324 5154\r\n");
}

TEST_CASE("an error is reported at its place") {
  check_fault("GET / HTTP/1.1\r\n", "", 0);
  check_fault("PROXX", "", 0);
  check_fault("PROXY UDP4 192.0.2.7 198.51.100.1 1 2\r\n", "protocol", 6);
  check_fault("PROXY TCP4 2001:db8::7 198.51.100.1 1 2\r\n", "source address", 11);
  check_fault("PROXY TCP4 192.0.2.7 host 1 2\r\n", "destination address", 21);
  check_fault("PROXY TCP4 192.0.2.7  198.51.100.1 1 2\r\n", "destination address", 21);
  check_fault("PROXY TCP4 192.0.2.7 198.51.100.1 65536 2\r\n", "source port", 34);
  check_fault("PROXY TCP4 192.0.2.7 198.51.100.1 01 2\r\n", "source port", 34);
  check_fault("PROXY TCP4 192.0.2.7 198.51.100.1 1 2 \r\n", "destination port", 36);
  check_fault("PROXY TCP4 192.0.2.7 198.51.100.1 1\r\n", "destination port", 35);
  check_fault("PROXY TCP4 203.0.113.5\0x 198.51.100.1 1 2\r\n"s, "source address", 11);
  check_fault("PROXY TCP6 2001:db8::7\0 2001:db8::1 1 2\r\n"s, "source address", 11);
  check_fault("PROXY TCP4 0.0.0.0 198.51.100.1 1 2\r\n", "source address", 11);
  check_fault("PROXY TCP6 :: 2001:db8::1 1 2\r\n", "source address", 11);
  check_fault("PROXY TCP6 ::ffff:0.0.0.0 2001:db8::1 1 2\r\n", "source address", 11);
  check_fault(v2("\x21\x11", std::string(4, '\0') + kTwo4.substr(4)), "source address", 16);
  check_fault(v2("\x21\x21", std::string(36, '\0')), "source address", 16);
  check_fault("PROXY " + std::string(101, 'x'), "line end", 107);
  check_fault(v2("\x11\x11", kTwo4), "version", 12);
  check_fault(v2("\x22\x11", kTwo4), "command", 12);
  check_fault(v2("\x21\x11", kTwo4.substr(1)), "length", 14);
  check_fault(v2("\x21\x11", kTwo4 + std::string(4096, 'x')), "length", 14);
}

TEST_CASE("the longest headers are read, and no longer ones") {
  const auto line = [](std::size_t size) { return "PROXY UNKNOWN " + std::string(size - 16, 'x') + "\r\n"; };
  check_client(line(107), nullptr);
  check_fault(line(108), "line end", 107);
  const auto extended = [](std::size_t size) { return v2("\x21\x11", kTwo4 + std::string(size - 16 - 12, 'x')); };
  check_client(extended(kLargestProxyHeader), "192.0.2.7:56324");
  check_fault(extended(kLargestProxyHeader + 1), "length", 14);
}

TEST_CASE("a header is a health check's if it is LOCAL or UNKNOWN, not if it only names nobody") {
  const auto checks = [](const std::string& header) {
    const auto read = read_proxy_header(bytes(header));
    REQUIRE(read.ok());
    REQUIRE(read->has_value());
    return (*read)->health_check;
  };
  CHECK(checks("PROXY UNKNOWN\r\n"));
  CHECK(checks(v2("\x20\x00"s, "")));
  CHECK(checks(v2("\x20\x11"s, kTwo4)));
  CHECK_FALSE(checks(v2("\x21\x00"s, "")));
  CHECK_FALSE(checks(v2("\x21\x31"s, "unix")));
  CHECK_FALSE(checks(v2("\x21\x11", kTwo4)));
  CHECK_FALSE(checks("PROXY TCP4 192.0.2.7 198.51.100.1 56324 5154\r\n"));
}

TEST_CASE("a written header has both addresses and ports, or says that we connect for ourselves") {
  const auto written = [](ProxyVersion version, const std::optional<Address>& client, const char* server) {
    Buffer out;
    append_proxy_header(out, version, client, at(server));
    return std::string(out.begin(), out.end());
  };
  CHECK(written(ProxyVersion::kV2, at("192.0.2.7:56324"), "198.51.100.1:5154") == v2("\x21\x11", kTwo4));
  CHECK(written(ProxyVersion::kV2, std::nullopt, "198.51.100.1:5154") == v2("\x20\x00"s, ""));
  CHECK(written(ProxyVersion::kV2, std::nullopt, "[2001:db8::1]:5154") == v2("\x20\x00"s, ""));
  CHECK(written(ProxyVersion::kV1, at("192.0.2.7:56324"), "198.51.100.1:5154") ==
        "PROXY TCP4 192.0.2.7 198.51.100.1 56324 5154\r\n");
  CHECK(written(ProxyVersion::kV1, std::nullopt, "198.51.100.1:5154") == "PROXY UNKNOWN\r\n");
  const std::string mapped(10, '\0'), six = written(ProxyVersion::kV2, at("192.0.2.7:56324"), "[2001:db8::1]:5154");
  CHECK(six == v2("\x21\x21", mapped + "\xff\xff\xc0\x00\x02\x07\x20\x01\x0d\xb8"s + std::string(11, '\0') +
                                  "\x01\xdc\x04\x14\x22"s));
}

}  // namespace
}  // namespace entente::net::proxy_header_test
