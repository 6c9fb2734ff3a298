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

TEST_CASE("each text of a player has its own limit") {
  const std::string longest(200, 'x');
  words::Enter enter;
  for (const auto set : {&words::Enter::set_name<const std::string&>, &words::Enter::set_motto<const std::string&>,
                         &words::Enter::set_skin<const std::string&>, &words::Enter::set_avatar<const std::string&>,
                         &words::Enter::set_password<const std::string&>, &words::Enter::set_token<const std::string&>,
                         &words::Enter::set_version<const std::string&>})
    (enter.*set)(longest);
  enter.add_flags_known(longest);
  enter = cleaned(enter);
  CHECK(enter.name().size() == kMostName);
  CHECK(enter.skin().size() == kMostSkin);
  for (const std::string& text :
       {enter.motto(), enter.avatar(), enter.password(), enter.token(), enter.version(), enter.flags_known(0)})
    CHECK(text.size() == kMostText);
  words::Change change;
  change.set_name(longest), change.set_motto(longest), change.set_skin(longest);
  change = cleaned(change);
  CHECK(change.name().size() == kMostName);
  CHECK(change.motto().size() == kMostText);
  CHECK(change.skin().size() == kMostSkin);
  words::Leave leave;
  leave.set_why(longest);
  CHECK(cleaned(leave).why().size() == kMostText);
}

TEST_CASE("a session that ends for now is told from a ban by the words at its end") {
  CHECK(is_for_now(kProxyStopped));
  CHECK(is_for_now("the server is away; try again later"));
  CHECK_FALSE(is_for_now("; try again later, or never"));
  CHECK_FALSE(is_for_now("proxy stopped you"));
  CHECK_FALSE(is_for_now("banned"));
  CHECK_FALSE(is_for_now(""));
}

TEST_CASE("a player whose game broke its protocol is told what was wrong, and in which field if that is known") {
  CHECK(words_for_fault({"too long", "name", 3}) == std::string(kBrokeProtocol) + ": too long in name");
  CHECK(words_for_fault({"too long", "", 3}) == std::string(kBrokeProtocol) + ": too long");
}

}  // namespace
}  // namespace entente::core::texts_test
