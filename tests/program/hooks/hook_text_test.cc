// The texts of events: each has the fields that the manual lists, and no name of a player can become anything else.
#include <doctest/doctest.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <fstream>
#include <sstream>

#include "proxy/program/hooks/event_text.h"
#include "proxy/program/settings/hook.h"
#include "tests/program/asked.h"
#include "tests/support/receiver.h"

namespace entente::hook_text_test {
namespace {

using relay::News, relay::NewsField, relay::NewsKind, google::protobuf::Struct;

std::string source(const std::string& file) {
  std::ifstream in(testing::source_dir() + "/" + file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Struct parsed(const std::string& json) {
  Struct object;
  REQUIRE_MESSAGE(google::protobuf::util::JsonStringToMessage(json, &object).ok(), json);
  return object;
}

/// An event with something in each field.
News full(const relay::NewsRow& row, const std::string& text) {
  News news(row.kind);
  for (const NewsField field : row.fields) {
    const auto type = relay::row_of(field).type;
    if (type == relay::NewsFieldRow::Type::kText)
      news.set(field, text);
    else if (type == relay::NewsFieldRow::Type::kNumber)
      news.set(field, 7);
    else
      news.set(field, std::vector<relay::NewsScore>(20, {text, "red", 5, 1}));
  }
  return news;
}

/// Names that try to be something else.
const std::vector<std::string> kNames = {
    "anna",
    "\"},\"allowed_mentions\":{\"parse\":[\"everyone\"]},\"x\":{\"y\":\"",
    "@everyone <@&123> <@123> https://evil.example/ [click](https://evil.example/)",
    "back\\slash \\u0022 \\\"",
    "line\nbreak\r\n\t\x1b[31m\x01\x7f",
    "bad \xff\xfe utf-8 \xc0\x80",
    "{{text}} {{player}} {{ {{",
    "\xe2\x80\xae right to left",
    std::string(100'000, 'x'),
};

TEST_CASE("the manual lists the events and their fields") {
  const std::string page = source("proxy/manual/hooks.md");
  for (const std::string& table : {hook_events_table(), hook_fields_table()})
    CHECK_MESSAGE(page.find(table) != std::string::npos, "proxy/manual/hooks.md lacks this:\n" << table);
  for (const relay::NewsRow& row : relay::news_rows()) {
    CHECK(&relay::row_of(row.kind) == &row);
    if (row.kind != NewsKind::kTest)
      CHECK_MESSAGE(source("schema/config.proto").find(row.name) != std::string::npos,
                    row.name << " is not among the events that the key `events` explains");
  }
  for (const relay::NewsFieldRow& row : relay::news_fields()) CHECK(&relay::row_of(row.field) == &row);
}

TEST_CASE("each event is JSON with exactly the fields of its row, whatever they contain") {
  for (const relay::NewsRow& row : relay::news_rows())
    for (const std::string& name : kNames) {
      CAPTURE(row.name);
      const HookEvent event{full(row, name), "1-1"};
      const std::string json = event_json(event, {.addresses = true, .lost = 3});
      const Struct object = parsed(json);
      CHECK(json.find('\n') == std::string::npos);
      CHECK(object.fields().size() == 5 + row.fields.size());
      CHECK(object.fields().at("event").string_value() == row.name);
      CHECK(object.fields().at("lost").number_value() == 3);
      CHECK(!object.fields().at("text").string_value().empty());
      CHECK(object.fields().at("text").string_value().size() <= 1'500);
      for (const NewsField field : row.fields) CHECK(object.fields().contains(relay::row_of(field).name));
    }
}

TEST_CASE("an address of a person is in no text of an event, unless it is asked for") {
  for (const relay::NewsRow& row : relay::news_rows()) {
    News news(row.kind);
    for (const NewsField field : row.fields)
      if (relay::row_of(field).is_address) news.set(field, "192.0.2.7");
    const HookEvent event{news, "1-1"};
    CHECK(event_json(event, {}).find("192.0.2.7") == std::string::npos);
    for (const relay::NewsFieldRow& field : relay::news_fields())
      CHECK(event_value(event, {}, field.name) != "192.0.2.7");
  }
}

/// The JSON of a shape: with each string replaced by "".
void blank(google::protobuf::Value& value) {
  if (value.kind_case() == google::protobuf::Value::kStringValue) value.set_string_value("");
  if (value.has_struct_value())
    for (auto& [name, member] : *value.mutable_struct_value()->mutable_fields()) blank(member);
  if (value.has_list_value())
    for (auto& one : *value.mutable_list_value()->mutable_values()) blank(one);
}

std::string shape(const std::string& json) {
  google::protobuf::Value value;
  *value.mutable_struct_value() = parsed(json);
  blank(value);
  std::string text;
  google::protobuf::util::MessageToJsonString(value, &text);
  const auto again = HookTemplate::parse(text, is_hook_value);  // in the order of the names
  return again->body([](std::string_view) { return ""; });
}

TEST_CASE("the templates for Discord and Matrix keep their shape, whatever players call themselves") {
  for (const char* file : {"config/discord.json", "config/matrix.json"}) {
    CAPTURE(file);
    const auto body = HookTemplate::parse(source(file), is_hook_value);
    REQUIRE_MESSAGE(body, body.error().text);
    for (const relay::NewsRow& row : relay::news_rows())
      for (const std::string& name : kNames) {
        const HookEvent event{full(row, name), "1-1"};
        const std::string made = body->body([&](std::string_view what) { return event_value(event, {}, what); });
        CHECK(shape(made) == shape(source(file)));
      }
  }
  const HookEvent event{full(relay::row_of(NewsKind::kJoin), kNames[2]), "1-1"};
  const auto discord = HookTemplate::parse(source("config/discord.json"), is_hook_value);
  const Struct made = parsed(discord->body([&](std::string_view what) { return event_value(event, {}, what); }));
  // Nobody is pinged, and no link is made.
  CHECK(made.fields().at("allowed_mentions").struct_value().fields().at("parse").list_value().values().empty());
  const std::string content = made.fields().at("content").string_value();
  CHECK(content.find("\\@everyone \\<\\@\\&123\\>") == 0);
  CHECK(content.find("https\\:\\/\\/evil") != std::string::npos);
  CHECK(content.find("\\[click\\]\\(") != std::string::npos);
  CHECK(content.size() <= 2 * 1'500);
}

TEST_CASE("a template that is not JSON, or names something unknown, is refused") {
  for (const char* bad : {"", "{", "[]", "\"text\"", "{\"a\": {{text}}}", "{\"a\": \"{{nothing}}\"}",
                          "{\"a\": \"{{text:html}}\"}", "{\"a\": 1} {\"b\": 2}"})
    CHECK_MESSAGE(!HookTemplate::parse(bad, is_hook_value), bad);
  std::string many = "{\"a\":\"";
  for (int i = 0; i < 300; ++i) many += "{{text}}";
  CHECK(!HookTemplate::parse(many + "\"}", is_hook_value));
  std::string deep;
  for (int i = 0; i < 20'000; ++i) deep += "{\"a\":";
  CHECK(!HookTemplate::parse(deep, is_hook_value));
  const auto good =
      HookTemplate::parse(R"({"a": [1, true, null, 1.5, "{{a", "}}"], "{{id}}": "{{player}}!"})", is_hook_value);
  REQUIRE(good);
  CHECK(good->body([](std::string_view name) { return std::string(name); }) ==
        R"({"a":[1,true,null,1.5,"{{a","}}"],"id":"player!"})");
}

TEST_CASE("a score board in a sentence") {
  News news(NewsKind::kMatchEnded);
  news.set(NewsField::kArena, "lobby").set(NewsField::kWinner, "anna");
  news.set(NewsField::kScores, {{"anna", "red", 5, 1}, {"bob", "blue", 3, 2, true}});
  CHECK(event_sentence(news, {}) == "a match ended in lobby: anna won. Players: anna 5:1, bob 3:2");
}

config::Hook hook_of(const std::string& name, const std::string& url) {
  config::Hook hook;
  hook.set_name(name);
  hook.set_url(url);
  hook.add_events("join");
  return hook;
}

TEST_CASE("what is wrong with a hook is found before it runs, and no secret is shown") {
  const auto keys = [](const config::Hook& hook) {
    std::string all;
    for (const auto& one : objections_to(hook, true)) all += one.key + " ";
    return all;
  };
  config::Hook good = hook_of("a-1_B", "https://example.org/api/secret/{id}");
  CHECK(keys(good) == "");
  CHECK(hook_settings(good)->target() == "https://example.org:443");
  CHECK(keys(hook_of("a b", "https://example.org/")) == "name ");
  CHECK(keys(hook_of("a", "")) == "url ");
  CHECK(keys(hook_of("a", "gopher://example.org/")) == "url ");
  config::Hook both = good;
  both.add_command("/bin/true");
  CHECK(keys(both) == "url ");
  config::Hook unknown = good;
  unknown.add_events("joins");
  CHECK(objections_to(unknown, true).front().why.find("did you mean 'join'?") != std::string::npos);
  config::Hook command = hook_of("a", "");
  command.add_command("/bin/true");
  command.set_ca_file("/etc/ssl/certs/ca-certificates.crt");
  CHECK(keys(command) == "ca_file ");
  const Folder folder;
  config::Hook files = good;
  files.set_secret_file(folder.write("short", "short\n"));
  files.set_template_(folder.write("bad.json", "{\"a\": \"{{nobody}}\"}"));
  files.set_ca_file(folder.write("no.pem", "no certificate"));
  CHECK(keys(files) == "secret_file ca_file template ");
  CHECK(warning_about(hook_of("a", "http://example.org/")) != "");
  CHECK(warning_about(hook_of("a", "http://192.0.2.7/")) != "");
  for (const char* near : {"http://127.0.0.1:8000/", "http://[::1]/", "http://localhost/", "http://10.1.2.3/",
                           "http://192.168.1.1/", "https://example.org/"})
    CHECK_MESSAGE(warning_about(hook_of("a", near)) == "", near);
}

}  // namespace
}  // namespace entente::hook_text_test
