// A text that is cut is cut between characters.
#include "proxy/base/text.h"

#include <doctest/doctest.h>

namespace entente {

TEST_CASE("a text is cut between characters, and not if it fits") {
  const std::string_view mixed = "a\u00e9\u20ac";  // 1, 2 and 3 bytes
  const std::string_view cuts[] = {"", "a", "a", "a\u00e9", "a\u00e9", "a\u00e9", mixed, mixed};
  for (std::size_t most = 0; most < std::size(cuts); ++most) CHECK(whole_characters(mixed, most) == cuts[most]);
  CHECK(whole_characters("", 0).empty());
  CHECK(whole_characters("\x80\x80\x80", 2).empty());  // no text in any language
}

TEST_CASE("a character is as long as its first byte says, if its bytes are there and make one") {
  const std::pair<std::string_view, std::size_t> texts[] = {{"", 0},
                                                            {"a", 1},
                                                            {"\u00e9x", 2},
                                                            {"\u20ac", 3},
                                                            {"\U0001f600", 4},
                                                            {"\x80", 0},
                                                            {"\xc3", 0},
                                                            {"\xc0\x80", 0},
                                                            {"\xe0\x9f\xbf", 0},
                                                            {"\xed\xa0\x80", 0},
                                                            {"\xe2\x82", 0},
                                                            {"\xf0\x8f\xbf\xbf", 0},
                                                            {"\xf4\x90\x80\x80", 0},
                                                            {"\xf5\x80\x80\x80", 0},
                                                            {"\xff", 0}};
  for (const auto& text : texts) {
    CAPTURE(text.first);
    CHECK(first_character(text.first) == text.second);
  }
}

TEST_CASE("a word's text is well-formed whatever came, and stays as it is if it was") {
  CHECK(well_formed("a\u00e9\n\u20ac") == "a\u00e9\n\u20ac");
  CHECK(well_formed("M\xfcller \xe2\x82") == "M\ufffdller \ufffd\ufffd");
  CHECK(clean("a\tb\x7f\x1b\u00e9\xff") == "ab\u00e9\ufffd");
}

}  // namespace entente
