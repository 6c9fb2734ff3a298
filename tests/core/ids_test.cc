// The ids in a word: exactly the fields that the schema marks, wherever they are.
#include "proxy/core/ids.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace entente::core::ids_test {
namespace {

Id plus_hundred(Id id) { return id + 100; }

template <class Message>
std::vector<Id> ids_in(const Message& message) {
  std::vector<Id> found;
  each_id(message, [&](Id id) { found.push_back(id); });
  return found;
}

template <class Message>
std::string translated(Message message) {
  translate_ids(message, plus_hundred);
  return message.ShortDebugString();
}

}  // namespace

TEST_CASE("ids are translated; the numbers that players choose are not, and nobody stays nobody") {
  words::Shot shot;
  shot.set_shooter(2);
  shot.set_shot(7);
  shot.set_weapon(3);
  CHECK(ids_in(shot) == std::vector<Id>{2});
  CHECK(translated(shot) == "shooter: 102 shot: 7 weapon: 3");
}

TEST_CASE("each id of a list is translated in its place") {
  words::Owns owns;
  owns.set_player(1);
  for (const Id unit : {5U, 0U, 6U}) owns.add_units(unit);
  owns.set_active(6);
  CHECK(ids_in(owns) == std::vector<Id>{1, 5, 6, 6});
  CHECK(translated(owns) == "player: 101 units: 105 units: 0 units: 106 active: 106");
}

TEST_CASE("ids inside each part of a list are translated") {
  words::Timeline timeline;
  timeline.add_moments()->set_player(3);
  timeline.add_moments()->set_by(4);
  CHECK(ids_in(timeline) == std::vector<Id>{3, 4});
  CHECK(translated(timeline) == "moments { player: 103 } moments { by: 104 }");
}

TEST_CASE("ids inside a part of a word are translated, and a part that it does not have stays away") {
  words::TokenTaken taken;
  taken.set_by(3);
  CHECK(ids_in(taken) == std::vector<Id>{3});
  CHECK(translated(taken) == "by: 103");
  taken.mutable_token()->set_id(8);
  taken.mutable_token()->set_carrier(3);
  CHECK(ids_in(taken) == std::vector<Id>{3, 8, 3});
  CHECK(translated(taken) == "token { id: 108 carrier: 103 } by: 103");
}

TEST_CASE("a whole intent or fact is translated with the word that it has, and one without a word, too") {
  words::Intent intent;
  intent.set_by(1);
  intent.set_number(9);
  CHECK(translated(intent) == "by: 101 number: 9");
  intent.mutable_hit_claim()->set_victim(2);
  CHECK(ids_in(intent) == std::vector<Id>{1, 2});
  CHECK(translated(intent) == "by: 101 number: 9 hit_claim { victim: 102 }");
  words::Fact fact;
  fact.mutable_spawned()->set_unit(4);
  fact.mutable_spawned()->mutable_pose()->set_unit(4);
  CHECK(ids_in(fact) == std::vector<Id>{4, 4});
  CHECK(translated(fact) == "spawned { unit: 104 pose { unit: 104 } }");
  CHECK(ids_in(words::Ready()).empty());
  CHECK(translated(words::Notice()) == "");
}

TEST_CASE("an id that a word does not set is not set by a translation: a viewer who changes its speed follows on") {
  words::Playback playback;
  playback.set_speed(2);
  CHECK(translated(playback) == "speed: 2");
  playback.set_follow(0);  // nobody
  CHECK(translated(playback) == "speed: 2 follow: 0");
  playback.set_follow(3);
  CHECK(translated(playback) == "speed: 2 follow: 103");
  CHECK(ids_in(playback) == std::vector<Id>{3});
}

}  // namespace entente::core::ids_test
