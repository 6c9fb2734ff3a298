// The limits of what nodes may answer, to the byte and the line.
#include "proxy/program/fleet/fleet_answers.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace entente::fleet_answers_test {
namespace {

constexpr std::size_t kMostLines = 20'000;

bool is_taken(const std::string& text, bool json) {
  return merged_answers({{"a", text}}, json).find("sent an invalid answer") == std::string::npos;
}

/// `count` times `one`, with commas between.
std::string list_of(std::size_t count, const std::string& one) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += (i == 0 ? "" : ",") + one;
  return all;
}

TEST_CASE("no answers at all are an empty answer") {
  CHECK(merged_answers({}, false) == "ok\n");
  CHECK(merged_answers({}, true) == "[]\n");
  CHECK(merged_answers({{"a", "ok\n"}}, false) == "ok\n");
  CHECK(rows_of_answers({}).empty());
}

TEST_CASE("an answer of the largest size is taken, and a longer one is not") {
  for (const std::size_t more : {0U, 1U}) {
    CAPTURE(more);
    CHECK(is_taken("ok\n" + std::string(kLongestAnswer - 3 + more, 'x'), false) == (more == 0));
    CHECK(is_taken(R"([{"x":")" + std::string(kLongestAnswer - 10 + more, 'x') + "\"}]", true) == (more == 0));
  }
}

TEST_CASE("an answer of 20,000 lines or objects is taken, and one with more is not") {
  for (const std::size_t more : {0U, 1U}) {
    CAPTURE(more);
    CHECK(is_taken("ok\n" + std::string(kMostLines - 1 + more, '\n'), false) == (more == 0));
    CHECK(is_taken("[" + list_of(kMostLines + more, "{}") + "]", true) == (more == 0));
  }
}

TEST_CASE("an object has at most 64 members") {
  for (const std::size_t more : {0U, 1U}) {
    CAPTURE(more);
    std::string object;
    for (std::size_t i = 0; i < 64 + more; ++i) object += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":1";
    CHECK(is_taken("[{},"
                   "{" +
                       object + "}]",
                   true) == (more == 0));
    CHECK(is_taken("{" + object + "}", true) == (more == 0));
  }
}

TEST_CASE("the nodes' tables have at most 256 columns together, of which those that several have count once") {
  const auto table = [](std::size_t first, std::size_t columns) {
    std::string header;
    for (std::size_t i = 0; i < columns; ++i)
      header += (i == 0 ? "" : "\t") + std::string("c") + std::to_string(first + i);
    return "ok\n" + header + "\n1\n";
  };
  const std::vector<NodeAnswer> most = {
      {"a", table(0, 64)}, {"b", table(64, 64)}, {"c", table(128, 64)}, {"d", table(192, 63)}, {"e", table(200, 55)}};
  std::string all = merged_answers(most, false);
  CHECK(all.find("left out") == std::string::npos);
  CHECK(std::count(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.find('\n', 3)), '\t') == 255);
  std::vector<NodeAnswer> more = most;
  more.push_back({"f", table(200, 56)});
  all = merged_answers(more, false);
  CHECK(all.find("# f: its answer is left out") != std::string::npos);
  CHECK(all.find("# e: ") == std::string::npos);
}

TEST_CASE("the nodes' answers have at most 200,000 lines together") {
  const std::string lines = "ok\n" + std::string(kMostLines - 1, '\n');
  std::vector<NodeAnswer> all;
  for (int i = 0; i < 10; ++i) all.push_back({"a", lines});
  all.push_back({"b", "ok\nten\nmore\nlines\n1\n2\n3\n4\n5\n6\n7\n"});  // the ten have one line less each
  std::string merged = merged_answers(all, false);
  CHECK(merged.find("left out") == std::string::npos);
  all.push_back({"c", "ok\none\n"});
  merged = merged_answers(all, false);
  CHECK(merged.find("# c: its answer is left out") != std::string::npos);
  CHECK(merged.find("c: one") == std::string::npos);
}

TEST_CASE("of an error of a node, only the first line is shown, and what is no answer is called so") {
  CHECK(merged_answers({{"a", "error: first\nsecond\n"}}, false) == "ok\n# a: first\n");
  CHECK(merged_answers({{"a", "error: no end"}}, false) == "ok\n# a: no end\n");
  CHECK(merged_answers({{"a", "okay\n"}}, false) == "ok\n# a: sent an invalid answer\n");
}

TEST_CASE("what a terminal would obey is made harmless in lines that are no table, and in the names of columns") {
  CHECK(merged_answers({{"a", "ok\nsaid \x1b[2J to\nlink\t7\n"}}, false) == "ok\na: said \\x1b[2J to\na: link\t7\n");
  CHECK(merged_answers({{"a", "ok\nx\ty\x1b[2J\n1\t2\n"}}, false) == "ok\nnode\tx\ty\\x1b[2J\na\t1\t2\n");
}

TEST_CASE("JSON that is neither an object nor a list of objects is no answer") {
  for (const char* text : {"7", "\"ok\"", "true", "null", "[[]]"}) {
    CHECK_MESSAGE(!is_taken(text, true), text);
    CHECK_MESSAGE(rows_of_answers({{"a", text}}).empty(), text);
  }
}

TEST_CASE("an empty field keeps its place, and a short row is filled") {
  CHECK(merged_answers({{"a", "ok\nx\ty\tz\n1\t\t3\n4\n"}}, false) == "ok\nnode\tx\ty\tz\na\t1\t\t3\na\t4\t-\t-\n");
}

TEST_CASE("values in JSON stay what they are, and a text is written so that it is JSON") {
  const std::string object = R"({"a":true,"b":null,"c":[1,"x"],"d":{"e":2},"f":"\"\\","g":1.5})";
  CHECK(merged_answers({{"n", object}}, true) == R"([{"node":"n",)" + object.substr(1) + "]\n");
}

TEST_CASE("of an answer in JSON, a link is a text or a whole number that a double can have") {
  const auto link = [](const std::string& value) {
    const auto rows = rows_of_answers({{"a", "[{\"link\":" + value + "}]"}});
    REQUIRE(rows.size() == 1);
    return rows[0].link;
  };
  CHECK(link("9007199254740992") == "9007199254740992");
  CHECK(link("9007199254740994").empty());
  CHECK(link("0") == "0");
  CHECK(link("-1").empty());
  CHECK(link("\"7\"") == "7");
  CHECK(link("true").empty());
}

TEST_CASE("rows name their node, and have all that is asked for; an object with an error is none") {
  const auto rows = rows_of_answers(
      {{"a",
        R"([{"error":"no"},{"link":1,"client":"c","player":"p","game":"g","place":"l","address":"d","node":"x"}])"},
       {"b", "no JSON"},
       {"c", R"({"player":"q"})"}});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].node == "a");
  CHECK(rows[0].link == "1");
  CHECK(rows[0].client == "c");
  CHECK(rows[0].player == "p");
  CHECK(rows[0].game == "g");
  CHECK(rows[0].place == "l");
  CHECK(rows[0].address == "d");
  CHECK(rows[1].node == "c");
  CHECK(rows[1].player == "q");
}

}  // namespace
}  // namespace entente::fleet_answers_test
