// The program with hooks: what happens in relays and arenas reaches a receiver, a reload changes hooks, and the
// receiver of the manual checks signatures.
#include <doctest/doctest.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <memory>
#include <sstream>

#include "proxy/program/take_over/older_sockets.h"
#include "tests/program/asked.h"
#include "tests/program/fleet/fleet_process.h"
#include "tests/support/free_port.h"
#include "tests/support/listening.h"
#include "tests/support/receiver.h"

namespace entente::hooks_process_test {
namespace {

using testing::Receiver;

const std::string kEntente = testing::entente_binary();

struct Hooked : Asked {
  explicit Hooked(const std::string& rest) {
    write(rest);
    process = std::make_unique<Process>(std::vector<std::string>{kEntente, "run", folder.file("a.toml")});
  }
  void write(const std::string& rest) const {
    folder.write("a.toml", "[control]\nsocket = \"" + folder.file("c.sock") + "\"\n[recording]\ndirectory = \"" +
                               folder.file("") + "\"\n" + rest);
  }
  std::uint16_t port(std::string_view dialect) const { return testing::listening_port(*process, dialect); }
  std::unique_ptr<Process> bot(const std::string& url, const std::string& name) const {
    return std::make_unique<Process>(
        std::vector<std::string>{kEntente, "bot", url, "--name", name, "--behaviour", "idle"});
  }
  std::unique_ptr<Process> process;
};

std::string hook(const Receiver& receiver, const std::string& events, const std::string& more = "") {
  return "[[hook]]\nname = \"h\"\nurl = \"" + receiver.url() + "\"\nevents = [" + events + "]\n" + more;
}

std::string bzflag(std::uint16_t port) { return "bzflag://127.0.0.1:" + std::to_string(port) + "?dialect=2.4"; }
std::string native(std::uint16_t port) { return "native://127.0.0.1:" + std::to_string(port) + "?dialect=json"; }

google::protobuf::Struct parsed(const Receiver::Request& request) {
  google::protobuf::Struct object;
  REQUIRE(google::protobuf::util::JsonStringToMessage(request.body, &object).ok());
  return object;
}

std::string text_of(const google::protobuf::Struct& object, const std::string& name) {
  REQUIRE(object.fields().contains(name));
  return object.fields().at(name).string_value();
}

TEST_CASE("players of a relay and of an arena join and leave; a match ends with its scores; a recording is finished") {
  Receiver receiver;
  const auto port = static_cast<std::uint16_t>(testing::free_port());
  const Hooked its(
      hook(receiver, R"("join", "leave", "empty", "match_begun", "match_ended", "recording_finished")") +
      "[[route]]\nname = \"ctf\"\nlisten = \"" + bzflag(0) + "\"\nto = \"" + bzflag(port) +
      "\"\nrecord = \"ctf-{time}.mcap\"\n[[arena]]\nname = \"lobby\"\nround_s = 1\npause_s = 1\nlisten = [\"" +
      bzflag(port) + "\", \"" + native(0) + "\"]\n");
  const std::uint16_t relay = its.port("bzflag 2.4");
  (void)its.port("bzflag 2.4");
  const std::uint16_t arena = its.port("native json");

  const auto anna = its.bot(bzflag(relay), "anna");
  const auto of_route = parsed(receiver.await("\"route\":\"ctf\""));
  CHECK(text_of(of_route, "event") == "join");
  CHECK(text_of(of_route, "player") == "anna");
  CHECK(text_of(of_route, "game") == "bzflag 2.4");
  CHECK(text_of(of_route, "arena") == "");
  CHECK(text_of(of_route, "address") == "");
  CHECK(of_route.fields().at("players").number_value() == 1);
  CHECK(text_of(parsed(receiver.await("\"arena\":\"lobby\",\"game\":\"bzflag 2.4\"")), "player") == "anna");
  const auto bob = its.bot(native(arena), "bob");
  const auto second = parsed(receiver.await("\"player\":\"bob\""));
  CHECK(text_of(second, "arena") == "lobby");
  CHECK(second.fields().at("players").number_value() == 2);
  CHECK(text_of(parsed(receiver.await("match_begun")), "arena") == "lobby");
  const auto ended = parsed(receiver.await("\"team\":"));
  CHECK(text_of(ended, "event") == "match_ended");
  CHECK(ended.fields().at("scores").list_value().values_size() >= 1);

  anna->signal(SIGTERM);
  const auto left = parsed(receiver.await("\"event\":\"empty\""));
  CHECK(text_of(left, "route") == "ctf");
  const auto gone = parsed(receiver.await("\"event\":\"leave\""));
  CHECK(text_of(gone, "player") == "anna");
  CHECK(text_of(gone, "reason") != "");
  its.process->signal(SIGTERM);
  CHECK(its.process->wait() == 0);
  // What happens at the end is sent, too.
  const auto finished = parsed(receiver.await("recording_finished"));
  CHECK(text_of(finished, "route") == "ctf");
  CHECK(static_cast<std::uint64_t>(finished.fields().at("bytes").number_value()) ==
        std::filesystem::file_size(text_of(finished, "file")));
}

TEST_CASE("a refusal, a ban, a server that goes down and comes up, and an upgrade that fails") {
  Receiver receiver;
  const auto port = static_cast<std::uint16_t>(testing::free_port());
  const std::string rest =
      hook(receiver, R"("refused", "ban", "server_down", "server_up", "upgrade_failed")", "addresses = true\n") +
      "[[route]]\nname = \"ctf\"\nhold_s = 10\ncheck_s = 1\nlisten = \"" + bzflag(0) + "\"\nto = \"" + bzflag(port) +
      "\"\nwatch = [{ listen = \"" + native(0) + "\", delay_s = 1 }]\n";
  const Hooked its(rest);
  const std::uint16_t relay = its.port("bzflag 2.4");
  const auto down = parsed(receiver.await("server_down"));
  CHECK(text_of(down, "route") == "ctf");
  CHECK(text_of(down, "server") == "127.0.0.1:" + std::to_string(port));
  CHECK(text_of(down, "reason") != "");
  {
    Process server({kEntente, "arena", "--listen", bzflag(port)});
    CHECK(text_of(parsed(receiver.await("server_up")), "server") == "127.0.0.1:" + std::to_string(port));
    server.signal(SIGTERM);
    CHECK(server.wait() == 0);
  }
  CHECK(its.ctl({"ban", "127.0.0.9", "--for", "1h", "--why", "teamkill"}).code == 0);
  CHECK(its.ctl({"ban", "127.0.0.1", "--why", "all of us"}).code == 0);
  const auto ban = parsed(receiver.await("teamkill"));
  CHECK(text_of(ban, "network") == "127.0.0.9");
  CHECK(text_of(ban, "by") == "operator");
  CHECK(ban.fields().at("seconds").number_value() > 3'500);
  (void)testing::connect_to(*net::Address::parse("127.0.0.1", relay));
  const auto refused = parsed(receiver.await("\"event\":\"refused\""));
  CHECK(text_of(refused, "route") == "ctf");
  CHECK(text_of(refused, "address").starts_with("127.0.0.1:"));
  CHECK(text_of(refused, "reason") == "banned");

  its.write("workers = 0\n" + rest);
  CHECK(its.ctl({"upgrade"}).code == 1);
  CHECK(text_of(parsed(receiver.await("upgrade_failed")), "reason") != "");
  // The program goes on, and so do its hooks.
  CHECK(its.ctl({"hooks", "test", "h"}).code == 0);
  receiver.await("\"event\":\"test\"");
  // The spectator of the route tells nothing of its own.
  for (const auto& request : receiver.await(receiver.count()))
    if (request.body.find("\"server_") != std::string::npos) CHECK(text_of(parsed(request), "route") == "ctf");
}

TEST_CASE("after an upgrade, a ban is one event, although the old process and the new one hear of it") {
  Receiver receiver;
  const Hooked its(hook(receiver, "\"ban\"", "addresses = true\n") + "[[arena]]\nname = \"lobby\"\nlisten = [\"" +
                   native(0) + "\"]\n");
  const auto anna = its.bot(native(its.port("native json")), "anna");
  REQUIRE(its.has("anna"));
  Process young({kEntente, "run", its.folder.file("a.toml"), "--take-over", its.folder.file("c.sock")});
  (void)testing::listening_port(young, "native json");
  REQUIRE(eventually([&] { return !older_sockets(its.folder.file("c.sock")).empty(); }));
  CHECK(its.ctl({"ban", "192.0.2.7", "--for", "1h", "--why", "first"}).code == 0);
  anna->signal(SIGTERM);
  REQUIRE(its.process->wait() == 0);  // the old one, which has sent all that it has to
  CHECK(its.ctl({"ban", "192.0.2.8", "--why", "second"}).code == 0);
  receiver.await("second");
  const auto all = receiver.await(std::size_t{2});
  CHECK(std::count_if(all.begin(), all.end(), [](const auto& one) { return has(one.body, "first"); }) == 1);
}

TEST_CASE("a rule that fails is switched off, and a hook says so") {
  Receiver receiver;
  const Folder files;
  const std::string rule = files.write("bad.lua", "function on_join(player) error(\"no\") end\n");
  const Hooked its(hook(receiver, R"("rule_off")") + "[[arena]]\nname = \"lobby\"\nrules = [\"" + rule +
                   "\"]\nlisten = [\"" + native(0) + "\"]\n");
  const auto anna = its.bot(native(its.port("native json")), "anna");
  const auto off = parsed(receiver.await("rule_off"));
  CHECK(text_of(off, "arena") == "lobby");
  CHECK(text_of(off, "route") == "");
  CHECK(text_of(off, "rule").find("bad") != std::string::npos);
  CHECK(text_of(off, "reason").find("no") != std::string::npos);
}

TEST_CASE("after an upgrade, an arena is not said to be empty while the old process has players") {
  Receiver receiver;
  const auto port = static_cast<std::uint16_t>(testing::free_port());
  const Hooked its(hook(receiver, R"("join", "leave", "empty")") + "[[arena]]\nname = \"lobby\"\nlisten = [\"" +
                   native(port) + "\"]\n");
  REQUIRE(its.port("native json") == port);
  const auto anna = its.bot(native(port), "anna");
  receiver.await("anna joined");
  const Ended upgraded = its.ctl({"upgrade"});
  REQUIRE_MESSAGE(upgraded.code == 0, upgraded.err);
  const Young young{std::stoi(upgraded.out.substr(std::string("process ").size()))};
  const auto bob = its.bot(native(port), "bob");
  receiver.await("bob joined");
  bob->signal(SIGTERM);
  receiver.await("bob left");
  CHECK(its.ctl({"hooks", "test", "h"}).code == 0);
  receiver.await("\"event\":\"test\"");
  for (const Receiver::Request& one : receiver.await(4)) CHECK(one.body.find("\"empty\"") == std::string::npos);
  anna->signal(SIGTERM);
  receiver.await("anna left");
  CHECK(text_of(parsed(receiver.await("\"event\":\"empty\"")), "arena") == "lobby");
  CHECK(receiver.count() == 6);
}

TEST_CASE("after an upgrade, the old process says of no arena that it is empty: the new one may have players there") {
  Receiver receiver;
  const Hooked its(hook(receiver, R"("join", "leave", "empty")") + "[[arena]]\nname = \"lobby\"\nlisten = [\"" +
                   native(0) + "\"]\n");
  const auto anna = its.bot(native(its.port("native json")), "anna");
  receiver.await("anna joined");
  Process young({kEntente, "run", its.folder.file("a.toml"), "--take-over", its.folder.file("c.sock")});
  const auto port = testing::listening_port(young, "native json");
  REQUIRE(eventually([&] { return !older_sockets(its.folder.file("c.sock")).empty(); }));
  const auto bob = its.bot(native(port), "bob");
  receiver.await("bob joined");
  anna->signal(SIGTERM);
  receiver.await("anna left");
  REQUIRE(its.process->wait() == 0);  // the old one, which has sent all that it has to
  for (const Receiver::Request& one : receiver.await(3)) CHECK(one.body.find("\"empty\"") == std::string::npos);
  CHECK(receiver.count() == 3);
  bob->signal(SIGTERM);
  CHECK(text_of(parsed(receiver.await("\"event\":\"empty\"")), "arena") == "lobby");
  CHECK(receiver.count() == 5);
}

TEST_CASE(
    "after an upgrade, a rule's ban in the old process holds in the new one, and a hook is told that it is by a rule") {
  for (const std::string minutes : {"5", "1000000000"}) {
    CAPTURE(minutes);
    Receiver receiver;
    const Folder files;
    const std::string rule =
        files.write("out.lua",
                    "local ben\nfunction on_join(player) if player.name == 'ben' then ben = player.id end end\n"
                    "function on_leave(player) if ben and player.name == 'anna' then ban(ben, " +
                        minutes + ", 'she left') end end\n");
    const auto port = static_cast<std::uint16_t>(testing::free_port());
    const Hooked its(hook(receiver, R"("join", "ban")") + "[[arena]]\nname = \"lobby\"\nrules = [\"" + rule +
                     "\"]\nlisten = [\"" + native(port) + "\"]\n");
    REQUIRE(its.port("native json") == port);
    const auto anna = its.bot(native(port), "anna"), ben = its.bot(native(port), "ben");
    receiver.await("anna joined"), receiver.await("ben joined");
    Process young({kEntente, "run", its.folder.file("a.toml"), "--take-over", its.folder.file("c.sock")});
    (void)testing::listening_port(young, "native json");
    REQUIRE(eventually([&] { return !older_sockets(its.folder.file("c.sock")).empty(); }));
    anna->signal(SIGTERM);
    CHECK(text_of(parsed(receiver.await("she left")), "by") == "rule");
    REQUIRE(its.process->wait() == 0);  // the ban has ended ben's session, too
    CHECK(has(its.answer("bans"), "she left"));
    CHECK(receiver.count() == 3);
  }
}

TEST_CASE("a hook is told that a rule has made a ban") {
  Receiver receiver;
  const Folder files;
  const std::string rule = files.write("out.lua", "function on_join(player) ban(player.id, 5, 'nobody plays') end\n");
  const Hooked its(hook(receiver, R"("ban")") + "[[arena]]\nname = \"lobby\"\nrules = [\"" + rule +
                   "\"]\nlisten = [\"" + native(0) + "\"]\n");
  const auto anna = its.bot(native(its.port("native json")), "anna");
  const auto ban = parsed(receiver.await("nobody plays"));
  CHECK(text_of(ban, "by") == "rule");
  CHECK(text_of(ban, "text").ends_with(" by a rule: nobody plays"));
}

TEST_CASE("a reload adds, changes and removes hooks; one with an error changes nothing, and shows no secret") {
  Receiver one, two;
  const std::string arena = "[[arena]]\nname = \"lobby\"\nlisten = [\"" + native(0) + "\"]\n";
  const Hooked its(arena);
  (void)its.port("native json");
  CHECK(its.ctl({"hooks"}).out.find("hook") != std::string::npos);
  its.write(arena + hook(one, "\"join\""));
  const Ended added = its.ctl({"reload"});
  CHECK_MESSAGE(added.out.find("added: hook 'h'") != std::string::npos, added.out << added.err);
  CHECK(its.ctl({"hooks", "test", "h"}).code == 0);
  one.await(1);

  const std::string secret = two.url("/secret-of-the-url");
  its.write(arena + "[[hook]]\nname = \"h\"\nurl = \"" + secret + "\"\nevents = [\"joins\"]\n");
  const Ended broken = its.ctl({"reload"});
  CHECK(broken.code == 1);
  CHECK(broken.err.find("unknown event 'joins' (did you mean 'join'?)") != std::string::npos);
  CHECK(its.ctl({"hooks", "test", "h"}).code == 0);
  one.await(2);

  its.write(arena + "[[hook]]\nname = \"h\"\nurl = \"" + secret + "\"\nevents = [\"join\"]\n");
  const Ended changed = its.ctl({"reload"});
  CHECK(changed.out.find("changed: hook 'h'") != std::string::npos);
  CHECK(changed.out.find("needs a restart") == std::string::npos);
  CHECK(changed.out.find("secret-of") == std::string::npos);
  CHECK(its.ctl({"hooks", "test", "h"}).code == 0);
  CHECK(two.await(1).front().line == "POST /secret-of-the-url HTTP/1.1");
  CHECK(its.answers("hooks", "\t0\t"));
  CHECK(its.answer("hooks").find("secret-of") == std::string::npos);
  its.write(arena);
  CHECK(its.ctl({"reload"}).out.find("removed: hook 'h'") != std::string::npos);
  CHECK(its.ctl({"hooks", "test", "h"}).code == 1);
  its.process->signal(SIGTERM);
  CHECK(its.process->wait() == 0);
  CHECK(its.process->err().find("secret-of") == std::string::npos);
  CHECK(one.count() == 2);
}

TEST_CASE("the program is killed in the middle; its successor sends other ids") {
  std::atomic<bool> holds{true};
  Receiver receiver([&](Receiver::Talk& talk, const Receiver::Request&) {
    if (holds) return talk.wait_for_end(), false;
    return talk.send("HTTP/1.1 204 No Content\r\n\r\n");
  });
  const std::string rest =
      hook(receiver, "\"join\"") + "[[arena]]\nname = \"lobby\"\nlisten = [\"" + native(0) + "\"]\n";
  std::string before;
  {
    const Hooked its(rest);
    (void)its.port("native json");
    CHECK(its.ctl({"hooks", "test", "h"}).code == 0);
    before = text_of(parsed(receiver.await(1).back()), "id");
    its.process->signal(SIGKILL);
    CHECK(its.process->wait() == 128 + SIGKILL);
  }
  holds = false;
  const Hooked its(rest);
  (void)its.port("native json");
  CHECK(its.ctl({"hooks", "test", "h"}).code == 0);
  CHECK(text_of(parsed(receiver.await(2).back()), "id") != before);
}

/// The lines between these marks of the manual, without their indentation.
std::string receiver_of_the_manual() {
  std::ifstream in(testing::source_dir() + "/proxy/manual/hooks.md");
  std::string text;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "<!-- /receiver -->") inside = false;
    if (inside && !line.empty()) text += line.substr(4) + "\n";
    if (line == "<!-- receiver -->") inside = true;
  }
  return text;
}

TEST_CASE("the receiver of the manual takes what has a right signature, and refuses all else") {
  const Folder files;
  const std::string secret = files.write("secret", "0123456789abcdef0123456789abcdef\n");
  const std::string wrong = files.write("wrong", "fedcba9876543210fedcba9876543210\n");
  for (const std::string& file : {secret, wrong}) std::filesystem::permissions(file, std::filesystem::perms(0600));
  const std::string script = receiver_of_the_manual();
  CHECK(std::count(script.begin(), script.end(), '\n') <= 18);
  Process receiver({"/usr/bin/env", "python3", "-u", files.write("receiver.py", script), secret, "0"});
  const auto line = receiver.line();
  REQUIRE_MESSAGE(line, receiver.err());
  const std::string url = "http://127.0.0.1:" + line->substr(line->rfind(' ') + 1) + "/";
  const auto one = [&](const std::string& name, const std::string& file) {
    return "[[hook]]\nname = \"" + name + "\"\nurl = \"" + url + "\"\nevents = [\"join\"]\nsecret_file = \"" + file +
           "\"\n";
  };
  const Hooked its(one("right", secret) + one("wrong", wrong) + "[[arena]]\nlisten = [\"" + native(0) + "\"]\n");
  (void)its.port("native json");
  CHECK(its.ctl({"hooks", "test", "wrong"}).code == 0);
  CHECK(its.answers("hooks", "it answered 403"));
  CHECK(its.ctl({"hooks", "test", "right"}).code == 0);
  CHECK(receiver.line() == "this is a test by `entente ctl`");
}

}  // namespace
}  // namespace entente::hooks_process_test
