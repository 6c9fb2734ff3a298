// Names in arenas and replays: nobody is invisible, and nobody looks like the server or like somebody else.
#include "proxy/core/names/names.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace entente::core::names_test {

TEST_CASE("a name is what can be seen of it") {
  struct Case {
    const char *name, *plain;
  };
  for (const Case& c : {Case{"anna", "anna"},
                        {"J\u00FCrgen \u263A", "J\u00FCrgen \u263A"},
                        {"\u05D3\u05D5\u05D3", "\u05D3\u05D5\u05D3"},  // letters that are written from the right
                        {"  anna \t b ", "anna b"},
                        {"an\u200Bna\u200D\uFEFF", "anna"},
                        {"\u202Eanna\u2066\u061C", "anna"},
                        {"an\u00ADna\u034F\uFE0F", "anna"},
                        {"anna\u3000\u2003\u2800b", "anna b"},
                        {"a\u0308\u0301\u0301\u0301\u0301", "\u00E4\u0301\u0301"},
                        {"\u0301\u0301x", "x"},
                        {"", "player"},
                        {" \u200B\u3164\u115F\uFFA0\u2800 ", "player"},
                        {"\xEE\x80\x80\xF4\x8F\xBF\xBF", "player"},  // private use, and no character
                        {"SERVER", "player"},
                        {"S e r v e r", "player"},
                        {"[server]", "player"},
                        {"\u0405ERVER", "player"},
                        {"S\u0395RV\u0395R", "player"},  // these capitals look like an E, their small letters do not
                        {"se\u0413ve\u0413", "player"},  // these small letters look like an r, the capitals do not
                        {"ser\u200Bver", "player"},
                        {"\uFF33\uFF25\uFF32\uFF36\uFF25\uFF32", "player"},
                        {"observer", "observer"}}) {
    CAPTURE(c.name);
    CHECK(plain_name(c.name) == c.plain);
  }
}

TEST_CASE("a name that looks like another one gets a number") {
  for (const char* other : {"anna", "Anna", "ANNA", " anna", "an\u200Bna", "\u0430nna", "\u0410NNA", "\uFF41nna"}) {
    CAPTURE(other);
    NameBook book;
    CHECK(book.give(1, "anna", 31) == "anna");
    CHECK(book.give(2, other, 31).ends_with(" 2"));
    CHECK(book.give(2, other, 31).ends_with(" 2"));  // its own name does not stand in its way
    book.forget(1);
    CHECK_FALSE(book.give(3, other, 31).ends_with(" 3"));
  }
  NameBook book;
  CHECK(book.give(1, "anna1", 31) == "anna1");
  CHECK(book.give(2, "annaI", 31) == "annaI 2");
  CHECK(book.give(3, "anna l", 31) == "anna l");
  CHECK(book.give(4, "bob", 31, [](const std::string& name) { return name == "bob"; }) == "bob 2");
}

TEST_CASE("a name is like another one if either its letters or their small letters look like the other's") {
  NameBook book;
  CHECK(book.give(1, "eve", 31) == "eve");
  CHECK(book.give(2, "\u0395VE", 31).ends_with(" 2"));
  CHECK(book.give(3, "roger", 31) == "roger");
  CHECK(book.give(4, "\u0413oger", 31).ends_with(" 2"));
}

TEST_CASE("a name that its player has changed is free for others") {
  NameBook book;
  CHECK(book.give(1, "anna", 31) == "anna");
  CHECK(book.give(1, "ben", 31) == "ben");
  CHECK(book.give(2, "anna", 31) == "anna");
  CHECK(book.give(3, "ben", 31) == "ben 2");
}

TEST_CASE("a thousand players who want one name cost no more than a few tries each") {
  NameBook book;
  std::set<std::string> names;
  std::size_t asked = 0;
  for (Id id = 1; id <= 1'000; ++id)
    names.insert(book.give(id, "anna", 31, [&](const std::string&) { return ++asked, false; }));
  CHECK(names.size() == 1'000);
  CHECK(asked == 1'000);
  for (const std::string& name : names) CHECK(name.size() <= 31);
}

TEST_CASE("a name and its number fit together, and the number is never cut") {
  NameBook book;
  const std::string longest(40, 'a');
  CHECK(book.give(1, longest, 40) == longest);
  const std::string second = book.give(2, longest, 40);
  CHECK(second == std::string(35, 'a') + "... 2");
  CHECK(second.size() == 40);
}

TEST_CASE("names are counted up to 9; further ones have the numbers of their players") {
  NameBook book;
  CHECK(book.give(1, "anna", 31) == "anna");
  for (Id id = 2; id <= 9; ++id) CHECK(book.give(id, "anna", 31) == "anna " + std::to_string(id));
  CHECK(book.give(50, "anna", 31) == "anna 68");  // 9 + 9 + 50
  CHECK(book.give(51, "anna", 31) == "anna 69");
}

TEST_CASE("a player who asks for its own name again, in another form, keeps it without a number") {
  NameBook book;
  CHECK(book.give(1, "anna", 31) == "anna");
  CHECK(book.give(1, "Anna", 31) == "Anna");
  CHECK(book.give(2, "anna", 31) == "anna 2");
}

TEST_CASE("a player who leaves frees its name, and no other") {
  NameBook book;
  book.give(1, "anna", 31);
  book.give(2, "ben", 31);
  book.forget(9);  // nobody
  book.forget(1);
  book.forget(1);
  CHECK(book.give(3, "anna", 31) == "anna");
  CHECK(book.give(4, "ben", 31) == "ben 2");
}

TEST_CASE("a name that somebody beside the book has is not given with that number either") {
  NameBook book;
  const auto taken = [](const std::string& name) { return name == "anna" || name == "anna 2"; };
  CHECK(book.give(1, "anna", 31, taken) == "anna 3");
  CHECK(book.give(2, "anna", 31, taken) == "anna 4");
}

TEST_CASE("names are compared as they can be seen: two of nothing are two players") {
  NameBook book;
  CHECK(book.give(1, "\u200B", 31) == "player");
  CHECK(book.give(2, "", 31) == "player 2");
}

TEST_CASE("a mark belongs to a letter, and after a blank there is none") { CHECK(plain_name("a \u0301b") == "a b"); }

TEST_CASE("a player who has left cannot free the name of its next owner") {
  NameBook book;
  book.give(1, "anna", 31);
  book.forget(1);
  CHECK(book.give(2, "anna", 31) == "anna");
  book.forget(1);
  CHECK(book.give(3, "anna", 31) == "anna 2");
}

}  // namespace entente::core::names_test
