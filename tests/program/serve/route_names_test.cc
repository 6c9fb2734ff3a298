// A route's own name stands for it everywhere: in commands, the log, metrics, the summary and names of recordings; and
// its limits are its own.
#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "tests/program/asked.h"
#include "tests/relay/peers.h"
#include "tests/support/listening.h"

namespace entente::route_names_test {
namespace {

using testing::FakeServer, testing::Stream;

struct Named : Asked {
  Named() : process({testing::entente_binary(), "run", folder.write("a.toml", config(""))}) {
    at = *net::Address::parse("127.0.0.1", testing::listening_port(process, "bzflag 2.4"));
    other = *net::Address::parse("127.0.0.1", testing::listening_port(process, "bzflag 2.4"));
    arena = *net::Address::parse("127.0.0.1", testing::listening_port(process, "native json"));
  }
  std::string config(const std::string& limits) const {
    const std::string to = "to = \"bzflag://127.0.0.1:" + std::to_string(server.port()) + "?dialect=2.4\"\n";
    return "[control]\nsocket = \"" + folder.file("c.sock") + "\"\n[recording]\ndirectory = \"" +
           folder.path().string() +
           "\"\n[[route]]\nlisten = \"bzflag://127.0.0.1:0?dialect=2.4\"\nname = \"ctf\"\nrecord = "
           "\"{route}-{time}.mcap\"\n" +
           to + "[route.limits]\nsessions = 1\n" + limits +
           "[[route]]\nlisten = \"bzflag://127.0.0.1:0?dialect=2.4\"\n" + to +
           "[[arena]]\nlisten = [\"native://127.0.0.1:0?dialect=json\"]\nname = \"lobby\"\n";
  }

  FakeServer server{true};
  Process process;
  net::Address at, other, arena;
};

/// The names of the recordings in this folder that begin like this.
std::size_t recordings(const Folder& folder, const std::string& begin) {
  std::size_t count = 0;
  for (const auto& one : std::filesystem::directory_iterator(folder.path()))
    count += one.path().filename().string().starts_with(begin) ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("a route is shown and taken by its name, and its limits are its own") {
  Named it;
  const Stream first = Stream::to(it.at), second = Stream::to(it.at);
  first.send("BZFLAG\r\n\r\n");
  const Stream there = it.server.accept();
  there.send("BZFS0221\x07");
  CHECK(first.read_text(9) == "BZFS0221\x07");
  CHECK(it.process.err_has("too many sessions (route ctf)"));
  const Stream third = Stream::to(it.other), fourth = Stream::to(it.other);
  CHECK(it.answers("routes", "\nctf\tbzflag\t"));
  CHECK(it.answers("servers", "\nctf\t127.0.0.1:"));
  CHECK(it.answers("stats", "served ctf sessions=1 refused=1 "));
  CHECK(it.answers("recordings", "\tctf\ton\t"));
  CHECK(it.ctl({"say", "--route", "ctf", "hello"}).code == 0);
  CHECK(it.ctl({"drain", "ctf"}).out.starts_with("draining ctf: "));
  CHECK(it.ctl({"undrain", "ctf"}).out == "ctf takes newcomers again\n");
  CHECK(it.ctl({"record", "rotate", "ctf"}).out.find(" ctf: ") != std::string::npos);
  CHECK(it.ctl({"record", "start", "lobby"}).code == 0);
  CHECK(it.ctl({"record", "stop", "lobby"}).code == 0);
  CHECK(it.ctl({"record", "start", "nowhere"}).code == 1);
  CHECK(recordings(it.folder, "ctf-") >= 1);
  it.process.signal(SIGTERM);
  CHECK(it.process.wait() == 0);
  CHECK(it.process.out().find("served ctf sessions=1 ") != std::string::npos);
}

TEST_CASE("a recording of an idle route leaves no file") {
  Named it;
  CHECK(it.answers("recordings", "\tctf\ton\t"));
  CHECK(recordings(it.folder, "ctf-") == 1);
  it.process.signal(SIGTERM);
  CHECK(it.process.wait() == 0);
  CHECK(recordings(it.folder, "ctf-") == 0);
}

TEST_CASE("a route that a reload renames is recorded under its new name") {
  Named it;
  std::string renamed = it.config("");
  renamed.replace(renamed.find("\"ctf\""), 5, "\"ffa\"");
  it.folder.write("a.toml", renamed);
  REQUIRE(it.ctl({"reload"}).code == 0);
  CHECK(it.answers("recordings", "\tffa\ton\t"));
  CHECK(recordings(it.folder, "ffa-") == 1);
}

}  // namespace entente::route_names_test
