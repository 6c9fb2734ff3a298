// Texts of players: valid text is unchanged, and no text can end or overflow a field of another game.
#include "proxy/core/texts.h"

#include <doctest/doctest.h>

#include <string>

#include "proxy/base/text.h"

namespace entente::core::texts_test {
namespace {

using namespace std::string_literals;

template <class Word>
Word cleaned(const Word& word) {
  Intent intent(word);
  clean_texts(intent);
  return *as<Word>(intent);
}

TEST_CASE("control characters are removed from every text of a player") {
  const std::string bad = "a\0b\x1b\x7f\r\n\u0085\u009bc"s;
  words::Enter enter;
  for (const auto set : {&words::Enter::set_name<const std::string&>, &words::Enter::set_motto<const std::string&>,
                         &words::Enter::set_skin<const std::string&>, &words::Enter::set_avatar<const std::string&>,
                         &words::Enter::set_password<const std::string&>, &words::Enter::set_token<const std::string&>,
                         &words::Enter::set_version<const std::string&>})
    (enter.*set)(bad);
  enter.add_flags_known(bad);
  enter = cleaned(enter);
  for (const auto& text : {enter.name(), enter.motto(), enter.skin(), enter.avatar(), enter.password(), enter.token(),
                           enter.version(), enter.flags_known(0)})
    CHECK(text == "abc");

  words::Change change;
  change.set_name(bad);
  change.set_motto(bad);
  change.set_skin(bad);
  change = cleaned(change);
  CHECK(change.name() == "abc");
  CHECK(change.motto() == "abc");
  CHECK(change.skin() == "abc");

  words::Leave leave;
  leave.set_why(bad);
  CHECK(cleaned(leave).why() == "abc");
}

TEST_CASE("a text that is too long is cut between characters; others are unchanged") {
  words::Enter enter;
  const std::string snow = "\xe2\x98\x83", longest = "J\xc3\xbcrgen <\xf0\x9f\x90\x88> \" $ %s #";
  enter.set_name(longest);
  CHECK(cleaned(enter).SerializeAsString() == enter.SerializeAsString());
  for (int i = 0; i < 30'000; ++i) {
    *enter.mutable_name() += snow;
    *enter.mutable_motto() += snow;
    *enter.mutable_skin() += snow;
  }
  enter = cleaned(enter);
  CHECK(enter.name().size() <= kMostName);
  CHECK(enter.name() == well_formed(enter.name()));
  CHECK(enter.motto().size() == kMostText / 3 * 3);
  CHECK(enter.skin().size() == kMostSkin / 3 * 3);
  for (const std::string& text : {enter.name(), enter.motto(), enter.skin()}) CHECK(text.ends_with(snow + "..."));
}

TEST_CASE("a change has only the fields that were set") {
  words::Change change;
  change.set_skin("");
  change = cleaned(change);
  CHECK_FALSE(change.has_name());
  CHECK_FALSE(change.has_motto());
  CHECK(change.has_skin());
}

}  // namespace
}  // namespace entente::core::texts_test
