// Names and passwords in texts: the longest is found, and many of them are found as fast as few.
#include "proxy/program/redact/sought_texts.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <set>
#include <string>

#include "proxy/program/redact/pseudonyms.h"

namespace entente::sought_texts_test {
namespace {

std::string found(const SoughtTexts& sought, std::string_view text, std::size_t least = 1) {
  const auto one = sought.longest(text, [&](std::size_t size) { return size >= least; });
  return one.size == 0 ? "" : *one.as + " " + std::to_string(one.size);
}

TEST_CASE("sought texts: the longest that fits is found") {
  SoughtTexts sought;
  CHECK(sought.add("ann", "1"));
  CHECK(sought.add("annabel", "2"));
  CHECK_FALSE(sought.add("ann", "3"));
  CHECK(found(sought, "ann") == "1 3");
  CHECK(found(sought, "annabe") == "1 3");
  CHECK(found(sought, "annabella") == "2 7");
  CHECK(found(sought, "annabella", 8).empty());
  CHECK(found(sought, "an").empty());
  CHECK(found(sought, "").empty());
  CHECK(*sought.begun_by("anna") == "2");
  CHECK(*sought.begun_by("an") == "2");
  CHECK(sought.begun_by("annabella") == nullptr);
  CHECK(sought.begun_by("b") == nullptr);
}

TEST_CASE("sought texts: the beginning of a long one is found with the rest of its word") {
  SoughtTexts sought;
  const std::string name(100, 'a');
  sought.add(name, "1");
  CHECK(found(sought, name + "bc d") == "1 102");
  CHECK(found(sought, name.substr(0, 64)) == "1 64");
  CHECK(found(sought, name.substr(0, 63)).empty());
}

TEST_CASE("pseudonyms: a text is searched for 20,000 names and passwords") {
  Pseudonyms pseudonyms;
  const std::string begin(40, 'a');
  for (int i = 0; i < 20'000; ++i) {
    (void)pseudonyms.name(begin + "b" + std::to_string(i));
    pseudonyms.add_secret(begin + "c" + std::to_string(i));
  }
  const std::string text = std::string(10'000, 'a') + '.';  // its end is not the beginning of a name
  CHECK(pseudonyms.without_names(text) == text);
  CHECK(pseudonyms.without_secrets(text) == text);
  CHECK(pseudonyms.without_names("x " + begin + "b7 x") == "x player8 x");
  CHECK(pseudonyms.without_secrets("x " + begin + "c7 x") == "x *** x");
}

TEST_CASE("pseudonyms: a long text that looks like addresses is searched in linear time") {
  Pseudonyms pseudonyms;
  const auto repeated = [](const std::string& part) {
    std::string text;
    while (text.size() < 100'000) text += part;
    return text;
  };
  const auto told = [&](const std::string& text) { return pseudonyms.without_addresses(text, false, false); };
  for (const char* part : {":", "1.", "[", "]:"}) {
    const std::string text = repeated(part);
    CAPTURE(part);
    CHECK(told(text).size() <= text.size());
  }
  CHECK(told(repeated(":")) == repeated(":"));
  const std::string groups = repeated("1:");
  CHECK(told(groups).find("1:1:1:1:1:1:1:1:1") == std::string::npos);
  CHECK(told("1:::") == "2001:db8::2:");
  CHECK(told("[2a02::5]:::") == "[2001:db8::3]:::");
}

TEST_CASE("pseudonyms: long names, hosts and addresses are known by their beginnings") {
  Pseudonyms pseudonyms;
  const std::string name(5'000, 'a');
  CHECK(pseudonyms.name(name) == "player1");
  CHECK(pseudonyms.name(name + "b") == "player1");
  CHECK(pseudonyms.host(name) == "host1.example");
  CHECK(pseudonyms.host(name + "b") == "host1.example");
  CHECK(pseudonyms.without_names("x " + name + "b x") == "x player1 x");
  std::string ends;
  while (ends.size() < 1'000'000) ends += "/udp";
  CHECK(pseudonyms.address("10.9.9.9/udp") == "192.0.2.1/udp");
  CHECK(pseudonyms.address("[2001:470::7]:5154/udp") == "[2001:db8::1]:49152/udp");
  CHECK(pseudonyms.address("2001:470::7/udp") == "2001:db8::1/udp");
  CHECK(pseudonyms.address(ends) == "host2.example/udp");
}

TEST_CASE("pseudonyms: names are found in any case, also those of other alphabets") {
  Pseudonyms pseudonyms;
  for (const char* name : {"Ёжик", "Ärger", "Ωmega", "Łukasz", "Źdźbło", "Άννα", "Νικόλας", "Ÿ Ґ Ӂ"})
    (void)pseudonyms.name(name);
  CHECK(pseudonyms.without_names("ёЖИК und äRGER") == "player1 und player2");
  CHECK(pseudonyms.without_names("ωMEGA, łUKASZ, źDŹBŁO") == "player3, player4, player5");
  CHECK(pseudonyms.without_names("ΆΝΝΑ, άννα, ΝΙΚΌΛΑΣ") == "player6, player6, player7");
  CHECK(pseudonyms.without_names("ÿ ґ ӂ") == "player8");
  CHECK(pseudonyms.without_names("ĸ ŉ × ÷") == "ĸ ŉ × ÷");
}

TEST_CASE("pseudonyms: hosts are replaced, but not those that are made up or belong to nobody") {
  Pseudonyms pseudonyms;
  const auto told = [&](const std::string& text) { return pseudonyms.without_addresses(text, false, false); };
  CHECK(told("host7.example") == "host7.example");
  CHECK(told("abcd1.example") == "host1.example");
  CHECK(told("host7.examples") == "host2.example");
  CHECK(told("hostx.example") == "host3.example");
  CHECK(told("a-.com") == "a-.com");
  CHECK(told("1.5") == "1.5");
  CHECK(pseudonyms.address("::") == "::");
  CHECK(pseudonyms.address("[::1]:80") == "[::1]:49152");
  CHECK(pseudonyms.address("127.0.0.1") == "127.0.0.1");
  CHECK(pseudonyms.address("0.0.0.0") == "0.0.0.0");
}

TEST_CASE("pseudonyms: many addresses stay different, up to a limit") {
  Pseudonyms pseudonyms;
  const auto four = [&](std::uint32_t n) {
    const auto byte = [n](unsigned shift) { return static_cast<std::uint8_t>(n >> shift & 255U); };
    return pseudonyms.ip4({10, byte(16), byte(8), byte(0)});
  };
  using Ip4 = Pseudonyms::Ip4;
  std::set<Ip4> made;
  for (std::uint32_t n = 0; n < 2'000; ++n) made.insert(four(n));
  CHECK(made.size() == 2'000);
  CHECK(four(0) == Ip4{192, 0, 2, 1});
  CHECK(four(761) == Ip4{203, 0, 113, 254});
  CHECK(four(762) == Ip4{198, 18, 0, 1});
  constexpr int kMost = 60'000;
  const auto six = [&](int n) {
    char text[32];
    std::snprintf(text, sizeof text, "2a02::%x:%x", n >> 8, n & 255);
    return pseudonyms.ip6(text);
  };
  std::set<std::string> all;
  for (int n = 1; n <= kMost; ++n) all.insert(six(n));
  CHECK(all.size() == kMost);
  CHECK(six(kMost + 1) == "2001:db8::ea61");
  CHECK(six(kMost + 2) == "2001:db8::ea61");
  CHECK(six(1) == "2001:db8::1");
}

}  // namespace
}  // namespace entente::sought_texts_test
