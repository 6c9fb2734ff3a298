// The C++ words match their schema.
#include "proxy/core/word.h"

#include <doctest/doctest.h>

namespace entente::core::word_test {
namespace {

template <class Word, class Read>
void check_all_kinds(Read&& read) {
  const auto* kinds = Word::Schema::descriptor()->FindOneofByName("kind");
  const auto check = [&]<class... T>(std::variant<T...>*) {
    REQUIRE(static_cast<int>(sizeof...(T)) == kinds->field_count());
    int next = 0;
    const auto one = [&](const Word& word, const google::protobuf::Descriptor* type) {
      INFO(type->name());
      CHECK(kinds->field(next)->number() == 16 + next);
      CHECK(kinds->field(next++)->message_type() == type);
      CHECK(std::string(name_of(word)) == type->name());
      Buffer bytes;
      write(word, bytes);
      const auto again = read(Bytes(bytes));
      REQUIRE(again.ok());
      CHECK(again->content.index() == word.content.index());
      Buffer twice;
      write(*again, twice);
      CHECK(twice == bytes);
    };
    (one(Word(T()), T::descriptor()), ...);
  };
  check(static_cast<typename Word::Kind*>(nullptr));
}

TEST_CASE("every intent is in the schema at its place, and survives serialization") {
  check_all_kinds<Intent>([](Bytes bytes) { return read_intent(bytes); });
}

TEST_CASE("every fact is in the schema at its place, and survives serialization") {
  check_all_kinds<Fact>([](Bytes bytes) { return read_fact(bytes); });
}

TEST_CASE("a word keeps its context") {
  words::Died died;
  died.set_player(3);
  died.set_why(words::BY_SHOT);
  Fact fact(7, died);
  fact.at = 123456;
  fact.cause = 9;
  Buffer bytes;
  write(fact, bytes);
  const auto again = read_fact(bytes);
  REQUIRE(again.ok());
  CHECK(again->at == 123456);
  CHECK(again->cause == 9);
  CHECK(again->audience == words::PLAYER);
  CHECK(again->to == 7);
  REQUIRE(as<words::Died>(*again) != nullptr);
  CHECK(as<words::Died>(*again)->why() == words::BY_SHOT);
}

TEST_CASE("bytes that are not a word are a fault") {
  const std::uint8_t noise[] = {0xff, 0xff, 0xff};
  CHECK_FALSE(read_fact(noise).ok());
  CHECK_FALSE(read_intent({}).ok());  // a word without a kind
  const std::uint8_t newer[] = {0xfa, 0x3f, 0x00};
  CHECK_FALSE(read_fact(newer).ok());
}

}  // namespace
}  // namespace entente::core::word_test
