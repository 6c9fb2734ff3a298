// The written contract (schema/NATIVE.md) matches the program: its examples are valid words, its bot is the one that
// the tests run, its names are the schema's, and its numbers are the program's.
#include <doctest/doctest.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "adapters/native/codec.h"
#include "adapters/native/native.h"
#include "proxy/base/limits.h"
#include "tests/support/hex.h"
#include "tests/support/paths.h"
#include "tests/support/pattern.h"

namespace entente::native::contract_test {
namespace {

std::string file(const char* path) {
  std::ifstream in(testing::source_dir() + path);
  std::ostringstream text;
  text << in.rdbuf();
  REQUIRE(!text.str().empty());
  return text.str();
}

std::string contract() { return file("/schema/NATIVE.md"); }

/// Whether `json` is a message that is not empty and has no unknown field.
bool is_word(const std::string& json, google::protobuf::Message& message) {
  return google::protobuf::util::JsonStringToMessage(json, &message, {}).ok() && message.ByteSizeLong() > 0;
}

TEST_CASE("every JSON example is a valid word of the side that sends it") {
  const std::string text = contract();
  std::size_t intents = 0, facts = 0;
  for (const auto& line : testing::all_matches(text, R"((?:^|\n)([<>]) (\{[^\n]*\}))")) {
    words::Intent intent;
    words::Fact fact;
    const bool ours = line[1] == ">";
    CHECK_MESSAGE(is_word(line[2], ours ? static_cast<google::protobuf::Message&>(intent) : fact), line[2]);
    CHECK((ours ? core::from_message(intent).ok() : core::from_message(fact).ok()));
    ++(ours ? intents : facts);
  }
  CHECK(intents >= 6);
  CHECK(facts >= 10);
}

TEST_CASE("the example in bytes is the frame that the text describes") {
  const std::string text = contract();
  const auto hex = testing::all_matches(text, "```hex\n([0-9a-f ]+)\n");
  REQUIRE(hex.size() == 1);
  Buffer frame;
  words::Intent spawn;
  spawn.mutable_spawn();
  Envelope{}.wrap(frame, [&](Buffer& to) { spell(Dialect::kProtobuf, spawn, to); });
  CHECK(to_hex(frame) == to_hex(from_hex(hex[0][1])));
}

TEST_CASE("the bot in the text is the tested one, and the C++ bot has the stated length") {
  const std::string text = contract(), other = file("/tests/native/bots/bot.cc");
  CHECK(text.find("```js\n" + file("/tests/native/bots/bot.js") + "```\n") != std::string::npos);
  const auto lines = std::count(other.begin(), other.end(), '\n');
  std::string prose = text;
  std::replace(prose.begin(), prose.end(), '\n', ' ');
  CHECK(prose.find(" in " + std::to_string(lines) + " lines of C++") != std::string::npos);
}

/// "Died" or "Died.respawn_s", or a value of an enum.
bool is_of_schema(const std::string& name) {
  const auto* file = words::Fact::descriptor()->file();
  const std::string part = name.substr(0, name.find('.'));
  const auto* message = file->FindMessageTypeByName(part);
  if (message == nullptr) return file->FindEnumTypeByName(part) != nullptr;
  return part == name || message->FindFieldByName(name.substr(part.size() + 1)) != nullptr;
}

TEST_CASE("every word and field that the text names is in the schema") {
  const std::string text = contract();
  const auto names = testing::all_matches(text, "`([A-Z][a-z]+[A-Za-z]*(?:\\.[a-z_]+)?)`");
  CHECK(names.size() > 50);
  for (const auto& name : names) CHECK_MESSAGE(is_of_schema(name[1]), name[1]);
}

TEST_CASE("the text names every kind of fact") {
  const std::string text = contract();
  const auto* kinds = words::Fact::descriptor()->FindOneofByName("kind");
  for (int i = 0; i < kinds->field_count(); ++i) {
    const std::string& name = kinds->field(i)->message_type()->name();
    const bool aside = name == "Room" || name == "Ammo" || name == "Input";  // explained by comments in the schema
    CHECK_MESSAGE((aside || text.find("`" + name) != std::string::npos), name);
  }
}

TEST_CASE("version and limits are the program's") {
  const std::string text = contract();
  const auto version = testing::all_matches(text, "^# Native: [^\n]*, version (\\d+)\n");
  REQUIRE(version.size() == 1);
  CHECK(version[0][1] == std::to_string(kContract));
  const Limits limits;
  for (const std::size_t number : {kLargestIntent, kLargestFact, kLargestPlainFact, kSlowReader})
    CHECK_MESSAGE(text.find(" " + std::to_string(number) + " bytes") != std::string::npos, number);
  CHECK(text.find("| " + std::to_string(limits.greet_ms / 1000) + " s |") != std::string::npos);
  CHECK(text.find("| " + std::to_string(limits.idle_ms / 60'000) + " min |") != std::string::npos);
}

}  // namespace
}  // namespace entente::native::contract_test
