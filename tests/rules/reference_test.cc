// The reference and the types for editors have everything that a rule can use.
#include "proxy/rules/reference.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "proxy/rules/functions.h"
#include "proxy/rules/words.h"
#include "tests/rules/scene.h"
#include "tests/support/paths.h"

namespace entente::rules::reference_test {
namespace {

/// The keys of a table that a rule makes, sorted and joined.
std::string keys_of(const std::string& table) {
  Scene scene("function on_chat() local all = {} for k in pairs(" + table +
              ") do all[#all + 1] = k end table.sort(all) log(table.concat(all, ' ')) end");
  scene.begin();
  scene.chat(Scene::kAnna, "x");
  return scene.taken();
}

/// The fields of a class in the types, sorted and joined.
std::string fields_of(const std::string& name) {
  const std::string types = editor_types();
  std::size_t at = types.find("---@class " + name + "\n");
  REQUIRE(at != types.npos);
  std::vector<std::string> fields;
  for (at = types.find('\n', at) + 1; types.compare(at, 9, "---@field") == 0; at = types.find('\n', at) + 1)
    fields.push_back(types.substr(at + 10, types.find(' ', at + 10) - at - 10));
  std::sort(fields.begin(), fields.end());
  std::string text = "log: ";
  for (const std::string& field : fields) text += field + (&field == &fields.back() ? "\n" : " ");
  return text;
}

}  // namespace

TEST_CASE("the types have the fields that tables have") {
  CHECK(fields_of("Player") == keys_of("get_player(1)"));
  CHECK(fields_of("Unit") == keys_of("near(0, 0, 1000)[1]"));
  CHECK(fields_of("Field") == keys_of("field()"));
  CHECK(fields_of("Base") == keys_of("field().bases[1]"));
  CHECK(fields_of("words.Room") == keys_of("room()"));
}

TEST_CASE("each function and each kind of word is in the reference and in the types") {
  const std::string text = reference(), types = editor_types();
  for (const Described& one : described()) {
    CHECK(text.find("#### " + std::string(one.name) + "(") != std::string::npos);
    CHECK(text.find(one.example) != std::string::npos);
    const bool words = std::string(one.name) == "on_intent" || std::string(one.name) == "on_fact";
    CHECK(types.find((words ? "---@class " : "function ") + std::string(one.name)) != std::string::npos);
  }
  for (const std::string& kind : intent_kinds()) CHECK(text.find("`on_intent." + kind + "`") != std::string::npos);
  for (const std::string& kind : fact_kinds()) CHECK(text.find("`on_fact." + kind + "`") != std::string::npos);
  CHECK(text.find("password") == std::string::npos);
  CHECK(types.find("password") == std::string::npos);
  // The types are Lua that loads.
  CHECK(check_rule("types.lua", types));
}

TEST_CASE("the manual ends with the reference") {
  std::ifstream file(testing::source_dir() + "/proxy/manual/rules.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  CHECK_MESSAGE(page.ends_with(reference()), "proxy/manual/rules.md must end with `entente rules --reference`");
}

}  // namespace entente::rules::reference_test
