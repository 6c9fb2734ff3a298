#include <doctest/doctest.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/message_differencer.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "adapters/registry.h"
#include "proxy/program/config/config.h"
#include "proxy/program/config/config_comment.h"
#include "proxy/program/config/config_reader.h"
#include "tests/support/paths.h"

namespace entente::config_example_test {

namespace {

std::string file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

const std::string kFolder = testing::source_dir() + "/config";

}  // namespace

TEST_CASE("config/example.toml equals the text made from the schema") {
  CHECK_MESSAGE(file(kFolder + "/example.toml") == example_config(),
                "to update it: entente check --example > config/example.toml");
}

TEST_CASE("the example is valid, and every key in it has its default value") {
  auto config = parse_config(example_config(), "example.toml", games());
  REQUIRE_MESSAGE(config.ok(), config.error().front());
  REQUIRE(config->route_size() == 1);
  REQUIRE(config->arena_size() == 1);
  config::Config plain;
  *plain.add_arena()->mutable_listen() = config->arena(0).listen();
  plain.mutable_arena(0)->set_record(config->arena(0).record());
  set_defaults(plain);
  CHECK(google::protobuf::util::MessageDifferencer::Equals(config->arena(0), plain.arena(0)));
  config->clear_route();
  config->clear_arena();
  config->clear_hook();
  config->clear_list();
  CHECK(google::protobuf::util::MessageDifferencer::Equals(*config, default_config()));
}

TEST_CASE("the manual lists the keys that a reload applies at once") {
  std::set<std::string> tables, names;
  const auto& whole = *config::Config::descriptor();
  for (int i = 0; i < whole.field_count(); ++i) {
    const auto& table = *whole.field(i);
    if (reload_rule(table, config::Rule::never) == config::Rule::at_once) tables.insert("`[" + table.name() + "]`");
    if (table.message_type() == nullptr || table.is_repeated()) continue;
    for (int j = 0; j < table.message_type()->field_count(); ++j) {
      const auto& key = *table.message_type()->field(j);
      if (key.options().GetExtension(config::rule).reload() == config::Rule::at_once)
        names.insert("`" + table.name() + "." + key.name() + "`");
    }
  }
  std::string row;
  for (const auto* of : {&tables, &names})
    for (const std::string& name : *of) row += (row.empty() ? "| " : ", ") + name;
  CAPTURE(row);
  const std::string manual = file(testing::source_dir() + "/proxy/manual/reload-and-stop.md");
  CHECK(manual.find("\n" + row + " | It applies at once.") != std::string::npos);
}

TEST_CASE("every key in the example has a comment and a line of facts above it") {
  std::istringstream lines(example_config());
  std::string line, last, before;
  int keys = 0;
  for (; std::getline(lines, line); before = last, last = line) {
    if (line.find(" = ") == line.npos || line.starts_with("#")) continue;
    CAPTURE(line);
    CHECK((last.ends_with(".") && (last.find("Default: ") != last.npos || last.find("Required.") != last.npos)));
    CHECK((before.starts_with("# ") && before.size() > 12));
    ++keys;
  }
  CHECK(keys > 50);
}

TEST_CASE("each file in config/ is valid") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".toml") continue;
    ++files;
    const auto config = load_config(entry.path().string(), games(), nullptr);
    CHECK_MESSAGE(config.ok(), (config.ok() ? "" : config.error().front()));
  }
  CHECK(files >= 3);
}

}  // namespace entente::config_example_test
