// Answers of the control socket: text for people, JSON for programs, and what the log shows of them.
#include "proxy/program/control/reply.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace entente::reply_test {
namespace {

TEST_CASE("an answer begins with ok, an error is one line, and its control characters are escaped") {
  CHECK(Reply("a\nb\n").text() == "ok\na\nb\n");
  CHECK(Reply("").text() == "ok\n");
  CHECK(Reply(Error{"no\n\x1b[2J"}).text() == "error: no\\x0a\\x1b[2J\n");
  CHECK(Reply(Outcome<std::string>(std::string("a\n"))).text() == "ok\na\n");
  CHECK(Reply(Outcome<std::string>(Error{"no"})).text() == "error: no\n");
  CHECK_FALSE(Reply("a\n").failed());
  CHECK(Reply(Error{"no"}).failed());
}

TEST_CASE("in JSON, an answer or an error is a member of an object, without the end of its last line") {
  CHECK(Reply("a\nb\n").json() == "{\"done\":\"a\\u000ab\"}\n");
  CHECK(Reply("a").json() == "{\"done\":\"a\"}\n");
  CHECK(Reply("a\n\n").json() == "{\"done\":\"a\\u000a\"}\n");
  CHECK(Reply(Error{"no \"x\""}).json() == "{\"error\":\"no \\\"x\\\"\"}\n");
}

TEST_CASE("rows that are added to an answer are members of its JSON, and its text is the same") {
  Reply reply("a\n");
  reply.with("sessions", {{number_field("link", 3), text_field("player", "anna")}, {number_field("link", 4)}})
      .with("routes", {});
  CHECK(reply.text() == "ok\na\n");
  CHECK(reply.json() ==
        "{\"done\":\"a\",\"sessions\":[{\"link\":3,\"player\":\"anna\"},{\"link\":4}],\"routes\":[]}\n");
  CHECK(Reply(Error{"no"}).with("candidates", {{number_field("link", 3)}}).json() ==
        "{\"error\":\"no\",\"candidates\":[{\"link\":3}]}\n");
}

TEST_CASE("a table has a header, tabs between its fields, and a JSON array of its rows") {
  const std::vector<ReplyRow> rows = {
      {number_field("link", 3), text_field("player", "an\tna"), flag_field("bot", true)},
      {number_field("link", 4), text_field("player", ""), flag_field("bot", false)}};
  const Reply table = Reply::table({"link", "player", "bot"}, rows);
  CHECK(table.text() == "ok\nlink\tplayer\tbot\n3\tan\\x09na\tyes\n4\t-\tno\n");
  CHECK(table.json() ==
        "[{\"link\":3,\"player\":\"an\\u0009na\",\"bot\":true},"
        "{\"link\":4,\"player\":null,\"bot\":false}]\n");
  CHECK(Reply::list(rows).text() == "ok\n3\tan\\x09na\tyes\n4\t-\tno\n");
  CHECK(Reply::list(rows).json() == table.json());
  CHECK(Reply::table({"link"}, {}).text() == "ok\nlink\n");
  CHECK(Reply::table({"link"}, {}).json() == "[]\n");
}

TEST_CASE("a field that is only for programs takes no column") {
  const Reply table =
      Reply::table({"link", "player"},
                   {{number_field("link", 3), only_json(text_field("route", "ctf")), text_field("player", "anna")}});
  CHECK(table.text() == "ok\nlink\tplayer\n3\tanna\n");
  CHECK(table.json() == "[{\"link\":3,\"route\":\"ctf\",\"player\":\"anna\"}]\n");
}

TEST_CASE("a record begins with its name, and its other values follow theirs") {
  const ReplyRow row = {text_field("served", "ctf"), number_field("sessions", 2), text_field("why", "")};
  CHECK(record_text(row) == "served ctf sessions=2 why=-");
  CHECK(Reply::records({row, {text_field("served", "ffa")}}).text() == "ok\nserved ctf sessions=2 why=-\nserved ffa\n");
  CHECK(Reply::records({row}).json() == "[{\"served\":\"ctf\",\"sessions\":2,\"why\":null}]\n");
}

TEST_CASE("a list in one field has commas, and a value for each text, also for an empty one") {
  const auto list = [](const std::vector<std::string>& texts) { return list_field("files", texts); };
  CHECK(list({}).text == "");
  CHECK(list({}).json == "[]");
  CHECK(list({"a"}).text == "a");
  CHECK(list({"a", "b \"c\"", ""}).text == "a,b \"c\",-");
  CHECK(list({"a", "b \"c\"", ""}).json == "[\"a\",\"b \\\"c\\\"\",\"\"]");
}

TEST_CASE("an order has changed something unless it failed or only asked; an error may come after the change") {
  CHECK(Reply("a\n").has_changed());
  CHECK_FALSE(Reply(Error{"no"}).has_changed());
  CHECK_FALSE(Reply("a\n").only_asked().has_changed());
  CHECK(Reply(Error{"not kept"}).though_done().has_changed());
  CHECK(Reply(Error{"not kept"}).though_done().failed());
}

TEST_CASE("the log shows the first line of an answer, and the note") {
  CHECK(Reply("a\nb\n").summary() == "a");
  CHECK(Reply("a\nb\n").note("link 3").summary() == "a; link 3");
  CHECK(Reply(Error{"no"}).summary() == "error: no");
  CHECK(Reply(Error{"no"}).note("link 3").summary() == "error: no; link 3");
  CHECK(Reply("a\n").note("link 3").text() == "ok\na\n");
}

}  // namespace
}  // namespace entente::reply_test
