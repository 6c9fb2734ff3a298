// Texts are cut between characters, and invalid bytes are replaced.
#include "proxy/base/text.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

namespace entente::text_test {

TEST_CASE("a text is cut between characters, and only if it is too long") {
  const std::string_view mixed = "a\u00e9\u20ac";  // 1, 2 and 3 bytes
  const std::string_view cuts[] = {"", "a", "a", "a\u00e9", "a\u00e9", "a\u00e9", mixed, mixed};
  for (std::size_t most = 0; most < std::size(cuts); ++most) CHECK(whole_characters(mixed, most) == cuts[most]);
  CHECK(whole_characters("", 0).empty());
  CHECK(whole_characters("\x80\x80\x80", 2).empty());  // not valid UTF-8
}

TEST_CASE("the length of a character follows from its first byte if the bytes after it are valid") {
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

TEST_CASE("each code point is encoded to its character and back") {
  const std::pair<std::string_view, std::uint32_t> texts[] = {{"a", 0x61},
                                                              {"\x7f", 0x7f},
                                                              {"\u0080", 0x80},
                                                              {"\u07ff", 0x7ff},
                                                              {"\u0800", 0x800},
                                                              {"\ud7ff", 0xd7ff},
                                                              {"\uffff", 0xffff},
                                                              {"\U00010000", 0x10000},
                                                              {"\U0001f600", 0x1f600},
                                                              {"\U0010ffff", 0x10ffff}};
  for (const auto& one : texts) {
    const char32_t point = one.second;
    const std::string_view text = one.first;
    CAPTURE(point);
    CHECK(code_point(text) == point);
    std::string made = "|";
    add_character(point, made);
    CHECK(made.substr(1) == text);
  }
}

TEST_CASE("a text that is too long for one field is split at blanks, or else between characters") {
  const auto pieces = [](std::string_view left, std::size_t most, CutAt cut) {
    std::vector<std::string> all;
    while (!left.empty()) all.emplace_back(take_piece(left, most, cut));
    return all;
  };
  using Pieces = std::vector<std::string>;
  CHECK(pieces("", 8, CutAt::kBlank).empty());
  CHECK(pieces("it fits!", 8, CutAt::kBlank) == Pieces{"it fits!"});
  CHECK(pieces("it fits not", 8, CutAt::kBlank) == Pieces{"it fits ", "not"});
  CHECK(pieces("it is far too long", 8, CutAt::kBlank) == Pieces{"it is ", "far too ", "long"});
  CHECK(pieces("it is far too long", 8, CutAt::kCharacter) == Pieces{"it is fa", "r too lo", "ng"});
  CHECK(pieces("a longwordindeed", 8, CutAt::kBlank) ==
        Pieces{"a longwo", "rdindeed"});  // the blank is too close to the beginning
  CHECK(pieces("\u20ac\u20ac\u20ac", 8, CutAt::kBlank) == Pieces{"\u20ac\u20ac", "\u20ac"});
  CHECK(pieces("\u20ac\u20ac", 4, CutAt::kCharacter) == Pieces{"\u20ac", "\u20ac"});
  CHECK(pieces("\x80\x80\x80\x80\x80", 2, CutAt::kBlank) == Pieces{"\x80\x80", "\x80\x80", "\x80"});
}

TEST_CASE("invalid bytes of a text are replaced, and a valid text is unchanged") {
  CHECK(well_formed("a\u00e9\n\u20ac") == "a\u00e9\n\u20ac");
  CHECK(well_formed("M\xfcller \xe2\x82") == "M\ufffdller \ufffd\ufffd");
  CHECK(clean("a\tb\x7f\x1b\u00e9\xff") == "ab\u00e9\ufffd");
  CHECK(ascii("a~ \n\x7f\u00e9\u20ac\xff") == "a~ ?????");
}

TEST_CASE("a text that does not fit is cut between characters and ends with a mark") {
  CHECK(fitted("anna", 4) == "anna");
  CHECK(fitted("annabel", 6) == "ann...");
  CHECK(fitted("ann\u00e9bel", 7) == "ann...");
  CHECK(fitted("annabel", 3) == "...");
  CHECK(fitted("", 3) == "");
}

TEST_CASE("a name that is taken gets a number and stays within the length limit") {
  const std::set<std::string> names = {"anna", "anna 2", "anna 4", "abcdefghijklmnopqrstuvwxy",
                                       "abcdefghijklmnopqrstuv\u00e9!"};
  const auto taken = [&](const std::string& name) { return names.contains(name); };
  CHECK(free_name("otto", 25, 1, taken) == "otto");
  CHECK(free_name("anna", 25, 1, taken) == "anna 3");
  CHECK(free_name("anna", 25, 4, taken) == "anna 5");
  CHECK(free_name("otto", 25, 2, taken) == "otto 2");
  CHECK(free_name("abcdefghijklmnopqrstuvwxyz", 25, 1, taken) == "abcdefghijklmnopqrstuv...");
  CHECK(free_name("abcdefghijklmnopqrstuv\u00e9!", 25, 1, taken) == "abcdefghijklmnopqrst... 2");
}

}  // namespace entente::text_test
