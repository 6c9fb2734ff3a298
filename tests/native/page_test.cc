// The built-in page is complete, and contains nothing that its policy forbids.
#include "adapters/native/page.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/support/pattern.h"

namespace entente::native::page_test {
namespace {

/// three.js is Debian's; the page's policy limits what it may do.
bool is_ours(const Asset& file) { return file.name != "three.module.js"; }

bool is_there(std::string_view name) {
  return std::any_of(page().begin(), page().end(), [&](const Asset& file) { return file.name == name; });
}

/// The first group of every match of `pattern`.
std::vector<std::string> all_of(std::string_view text, const char* pattern) {
  std::vector<std::string> found;
  for (const auto& groups : testing::all_matches(text, pattern)) found.push_back(groups[1]);
  return found;
}

TEST_CASE("the first file is the page, and each file has its MIME type") {
  REQUIRE(!page().empty());
  CHECK(page().front().name == "index.html");
  CHECK(page().front().text.starts_with("<!doctype html>"));
  for (const Asset& file : page()) {
    CAPTURE(file.name);
    CHECK(!file.text.empty());
    const std::string ending(file.name.substr(file.name.rfind('.') + 1));
    CHECK(file.type.find(ending == "js" ? "javascript" : ending) != std::string_view::npos);
  }
}

TEST_CASE("every file that the page names is there") {
  const auto named = all_of(page().front().text, R"re((?:src|href)="([^"]*)")re");
  CHECK(named.size() >= 3);
  for (const std::string& name : named) CHECK_MESSAGE(is_there(name), name);
  for (const Asset& file : page()) {
    if (!file.name.ends_with(".js") || !is_ours(file)) continue;
    for (const std::string& name : all_of(file.text, R"re((?:from |import\()"\./([^"]*)")re"))
      CHECK_MESSAGE(is_there(name), name);
    CHECK(all_of(file.text, R"re((from "[^.]))re").empty());
  }
}

TEST_CASE("a browser fetches few files: the page, its style, its icon, one script, and two more for the 3D view") {
  std::vector<std::string> names;
  for (const Asset& file : page()) names.emplace_back(file.name);
  std::sort(names.begin() + 1, names.end());
  CHECK(names ==
        std::vector<std::string>{"index.html", "icon.svg", "main.js", "scene.js", "style.css", "three.module.js"});
  for (const Asset& file : page()) {
    CAPTURE(file.name);
    if (file.name == "main.js") CHECK(all_of(file.text, R"re(\n(import) )re").empty());
    if (file.name == "scene.js") CHECK(all_of(file.text, R"re(\nimport [^\n]* from "([^"]*)")re").size() == 1);
    CHECK(file.tag.size() == 18);  // so that a browser that has the file need not fetch it again
  }
}

TEST_CASE("three.js has the version that the page is written for") {
  const auto three = std::find_if(page().begin(), page().end(), [](const Asset& file) { return !is_ours(file); });
  REQUIRE(three != page().end());
  CHECK(three->text.find("REVISION = '111'") != std::string_view::npos);
}

TEST_CASE("no script is inline, and no text becomes markup") {
  const std::string_view html = page().front().text;
  CHECK(all_of(html, R"re(<script(?![^>]*\bsrc=)([^>]*)>)re").empty());
  CHECK(all_of(html, R"re(<[^>]*\s(on\w+|style)=)re").empty());
  for (const Asset& file : page()) {
    if (!is_ours(file)) continue;
    CAPTURE(file.name);
    for (const char* forbidden :
         {R"(\b(eval)\b)", R"((new Function))", R"((innerHTML|outerHTML|insertAdjacentHTML|document\.write))",
          R"(\b(https?:)//(?!www\.w3\.org/2000/svg))"})
      CHECK_MESSAGE(all_of(file.text, forbidden).empty(), forbidden);
  }
}

}  // namespace
}  // namespace entente::native::page_test
