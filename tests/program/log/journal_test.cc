// What the program writes to systemd's journal: each line with its priority and without a time, which the journal has.
#include "proxy/program/base/journal.h"

#include <doctest/doctest.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <csignal>
#include <sstream>
#include <string>
#include <vector>

#include "tests/program/folder.h"
#include "tests/relay/peers.h"
#include "tests/support/listening.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::journal_test {
namespace {

using testing::FakeServer, testing::Stream;

/// Runs entente with standard error as a journal's stream.
std::vector<std::string> in_journal(std::vector<std::string> arguments) {
  std::vector<std::string> all{"/bin/sh", "-c", "JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) exec \"$0\" \"$@\"",
                               testing::entente_binary()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The log of a relay to `server` after one client has come and gone, and another was refused.
std::vector<std::string> log_of_evening(const std::string& format, net::Address& first) {
  const Folder folder;
  const FakeServer server;
  const std::string config = "[log]\nformat = \"" + format +
                             "\"\n[limits]\nsessions = 1\n[[route]]\nlisten = \"bzflag://127.0.0.1:0?dialect=2.4\"\n"
                             "to = \"bzflag://127.0.0.1:" +
                             std::to_string(server.port()) + "?dialect=2.4\"\n";
  Process entente(in_journal({"run", folder.write("journal.toml", config)}));
  const net::Address relay = *net::Address::parse("127.0.0.1", testing::listening_port(entente, "bzflag 2.4"));
  {
    const Stream client = Stream::to(relay);
    first = client.here();
    client.send("BZFLAG\r\n\r\n");
    const Stream back = server.accept();
    CHECK(entente.err_has("opened"));
    const Stream other = Stream::to(relay);
    CHECK(entente.err_has("too many sessions"));
  }
  CHECK(entente.err_has("closed"));
  entente.signal(SIGTERM);
  CHECK(entente.wait() == 0);
  return lines_of(entente.err());
}

}  // namespace

TEST_CASE("in the journal, lines have their priority and no second time") {
  net::Address client;
  const auto lines = log_of_evening("text", client);
  REQUIRE(lines.size() >= 4);
  bool warned = false;
  for (const std::string& line : lines) {
    CAPTURE(line);
    const bool refused = line.find("refused ") != std::string::npos;
    CHECK(line.starts_with(refused ? "<4>refused " : "<6>"));
    CHECK(line.find("202") == std::string::npos);  // a year
    warned = warned || refused;
  }
  CHECK(warned);
}

TEST_CASE("JSON lines have address, route, server and reason as fields") {
  net::Address client;
  bool opened = false, closed = false, refused = false;
  for (const std::string& line : log_of_evening("json", client)) {
    CAPTURE(line);
    REQUIRE(line.size() > 3);
    CHECK(line[0] == '<');
    google::protobuf::Struct object;
    REQUIRE(google::protobuf::util::JsonStringToMessage(line.substr(3), &object).ok());
    const auto field = [&](const char* name) {
      const auto at = object.fields().find(name);
      return at == object.fields().end() ? "" : at->second.string_value();
    };
    const std::string text = field("text");
    if (text.find("opened") != std::string::npos) {
      opened = true;
      CHECK(field("session") == "1");
      CHECK(field("address") == client.text());
      CHECK(field("server").starts_with("127.0.0.1:"));
      CHECK(field("route").starts_with("bzflag 2.4 127.0.0.1:"));
    }
    if (text.find("closed") != std::string::npos) {
      closed = true;
      CHECK(field("address") == client.text());
      CHECK(field("reason") != "");
    }
    if (text.find("refused") != std::string::npos) {
      refused = true;
      CHECK(field("reason") == "too many sessions");
      CHECK(field("address").starts_with("127.0.0.1:"));
    }
  }
  CHECK(opened);
  CHECK(closed);
  CHECK(refused);
}

TEST_CASE("in the journal, each line of an error has the priority of one") {
  const Folder folder;
  const auto ended = run(in_journal({"run", folder.write("wrong.toml", "[[route]]\nlisten = 3\nto = 4\n")}));
  CHECK(ended.code == 1);
  const auto lines = lines_of(ended.err);
  CHECK(lines.size() >= 2);
  for (const std::string& line : lines) CHECK(line.starts_with("<3>"));
  CHECK(lines_of(run(in_journal({"check"})).err).at(1).starts_with("<3>"));
}

TEST_CASE("standard error that is not the journal's stream has no priorities") {
  const auto ended = run({"/usr/bin/env", "JOURNAL_STREAM=1:2", testing::entente_binary(), "check"});
  CHECK(ended.err.starts_with("entente check: "));
}

}  // namespace entente::journal_test
