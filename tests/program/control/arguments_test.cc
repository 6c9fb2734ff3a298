// The words of a line to the control socket: what is one argument, what is an option, and what needs quotes.
#include "proxy/program/control/arguments.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace entente::arguments_test {
namespace {

TEST_CASE("blanks at the ends of a text are no part of it") {
  CHECK(trimmed(" \t a  b\t ") == "a  b");
  CHECK(trimmed("a") == "a");
  CHECK(trimmed(" \t").empty());
  CHECK(trimmed("").empty());
}

TEST_CASE("the first word ends at a blank, and quotes have no meaning for it") {
  std::string_view rest = "  \"a\tb  c ";
  CHECK(first_word(rest) == "\"a");
  CHECK(rest == "b  c");
  CHECK(first_word(rest) == "b");
  CHECK(first_word(rest) == "c");
  CHECK(rest.empty());
  CHECK(first_word(rest).empty());
}

/// The first argument and the rest, with a bar between them.
std::string first(std::string_view line) {
  const std::string argument = first_argument(line);
  return argument + "|" + std::string(line);
}

TEST_CASE("an argument is a word, or a text in quotes") {
  CHECK(first("a b c") == "a|b c");
  CHECK(first("  \"a b\"  c ") == "a b|c");
  CHECK(first("\"a b\"") == "a b|");
  CHECK(first("\"\" c") == "|c");
  CHECK(first(R"("a\"b\\c\d" e)") == "a\"b\\cd|e");
  CHECK(first("\"a\"\tb") == "a|b");
  CHECK(first("") == "|");
}

TEST_CASE("a quote that is not closed, or that text follows, is a part of the word") {
  CHECK(first("\"a b") == "\"a|b");
  CHECK(first("\"a\"b c") == "\"a\"b|c");
  CHECK(first("\"a\\\" b") == "\"a\\\"|b");  // the quote at the end has a backslash
  CHECK(first("\"") == "\"|");
  CHECK(first("a\"b c\"") == "a\"b|c\"");
}

TEST_CASE("the rest of a line is one text, without its quotes if they surround all of it") {
  CHECK(whole_text(" a  b ") == "a  b");
  CHECK(whole_text(" \"a b\" ") == "a b");
  CHECK(whole_text("\"a\" \"b\"") == "\"a\" \"b\"");
  CHECK(whole_text("say \"hi\"") == "say \"hi\"");
  CHECK(whole_text("\"\"") == "");
  CHECK(whole_text("") == "");
}

TEST_CASE("a text as an argument is read as the same text, and has quotes only if it needs them") {
  for (const char* text : {"", "a", "a b", "a\tb", "\"", "\\", "a\\b", "say \"hi\"", "\"a\" b", "--yes", "\\\"", " "}) {
    std::string_view line;
    const std::string argument = as_argument(text) + " next";
    line = argument;
    CHECK_MESSAGE(first_argument(line) == text, argument);
    CHECK_MESSAGE(line == "next", argument);
  }
  CHECK(as_argument("abc") == "abc");
  CHECK(as_argument("") == "\"\"");
  CHECK(in_quotes("abc") == "\"abc\"");
  CHECK(in_quotes("a\"b\\") == "\"a\\\"b\\\\\"");
}

TEST_CASE("a text for players has no control characters, and is refused rather than cut") {
  CHECK(*sayable_text("be\tnice\x1b") == "benice");
  CHECK(sayable_text(std::string(kLongestSayable, 'a')).ok());
  const auto longer = sayable_text(std::string(kLongestSayable + 1, 'a'));
  REQUIRE_FALSE(longer.ok());
  CHECK(longer.error().text == "the text has 401 bytes; it may have 400");
  CHECK(sayable_text("abc", 3).ok());
  CHECK_FALSE(sayable_text("abcd", 3).ok());
  CHECK(sayable_text("abc\n\n", 3).ok());  // it is counted as it will be said
}

TEST_CASE("a flag is removed from the beginning of a line only as a whole word") {
  std::string_view rest = " --yes  more";
  CHECK(take_flag(rest, "--yes"));
  CHECK(rest == "more");
  for (const char* other : {"--yesterday", "more --yes", "--y", ""}) {
    rest = other;
    CHECK_FALSE(take_flag(rest, "--yes"));
    CHECK(rest == other);
  }
}

TEST_CASE("an option takes one argument, and nothing changes if the line begins with something else") {
  std::string value = "old";
  std::string_view rest = "--for 2d --why x";
  CHECK_FALSE(take_option(rest, "--why", value));
  CHECK(value == "old");
  CHECK(rest == "--for 2d --why x");
  CHECK(take_option(rest, "--for", value));
  CHECK(value == "2d");
  CHECK(rest == "--why x");
  rest = "--for \"2 d\" x";
  CHECK(take_option(rest, "--for", value));
  CHECK(value == "2 d");
  CHECK(rest == "x");
  rest = "--for";
  CHECK(take_option(rest, "--for", value));
  CHECK(value == "");
}

TEST_CASE("a text after its option is all of the rest, unless it is in quotes") {
  std::string value = "old";
  std::string_view rest = "--why no cheating --yes";
  CHECK_FALSE(take_text(rest, "--say", value));
  CHECK(value == "old");
  CHECK(take_text(rest, "--why", value));
  CHECK(value == "no cheating --yes");
  CHECK(rest.empty());
  rest = "--why \"no cheating\" --yes";
  CHECK(take_text(rest, "--why", value));
  CHECK(value == "no cheating");
  CHECK(rest == "--yes");
  rest = "--why \"no\" cheating";
  CHECK(take_text(rest, "--why", value));
  CHECK(value == "no");
  CHECK(rest == "cheating");
}

net::Network network(const char* text) { return *net::Network::parse(text); }

TEST_CASE("a network is vast if it has more than 2^24 addresses of IPv4, or 2^96 of IPv6") {
  CHECK_FALSE(is_vast(network("10.0.0.0/8")));
  CHECK(is_vast(network("10.0.0.0/7")));
  CHECK_FALSE(is_vast(network("2001:db8::/32")));
  CHECK(is_vast(network("2001:db8::/31")));
  CHECK_FALSE(is_vast(network("192.0.2.7")));
}

TEST_CASE("a larger network holds the whole of a smaller one; one of the same size is not larger") {
  const std::vector<net::Network> all = {network("10.1.0.0/16"), network("10.0.0.0/8"), network("2001:db8::/32")};
  const auto larger = [&](const char* who) {
    const auto found = larger_in(all, network(who), [](const net::Network& one) { return one; });
    return found ? found->text() : "";
  };
  CHECK(larger("10.1.2.3") == "10.1.0.0/16");
  CHECK(larger("10.1.0.0/16") == "10.0.0.0/8");
  CHECK(larger("10.2.0.0/16") == "10.0.0.0/8");
  CHECK(larger("10.0.0.0/8") == "");
  CHECK(larger("10.0.0.0/7") == "");
  CHECK(larger("11.0.0.1") == "");
  CHECK(larger("2001:db8::7") == "2001:db8::/32");
}

}  // namespace
}  // namespace entente::arguments_test
